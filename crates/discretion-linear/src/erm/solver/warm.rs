//! A start for one search, or for many over the same rows that differ in their noise alone.

use super::{NEWTON_LIMIT, Problem, dot, moved, newton, side_by_side};
use crate::erm::{AskOracle, Oracle, OracleError, Order, Point, Sums};
use crate::outcome::Outcome;
use discretion_privacy::trusted::Open;
use faer::linalg::solvers::Llt;

/// Up to this many coefficients a Hessian over a sample costs less than the passes that it saves.
const SAMPLED_LIMIT: usize = 256;

/// A point near the minimiser without noise, and the sums and the curvature there. A search that
/// begins here needs no pass over the rows for its first step, and a Hessian of its own only where
/// its noise leads far away. It depends on the rows, cannot be looked into, and changes how long a
/// search takes and nothing that is promised about its result. It borrows the oracle that it was
/// made with, and serves for no other: these are that table's sums.
pub struct Warm<'t> {
    oracle: &'t dyn Oracle,
    pub(super) theta: Vec<f64>,
    pub(super) sums: Sums,
    /// Nothing past [`NEWTON_LIMIT`] coefficients, or if rounding left the Hessian indefinite.
    pub(super) factor: Option<Llt<f64>>,
    pub(super) sampled: Option<Sampled>,
}

/// A step, and the factor of the Hessian at its end.
pub(super) type Informed = (Vec<f64>, Llt<f64>);

/// What a sample of the rows says at the same point. How the curvature changes from here to there
/// is much the same on the sample as on all rows, and costs a fraction of a pass.
pub(super) struct Sampled {
    gradient: Vec<f64>,
    /// The sample's Hessian, a lower triangle.
    hessian: Vec<f64>,
    /// The Hessian of all rows and of λ, less the sample's.
    rest: Vec<f64>,
}

impl<'t> Warm<'t> {
    /// A start for each λ. One pass over the rows serves several, after searches on a sample of
    /// them.
    pub fn starts(
        oracle: &'t dyn Oracle,
        outcome: &dyn Outcome,
        lambdas: &[f64],
    ) -> Result<Vec<Warm<'t>>, OracleError> {
        let d = oracle.facts().dimension;
        // From the largest λ down: the neighbour's minimiser is nearer than 0, and inside the next
        // one's ball.
        let mut order: Vec<usize> = (0..lambdas.len()).collect();
        order.sort_by(|&a, &b| lambdas[b].total_cmp(&lambdas[a]));
        let mut starts: Vec<Option<Warm<'t>>> = lambdas.iter().map(|_| None).collect();
        let mut theta = vec![0.0; d];
        for places in order.chunks(side_by_side(d)) {
            let problems: Vec<Problem<'_>> = places
                .iter()
                .map(|&place| Problem::new(oracle, outcome, lambdas[place], 0.0))
                .collect();
            let mut points = Vec::with_capacity(problems.len());
            for problem in &problems {
                theta = problem.near_minimiser(theta)?;
                points.push(Point { theta: theta.clone(), order: problem.start_order() });
            }
            let warm = Warm::at(oracle, &problems, points)?;
            places.iter().zip(warm).for_each(|(&place, warm)| starts[place] = Some(warm));
        }
        Ok(starts.into_iter().map(|start| start.expect("every place is in the order")).collect())
    }

    /// A start at each of these points, for the problem that has it: one pass over the rows, and
    /// one over a sample of them.
    pub(super) fn at(
        oracle: &'t dyn Oracle,
        problems: &[Problem<'_>],
        points: Vec<Point>,
    ) -> Result<Vec<Warm<'t>>, OracleError> {
        let Some(loss) = problems.first().map(Problem::loss) else { return Ok(Vec::new()) };
        let sums = oracle.sums_at(loss, &points)?;
        let sample = if oracle.facts().dimension <= SAMPLED_LIMIT { oracle.sample() } else { None };
        let sampled = sample.map_or(Ok(Vec::new()), |sample| sample.sums_at(loss, &points))?;
        let mut sampled = sampled.into_iter();
        let starts =
            problems.iter().zip(points).zip(sums).map(|((problem, Point { theta, .. }), sums)| {
                let mut sums = sums.into_inner();
                let hessian = problem.regularised(std::mem::take(&mut sums.hessian));
                let factor = if hessian.is_empty() {
                    None
                } else {
                    newton::factorise(&hessian, theta.len())
                };
                let sampled =
                    sampled.next().map(|sampled| Sampled::new(sampled.into_inner(), &hessian));
                Warm { oracle, theta, sums, factor, sampled }
            });
        Ok(starts.collect())
    }

    /// Panics unless this start was made with that very oracle. What is borrowed cannot move or
    /// change, so its address tells it from all others.
    pub(super) fn check(&self, oracle: &dyn Oracle) {
        assert!(
            std::ptr::addr_eq(self.oracle, oracle),
            "a warm start serves the table it was made with"
        );
    }
}

impl Sampled {
    fn new(Sums { gradient, hessian, .. }: Sums, all: &[f64]) -> Sampled {
        Sampled { gradient, rest: moved(all, -1.0, &hessian), hessian }
    }

    /// The step that will be next after a Newton step, by the gradient that the sample finds
    /// `there` and curvature did not foretell, and the factor of the Hessian there. Nothing if that
    /// Hessian is not positive definite.
    pub(super) fn after(&self, step: &[f64], there: &Sums) -> Option<Informed> {
        let d = step.len();
        let factor = newton::factorise(&moved(&self.rest, 1.0, &there.hessian), d)?;
        let mut foretold = self.gradient.clone();
        for (row, line) in self.hessian.chunks_exact(d).enumerate() {
            foretold[row] += dot(&line[..=row], &step[..=row]);
            for (foretold, entry) in foretold.iter_mut().zip(&line[..row]) {
                *foretold += entry * step[row];
            }
        }
        Some((newton::divided(&factor, &moved(&foretold, -1.0, &there.gradient))?, factor))
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
