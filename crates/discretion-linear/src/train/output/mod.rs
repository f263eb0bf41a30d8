//! Output perturbation: θ̂ + b. `PROOF.md` beside this file proves every constant.

use crate::erm::solver::Accuracy;
use discretion_privacy::noise::Law;
use discretion_privacy::{Approximate, Pure, ROUNDING_SLACK, Zcdp, analytic_gaussian_sigma};

#[cfg(test)]
mod tests;

/// Spherical noise for a pure budget.
pub fn spherical(sensitivity: f64, budget: Pure) -> Law {
    Law::Spherical { scale: sensitivity / budget.epsilon * (1.0 + ROUNDING_SLACK) }
}

/// Gaussian noise for an (ε, δ) budget.
pub fn gaussian_within(sensitivity: f64, budget: Approximate) -> Law {
    Law::Gaussian { sigma: analytic_gaussian_sigma(sensitivity, budget.epsilon, budget.delta) }
}

/// Gaussian noise for a zCDP budget.
pub fn gaussian_zcdp(sensitivity: f64, budget: Zcdp) -> Law {
    Law::Gaussian { sigma: sensitivity / (2.0 * budget.rho).sqrt() * (1.0 + ROUNDING_SLACK) }
}

/// How finely b is drawn, as a share of the solver's tolerance.
const NOISE_SHARE: f64 = 0.1;

/// Distance between the computed vector and the ideal θ̂ + b.
pub(super) fn tolerance(accuracy: &Accuracy) -> f64 {
    (1.0 + NOISE_SHARE) * accuracy.tolerance * (1.0 + ROUNDING_SLACK)
}

/// How finely b is drawn.
pub(super) fn resolution(accuracy: &Accuracy) -> f64 {
    NOISE_SHARE * accuracy.tolerance
}
