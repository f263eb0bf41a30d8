//! Losses: convex functions of the margin with |f′| ≤ 1 and 0 ≤ f″ ≤ t. The non-increasing ones are
//! the only ones we ship, because Gaussian objective perturbation needs that too.
//!
//! Two more functions of the margin are summed in the same way: [`Score`]s, which only have values, and the weights of private
//! matrices. A [`LossSpec`] names each of them, so that others can sum it.

mod check;
mod hinge;
mod logistic;
mod score;
mod spec;
mod weighted;

pub use check::check;
pub use hinge::HuberisedHinge;
pub use logistic::Logistic;
pub(crate) use score::Bounded;
pub use score::Score;
pub use spec::LossSpec;
pub(crate) use weighted::{Weight, Weighted};

use discretion_privacy::noise::BigFloat;
use serde::{Deserialize, Serialize};

/// A loss of the margin m = y θ·x.
///
/// The proofs use: f ≥ 0, convex, non-increasing, −1 ≤ f′ ≤ 0, 0 ≤ f″ ≤ [`curvature_bound`](Loss::curvature_bound).
/// A loss is part of the mechanism: it is handed margins of rows and is trusted with them, as the proofs trust its
/// numbers. [`check`] tests an implementation numerically; a user's own loss should be passed to it in a test.
pub trait Loss: Sync {
    /// f(m).
    fn value(&self, margin: f64) -> f64;
    /// f′(m), with an absolute error of at most 16 units in the last place of 1.
    fn slope(&self, margin: f64) -> f64;
    /// f″(m); where it jumps, either side.
    fn curvature(&self, margin: f64) -> f64;
    /// t, the bound on f″.
    fn curvature_bound(&self) -> f64;
    /// f′(m) to the precision of its argument, for noise far out in its tail.
    fn big_slope(&self, margin: &BigFloat) -> BigFloat;

    /// Slopes and curvatures at many margins; returns the sum of the values. One virtual call serves many rows. Slopes are
    /// as exact as [`slope`](Loss::slope)'s, and each depends on its own margin alone.
    fn evaluate(&self, margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
        for ((&m, slope), curvature) in margins.iter().zip(slopes).zip(curvatures) {
            (*slope, *curvature) = (self.slope(m), self.curvature(m));
        }
        margins.iter().map(|&m| self.value(m)).sum()
    }

    /// The same for rows with weights from 0 to 1: slopes and curvatures come out times their row's weight, and the sum is that of
    /// values times weights.
    fn evaluate_weighted(
        &self,
        margins: &[f64],
        weights: &[f64],
        slopes: &mut [f64],
        curvatures: &mut [f64],
    ) -> f64 {
        let mut total = 0.0;
        for (((&m, &weight), slope), curvature) in margins.iter().zip(weights).zip(slopes).zip(curvatures) {
            (*slope, *curvature) = (weight * self.slope(m), weight * self.curvature(m));
            if weight > 0.0 {
                total += weight * self.value(m);
            }
        }
        total
    }

    /// Whether a row's weight counts squared in the curvature, as in a second moment of gradients.
    fn squares_weights(&self) -> bool {
        false
    }

    /// What another process can make the same loss of. Nothing for a loss that only this one knows: sums with it cannot be asked
    /// of others.
    fn spec(&self) -> Option<LossSpec> {
        None
    }
}

/// The losses by name, as study files write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LossKind {
    /// [`Logistic`].
    Logistic,
    /// [`HuberisedHinge`] with h = 0.5.
    Hinge,
}

impl LossKind {
    /// The loss itself.
    pub fn loss(self) -> &'static dyn Loss {
        match self {
            LossKind::Logistic => &Logistic,
            LossKind::Hinge => &HuberisedHinge::USUAL,
        }
    }
}
