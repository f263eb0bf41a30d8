//! L-BFGS for problems too wide for a Hessian: fast, and trusted only on its certificate.

use super::majorant::Majorant;
use super::secants::Secants;
use super::{Problem, dot, moved};
use crate::erm::{OracleError, Order};

const ITERATIONS: usize = 3000;
const HALVINGS: usize = 40;

/// A certified minimiser, or nothing if the certificate was not reached.
pub(super) fn minimise_from(
    problem: &Problem<'_>,
    b: &[f64],
    mut theta: Vec<f64>,
) -> Result<Option<Vec<f64>>, OracleError> {
    let mut here = problem.expand(&theta, b, Order::Gradient)?;
    let mut secants = Secants::default();
    let cautious = 1.0 / (problem.lambda + problem.bounds.curvature);
    let majorant = Majorant::of(problem)?;
    for _ in 0..ITERATIONS {
        if problem.is_certified(&theta, &here.gradient) {
            return Ok(Some(theta));
        }
        let scale = secants.scale().unwrap_or(cautious);
        let solve = |v: Vec<f64>| match &majorant {
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
            if secants.is_empty() {
                break;
            }
            secants.clear();
            continue;
        };
        secants.push(moved(&next, -1.0, &theta), moved(&there.gradient, -1.0, &here.gradient));
        (theta, here) = (next, there);
    }
    Ok(problem.is_certified(&theta, &here.gradient).then_some(theta))
}
