//! A start for many searches over the same rows that differ in their noise alone.

use super::{NEWTON_LIMIT, Problem, newton};
use crate::erm::{Loss, Oracle, OracleError, Point, Sums};
use faer::linalg::solvers::Llt;

/// Numbers that the Hessians of several starts may hold together in one part of a pass (32 MB).
const HESSIAN_NUMBERS: usize = 1 << 22;

/// A point near the minimiser without noise, and the sums and the curvature there. A search that begins here needs no pass over
/// the rows for its first step, and a Hessian of its own only where its noise leads far away. It depends on the rows, cannot
/// be looked into, and changes how long a search takes and nothing that is promised about its result.
pub struct Warm {
    pub(super) theta: Vec<f64>,
    pub(super) sums: Sums,
    /// Nothing past [`NEWTON_LIMIT`] coefficients, or if rounding left the Hessian indefinite.
    pub(super) factor: Option<Llt<f64>>,
}

impl Warm {
    /// A start for each λ. One pass over the rows serves several, after searches on a sample of them.
    pub fn starts(oracle: &dyn Oracle, loss: &dyn Loss, lambdas: &[f64]) -> Result<Vec<Warm>, OracleError> {
        let problems: Vec<Problem<'_>> =
            lambdas.iter().map(|&lambda| Problem::new(oracle, loss, lambda, 0.0)).collect();
        let d = oracle.facts().dimension;
        let together = (HESSIAN_NUMBERS / (d * d)).clamp(1, 16);
        let mut starts = Vec::with_capacity(lambdas.len());
        let mut theta = vec![0.0; d];
        for problems in problems.chunks(together) {
            let mut points = Vec::with_capacity(problems.len());
            for problem in problems {
                // The neighbour's minimiser is nearer than 0.
                theta = problem.near_minimiser(theta)?;
                points.push(Point { theta: theta.clone(), order: problem.start_order() });
            }
            let sums = oracle.sums_at(loss, &points)?;
            for ((problem, point), sums) in problems.iter().zip(points).zip(sums) {
                let mut sums = sums.into_inner();
                let hessian = std::mem::take(&mut sums.hessian);
                let factor =
                    (!hessian.is_empty()).then(|| newton::factorise(&problem.regularised(hessian), d));
                starts.push(Warm { theta: point.theta, sums, factor: factor.flatten() });
            }
        }
        Ok(starts)
    }
}

impl Problem<'_> {
    /// Roughly the minimiser without noise.
    fn near_minimiser(&self, start: Vec<f64>) -> Result<Vec<f64>, OracleError> {
        if start.len() <= NEWTON_LIMIT {
            return newton::near_minimiser(self, start);
        }
        let found = self.minimise_in_doubles(&vec![0.0; start.len()])?.into_inner();
        Ok(found.iter().map(|x| x.to_f64().value()).collect())
    }

    fn start_order(&self) -> crate::erm::Order {
        let d = self.oracle.facts().dimension;
        if d <= NEWTON_LIMIT { self.newton_order() } else { crate::erm::Order::Gradient }
    }
}
