//! What replacing one row, or one person's rows, does to a regularised minimiser: the numbers that
//! events of training are priced by. Their proofs are beside the mechanisms
//! (`train/objective/PROOF.md`, `train/output/PROOF.md`).

use super::rounding::{formula_up, sum_up};
use super::shaped::Columns;
use crate::{LogisticRow, ROUNDING_SLACK};

/// r·ln(1 + t/(rnλ)), rounded up: what the change of the Jacobian costs, if what is replaced has a
/// Hessian of rank r at most ([`Unit::curvature_rank`](crate::Unit::curvature_rank)) and of trace t
/// at most.
pub fn curvature_price(rank: usize, rows: usize, lambda: f64, curvature_bound: f64) -> f64 {
    let rank = rank as f64;
    rank * (curvature_bound / (rank * rows as f64 * lambda)).ln_1p() * (1.0 + ROUNDING_SLACK)
}

/// Δ₂ = 2/(nλ), rounded up: how far the minimiser moves when one row, or one person's rows, are
/// replaced.
pub fn minimiser_sensitivity(rows: usize, lambda: f64) -> f64 {
    2.0 / (rows as f64 * lambda) * (1.0 + ROUNDING_SLACK)
}

/// The largest length of a row's gradient under softmax, √2: that of p − e_y, of which one entry is
/// −q and the others add up to q.
pub const CLASSES_SLOPE: f64 = std::f64::consts::SQRT_2;

/// (K − 1)·ln(1 + 1/(Knλ)), rounded up: a row's Hessian under softmax has rank K − 1 and trace 1 −
/// 1/K at most (`train/classes/PROOF.md`). A person's has a larger rank
/// ([`Unit::classes_curvature_rank`](crate::Unit::classes_curvature_rank)).
pub fn classes_curvature_price(classes: usize, rows: usize, lambda: f64) -> f64 {
    curvature_price(classes - 1, rows, lambda, classes_trace(classes))
}

/// 1 − 1/K, rounded up: the largest trace of diag(p) − ppᵀ.
pub fn classes_trace(classes: usize) -> f64 {
    (1.0 - 1.0 / classes as f64).next_up()
}

impl LogisticRow {
    /// A softmax of several classes: the trace is 2a − a²K/(K − 1).
    pub fn of_classes(classes: usize) -> LogisticRow {
        let trace = classes_trace(classes);
        LogisticRow { slope: CLASSES_SLOPE, trace, rank: classes - 1 }
    }
}

/// Δ₂ = 2√2/(nλ), rounded up: how far the minimiser of several classes moves when one row, or one
/// person's rows, are replaced.
pub fn classes_minimiser_sensitivity(rows: usize, lambda: f64) -> f64 {
    CLASSES_SLOPE * minimiser_sensitivity(rows, lambda) * (1.0 + ROUNDING_SLACK)
}

/// 1/√Σ c_j²/σ_j², rounded down: noise of deviation σ_j in column j hides a row as noise of this
/// deviation hides one of length 1.
pub fn column_gaussian_sigma(columns: &Columns, deviations: &[f64]) -> f64 {
    let terms = columns
        .iter()
        .zip(deviations)
        .map(|(column, sigma)| (formula_up((column.size / sigma).powi(2)), 1));
    (1.0 - ROUNDING_SLACK) / sum_up(terms).sqrt()
}
