//! The slow method that cannot fail: gradient descent with a number of steps known beforehand.

use super::{Problem, moved};
use crate::erm::{OracleError, Order};

/// A minimiser within the public tolerance, for every table with ordinary noise (`PROOF.md`, Lemma 4).
pub(super) fn minimise(problem: &Problem<'_>, b: &[f64]) -> Result<Vec<f64>, OracleError> {
    let step = 1.0 / (problem.lambda + problem.loss.curvature_bound());
    let mut theta = vec![0.0; b.len()];
    for _ in 0..problem.accuracy.certain_steps {
        let here = problem.expand(&theta, b, Order::Gradient)?;
        if problem.is_certified(&theta, &here.gradient) {
            break;
        }
        theta = moved(&theta, -step, &here.gradient);
    }
    Ok(theta)
}
