//! Least squares as losses: half a residual's square, and squared slopes as weights of a matrix.
//! Nothing private is trained with either: their slopes have no bound.

use super::Loss;
use discretion_privacy::noise::BigFloat;

/// r²/2.
pub(crate) struct HalfSquare;

impl Loss for HalfSquare {
    fn value(&self, residual: f64) -> f64 {
        0.5 * residual * residual
    }

    fn slope(&self, residual: f64) -> f64 {
        residual
    }

    fn curvature(&self, _: f64) -> f64 {
        1.0
    }

    fn big_slope(&self, residual: &BigFloat) -> BigFloat {
        residual.clone()
    }
}

/// A loss whose "curvature" is the square of another's slope, however large, so that an oracle's
/// Hessian is the second moment of gradients.
pub(crate) struct SquaredSlope<'l>(pub(crate) &'l dyn Loss);

impl Loss for SquaredSlope<'_> {
    fn value(&self, margin: f64) -> f64 {
        self.0.value(margin)
    }

    fn slope(&self, margin: f64) -> f64 {
        self.0.slope(margin)
    }

    fn curvature(&self, margin: f64) -> f64 {
        self.0.slope(margin).powi(2)
    }

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        self.0.big_slope(margin)
    }

    fn squares_weights(&self) -> bool {
        true
    }
}
