//! Losses: convex functions of the margin with |f′| ≤ 1 and 0 ≤ f″ ≤ t. The non-increasing ones are
//! the only ones we ship, because Gaussian objective perturbation needs that too.

mod logistic;

use crate::erm::remote::LossSpec;
use crate::noise::Wide;
use serde::{Deserialize, Serialize};
use std::slice;

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
    fn wide_slope(&self, margin: &Wide) -> Wide;

    /// Slopes and curvatures at many margins; returns the sum of the values. One virtual call serves many rows. Slopes are
    /// as exact as [`slope`](Loss::slope)'s, and each depends on its own margin alone.
    fn evaluate(&self, margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
        for ((&m, slope), curvature) in margins.iter().zip(slopes).zip(curvatures) {
            (*slope, *curvature) = (self.slope(m), self.curvature(m));
        }
        margins.iter().map(|&m| self.value(m)).sum()
    }

    /// What another process can make the same loss of. Nothing for a loss that only this one knows: sums with it cannot be asked
    /// of others.
    fn spec(&self) -> Option<LossSpec> {
        None
    }
}

/// f(m) = ln(1 + e^{−m}); t = 1/4.
#[derive(Clone, Copy, Debug, Default)]
pub struct Logistic;

impl Loss for Logistic {
    fn value(&self, margin: f64) -> f64 {
        (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
    }

    fn slope(&self, margin: f64) -> f64 {
        -1.0 / (1.0 + margin.exp())
    }

    fn curvature(&self, margin: f64) -> f64 {
        let small = (-margin.abs()).exp();
        small / ((1.0 + small) * (1.0 + small))
    }

    fn curvature_bound(&self) -> f64 {
        0.25
    }

    fn wide_slope(&self, margin: &Wide) -> Wide {
        // Past ±2²⁰ the slope is 0 or −1 to a million bits, more than anyone asks for.
        let far = Wide::from(1 << 20);
        let near = margin.clone().clamp(-far.clone(), far);
        let one = Wide::ONE.with_precision(margin.precision()).value();
        -(&one / (near.with_precision(margin.precision()).value().exp() + &one))
    }

    fn evaluate(&self, margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
        logistic::evaluate(margins, slopes, curvatures)
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::plain(LossKind::Logistic))
    }
}

/// The hinge with its corner rounded over [1 − h, 1 + h]; t = 1/(2h).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HuberisedHinge {
    half_width: f64,
}

impl HuberisedHinge {
    /// The default half-width of the papers.
    pub const HALF_WIDTH: f64 = 0.5;
}

impl Default for HuberisedHinge {
    fn default() -> Self {
        HuberisedHinge { half_width: Self::HALF_WIDTH }
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

    fn wide_slope(&self, margin: &Wide) -> Wide {
        let h = crate::noise::exact(self.half_width);
        let inside = (Wide::ONE + &h - margin) / (h * Wide::from(2));
        -inside.clamp(Wide::ZERO, Wide::ONE).with_precision(margin.precision()).value()
    }

    fn spec(&self) -> Option<LossSpec> {
        (*self == HuberisedHinge::default()).then(|| LossSpec::plain(LossKind::Hinge))
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
            LossKind::Hinge => &HuberisedHinge { half_width: HuberisedHinge::HALF_WIDTH },
        }
    }
}

/// Checks numerically what the proofs assume of a loss, and says what is violated.
pub fn check(loss: &dyn Loss) -> Result<(), String> {
    const STEP: f64 = 1e-5;
    let t = loss.curvature_bound();
    for i in -200_000..=200_000 {
        let m = f64::from(i) * 2e-4 + 1e-7;
        let (slope, curvature) = (loss.slope(m), loss.curvature(m));
        if loss.value(m) < 0.0 {
            return Err(format!("value {} at margin {m} is below 0", loss.value(m)));
        }
        if !(-1.0..=0.0).contains(&slope) {
            return Err(format!("slope {slope} at margin {m} is outside [−1, 0]"));
        }
        let [mut block_slope, mut block_curvature] = [0.0; 2];
        let value =
            loss.evaluate(&[m], slice::from_mut(&mut block_slope), slice::from_mut(&mut block_curvature));
        for curvature in [curvature, block_curvature] {
            if !(0.0..=t).contains(&curvature) {
                return Err(format!("curvature {curvature} at margin {m} is outside [0, t = {t}]"));
            }
        }
        let (left, right) = (loss.slope(m - STEP), loss.slope(m + STEP));
        let secant = (right - left) / (2.0 * STEP);
        if secant < -1e-9 || secant > t * (1.0 + 1e-9) + 1e-9 {
            return Err(format!("the slope changes at rate {secant} near margin {m}, outside [0, t = {t}]"));
        }
        let chord = (loss.value(m + STEP) - loss.value(m - STEP)) / (2.0 * STEP);
        if (chord - slope).abs() > t * STEP + 1e-9 {
            return Err(format!("slope {slope} at margin {m} is not the derivative {chord} of the value"));
        }
        let gap =
            (value - loss.value(m)).abs() + (block_slope - slope).abs() + (block_curvature - curvature).abs();
        if gap > 1e-14 * (1.0 + m.abs()) {
            return Err(format!("evaluate disagrees with value, slope or curvature at margin {m}"));
        }
        if i % 1000 == 0 {
            let wide = loss.wide_slope(&crate::noise::exact(m).with_precision(120).value()).to_f64().value();
            // 16 units, of which half of one is the rounding of `wide`.
            if (wide - slope).abs().max((wide - block_slope).abs()) > 15.5 * f64::EPSILON / 2.0 {
                return Err(format!(
                    "slope {slope} or {block_slope} differs from wide_slope {wide} at margin {m}"
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_losses_are_what_the_proofs_assume() {
        check(&Logistic).unwrap();
        check(&HuberisedHinge::default()).unwrap();
    }

    #[test]
    fn the_check_catches_a_wrong_curvature_bound() {
        struct TooFlat;
        impl Loss for TooFlat {
            fn value(&self, m: f64) -> f64 {
                Logistic.value(m)
            }
            fn slope(&self, m: f64) -> f64 {
                Logistic.slope(m)
            }
            fn curvature(&self, _: f64) -> f64 {
                0.0
            }
            fn curvature_bound(&self) -> f64 {
                0.2
            }
            fn wide_slope(&self, m: &Wide) -> Wide {
                Logistic.wide_slope(m)
            }
        }
        assert!(check(&TooFlat).unwrap_err().contains("changes at rate"));
    }

    #[test]
    fn far_margins_saturate_instead_of_overflowing() {
        for m in [-1e308, -1e4, 1e4, 1e308] {
            let [mut slopes, mut curvatures] = [[f64::NAN; 1]; 2];
            let value = Logistic.evaluate(&[m], &mut slopes, &mut curvatures);
            assert!(value.is_finite() && (-1.0..=0.0).contains(&slopes[0]), "{m} {slopes:?}");
            assert!((0.0..1e-300).contains(&curvatures[0]), "{m} {curvatures:?}");
            assert!(Logistic.slope(m) == if m > 0.0 { -0.0 } else { -1.0 });
        }
    }
}
