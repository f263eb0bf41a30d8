//! Rows that can be taken away: a long fit ends at its next pass over them.

use discretion::erm::{Facts, Oracle, OracleError, Order, Point, Sums};
use discretion::loss::Loss;
use discretion::noise::{BigFloat, Sensitive};
use std::sync::atomic::{AtomicBool, Ordering};

/// An oracle that fails once `stop` is set. When that happens is the user's doing and not the rows'.
pub(crate) struct Stoppable<'r> {
    pub rows: &'r dyn Oracle,
    pub stop: &'r AtomicBool,
}

impl Stoppable<'_> {
    fn go_on(&self) -> Result<(), OracleError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(OracleError("the run was stopped".to_owned())),
            false => Ok(()),
        }
    }
}

impl Oracle for Stoppable<'_> {
    fn facts(&self) -> Facts {
        self.rows.facts()
    }

    fn sums(&self, loss: &dyn Loss, theta: &[f64], order: Order) -> Result<Sensitive<Sums>, OracleError> {
        self.go_on()?;
        self.rows.sums(loss, theta, order)
    }

    fn sums_at(&self, loss: &dyn Loss, points: &[Point]) -> Result<Vec<Sensitive<Sums>>, OracleError> {
        self.go_on()?;
        self.rows.sums_at(loss, points)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.rows.sample()
    }

    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        self.go_on()?;
        self.rows.big_gradient(loss, theta, precision)
    }
}
