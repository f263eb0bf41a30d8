//! A start for many searches over the same rows that differ in their noise alone.

use super::{NEWTON_LIMIT, Problem, newton};
use crate::erm::OracleError;
use faer::linalg::solvers::Llt;

/// The minimiser without noise and the objective's curvature there. A search that begins here needs a Hessian of its own
/// only where its noise leads far away. It depends on the rows, cannot be looked into, and changes how long a search
/// takes and nothing that is promised about its result.
pub struct Warm {
    pub(super) theta: Vec<f64>,
    /// Nothing past [`NEWTON_LIMIT`] coefficients, or if rounding left the Hessian indefinite.
    pub(super) factor: Option<Llt<f64>>,
}

impl Problem<'_> {
    /// A start for this problem under any noise.
    pub fn warm(&self) -> Result<Warm, OracleError> {
        let d = self.oracle.facts().dimension;
        let theta = self.minimise_in_doubles(&vec![0.0; d])?.into_inner();
        let theta: Vec<f64> = theta.iter().map(|x| x.to_f64().value()).collect();
        let factor = if d <= NEWTON_LIMIT {
            newton::factorise(&self.expand(&theta, &vec![0.0; d], self.newton_order())?.hessian, d)
        } else {
            None
        };
        Ok(Warm { theta, factor })
    }
}
