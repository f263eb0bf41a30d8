//! What replacing one row, or one person's rows, does to a regularised minimiser: the numbers that events of training are priced by. Their proofs are
//! beside the mechanisms (`train/objective/PROOF.md`, `train/output/PROOF.md`).

use super::rounding::{formula_up, sum_up};
use super::shaped::Columns;
use crate::ROUNDING_SLACK;

/// r·ln(1 + t/(rnλ)), rounded up: what the change of the Jacobian costs, if what is replaced has a Hessian of rank r at most
/// ([`Unit::curvature_rank`](crate::Unit::curvature_rank)) and of trace t at most.
pub fn curvature_price(rank: usize, rows: usize, lambda: f64, curvature_bound: f64) -> f64 {
    let rank = rank as f64;
    rank * (curvature_bound / (rank * rows as f64 * lambda)).ln_1p() * (1.0 + ROUNDING_SLACK)
}

/// Δ₂ = 2/(nλ), rounded up: how far the minimiser moves when one row, or one person's rows, are replaced.
pub fn minimiser_sensitivity(rows: usize, lambda: f64) -> f64 {
    2.0 / (rows as f64 * lambda) * (1.0 + ROUNDING_SLACK)
}

/// 1/√Σ c_j²/σ_j², rounded down: noise of deviation σ_j in column j hides a row as noise of this deviation hides one of length 1.
pub fn column_gaussian_sigma(columns: &Columns, deviations: &[f64]) -> f64 {
    let terms =
        columns.iter().zip(deviations).map(|(column, sigma)| (formula_up((column.size / sigma).powi(2)), 1));
    (1.0 - ROUNDING_SLACK) / sum_up(terms).sqrt()
}
