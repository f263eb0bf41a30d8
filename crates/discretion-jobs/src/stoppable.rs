//! Rows that can be taken away: a long fit ends at its next pass over them.

use discretion::erm::{Answer, Facts, Oracle, OracleError, Question};
use std::sync::atomic::{AtomicBool, Ordering};

/// An oracle that fails once `stop` is set. When that happens is the user's doing and not the rows'.
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
