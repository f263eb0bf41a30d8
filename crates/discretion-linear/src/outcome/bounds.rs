//! What the proofs use of an outcome, in numbers.

use discretion_privacy::account::{Curvature, minimiser_sensitivity};
use discretion_privacy::{LogisticRow, ROUNDING_SLACK, Unit};

/// The signs that slopes can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Never positive: f falls with its margin.
    Falls,
    /// Either.
    Either,
}

/// Bounds on f, the loss of a row as a function of the margins of all heads, for every label.
/// [`check`](super::check) tests them numerically. As ‖x‖ ≤ 1, those on slope, curvature, rank and
/// trace hold in the coefficients too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The length of the gradient.
    pub slope: f64,
    /// The signs of its entries.
    pub sign: Sign,
    /// The largest eigenvalue of the Hessian.
    pub curvature: f64,
    /// The rank of the Hessian.
    pub rank: usize,
    /// The trace of the Hessian.
    pub trace: f64,
    /// The mean of the Hessian's eigenvalues that may differ from 0: trace/rank. Predictions of
    /// errors use it, guarantees do not.
    pub mean_curvature: f64,
    /// What is known of the trace at a given slope. With a the sum of the gradient's positive
    /// entries, or of the negative ones if that is larger in size, [`Curvature::Logistic`] is: a ≤ 1,
    /// the gradient is no longer than a·s, and the trace is no larger than s²a − (s²a)²/(4t), where
    /// s and t are the largest slope and trace.
    pub relation: Curvature,
    /// f where all coefficients are 0.
    pub start: f64,
    /// The largest size of a margin where all coefficients are 0.
    pub offset: f64,
    /// The rounding of the gradient in doubles, in length, in units of 2⁻⁵³, if margins are exact.
    pub rounding: f64,
}

impl Bounds {
    /// Bounds for a loss of one margin with −1 ≤ f′ ≤ 0 and f″ ≤ `curvature`, which is `start` at
    /// margin 0.
    pub fn of_margin(curvature: f64, start: f64) -> Bounds {
        Bounds {
            slope: 1.0,
            sign: Sign::Falls,
            curvature,
            rank: 1,
            trace: curvature,
            mean_curvature: curvature,
            relation: Curvature::Bounded,
            start,
            offset: 0.0,
            rounding: 16.0,
        }
    }

    /// Bound on how far the sum of gradients moves when one row, or one person's rows, are
    /// replaced: each of the two is no longer than `slope`.
    pub(crate) fn shift(&self) -> f64 {
        2.0 * self.slope
    }

    /// Bound on how far the minimiser moves when one row, or one person's rows, are replaced:
    /// 2·slope/(nλ), rounded up.
    pub(crate) fn minimiser_shift(&self, rows: usize, lambda: f64) -> f64 {
        let of_one = minimiser_sensitivity(rows, lambda);
        // A product with 1 is exact.
        if self.slope == 1.0 { of_one } else { self.slope * of_one * (1.0 + ROUNDING_SLACK) }
    }

    /// What the price of slope and curvature together is about, where `relation` holds.
    pub(crate) fn logistic_row(&self) -> LogisticRow {
        LogisticRow { slope: self.slope, trace: self.trace, rank: self.rank }
    }

    /// The largest rank of one unit's part of the Hessian, with `dimension` coefficients a head.
    pub(crate) fn rank_of(&self, unit: Unit, dimension: usize) -> usize {
        self.rank.saturating_mul(unit.curvature_rank(dimension))
    }
}
