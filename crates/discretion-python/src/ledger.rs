//! The ledger, as Python holds it. What it says crosses the border as JSON.

use crate::errors::{Failure, input};
use crate::payer::{Numbers, budget};
use discretion_ledger::{Account, Ledger as File};
use pyo3::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An open ledger. Threads take turns.
#[pyclass(frozen)]
pub struct Ledger {
    file: Mutex<File>,
    /// Whether it is forgotten with the process.
    in_memory: bool,
}

#[pymethods]
impl Ledger {
    /// The ledger at `path`, or where the program looks by itself.
    #[staticmethod]
    #[pyo3(signature = (path=None))]
    fn open(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Ledger> {
        py.detach(|| File::open_default(path.as_deref()))
            .map(|file| Ledger { file: Mutex::new(file), in_memory: false })
            .map_err(|error| Failure::from(error).raise(py))
    }

    /// A ledger that is forgotten with the process.
    #[staticmethod]
    fn in_memory(py: Python<'_>) -> PyResult<Ledger> {
        let file = File::in_memory().map_err(|error| Failure::from(error).raise(py))?;
        Ok(Ledger { file: Mutex::new(file), in_memory: true })
    }

    /// The file; nothing in memory.
    #[getter]
    pub fn path(&self) -> Option<PathBuf> {
        (!self.in_memory).then(|| self.with(|file| file.path().to_owned()))
    }

    /// Where every account stands.
    fn accounts(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, File::list)
    }

    /// Where an account stands.
    #[pyo3(signature = (name, cap=None))]
    fn standing(&self, py: Python<'_>, name: &str, cap: Option<Numbers>) -> PyResult<String> {
        self.ask_account(py, name, cap, |account| account.standing())
    }

    /// What happened on an account.
    #[pyo3(signature = (name, cap=None))]
    fn history(&self, py: Python<'_>, name: &str, cap: Option<Numbers>) -> PyResult<String> {
        self.ask_account(py, name, cap, |account| account.history())
    }

    /// Raises the cap of an account that exists.
    fn raise_cap(&self, py: Python<'_>, name: &str, cap: Numbers, reason: &str) -> PyResult<()> {
        let cap = budget(cap).map_err(|failure| failure.raise(py))?;
        self.ask_account(py, name, None, |account| account.raise(cap, reason)).map(|_| ())
    }

    /// Walks the whole chain: the number of entries, and its head.
    #[pyo3(signature = (noted=None))]
    fn verify(&self, py: Python<'_>, noted: Option<&str>) -> PyResult<(u64, String)> {
        let found = py.detach(|| self.with(|file| file.verify(noted)));
        let found = found.map_err(|error| Failure::from(error).raise(py))?;
        match found.problem {
            None => Ok((found.entries, found.head)),
            Some(problem) => {
                let entry = problem.number.map_or_else(String::new, |number| format!("entry {number}: "));
                Err(Failure::Refused(format!(
                    "the ledger does not verify: {entry}{}; restore it from a copy, and count everything since as spent",
                    problem.detail
                ))
                .raise(py))
            }
        }
    }
}

impl Ledger {
    /// Whether it is forgotten with the process.
    pub fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// Calls `work` with the ledger, when no other thread has it.
    pub fn with<T>(&self, work: impl FnOnce(&File) -> T) -> T {
        // A thread that panicked left a transaction behind at most, which SQLite rolls back.
        work(&self.file.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ask<T: Serialize + Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&File) -> Result<T, discretion_ledger::Error> + Send,
    ) -> PyResult<String> {
        let answer = py.detach(|| self.with(question)).map_err(|error| Failure::from(error).raise(py))?;
        serde_json::to_string(&answer).map_err(|error| input(py, error.to_string()))
    }

    fn ask_account<T: Serialize + Send>(
        &self,
        py: Python<'_>,
        name: &str,
        cap: Option<Numbers>,
        question: impl FnOnce(&Account<'_>) -> Result<T, discretion_ledger::Error> + Send,
    ) -> PyResult<String> {
        let cap = cap.map(budget).transpose().map_err(|failure| failure.raise(py))?;
        self.ask(py, |file| {
            let account = match cap {
                Some(cap) => file.account(name, cap)?,
                None => file.existing_account(name)?,
            };
            question(&account)
        })
    }
}
