//! The same problem for a b far out in its tail, in arithmetic wide enough to meet the same
//! tolerance.
//!
//! It starts at −b/(nλ), which is within 1/λ (of several classes, √2/λ) of the minimiser however
//! long b is.

use super::newton::{divided, factorise};
use super::{NEWTON_LIMIT, Problem};
use crate::erm::{AskOracle, OracleError, Order};
use discretion_privacy::noise::{BigFloat, exact, norm};
use discretion_privacy::trusted::Open;

const NEWTON_STEPS: usize = 60;
/// Beyond this a double-precision Hessian at θ says nothing about the problem any more.
const HESSIAN_LIMIT: f64 = 1e12;

/// A minimiser within the public tolerance, for every table and every b (`PROOF.md`, Lemma 5).
pub(super) fn minimise(
    problem: &Problem<'_>,
    b: &[BigFloat],
) -> Result<Vec<BigFloat>, OracleError> {
    let tail = Tail::new(problem, b);
    if b.len() <= NEWTON_LIMIT
        && let Some(theta) = tail.newton()?
    {
        return Ok(theta);
    }
    tail.gradient_descent()
}

struct Tail<'a> {
    problem: &'a Problem<'a>,
    /// b/n.
    push: Vec<BigFloat>,
    start: Vec<BigFloat>,
    precision: usize,
    target: BigFloat,
}

impl<'a> Tail<'a> {
    fn new(problem: &'a Problem<'a>, b: &[BigFloat]) -> Tail<'a> {
        let facts = problem.oracle.facts();
        // Bits for the size of b/(nλ), for n·d roundings, and for the digits below the gradient's
        // error.
        let size = b.iter().map(|x| exponent(x).max(0)).max().unwrap_or(0) as usize;
        let spread = (facts.rows.ilog2() + facts.dimension.ilog2() + 8) as usize;
        let digits =
            (-problem.accuracy.gradient_error.log2() - 2.0 * problem.lambda.min(1.0).log2()).ceil();
        let precision = size + spread + digits as usize + 64;
        let n = BigFloat::from(facts.rows).with_precision(precision).value();
        let push: Vec<BigFloat> =
            b.iter().map(|x| x.clone().with_precision(precision).value() / &n).collect();
        let lambda = exact(problem.lambda);
        let start = push.iter().map(|x| -(x / &lambda)).collect();
        Tail { problem, push, start, precision, target: exact(problem.accuracy.target) }
    }

    fn gradient(&self, theta: &[BigFloat]) -> Result<Vec<BigFloat>, OracleError> {
        let Problem { oracle, lambda, .. } = self.problem;
        let sums = oracle.big_gradient(self.problem.loss(), theta, self.precision)?.into_inner();
        let lambda = exact(*lambda);
        Ok(sums
            .into_iter()
            .zip(theta)
            .zip(&self.push)
            .map(|((g, t), b)| g + t * &lambda + b)
            .collect())
    }

    fn is_certified(&self, gradient: &[BigFloat]) -> bool {
        norm(gradient, self.precision) <= self.target
    }

    /// Newton steps with a Hessian in doubles; nothing if they lead nowhere.
    fn newton(&self) -> Result<Option<Vec<BigFloat>>, OracleError> {
        let mut theta = self.start.clone();
        for _ in 0..NEWTON_STEPS {
            let gradient = self.gradient(&theta)?;
            if self.is_certified(&gradient) {
                return Ok(Some(theta));
            }
            let rounded: Vec<f64> = theta.iter().map(|x| x.to_f64().value()).collect();
            if rounded.iter().any(|x| x.abs() > HESSIAN_LIMIT) {
                break;
            }
            let zero = vec![0.0; rounded.len()];
            let hessian = self.problem.expand(&rounded, &zero, Order::Hessian)?.hessian;
            let downhill: Vec<f64> = gradient.iter().map(|x| -x.to_f64().value()).collect();
            let factor = factorise(&hessian, downhill.len());
            let Some(direction) = factor.and_then(|factor| divided(&factor, &downhill)) else {
                break;
            };
            theta = theta.into_iter().zip(direction).map(|(t, s)| t + exact(s)).collect();
        }
        Ok(None)
    }

    fn gradient_descent(&self) -> Result<Vec<BigFloat>, OracleError> {
        let step = exact(1.0 / (self.problem.lambda + self.problem.bounds.curvature));
        let mut theta = self.start.clone();
        let contraction = 1.0 + self.problem.bounds.curvature / self.problem.lambda;
        let steps = ((contraction
            * (self.problem.bounds.slope / self.problem.accuracy.gradient_error).ln())
        .ceil() as u64)
            .saturating_add(1);
        for _ in 0..steps {
            let gradient = self.gradient(&theta)?;
            if self.is_certified(&gradient) {
                break;
            }
            theta = theta.iter().zip(gradient).map(|(t, g)| t - g * &step).collect();
        }
        Ok(theta)
    }
}

/// The position of a number's leading bit.
fn exponent(x: &BigFloat) -> isize {
    let (digits, exponent) = (x.repr().digits() as isize, x.repr().exponent());
    digits + exponent
}
