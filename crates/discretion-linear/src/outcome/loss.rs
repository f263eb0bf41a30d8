//! Functions of the margin that are summed over rows.

use super::LossSpec;
use discretion_privacy::noise::BigFloat;

/// A loss of the margin m = y θ·x.
///
/// Something is trained with it only as an [`Outcome`](super::Outcome), whose
/// [`Bounds`](super::Bounds) the proofs use.
pub trait Loss: Sync {
    /// f(m).
    fn value(&self, margin: f64) -> f64;
    /// f′(m), with an absolute error of at most 16 units in the last place of 1.
    fn slope(&self, margin: f64) -> f64;
    /// f″(m); where it jumps, either side.
    fn curvature(&self, margin: f64) -> f64;
    /// f′(m) to the precision of its argument, for noise far out in its tail.
    fn big_slope(&self, margin: &BigFloat) -> BigFloat;

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
