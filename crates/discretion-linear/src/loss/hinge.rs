//! The Huberised hinge.

use super::{Loss, LossKind, LossSpec};
use discretion_privacy::noise::{BigFloat, exact};

/// The hinge with its corner rounded over [1 − h, 1 + h]; t = 1/(2h).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuberisedHinge {
    half_width: f64,
}

impl HuberisedHinge {
    /// The default half-width of the papers.
    pub const HALF_WIDTH: f64 = 0.5;
    pub(super) const USUAL: HuberisedHinge = HuberisedHinge { half_width: Self::HALF_WIDTH };
}

impl Default for HuberisedHinge {
    fn default() -> Self {
        Self::USUAL
    }
}

impl Loss for HuberisedHinge {
    fn value(&self, margin: f64) -> f64 {
        let h = self.half_width;
        if margin > 1.0 + h {
            0.0
        } else if margin < 1.0 - h {
            1.0 - margin
        } else {
            (1.0 + h - margin).powi(2) / (4.0 * h)
        }
    }

    fn slope(&self, margin: f64) -> f64 {
        let h = self.half_width;
        -((1.0 + h - margin) / (2.0 * h)).clamp(0.0, 1.0)
    }

    fn curvature(&self, margin: f64) -> f64 {
        if (margin - 1.0).abs() <= self.half_width { 0.5 / self.half_width } else { 0.0 }
    }

    fn curvature_bound(&self) -> f64 {
        0.5 / self.half_width
    }

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        let h = exact(self.half_width);
        let inside = (BigFloat::ONE + &h - margin) / (h * BigFloat::from(2));
        -inside.clamp(BigFloat::ZERO, BigFloat::ONE).with_precision(margin.precision()).value()
    }

    fn spec(&self) -> Option<LossSpec> {
        (*self == HuberisedHinge::default()).then(|| LossSpec::plain(LossKind::Hinge))
    }
}
