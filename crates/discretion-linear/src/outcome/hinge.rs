//! The Huberised hinge.

use super::{Bounds, Heads, Label, Loss, LossKind, LossSpec, Outcome};
use discretion_privacy::noise::{BigFloat, exact};

/// The hinge with its corner rounded over [1 − h, 1 + h]; t = 1/(2h).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuberisedHinge {
    half_width: f64,
}

impl HuberisedHinge {
    /// The usual half-width.
    pub const HALF_WIDTH: f64 = 0.5;
    pub(super) const USUAL: HuberisedHinge = HuberisedHinge { half_width: Self::HALF_WIDTH };
}

/// Half the width over which a hinge's corner is rounded: a power of two, so that t = 1/(2h) is
/// exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfWidth {
    /// Its place in [`WIDTHS`].
    place: u8,
}

const fn of_half_width(half_width: f64) -> HuberisedHinge {
    HuberisedHinge { half_width }
}

static WIDTHS: [HuberisedHinge; 5] = [
    of_half_width(0.125),
    of_half_width(0.25),
    HuberisedHinge::USUAL,
    of_half_width(1.0),
    of_half_width(2.0),
];

impl HalfWidth {
    /// 0.5.
    pub const USUAL: HalfWidth = HalfWidth { place: 2 };

    /// 1, which intervals are better with (docs/intervals-in-detail.md).
    pub const WIDE: HalfWidth = HalfWidth { place: 3 };

    /// Those there are, in words.
    pub const ALLOWED: &'static str = "0.125, 0.25, 0.5, 1 or 2";

    /// This h, if it is one of them.
    pub fn new(h: f64) -> Option<HalfWidth> {
        HalfWidth::all().find(|width| width.value() == h)
    }

    /// All there are.
    pub fn all() -> impl Iterator<Item = HalfWidth> {
        (0..WIDTHS.len() as u8).map(|place| HalfWidth { place })
    }

    /// h.
    pub fn value(self) -> f64 {
        self.hinge().half_width
    }

    pub(super) fn outcome(self) -> &'static dyn Outcome {
        &WIDTHS[usize::from(self.place)]
    }

    pub(super) fn hinge(self) -> HuberisedHinge {
        WIDTHS[usize::from(self.place)]
    }
}

impl Default for HuberisedHinge {
    fn default() -> Self {
        Self::USUAL
    }
}

impl Outcome for HuberisedHinge {
    fn label(&self) -> Label {
        Label::Sign
    }

    fn heads(&self) -> Heads {
        Heads::One
    }

    fn bounds(&self) -> Bounds {
        Bounds::of_margin(0.5 / self.half_width, self.value(0.0))
    }

    fn loss(&self) -> &dyn Loss {
        self
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

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        let h = exact(self.half_width);
        let inside = (BigFloat::ONE + &h - margin) / (h * BigFloat::from(2));
        -inside.clamp(BigFloat::ZERO, BigFloat::ONE).with_precision(margin.precision()).value()
    }

    fn spec(&self) -> Option<LossSpec> {
        HalfWidth::new(self.half_width).map(|h| LossSpec::plain(LossKind::hinge(h)))
    }
}
