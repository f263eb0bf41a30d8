//! Newton's method with a backtracking line search: fast, and trusted only on its certificate.

use super::{Problem, dot, moved};
use crate::erm::{OracleError, Order};
use faer::linalg::solvers::Solve;
use faer::{Col, MatRef, Side};

const ITERATIONS: usize = 100;
const HALVINGS: usize = 40;

/// A certified minimiser, or nothing if the certificate was not reached.
pub(super) fn minimise(problem: &Problem<'_>, b: &[f64]) -> Result<Option<Vec<f64>>, OracleError> {
    let mut theta = vec![0.0; b.len()];
    let mut here = problem.expand(&theta, b, Order::Hessian)?;
    for _ in 0..ITERATIONS {
        if problem.is_certified(&theta, &here.gradient) {
            return Ok(Some(theta));
        }
        let Some(direction) = newton_direction(&here.hessian, &here.gradient) else { break };
        let decrease = -dot(&direction, &here.gradient);
        let mut step = 1.0;
        let mut accepted = None;
        for _ in 0..HALVINGS {
            let trial = moved(&theta, step, &direction);
            // The Hessian comes along: the first trial is nearly always taken, and a pass is what costs.
            let there = problem.expand(&trial, b, Order::Hessian)?;
            if problem.is_progress(&here, &there, &trial, step * decrease) {
                accepted = Some((trial, there));
                break;
            }
            step *= 0.5;
        }
        let Some(next) = accepted else { break };
        (theta, here) = next;
    }
    Ok(problem.is_certified(&theta, &here.gradient).then_some(theta))
}

/// −H⁻¹g from H's lower triangle, row-major; nothing if H is not numerically positive definite.
pub(super) fn newton_direction(hessian: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
    let d = gradient.len();
    let matrix = MatRef::from_row_major_slice(hessian, d, d);
    let factor = matrix.llt(Side::Lower).ok()?;
    let solution = factor.solve(Col::from_fn(d, |i| -gradient[i]));
    let direction: Vec<f64> = solution.iter().copied().collect();
    direction.iter().all(|x| x.is_finite()).then_some(direction)
}
