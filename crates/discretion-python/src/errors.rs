//! One family of errors crosses the border; its classes are in `discretion._errors`.

use discretion::{Refusal, RefusalKind};
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

/// A refusal as Python raises it.
pub trait Raise {
    /// The exception.
    fn raise(self, py: Python<'_>) -> PyErr;
}

impl Raise for Refusal {
    fn raise(self, py: Python<'_>) -> PyErr {
        match self.kind() {
            RefusalKind::BadInput => input(py, self.to_string()),
            RefusalKind::AfterCharge => raised(py, "FailedAfterCharge", self.to_string()),
            RefusalKind::Stopped => PyKeyboardInterrupt::new_err(self.to_string()),
            RefusalKind::Refused | RefusalKind::Fault | RefusalKind::NobodyListens => {
                refused(py, self.to_string())
            }
        }
    }
}
