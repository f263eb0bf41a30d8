//! What a guarantee leaves to an attacker who knows every other row, whatever he computes: numbers
//! that no attack can pass.
//!
//! A test between two neighbours with false positive rate α and true positive rate T has T ≤
//! e^ε·α + δ and 1 − α ≤ e^ε·(1 − T) + δ under (ε, δ). ρ-zCDP implies (ε(δ), δ) for every δ, so each δ
//! bounds T and the smallest bound holds.

use discretion::privacy::{Budget, Zcdp};
use serde::Serialize;

/// What an attacker can reach at most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attacker {
    /// Who says of one in so many wrongly that a person's row is in the table …
    pub membership: Vec<AtFalsePositives>,
    /// Whether a person has an attribute, before and after.
    pub attribute: Vec<FromPrior>,
}

/// The best test at some rate of false positives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtFalsePositives {
    /// How often it says yes where the answer is no.
    pub false_positives: f64,
    /// How often it says yes where the answer is yes, at most.
    pub true_positives: f64,
}

/// The best guess of a yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FromPrior {
    /// How likely a yes was before.
    pub prior: f64,
    /// How often the best guess is right without the release.
    pub right_before: f64,
    /// The same with it, at most.
    pub right_after: f64,
    /// Of those of whom an attacker says yes, while he says so wrongly of one in a hundred: how
    /// many are, at most.
    pub believed_after: f64,
}

impl Attacker {
    /// Under a guarantee.
    pub fn under(guarantee: Budget) -> Attacker {
        let at = |rate: f64| AtFalsePositives {
            false_positives: rate,
            true_positives: true_positives(guarantee, rate),
        };
        let from = |prior: f64| {
            let hit = true_positives(guarantee, 0.01);
            FromPrior {
                prior,
                right_before: prior.max(1.0 - prior),
                right_after: best_guess(guarantee, prior),
                believed_after: prior * hit / (prior * hit + (1.0 - prior) * 0.01),
            }
        };
        Attacker {
            membership: [0.001, 0.01, 0.1].map(at).to_vec(),
            attribute: [0.5, 0.01].map(from).to_vec(),
        }
    }
}

/// The largest true positive rate of any test with this rate of false positives.
pub fn true_positives(guarantee: Budget, rate: f64) -> f64 {
    least(guarantee, |epsilon, delta| rate_under(epsilon, delta, rate))
}

/// How often a guess of a yes or no is right at most.
fn best_guess(guarantee: Budget, prior: f64) -> f64 {
    least(guarantee, |epsilon, delta| {
        // What is right is linear in α between 0, the kink of T and 1.
        let kink = (1.0 - delta) / (1.0 + epsilon.exp());
        let right =
            |rate: f64| prior * rate_under(epsilon, delta, rate) + (1.0 - prior) * (1.0 - rate);
        [0.0, kink, 1.0].into_iter().map(right).fold(0.0, f64::max)
    })
}

fn rate_under(epsilon: f64, delta: f64, rate: f64) -> f64 {
    let few = epsilon.exp() * rate + delta;
    let many = 1.0 - (-epsilon).exp() * (1.0 - rate - delta);
    few.min(many).clamp(rate, 1.0)
}

/// The smallest of the bounds that a guarantee implies.
fn least(guarantee: Budget, bound: impl Fn(f64, f64) -> f64) -> f64 {
    match guarantee {
        Budget::Pure { epsilon } => bound(epsilon, 0.0),
        Budget::Approximate { epsilon, delta } => bound(epsilon, delta),
        Budget::Zcdp { rho } => {
            let deltas = (1..=300).map(|k| 10f64.powf(-f64::from(k) / 20.0));
            deltas
                .map(|delta| bound(Zcdp { rho }.at_delta(delta).epsilon, delta))
                .fold(1.0, f64::min)
        }
    }
}
