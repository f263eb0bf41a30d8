//! A start for many searches over the same rows that differ in their noise alone.

use super::{NEWTON_LIMIT, Problem, newton, side_by_side};
use crate::erm::{Loss, Oracle, OracleError, Order, Point, Sums};
use faer::linalg::solvers::Llt;

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
        let d = oracle.facts().dimension;
        // From the largest λ down: the neighbour's minimiser is nearer than 0, and inside the next one's ball.
        let mut order: Vec<usize> = (0..lambdas.len()).collect();
        order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]));
        let mut starts: Vec<Option<Warm>> = lambdas.iter().map(|_| None).collect();
        let mut theta = vec![0.0; d];
        for places in order.chunks(side_by_side(d)) {
            let problems: Vec<Problem<'_>> =
                places.iter().map(|&place| Problem::new(oracle, loss, lambdas[place], 0.0)).collect();
            let mut points = Vec::with_capacity(problems.len());
            for problem in &problems {
                theta = problem.near_minimiser(theta)?;
                points.push(Point { theta: theta.clone(), order: problem.start_order() });
            }
            let sums = oracle.sums_at(loss, &points)?;
            for ((&place, problem), (point, sums)) in
                places.iter().zip(&problems).zip(points.into_iter().zip(sums))
            {
                let mut sums = sums.into_inner();
                let hessian = problem.regularised(std::mem::take(&mut sums.hessian));
                let factor = if hessian.is_empty() { None } else { newton::factorise(&hessian, d) };
                starts[place] = Some(Warm { theta: point.theta, sums, factor });
            }
        }
        Ok(starts.into_iter().map(|start| start.expect("every place is in the order")).collect())
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

    fn start_order(&self) -> Order {
        let d = self.oracle.facts().dimension;
        if d <= NEWTON_LIMIT { self.newton_order() } else { Order::Gradient }
    }
}
