//! One family of errors crosses the border; its classes are in `discretion._errors`.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Something has to be repaired by the caller.
pub fn input(py: Python<'_>, message: String) -> PyErr {
    raised(py, "InputError", message)
}

/// Understood, and will not be done; or the machine cannot do it.
pub fn refused(py: Python<'_>, message: String) -> PyErr {
    raised(py, "Refused", message)
}

fn raised(py: Python<'_>, class: &str, message: String) -> PyErr {
    let class = py.import("discretion._errors").and_then(|module| module.getattr(class));
    match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, message),
        Err(error) => error,
    }
}

/// What can go wrong while no Python runs.
pub enum Failure {
    /// The caller's doing.
    Input(String),
    /// A refusal.
    Refused(String),
    /// Whatever failed after the charge, which stays.
    AfterCharge(String),
    /// Somebody pressed Ctrl-C.
    Stopped(String),
}

impl Failure {
    /// As Python raises it.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Failure::Input(message) => input(py, message),
            Failure::Refused(message) => refused(py, message),
            Failure::AfterCharge(message) => raised(py, "FailedAfterCharge", message),
            Failure::Stopped(message) => PyKeyboardInterrupt::new_err(message),
        }
    }

    /// Its sentence.
    pub fn message(&self) -> &str {
        let (Failure::Input(message)
        | Failure::Refused(message)
        | Failure::AfterCharge(message)
        | Failure::Stopped(message)) = self;
        message
    }

    /// The same failure, after a charge of which `stays` says that it stays.
    pub fn after_charge(self, stays: &str) -> Failure {
        match self {
            Failure::Stopped(message) => Failure::Stopped(format!("{message}; {stays}")),
            other => Failure::AfterCharge(format!("{}; {stays}", other.message())),
        }
    }
}

impl From<discretion_table::Error> for Failure {
    fn from(error: discretion_table::Error) -> Failure {
        Failure::Input(error.to_string())
    }
}

impl From<discretion_publish::Error> for Failure {
    fn from(error: discretion_publish::Error) -> Failure {
        match error {
            discretion_publish::Error::Refused(message) => Failure::Refused(message),
            discretion_publish::Error::BadInput(message) => Failure::Input(message),
        }
    }
}

impl From<discretion_ledger::Error> for Failure {
    fn from(error: discretion_ledger::Error) -> Failure {
        match error.is_refusal() {
            true => Failure::Refused(error.to_string()),
            false => Failure::Input(error.to_string()),
        }
    }
}
