//! Huber's loss of a residual.

use super::{Loss, LossKind, LossSpec};
use discretion_privacy::noise::{BigFloat, exact};

/// r²/(2h) for residuals up to h, |r| − h/2 beyond; t = 1/h. Its slope is between −1 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Huber {
    width: f64,
}

impl Huber {
    /// h, where outcomes lie between −1 and 1: an eighth of their range.
    pub const WIDTH: f64 = 0.25;
    pub(super) const USUAL: Huber = Huber { width: Self::WIDTH };
}

impl Default for Huber {
    fn default() -> Self {
        Self::USUAL
    }
}

impl Loss for Huber {
    fn value(&self, residual: f64) -> f64 {
        let (r, h) = (residual.abs(), self.width);
        if r <= h { r * r / (2.0 * h) } else { r - 0.5 * h }
    }

    fn slope(&self, residual: f64) -> f64 {
        (residual / self.width).clamp(-1.0, 1.0)
    }

    fn curvature(&self, residual: f64) -> f64 {
        if residual.abs() <= self.width { 1.0 / self.width } else { 0.0 }
    }

    fn curvature_bound(&self) -> f64 {
        1.0 / self.width
    }

    fn big_slope(&self, residual: &BigFloat) -> BigFloat {
        let inside = residual / exact(self.width);
        inside.clamp(-BigFloat::ONE, BigFloat::ONE).with_precision(residual.precision()).value()
    }

    fn falls_and_rises(&self) -> bool {
        true
    }

    fn offset(&self) -> f64 {
        1.0
    }

    fn spec(&self) -> Option<LossSpec> {
        (*self == Huber::default()).then(|| LossSpec::plain(LossKind::Huber))
    }
}
