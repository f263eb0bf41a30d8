//! A mechanism that can be taken away: a long audit ends at its next batch of runs.

use discretion::audit::{AuditError, Mechanism, Outputs, Side};
use discretion::noise::Noise;
use std::sync::atomic::{AtomicBool, Ordering};

/// Fails once `stop` is set.
pub(super) struct Stoppable<'m> {
    pub mechanism: &'m dyn Mechanism,
    pub stop: &'m AtomicBool,
}

/// An error if somebody wants to stop.
pub(super) fn go_on(stop: &AtomicBool) -> Result<(), AuditError> {
    match stop.load(Ordering::Relaxed) {
        true => Err(AuditError::Run("the audit was stopped".to_owned())),
        false => Ok(()),
    }
}

impl Mechanism for Stoppable<'_> {
    fn run(&self, side: Side, source: &mut Noise) -> Result<Vec<f64>, AuditError> {
        go_on(self.stop)?;
        self.mechanism.run(side, source)
    }

    fn runs(&self, side: Side, count: usize, source: &mut Noise) -> Result<Outputs, AuditError> {
        go_on(self.stop)?;
        self.mechanism.runs(side, count, source)
    }

    fn batch(&self) -> usize {
        self.mechanism.batch()
    }
}
