//! One family of errors crosses the border; its classes are in `discretion._errors`.

use discretion::{Refusal, RefusalKind};
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
        let sentence = in_python(unquoted(&self));
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

/// What is written into a study file, and what is done with the program, as they are called in
/// Python.
const IN_PYTHON: [(&str, &str); 12] = [
    (
        "table: these are not the declared columns: ",
        "the frame's columns are not those of the schema: ",
    ),
    ("the header lacks the declared column", "the frame lacks the declared column"),
    ("the header lacks the target", "the frame lacks the target"),
    ("not declared in [columns]", "not declared in the schema"),
    ("declare it as { drop = true }", "declare it as {\"drop\": True}"),
    (
        "declare each with its range or values, or as { drop = true }",
        "declare each, or write {\"drop\": True}",
    ),
    (" in [spend], or another account", ", or another account"),
    ("than this study asks for", "than is asked for"),
    ("remove `filter` from [budget]", "leave filter= out"),
    ("and this study asks for", "and what is asked for is"),
    (
        "write the account's cap into [budget], or raise it with `discretion ledger raise`",
        "leave the cap out, or raise it with account.raise_cap(reason, ...)",
    ),
    ("leave out [intervals]", "leave intervals= out"),
];

/// Returns a refusal's message without values of rows: exceptions end up in logs and notebooks
/// that others read.
fn unquoted(refusal: &Refusal) -> String {
    let sentence = refusal.to_string();
    match refusal.source().and_then(|source| source.downcast_ref::<discretion_table::Error>()) {
        Some(error) => {
            sentence.replace(&error.problem.to_string(), &error.problem.without_values())
        }
        None => sentence,
    }
}

fn in_python(sentence: String) -> String {
    IN_PYTHON.iter().fold(sentence, |sentence, (study, here)| sentence.replace(study, here))
}
