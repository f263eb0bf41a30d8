//! Long work while no Python runs, and Ctrl-C during it.

use crate::errors::Raise;
use discretion::Refusal;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// How often Python is asked whether somebody pressed Ctrl-C.
const LISTEN: Duration = Duration::from_millis(100);

/// Does `work` on a thread of its own, without the interpreter's lock, while this one listens for
/// Ctrl-C, which sets `stop`. Returns what came of it, and what Python has to raise if it was
/// stopped.
pub fn listening<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> (T, Option<PyErr>) {
    py.detach(|| {
        thread::scope(|scope| {
            let (done, is_done) = sync_channel::<()>(1);
            let worker = scope.spawn(move || {
                // Dropped at the end, or by a panic: either way the listener wakes.
                let _done = done;
                work()
            });
            let mut interrupted = None;
            while let Err(RecvTimeoutError::Timeout) = is_done.recv_timeout(LISTEN) {
                if interrupted.is_none() {
                    interrupted = Python::attach(|py| py.check_signals()).err();
                    stop.store(interrupted.is_some(), Ordering::Relaxed);
                }
            }
            match worker.join() {
                Ok(result) => (result, interrupted),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    })
}

/// What Python gets: the result, or why there is none. What a signal handler raised goes before
/// what it made of the work, and says what the work says about charges.
pub fn outcome<T>(
    py: Python<'_>,
    (result, interrupted): (Result<T, Refusal>, Option<PyErr>),
) -> PyResult<T> {
    match (result, interrupted) {
        (Ok(result), None) => Ok(result),
        (Err(failure), None) => Err(failure.raise(py)),
        // It came too late to stop anything, and is raised all the same, as everywhere in Python.
        (Ok(_), Some(interrupt)) => Err(interrupt),
        (Err(failure), Some(interrupt)) if interrupt.is_instance_of::<PyKeyboardInterrupt>(py) => {
            Err(PyKeyboardInterrupt::new_err(failure.to_string()))
        }
        (Err(failure), Some(interrupt)) => {
            // Python 3.10 has no notes; the exception is what matters.
            let _ = interrupt.value(py).call_method1("add_note", (failure.to_string(),));
            Err(interrupt)
        }
    }
}
