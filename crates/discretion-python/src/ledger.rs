//! The ledger, as Python holds it. What it says crosses the border as JSON.

use crate::budget::{CapNumbers, terms};
use crate::errors::{Raise, input};
use crate::payer::account;
use discretion::Refusal;
use discretion::privacy::Unit;
use discretion::privacy::account::Terms;
use discretion_ledger::{Account, Ledger as File};
use pyo3::prelude::*;
use serde::Serialize;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// An open ledger. Threads take turns.
#[pyclass(frozen)]
pub struct Ledger {
    file: Mutex<ProcessLedger>,
    /// Whether it is forgotten with the process.
    in_memory: bool,
    /// What was released, if it is: by the number of the charge.
    kept: Mutex<HashMap<u64, String>>,
}

/// A ledger in the process that opened it. A forked one must neither use its parent's connection
/// nor go on from its parent's memory, of which it has a copy: what both spend would be counted
/// once.
struct ProcessLedger {
    ledger: Option<File>,
    process: u32,
}

impl ProcessLedger {
    fn new(ledger: File) -> ProcessLedger {
        ProcessLedger { ledger: Some(ledger), process: std::process::id() }
    }

    /// The ledger, opened anew if this process is a fork.
    fn here(&mut self, in_memory: bool) -> Result<&File, Refusal> {
        if self.process != std::process::id() {
            if in_memory {
                return Err(Refusal::refused(
                    "this account is in the memory of the process that this one was forked from, which would not see what \
                     is spent here; keep accounts in a file with discretion.Ledger(path), or fit in one process"
                        .to_owned(),
                ));
            }
            let path = self.ledger.as_ref().map(|ledger| ledger.file().to_owned());
            let anew = File::open_default(path.as_deref())?;
            // Dropped, the parent's connection would be closed, and its locks with it.
            std::mem::forget(self.ledger.replace(anew));
            self.process = std::process::id();
        }
        self.ledger.as_ref().ok_or_else(|| Refusal::refused("this ledger is closed".to_owned()))
    }
}

impl Drop for ProcessLedger {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.ledger.take());
        }
    }
}

#[pymethods]
impl Ledger {
    /// The ledger at `path`, or where the program looks by itself.
    #[staticmethod]
    #[pyo3(signature = (path=None))]
    fn open(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Ledger> {
        py.detach(|| File::open_default(path.as_deref()))
            .map(|file| Ledger {
                file: Mutex::new(ProcessLedger::new(file)),
                in_memory: false,
                kept: Mutex::default(),
            })
            .map_err(|error| Refusal::from(error).raise(py))
    }

    /// A ledger that is forgotten with the process.
    #[staticmethod]
    fn in_memory(py: Python<'_>) -> PyResult<Ledger> {
        let file = File::in_memory().map_err(|error| Refusal::from(error).raise(py))?;
        Ok(Ledger {
            file: Mutex::new(ProcessLedger::new(file)),
            in_memory: true,
            kept: Mutex::default(),
        })
    }

    /// The file; nothing in memory.
    #[getter]
    pub fn path(&self) -> Option<PathBuf> {
        if self.in_memory {
            return None;
        }
        self.with(|file| Ok(file.path().to_owned())).ok()
    }

    /// Where every account stands.
    fn accounts(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, File::list)
    }

    /// Where an account stands.
    #[pyo3(signature = (name, cap=None))]
    fn standing(&self, py: Python<'_>, name: &str, cap: Option<CapNumbers>) -> PyResult<String> {
        self.ask_account(py, name, cap, |account| account.standing())
    }

    /// What happened on an account.
    #[pyo3(signature = (name, cap=None))]
    fn history(&self, py: Python<'_>, name: &str, cap: Option<CapNumbers>) -> PyResult<String> {
        self.ask_account(py, name, cap, |account| account.history())
    }

    /// Raises the cap of an account that exists.
    fn raise_cap(&self, py: Python<'_>, name: &str, cap: CapNumbers, reason: &str) -> PyResult<()> {
        let Terms { cap, .. } = terms(cap).map_err(|failure| failure.raise(py))?;
        self.ask_account(py, name, None, |account| account.raise(cap, reason)).map(|_| ())
    }

    /// Walks the whole chain: the number of entries, and its head.
    #[pyo3(signature = (noted=None))]
    fn verify(&self, py: Python<'_>, noted: Option<&str>) -> PyResult<(u64, String)> {
        let found = py.detach(|| self.with(|file| Ok(file.verify(noted)?)));
        let found = found.map_err(|failure| failure.raise(py))?;
        match found.problem {
            None => Ok((found.entries, found.head)),
            Some(problem) => Err(Refusal::refused(problem.to_string()).raise(py)),
        }
    }
}

impl Ledger {
    /// Whether it is forgotten with the process.
    pub fn is_in_memory(&self) -> bool {
        self.in_memory
    }

    /// Remembers what was released under a charge, for as long as the process runs.
    pub fn keep(&self, charge: u64, text: String) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(charge, text);
    }

    /// What was released under a charge, if this process remembers it.
    pub fn kept(&self, charge: u64) -> Option<String> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&charge).cloned()
    }

    /// Calls `work` with the ledger, when no other thread has it.
    pub fn with<T>(&self, work: impl FnOnce(&File) -> Result<T, Refusal>) -> Result<T, Refusal> {
        // A thread that panicked left a transaction behind at most, which SQLite rolls back.
        let mut ledger = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        work(ledger.here(self.in_memory)?)
    }

    fn ask<T: Serialize + Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&File) -> Result<T, discretion_ledger::Error> + Send,
    ) -> PyResult<String> {
        let answer = py
            .detach(|| self.with(|file| Ok(question(file)?)))
            .map_err(|failure| failure.raise(py))?;
        serde_json::to_string(&answer).map_err(|error| input(py, error.to_string()))
    }

    fn ask_account<T: Serialize + Send>(
        &self,
        py: Python<'_>,
        name: &str,
        cap: Option<CapNumbers>,
        question: impl FnOnce(&Account<'_>) -> Result<T, discretion_ledger::Error> + Send,
    ) -> PyResult<String> {
        let cap = cap.map(terms).transpose().map_err(|failure| failure.raise(py))?;
        self.ask(py, |file| question(&account(file, name, cap, Unit::Row)?))
    }
}
