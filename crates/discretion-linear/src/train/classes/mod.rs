//! Several classes: one softmax for all of them, not one model a class with a part of the budget
//! each. `PROOF.md` beside this file proves every constant.
//!
//! Plans, noise and the gate are those of one margin ([`Plan`]); here is what differs. Coefficients
//! come class after class, and noise is drawn where classes differ: along what all of them have in
//! common nothing is learned.

pub use discretion_privacy::account::classes_minimiser_sensitivity as minimiser_sensitivity;

use super::{Mechanism, Plan};
use crate::erm::Facts;
use discretion_privacy::account::{CLASSES_SLOPE, Event};
use discretion_privacy::noise::TrainingLaw;

#[cfg(test)]
mod tests;

/// The slopes of the row that is replaced and of its replacement move b by at most this: √2 each.
/// So do the mean slopes of persons.
pub(super) const SENSITIVITY: f64 = 2.0 * CLASSES_SLOPE;

/// What running the ideal mechanism of a plan for so many classes does to the table.
pub(super) fn event(plan: &Plan, classes: usize) -> Event {
    let &Facts { rows, unit, .. } = plan.facts();
    let (dimension, lambda) = (plan.facts().row_dimension(), plan.lambda());
    match (plan.chosen().mechanism(), plan.chosen().law()) {
        (Mechanism::Objective, noise) => {
            let noise = noise.clone();
            Event::ClassesObjectivePerturbation { classes, rows, dimension, lambda, noise, unit }
        }
        (Mechanism::Output, &TrainingLaw::Round(noise)) => {
            Event::ClassesOutputPerturbation { classes, rows, dimension, lambda, noise }
        }
        (Mechanism::Output, TrainingLaw::Shaped(_)) => {
            unreachable!("a minimiser moves by a length, not by a shape")
        }
    }
}

/// The probability of each class, from its scores.
pub fn probabilities(scores: &[f64]) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}
