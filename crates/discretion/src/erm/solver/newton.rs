//! Newton's method with a backtracking line search: fast, and trusted only on its certificate.
//!
//! What costs is passes over the rows, and a pass with a Hessian costs several without. So a large table is
//! solved on a sample of its rows first, and a Hessian is kept while it still serves.

use super::{Problem, Warm, dot, length, moved};
use crate::erm::{OracleError, Order, Sums};
use faer::linalg::solvers::{Llt, Solve};
use faer::{Col, MatRef, Side};

const ITERATIONS: usize = 1000;
const HALVINGS: usize = 40;
/// A step that shrinks the gradient this much leaves a Hessian good enough for the next one.
const KEEP_BELOW: f64 = 0.05;
/// A kept Hessian that shrinks the gradient less than this is renewed.
const RENEW_ABOVE: f64 = 0.2;

/// A certified minimiser, or nothing if the certificate was not reached.
pub(super) fn minimise(problem: &Problem<'_>, b: &[f64]) -> Result<Option<Vec<f64>>, OracleError> {
    let start = first_guess(problem, b)?;
    minimise_from(problem, b, start)
}

/// The same from a given start.
pub(super) fn minimise_from(
    problem: &Problem<'_>,
    b: &[f64],
    start: Vec<f64>,
) -> Result<Option<Vec<f64>>, OracleError> {
    let (theta, gradient) = descend(problem, b, start, None, problem.accuracy.target)?;
    Ok(problem.is_certified(&theta, &gradient).then_some(theta))
}

/// The same with the curvature at the start known.
pub(super) fn minimise_warm(
    problem: &Problem<'_>,
    b: &[f64],
    warm: &Warm,
) -> Result<Option<Vec<f64>>, OracleError> {
    let (start, target) = (warm.theta.clone(), problem.accuracy.target);
    let (theta, gradient) = descend(problem, b, start, warm.factor.clone(), target)?;
    Ok(problem.is_certified(&theta, &gradient).then_some(theta))
}

/// 0, or the minimiser over a sample of the rows. It changes how long the rest takes, nothing else.
fn first_guess(problem: &Problem<'_>, b: &[f64]) -> Result<Vec<f64>, OracleError> {
    let origin = vec![0.0; b.len()];
    let Some(sample) = problem.oracle.sample() else { return Ok(origin) };
    let share = sample.facts().rows as f64 / problem.oracle.facts().rows as f64;
    let push: Vec<f64> = b.iter().map(|x| x * share).collect();
    let small = Problem { oracle: &*sample, ..*problem };
    // There is no point in solving a sample beyond what it knows about the table.
    let enough = 0.1 / (sample.facts().rows as f64).sqrt();
    Ok(descend(&small, &push, origin, None, enough)?.0)
}

/// Newton steps from `theta`, the first with the factor `known` if there is one, until the gradient is no longer than
/// `target` or there is no progress.
fn descend(
    problem: &Problem<'_>,
    b: &[f64],
    mut theta: Vec<f64>,
    known: Option<Llt<f64>>,
    target: f64,
) -> Result<(Vec<f64>, Vec<f64>), OracleError> {
    let with_hessian = problem.newton_order();
    let mut order = if known.is_some() { Order::Gradient } else { with_hessian };
    let mut here = problem.expand(&theta, b, order)?;
    let mut factor_is_fresh = known.is_none();
    let mut factor = known.or_else(|| factorise(&here.hessian, b.len()));
    for _ in 0..ITERATIONS {
        if length(&here.gradient) <= target {
            break;
        }
        let Some(direction) = factor.as_ref().and_then(|factor| newton_direction(factor, &here.gradient))
        else {
            break;
        };
        let Some((next, there)) = line_search(problem, b, &theta, &here, &direction, order)? else {
            if factor_is_fresh {
                break;
            }
            (order, here) = (with_hessian, problem.expand(&theta, b, with_hessian)?);
            (factor, factor_is_fresh) = (factorise(&here.hessian, b.len()), true);
            continue;
        };
        let shrunk = length(&there.gradient) / length(&here.gradient);
        (theta, here) = (next, there);
        if here.hessian.is_empty() && shrunk > RENEW_ABOVE && length(&here.gradient) > target {
            here = problem.expand(&theta, b, with_hessian)?;
        }
        order = if shrunk < KEEP_BELOW { Order::Gradient } else { with_hessian };
        factor_is_fresh = !here.hessian.is_empty();
        if factor_is_fresh {
            factor = factorise(&here.hessian, b.len());
        }
    }
    Ok((theta, here.gradient))
}

/// The first of θ + direction, θ + direction/2, … that is progress.
fn line_search(
    problem: &Problem<'_>,
    b: &[f64],
    theta: &[f64],
    here: &Sums,
    direction: &[f64],
    mut order: Order,
) -> Result<Option<(Vec<f64>, Sums)>, OracleError> {
    let decrease = -dot(direction, &here.gradient);
    let mut step = 1.0;
    for _ in 0..HALVINGS {
        let trial = moved(theta, step, direction);
        let there = problem.expand(&trial, b, order)?;
        if problem.is_progress(here, &there, &trial, step * decrease) {
            return Ok(Some((trial, there)));
        }
        step *= 0.5;
        // The full step is nearly always taken; a shorter one may be tried often.
        order = Order::Gradient;
    }
    Ok(None)
}

/// The Cholesky factor of a lower triangle, row-major; nothing if it is not numerically positive definite.
pub(super) fn factorise(hessian: &[f64], d: usize) -> Option<Llt<f64>> {
    MatRef::from_row_major_slice(hessian, d, d).llt(Side::Lower).ok()
}

/// −H⁻¹g.
pub(super) fn newton_direction(factor: &Llt<f64>, gradient: &[f64]) -> Option<Vec<f64>> {
    let solution = factor.solve(Col::from_fn(gradient.len(), |i| -gradient[i]));
    let direction: Vec<f64> = solution.iter().copied().collect();
    direction.iter().all(|x| x.is_finite()).then_some(direction)
}
