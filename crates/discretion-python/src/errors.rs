//! One family of errors crosses the border; its classes are in `discretion._errors`.

use discretion::{Refusal, RefusalKind, Remedy};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::error::Error;

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

/// A refusal as Python raises it.
pub trait Raise {
    /// The exception.
    fn raise(self, py: Python<'_>) -> PyErr;
}

impl Raise for Refusal {
    fn raise(self, py: Python<'_>) -> PyErr {
        let sentence = unquoted(&self);
        match self.kind() {
            RefusalKind::BadInput => input(py, sentence),
            RefusalKind::AfterCharge => raised(py, "FailedAfterCharge", sentence),
            RefusalKind::Stopped => PyKeyboardInterrupt::new_err(sentence),
            RefusalKind::Refused | RefusalKind::Fault | RefusalKind::NobodyListens => {
                refused(py, sentence)
            }
        }
    }
}

/// A refusal's message in the words of Python, without values of rows: exceptions end up in logs
/// and notebooks that others read.
fn unquoted(refusal: &Refusal) -> String {
    let sentence = refusal.said_with(str::to_owned, |remedy| Some(keyword(remedy)));
    match refusal.source().and_then(|source| source.downcast_ref::<discretion_table::Error>()) {
        Some(error) => {
            sentence.replace(&error.problem.to_string(), &error.problem.without_values())
        }
        None => sentence,
    }
}

fn keyword(remedy: Remedy) -> String {
    match remedy {
        Remedy::Reuse => "reuse=True returns what that released, for nothing".to_owned(),
        Remedy::PayAgain => "leave reuse=True out to pay for another result".to_owned(),
        Remedy::AcceptFindings => "if all is as it should be, pass accept_check=True".to_owned(),
        Remedy::NewSession => {
            "open another session at its full price with new_session=True".to_owned()
        }
        Remedy::AccountsCap => {
            "leave the cap out, or raise it with account.raise_cap(reason, ...)".to_owned()
        }
        other => other.to_string(),
    }
}
