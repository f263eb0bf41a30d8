//! Newton's method with a backtracking line search: fast, and trusted only on its certificate.
//!
//! What costs is passes over the rows, and a pass with a Hessian costs several without. So a large
//! table is solved on a sample of its rows first, and a Hessian is kept while it still serves.

use super::secants::Secants;
use super::warm::Informed;
use super::{Problem, Warm, dot, length, moved};
use crate::erm::{AskOracle, OracleError, Order, Point, Sums};
use discretion_privacy::trusted::Open;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Col, MatRef, Side};

const ITERATIONS: usize = 1000;
const HALVINGS: usize = 40;
/// A step that shrinks the gradient this much leaves a Hessian good enough for the next one.
const KEEP_BELOW: f64 = 0.3;
/// A kept Hessian that shrinks the gradient less than this is renewed.
const RENEW_ABOVE: f64 = 0.5;

/// A certified minimiser, or nothing if the certificate was not reached.
pub(super) fn minimise(problem: &Problem<'_>, b: &[f64]) -> Result<Option<Vec<f64>>, OracleError> {
    let zero = vec![0.0; b.len()];
    let Some(theta) = first_guess(problem, b, zero.clone())? else {
        return minimise_from(problem, b, zero);
    };
    let point = Point { theta, order: problem.newton_order() };
    let warm = Warm::at(problem.oracle, std::slice::from_ref(problem), vec![point])?.remove(0);
    minimise_warm(problem, b, &warm)
}

/// The same from a given start.
pub(super) fn minimise_from(
    problem: &Problem<'_>,
    b: &[f64],
    start: Vec<f64>,
) -> Result<Option<Vec<f64>>, OracleError> {
    certified(problem, b, Start::at(start))
}

/// The same with the curvature at the start known.
pub(super) fn minimise_warm(
    problem: &Problem<'_>,
    b: &[f64],
    warm: &Warm<'_>,
) -> Result<Option<Vec<f64>>, OracleError> {
    let here = problem.complete(warm.sums.clone(), &warm.theta, b);
    let theta = warm.theta.clone();
    if length(&here.gradient) <= problem.accuracy.target {
        // A certificate is made of this search's own sums, never of what its start says.
        return certified(problem, b, Start::at(theta));
    }
    let Some(factor) = &warm.factor else {
        return certified(problem, b, Start { is_near: true, ..Start::at(theta) });
    };
    let (first, factor) = match better_informed(problem, warm, factor, &here)? {
        Some((step, factor)) => (Some(step), factor),
        None => (None, factor.clone()),
    };
    certified(problem, b, Start { known: Some((here, factor)), first, is_near: true, theta })
}

/// A first step that sees further than Newton's, by what a sample of the rows says about the place
/// where that one ends; and the curvature there.
fn better_informed(
    problem: &Problem<'_>,
    warm: &Warm<'_>,
    factor: &Llt<f64>,
    here: &Sums,
) -> Result<Option<Informed>, OracleError> {
    let (Some(sampled), Some(sample)) = (&warm.sampled, problem.oracle.sample()) else {
        return Ok(None);
    };
    let Some(uphill) = divided(factor, &here.gradient) else { return Ok(None) };
    let step: Vec<f64> = uphill.iter().map(|x| -x).collect();
    let end = moved(&warm.theta, 1.0, &step);
    let there = sample.sums(problem.loss(), &end, problem.newton_order())?.into_inner();
    let informed =
        sampled.after(&step, &there).map(|(next, factor)| (moved(&step, 1.0, &next), factor));
    Ok(informed.filter(|(step, _)| dot(step, &here.gradient) < 0.0))
}

fn certified(
    problem: &Problem<'_>,
    b: &[f64],
    start: Start,
) -> Result<Option<Vec<f64>>, OracleError> {
    let (theta, gradient) = descend(problem, b, start, problem.accuracy.target)?;
    Ok(problem.is_certified(&theta, &gradient).then_some(theta))
}

/// Roughly the minimiser over a sample of the rows, if there is one. It changes how long the rest
/// takes, nothing else.
fn first_guess(
    problem: &Problem<'_>,
    b: &[f64],
    start: Vec<f64>,
) -> Result<Option<Vec<f64>>, OracleError> {
    let Some(sample) = problem.oracle.sample() else { return Ok(None) };
    let share = sample.facts().rows as f64 / problem.oracle.facts().rows as f64;
    let push: Vec<f64> = b.iter().map(|x| x * share).collect();
    let small = Problem { oracle: &*sample, ..*problem };
    rough_minimiser(&small, &push, start).map(Some)
}

/// Roughly the minimiser without noise, over a sample of the rows if there is one.
pub(super) fn near_minimiser(
    problem: &Problem<'_>,
    start: Vec<f64>,
) -> Result<Vec<f64>, OracleError> {
    let b = vec![0.0; start.len()];
    match first_guess(problem, &b, start.clone())? {
        Some(theta) => Ok(theta),
        None => rough_minimiser(problem, &b, start),
    }
}

/// There is no point in solving a sample beyond what it knows about the table.
fn rough_minimiser(
    problem: &Problem<'_>,
    b: &[f64],
    start: Vec<f64>,
) -> Result<Vec<f64>, OracleError> {
    let enough = 0.1 / (problem.oracle.facts().rows as f64).sqrt();
    Ok(descend(problem, b, Start::at(start), enough)?.0)
}

/// Where a descent begins.
struct Start {
    theta: Vec<f64>,
    /// The expansion there, and the factor of a Hessian from nearby.
    known: Option<(Sums, Llt<f64>)>,
    /// The first step, if there is a better one than Newton's.
    first: Option<Vec<f64>>,
    /// Whether the first step can be expected to need no other Hessian behind it.
    is_near: bool,
}

impl Start {
    fn at(theta: Vec<f64>) -> Start {
        Start { theta, known: None, first: None, is_near: false }
    }
}

/// Newton steps until the gradient is no longer than `target` or there is no progress. Between one
/// Hessian and the next, secants mend the old one.
fn descend(
    problem: &Problem<'_>,
    b: &[f64],
    start: Start,
    target: f64,
) -> Result<(Vec<f64>, Vec<f64>), OracleError> {
    let with_hessian = problem.newton_order();
    let Start { mut theta, known, mut first, is_near } = start;
    let (mut here, mut factor) = match known {
        Some((here, factor)) => (here, Some(factor)),
        None => (problem.expand(&theta, b, with_hessian)?, None),
    };
    let mut order = if is_near { Order::Gradient } else { with_hessian };
    let mut secants = Secants::default();
    for _ in 0..ITERATIONS {
        if length(&here.gradient) <= target {
            break;
        }
        let is_fresh = !here.hessian.is_empty();
        if is_fresh {
            factor = factorise(&here.hessian, b.len());
            secants.clear();
        }
        let solve = |v: Vec<f64>| factor.as_ref().and_then(|factor| divided(factor, &v));
        let step = match first.take().or_else(|| secants.direction(&here.gradient, solve)) {
            Some(direction) => line_search(problem, b, &theta, &here, &direction, order)?,
            None => None,
        };
        let Some((next, there)) = step else {
            if is_fresh {
                break;
            }
            (order, here) = (with_hessian, problem.expand(&theta, b, with_hessian)?);
            continue;
        };
        let shrunk = length(&there.gradient) / length(&here.gradient);
        secants.push(moved(&next, -1.0, &theta), moved(&there.gradient, -1.0, &here.gradient));
        (theta, here) = (next, there);
        if here.hessian.is_empty() && shrunk > RENEW_ABOVE && length(&here.gradient) > target {
            here = problem.expand(&theta, b, with_hessian)?;
        }
        order = if shrunk < KEEP_BELOW { Order::Gradient } else { with_hessian };
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

/// The Cholesky factor of a lower triangle, row-major; nothing if it is not numerically positive
/// definite.
pub(super) fn factorise(hessian: &[f64], d: usize) -> Option<Llt<f64>> {
    MatRef::from_row_major_slice(hessian, d, d).llt(Side::Lower).ok()
}

/// H⁻¹v.
pub(super) fn divided(factor: &Llt<f64>, v: &[f64]) -> Option<Vec<f64>> {
    let solution = factor.solve(Col::from_fn(v.len(), |i| v[i]));
    let solution: Vec<f64> = solution.iter().copied().collect();
    solution.iter().all(|x| x.is_finite()).then_some(solution)
}
