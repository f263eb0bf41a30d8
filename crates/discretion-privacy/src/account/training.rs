//! What replacing one row does to a regularised minimiser: the two numbers that events of training are priced by. Their proofs are
//! beside the mechanisms (`train/objective/PROOF.md`, `train/output/PROOF.md`).

use crate::ROUNDING_SLACK;

/// ln(1 + t/(nλ)), rounded up: what the change of the Jacobian costs.
pub fn curvature_price(rows: usize, lambda: f64, curvature_bound: f64) -> f64 {
    (curvature_bound / (rows as f64 * lambda)).ln_1p() * (1.0 + ROUNDING_SLACK)
}

/// Δ₂ = 2/(nλ), rounded up: how far the minimiser moves when one row is replaced.
pub fn minimiser_sensitivity(rows: usize, lambda: f64) -> f64 {
    2.0 / (rows as f64 * lambda) * (1.0 + ROUNDING_SLACK)
}
