//! Long work while no Python runs, and Ctrl-C during it.

use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// How often Python is asked whether somebody pressed Ctrl-C.
const LISTEN: Duration = Duration::from_millis(100);

/// Does `work` on a thread of its own, without the interpreter's lock, while this one listens for Ctrl-C, which sets `stop`.
/// Returns what came of it, and what Python has to raise if it was stopped.
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
