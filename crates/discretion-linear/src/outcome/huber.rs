//! Huber's loss of a residual: an outcome that is a number. `train/huber/PROOF.md`.

use super::{Bounds, Heads, Label, LambdaRule, Loss, LossKind, LossSpec, Outcome, Sign};
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

impl Outcome for Huber {
    fn label(&self) -> Label {
        Label::Column
    }

    fn heads(&self) -> Heads {
        Heads::One
    }

    fn bounds(&self) -> Bounds {
        let start = self.value(1.0).max(self.value(-1.0));
        let usual = Bounds::of_margin(1.0 / self.width, start);
        Bounds { sign: Sign::Either, offset: 1.0, ..usual }
    }

    /// Residuals bend by 1/h where margins bend by ¼ at most, and coefficients are smaller. So much
    /// more of ε goes into curvature that the smallest feasible λ says where it begins to pay.
    /// Where columns say nearly the same thing, as those of Covertype do, nothing but λ holds their
    /// coefficients, and the mask that hides how exactly they were found grows as λ falls: a
    /// prediction, of an outcome between −1 and 1, shall move by 0.03 at most.
    fn lambda(&self) -> LambdaRule {
        LambdaRule {
            noise_weight: 3000.0,
            much_noise: f64::INFINITY,
            dimension_share: 0.0,
            flat_dimension_share: 0.1,
            sampling_share: 0.0,
            feasible_times: 12.0,
            largest_error: Some(0.03),
            ..LambdaRule::USUAL
        }
    }

    fn loss(&self) -> &dyn Loss {
        self
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

    fn big_slope(&self, residual: &BigFloat) -> BigFloat {
        let inside = residual / exact(self.width);
        inside.clamp(-BigFloat::ONE, BigFloat::ONE).with_precision(residual.precision()).value()
    }

    fn spec(&self) -> Option<LossSpec> {
        (*self == Huber::default()).then(|| LossSpec::plain(LossKind::Huber))
    }
}
