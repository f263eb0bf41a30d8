//! L-BFGS for problems too wide for a Hessian: fast, and trusted only on its certificate.

use super::{Problem, dot, moved};
use crate::erm::{OracleError, Order};
use std::collections::VecDeque;

const ITERATIONS: usize = 3000;
const HALVINGS: usize = 40;
const MEMORY: usize = 20;

/// A step, the change of gradient along it, and 1/(their product).
type Pair = (Vec<f64>, Vec<f64>, f64);

/// A certified minimiser, or nothing if the certificate was not reached.
pub(super) fn minimise_from(
    problem: &Problem<'_>,
    b: &[f64],
    mut theta: Vec<f64>,
) -> Result<Option<Vec<f64>>, OracleError> {
    let mut here = problem.expand(&theta, b, Order::Gradient)?;
    let mut memory: VecDeque<Pair> = VecDeque::with_capacity(MEMORY);
    for _ in 0..ITERATIONS {
        if problem.is_certified(&theta, &here.gradient) {
            return Ok(Some(theta));
        }
        let direction = quasi_newton_direction(&memory, &here.gradient, problem);
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
            if memory.is_empty() {
                break;
            }
            memory.clear();
            continue;
        };
        let step = moved(&next, -1.0, &theta);
        let change = moved(&there.gradient, -1.0, &here.gradient);
        let product = dot(&step, &change);
        if product > 0.0 {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back((step, change, 1.0 / product));
        }
        (theta, here) = (next, there);
    }
    Ok(problem.is_certified(&theta, &here.gradient).then_some(theta))
}

/// The two-loop recursion (Nocedal 1980).
fn quasi_newton_direction(memory: &VecDeque<Pair>, gradient: &[f64], problem: &Problem<'_>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut weights = Vec::with_capacity(memory.len());
    for (step, change, inverse) in memory.iter().rev() {
        let weight = inverse * dot(step, &direction);
        direction = moved(&direction, -weight, change);
        weights.push(weight);
    }
    let scale = match memory.back() {
        Some((_, change, inverse)) => 1.0 / (inverse * dot(change, change)),
        None => 1.0 / (problem.lambda + problem.loss.curvature_bound()),
    };
    direction.iter_mut().for_each(|x| *x *= scale);
    for ((step, change, inverse), weight) in memory.iter().zip(weights.into_iter().rev()) {
        let correction = weight - inverse * dot(change, &direction);
        direction = moved(&direction, correction, step);
    }
    direction
}
