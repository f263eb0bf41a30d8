//! The certified solver: minimises J(θ) + b·θ/n to a **public** tolerance, for every table and
//! every b.
//!
//! A fast method (Newton, or L-BFGS past [`NEWTON_LIMIT`] coefficients) is tried first and accepted
//! only on its certificate. Behind it stands gradient descent with a number of steps that suffices
//! for every table, and behind that, for a b far out in its tail, the same in wider arithmetic.
//! `PROOF.md` has the theorem.

mod accuracy;
mod big_float;
mod gradient_descent;
mod lbfgs;
mod majorant;
mod newton;
mod secants;
mod together;
mod warm;

#[cfg(test)]
mod sample_tests;
#[cfg(test)]
mod tests;

pub use accuracy::Accuracy;
pub use together::{Job, minimise_all};
pub use warm::Warm;

use super::{AskOracle, Oracle, OracleError, Order, Sums};
use crate::outcome::{Bounds, Loss, Outcome};
use discretion_privacy::noise::{BigFloat, NoiseVector, Sensitive, exact, norm};
use discretion_privacy::trusted::Open;

/// Up to this many coefficients a Hessian is formed and factorised.
pub const NEWTON_LIMIT: usize = 1000;

/// How many problems of this dimension may be solved side by side, so that their Hessians, if all
/// want one at once, take 8 MB in a part of a pass.
pub fn side_by_side(dimension: usize) -> usize {
    const MOST: usize = 64;
    if dimension > NEWTON_LIMIT {
        MOST
    } else {
        ((1 << 20) / (dimension * dimension)).clamp(4, MOST)
    }
}

/// The smooth, strongly convex problem min J(θ) + b·θ/n.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    oracle: &'a dyn Oracle,
    outcome: &'a dyn Outcome,
    lambda: f64,
    bounds: Bounds,
    accuracy: Accuracy,
    start: Start<'a>,
}

/// Where a search starts. It changes how long the search takes, and nothing that is promised about
/// its result.
#[derive(Clone, Copy, Default)]
pub enum Start<'a> {
    /// 0, or the minimiser over a sample of the rows.
    #[default]
    Unknown,
    /// Near the minimiser without noise, with the sums and the curvature there. It must have been
    /// made with the oracle that is searched.
    Warm(&'a Warm<'a>),
}

impl Start<'_> {
    /// Panics if this is another table's start.
    fn check(&self, oracle: &dyn Oracle) {
        if let Start::Warm(warm) = self {
            warm.check(oracle);
        }
    }
}

impl<'a> Problem<'a> {
    /// A problem whose b, if there is one, is ordinarily no longer than `ordinary_noise`.
    pub fn new(
        oracle: &'a dyn Oracle,
        outcome: &'a dyn Outcome,
        lambda: f64,
        ordinary_noise: f64,
    ) -> Problem<'a> {
        let (facts, bounds) = (oracle.facts(), outcome.bounds());
        assert_eq!(facts.heads(), outcome.heads(), "rows and what is predicted of them");
        let accuracy = Accuracy::new(&facts, &bounds, lambda, ordinary_noise);
        Problem { oracle, outcome, lambda, bounds, accuracy, start: Start::Unknown }
    }

    /// What is summed over rows.
    fn loss(&self) -> &'a dyn Loss {
        self.outcome.loss()
    }

    /// The same problem with another start. Panics if it is another table's.
    #[must_use]
    pub fn starting(self, start: Start<'a>) -> Problem<'a> {
        start.check(self.oracle);
        Problem { start, ..self }
    }

    /// The public accuracy that [`minimise`](Problem::minimise) reaches.
    pub fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    /// The minimiser.
    ///
    /// Postcondition: the result is within `self.accuracy().tolerance` of argmin J(θ) + b·θ/n in
    /// L₂, for every table and every b.
    pub fn minimise(
        &self,
        noise: Option<&NoiseVector>,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        let Some(noise) = noise else {
            return self.minimise_in_doubles(&vec![0.0; self.oracle.facts().dimension]);
        };
        let length = norm(noise.coordinates(), 64).to_f64().value();
        if length <= self.accuracy.ordinary_noise {
            let b: Vec<f64> = noise.coordinates().iter().map(|x| x.to_f64().value()).collect();
            self.minimise_in_doubles(&b)
        } else {
            big_float::minimise(self, noise.coordinates()).map(Sensitive::new)
        }
    }

    fn minimise_in_doubles(&self, b: &[f64]) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        let is_narrow = b.len() <= NEWTON_LIMIT;
        let fast_from = |start: Vec<f64>| {
            if is_narrow {
                newton::minimise_from(self, b, start)
            } else {
                lbfgs::minimise_from(self, b, start)
            }
        };
        let fast = match self.start {
            Start::Warm(warm) if is_narrow => newton::minimise_warm(self, b, warm)?,
            Start::Warm(warm) => fast_from(warm.theta.clone())?,
            Start::Unknown if is_narrow => newton::minimise(self, b)?,
            Start::Unknown => lbfgs::minimise(self, b)?,
        };
        let theta = match fast {
            Some(theta) => theta,
            None => gradient_descent::minimise(self, b, |theta| fast_from(theta.to_vec()))?,
        };
        Ok(Sensitive::new(theta.into_iter().map(exact).collect()))
    }

    /// Value, gradient and Hessian of J(θ) + b·θ/n.
    fn expand(&self, theta: &[f64], b: &[f64], order: Order) -> Result<Sums, OracleError> {
        Ok(self.complete(self.oracle.sums(self.loss(), theta, order)?.into_inner(), theta, b))
    }

    /// The same from the sums over rows.
    fn complete(&self, mut sums: Sums, theta: &[f64], b: &[f64]) -> Sums {
        let n = self.oracle.facts().rows as f64;
        sums.value += 0.5 * self.lambda * dot(theta, theta) + dot(b, theta) / n;
        for ((g, t), b) in sums.gradient.iter_mut().zip(theta).zip(b) {
            *g += self.lambda * t + b / n;
        }
        sums.hessian = self.regularised(sums.hessian);
        sums
    }

    /// A Hessian over rows, if it is one, plus λ on its diagonal.
    fn regularised(&self, mut hessian: Vec<f64>) -> Vec<f64> {
        let d = self.oracle.facts().dimension;
        hessian.iter_mut().step_by(d + 1).for_each(|h| *h += self.lambda);
        hessian
    }

    /// The Hessian that Newton's method asks for: the cheaper one, unless λ is so small that
    /// rounding could leave it without curvature.
    fn newton_order(&self) -> Order {
        if self.lambda > 4e-5 * self.bounds.curvature { Order::Curvature } else { Order::Hessian }
    }

    /// Whether this gradient certifies its θ.
    fn is_certified(&self, theta: &[f64], gradient: &[f64]) -> bool {
        length(gradient) <= self.accuracy.target && length(theta) <= self.accuracy.radius
    }

    /// Whether a step may be taken: inside the ball where the rounding bound holds, and downhill,
    /// or, where the value has no digits left to tell, with a clearly smaller gradient.
    fn is_progress(&self, from: &Sums, to: &Sums, theta: &[f64], expected_decrease: f64) -> bool {
        if length(theta) > self.accuracy.radius || !to.value.is_finite() {
            return false;
        }
        // The value is a sum of terms that may cancel; this is what its last digits are worth.
        let quadratic = 0.5 * self.lambda * dot(theta, theta);
        let noise = 1e-13 * (1.0 + to.value.abs() + from.value.abs() + 2.0 * quadratic);
        to.value <= from.value - 1e-4 * expected_decrease
            || (to.value - from.value <= noise
                && length(&to.gradient) < 0.999 * length(&from.gradient))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn length(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// θ + step · direction.
fn moved(theta: &[f64], step: f64, direction: &[f64]) -> Vec<f64> {
    theta.iter().zip(direction).map(|(t, s)| t + step * s).collect()
}
