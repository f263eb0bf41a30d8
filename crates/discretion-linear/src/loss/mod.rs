//! Losses: convex functions of the margin with |f′| ≤ 1 and 0 ≤ f″ ≤ t. Those of a class never
//! increase, which Gaussian objective perturbation makes use of; that of a residual, [`Huber`]'s,
//! falls and rises.
//!
//! Three more functions of the margin are summed in the same way: [`Score`]s, which only have
//! values, the weights of private matrices, and 1, whose matrix is that of moments. A [`LossSpec`]
//! names each of them, so that others can sum it.

mod check;
mod class_score;
mod hinge;
mod huber;
mod kind;
mod logistic;
mod logistic_weighted;
mod moments;
mod score;
mod spec;
mod squared;
mod weighted;

pub use check::check;
pub use hinge::{HalfWidth, HuberisedHinge};
pub use huber::Huber;
pub use kind::LossKind;
pub use logistic::Logistic;
pub(crate) use moments::MomentsLoss;
pub(crate) use score::Bounded;
pub use score::Score;
pub use spec::LossSpec;
pub(crate) use squared::{HalfSquare, SquaredSlope};
pub(crate) use weighted::{Weight, Weighted};

use discretion_privacy::noise::BigFloat;

/// A loss of the margin m = y θ·x.
///
/// The proofs use: f ≥ 0, convex, non-increasing, −1 ≤ f′ ≤ 0, 0 ≤ f″ ≤
/// [`curvature_bound`](Loss::curvature_bound). A loss that [falls and rises](Loss::falls_and_rises)
/// has −1 ≤ f′ ≤ 1, and is priced as such. A loss is part of the mechanism: it is handed margins of
/// rows and is trusted with them, as the proofs trust its numbers. [`check`] tests an
/// implementation numerically; a user's own loss should be passed to it in a test.
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

    /// Whether slopes have either sign.
    fn falls_and_rises(&self) -> bool {
        false
    }

    /// The largest size of a margin at θ = 0. A residual is there what its outcome is.
    fn offset(&self) -> f64 {
        0.0
    }

    /// Slopes and curvatures at many margins; returns the sum of the values. One virtual call
    /// serves many rows. Slopes are as exact as [`slope`](Loss::slope)'s, and each depends on its
    /// own margin alone.
    fn evaluate(&self, margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
        for ((&m, slope), curvature) in margins.iter().zip(slopes).zip(curvatures) {
            (*slope, *curvature) = (self.slope(m), self.curvature(m));
        }
        margins.iter().map(|&m| self.value(m)).sum()
    }

    /// The same for rows with weights from 0 to 1: slopes and curvatures come out times their row's
    /// weight, and the sum is that of values times weights.
    fn evaluate_weighted(
        &self,
        margins: &[f64],
        weights: &[f64],
        slopes: &mut [f64],
        curvatures: &mut [f64],
    ) -> f64 {
        let mut total = 0.0;
        for (((&m, &weight), slope), curvature) in
            margins.iter().zip(weights).zip(slopes).zip(curvatures)
        {
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

    /// What another process can make the same loss of. Nothing for a loss that only this one knows:
    /// sums with it cannot be asked of others.
    fn spec(&self) -> Option<LossSpec> {
        None
    }
}
