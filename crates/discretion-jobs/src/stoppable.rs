//! Rows that can be taken away: a long fit ends at its next pass over them.

use discretion::erm::{Answer, Facts, Oracle, OracleError, Question};
use discretion::{Refusal, RefusalKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Refuses to release anything once the run's user has stopped it. Whatever the run said by then is
/// of no interest.
pub(crate) fn unless_stopped(stop: Option<&Arc<AtomicBool>>) -> Result<(), Refusal> {
    match stop {
        Some(stop) if stop.load(Ordering::Relaxed) => {
            Err(Refusal::new(RefusalKind::Stopped, "stopped before anything was released"))
        }
        _ => Ok(()),
    }
}

/// An oracle that fails once `stop` is set. When that happens is the user's doing and not the
/// rows'.
pub(crate) struct Stoppable<'r> {
    pub rows: &'r dyn Oracle,
    pub stop: &'r AtomicBool,
}

impl Oracle for Stoppable<'_> {
    fn facts(&self) -> Facts {
        self.rows.facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(OracleError("the run was stopped".to_owned())),
            false => self.rows.answer(question),
        }
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.rows.sample()
    }
}
