//! L-BFGS for problems too wide for a Hessian: fast, and trusted only on its certificate.

use super::majorant::Majorant;
use super::secants::Secants;
use super::{Problem, dot, length, moved};
use crate::erm::{OracleError, Order, Sums};

const ITERATIONS: usize = 3000;
const HALVINGS: usize = 40;

/// Steps after which the curvature of several classes is looked at anew, and their secants are
/// forgotten.
const RENEW_AFTER: usize = 100;

/// A certified minimiser, or nothing if the certificate was not reached. A large table whose rows
/// bend f in several directions is solved on a sample first.
pub(super) fn minimise(problem: &Problem<'_>, b: &[f64]) -> Result<Option<Vec<f64>>, OracleError> {
    let zero = vec![0.0; b.len()];
    let start = match problem.oracle.sample().filter(|_| problem.bounds.rank > 1) {
        None => zero,
        Some(sample) => {
            let rows = sample.facts().rows as f64;
            let share = rows / problem.oracle.facts().rows as f64;
            let push: Vec<f64> = b.iter().map(|x| x * share).collect();
            let small = Problem { oracle: &*sample, ..*problem };
            // There is no point in solving a sample beyond what it knows about the table.
            descend(&small, &push, zero, 0.1 / rows.sqrt())?.0
        }
    };
    minimise_from(problem, b, start)
}

/// The same from a given start.
pub(super) fn minimise_from(
    problem: &Problem<'_>,
    b: &[f64],
    start: Vec<f64>,
) -> Result<Option<Vec<f64>>, OracleError> {
    let (theta, here) = descend(problem, b, start, problem.accuracy.target)?;
    Ok(problem.is_certified(&theta, &here.gradient).then_some(theta))
}

/// Goes on until the gradient is no longer than `enough`, or nothing helps.
fn descend(
    problem: &Problem<'_>,
    b: &[f64],
    mut theta: Vec<f64>,
    enough: f64,
) -> Result<(Vec<f64>, Sums), OracleError> {
    let mut here = problem.expand(&theta, b, Order::Gradient)?;
    let mut secants = Secants::default();
    let cautious = 1.0 / (problem.lambda + problem.bounds.curvature);
    let bound = Majorant::of(problem)?;
    let mut own: Option<Majorant> = None;
    for iteration in 0..ITERATIONS {
        if length(&here.gradient) <= enough {
            break;
        }
        if let Some(bound) = bound.as_ref().filter(|_| iteration % RENEW_AFTER == 0) {
            own = bound.at(problem, &theta)?;
            secants.clear();
        }
        let majorant = own.as_ref().or(bound.as_ref());
        let scale = secants.scale().unwrap_or(cautious);
        let solve = |v: Vec<f64>| match majorant {
            Some(majorant) => majorant.divided(&v),
            None => Some(v.into_iter().map(|x| scale * x).collect()),
        };
        let Some(direction) = secants.direction(&here.gradient, solve) else { break };
        let decrease = -dot(&direction, &here.gradient);
        let mut step = 1.0;
        let mut accepted = None;
        for _ in 0..HALVINGS {
            let trial = moved(&theta, step, &direction);
            let there = problem.expand(&trial, b, Order::Gradient)?;
            if problem.is_progress(&here, &there, &trial, step * decrease) {
                accepted = Some((trial, there));
                break;
            }
            step *= 0.5;
        }
        let Some((next, there)) = accepted else {
            // A stale memory can point uphill; without one the direction is the gradient's own.
            if secants.is_empty() && own.is_none() {
                break;
            }
            // Nor is a class's own curvature more than a guess.
            if secants.is_empty() {
                own = None;
            }
            secants.clear();
            continue;
        };
        secants.push(moved(&next, -1.0, &theta), moved(&there.gradient, -1.0, &here.gradient));
        (theta, here) = (next, there);
    }
    Ok((theta, here))
}
