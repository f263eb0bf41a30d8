//! Objective perturbation: θ̃ = argmin J(θ) + b·θ/n. `PROOF.md` beside this file proves every
//! constant.

pub use discretion_privacy::account::curvature_price;

pub mod shaped;

use crate::erm::solver::Accuracy;
use discretion_privacy::noise::Law;
use discretion_privacy::{
    Approximate, Curve, Losses, Pure, ROUNDING_SLACK, Term, Zcdp, smallest_enough,
};

#[cfg(test)]
mod tests;

/// The slopes of what is replaced and of its replacement move b by at most this.
pub(super) const SENSITIVITY: f64 = 2.0;

/// t/(rn(e^{ε/r} − 1)), rounded up: at this λ and below, the curvature alone costs ε. r is that of
/// [`curvature_price`].
pub fn smallest_lambda(rank: usize, rows: usize, curvature_bound: f64, budget: Pure) -> f64 {
    let rank = rank as f64;
    curvature_bound / (rank * rows as f64 * (budget.epsilon / rank).exp_m1())
        * (1.0 + 4.0 * ROUNDING_SLACK)
}

/// What is left of a pure budget for the noise, rounded down; nothing if λ is too small.
pub fn left_for_noise(curvature: f64, budget: Pure) -> Option<f64> {
    let left = budget.epsilon * (1.0 - ROUNDING_SLACK) - curvature;
    (left > 0.0).then_some(left)
}

/// Spherical noise for a pure budget (Theorem 1), where curvature costs so much; nothing if λ is
/// too small.
pub fn spherical(curvature: f64, budget: Pure) -> Option<Law> {
    left_for_noise(curvature, budget).map(|left| spherical_with(SENSITIVITY, left))
}

/// Spherical noise for what is left of a budget, where b moves by at most `sensitivity`.
pub(super) fn spherical_with(sensitivity: f64, left: f64) -> Law {
    Law::Spherical { scale: sensitivity / left * (1.0 + ROUNDING_SLACK) }
}

/// Gaussian noise such that it and a mask of `mask` together are within (ε, δ) (Theorem 2 or 3,
/// whichever needs less of it).
pub fn gaussian_within(curvature: f64, target: Approximate, mask: Zcdp) -> Option<Law> {
    gaussian_within_by(|sigma| Term::GaussianObjective { sigma, curvature }, target, mask)
}

/// The same for another loss.
pub(super) fn gaussian_within_by(
    term: impl Fn(f64) -> Term,
    target: Approximate,
    mask: Zcdp,
) -> Option<Law> {
    let epsilon = target.epsilon * (1.0 - ROUNDING_SLACK);
    smallest_sigma(|sigma| {
        let losses =
            Losses::default().and_mask(mask).and_then(|losses| losses.and_training(&term(sigma)));
        let is_within = |term: Term| {
            let curve = Curve::of(term).and(Term::Zcdp { rho: mask.rho });
            curve.at_delta(target.delta).epsilon <= epsilon
        };
        losses.is_some_and(|losses| losses.delta(epsilon) <= target.delta)
            || (term(sigma).least().is_none_or(is_within) && is_within(term(sigma)))
    })
}

/// Gaussian noise within a zCDP budget (Theorem 2 and the certificate of [`Curve::as_zcdp`]).
pub fn gaussian_zcdp(curvature: f64, target: Zcdp) -> Option<Law> {
    gaussian_zcdp_by(|sigma| Term::GaussianObjective { sigma, curvature }, target)
}

/// The same with another curve.
pub(super) fn gaussian_zcdp_by(term: impl Fn(f64) -> Term, target: Zcdp) -> Option<Law> {
    let is_within = |term: Term| Curve::of(term).as_zcdp().rho <= target.rho;
    smallest_sigma(|sigma| term(sigma).least().is_none_or(is_within) && is_within(term(sigma)))
}

/// The smallest σ that is enough; nothing if none is.
fn smallest_sigma(enough: impl Fn(f64) -> bool) -> Option<Law> {
    let sigma = smallest_enough(1.0, 5e8, 1e-9, enough)?;
    Some(Law::Gaussian { sigma: sigma * (1.0 + ROUNDING_SLACK) })
}

/// How finely b is drawn, as a share of the gradient's own rounding.
const NOISE_SHARE: f64 = 0.1;

/// Distance between the computed vector and the ideal θ̃: the solver's, plus that of a rounded b.
pub(super) fn tolerance(accuracy: &Accuracy, lambda: f64) -> f64 {
    (accuracy.tolerance + NOISE_SHARE * accuracy.gradient_error / lambda) * (1.0 + ROUNDING_SLACK)
}

/// How finely b is drawn: a change of ρ in b moves the minimiser by at most ρ/(nλ).
pub(super) fn resolution(accuracy: &Accuracy, rows: usize) -> f64 {
    NOISE_SHARE * accuracy.gradient_error * rows as f64
}
