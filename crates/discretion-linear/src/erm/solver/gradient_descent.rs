//! The slow method that cannot fail: gradient descent with a number of steps known beforehand.

use super::{Problem, moved};
use crate::erm::{OracleError, Order};

/// A minimiser within the public tolerance, for every table with ordinary noise (`PROOF.md`, Lemma
/// 4).
///
/// `shortcut` is offered the iterate now and then, ever more seldom, and may return something
/// certified: a fast method that got lost from 0 often finds its way from here. The proof does
/// without it.
pub(super) fn minimise(
    problem: &Problem<'_>,
    b: &[f64],
    mut shortcut: impl FnMut(&[f64]) -> Result<Option<Vec<f64>>, OracleError>,
) -> Result<Vec<f64>, OracleError> {
    let step = 1.0 / (problem.lambda + problem.bounds.curvature);
    let mut theta = vec![0.0; b.len()];
    for k in 0..problem.accuracy.descent_steps {
        let here = problem.expand(&theta, b, Order::Gradient)?;
        if problem.is_certified(&theta, &here.gradient) {
            break;
        }
        if k >= FIRST_OFFER
            && k.is_power_of_two()
            && let Some(found) = shortcut(&theta)?
        {
            return Ok(found);
        }
        theta = moved(&theta, -step, &here.gradient);
    }
    Ok(theta)
}

/// Steps before the first offer.
const FIRST_OFFER: u64 = 64;
