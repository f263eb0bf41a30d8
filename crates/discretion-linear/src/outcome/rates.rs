//! Counts of events beside an exposure, as an outcome that only tests know: what adding one takes.

use super::{Bounds, Heads, Label, Loss, Outcome, Sign, Slopes};
use discretion_privacy::account::Curvature;
use discretion_privacy::noise::{BigFloat, exact};

/// f with f′ = clip(E e^m − y, −B, B)/B, for counts y ≤ Y in exposures E from [`LEAST`] to 1: the
/// loss of a Poisson rate, whose slopes are cut off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// Y.
    pub(crate) most: f64,
    /// B.
    pub(crate) cap: f64,
}

/// The least exposure.
const LEAST: f32 = 0.125;

impl Rates {
    pub(crate) const USUAL: Rates = Rates { most: 4.0, cap: 2.0 };

    /// B·f at v = m + ln E, which is 0 at its least.
    fn value(self, v: f64, y: f64) -> f64 {
        let least = if y > 0.0 { y - y * y.ln() } else { 0.0 };
        let inside = |v: f64| v.exp() - y * v - least;
        let (low, high) = ((y - self.cap).max(0.0).ln(), (y + self.cap).ln());
        if v < low {
            inside(low) + self.cap * (low - v)
        } else if v > high {
            inside(high) + self.cap * (v - high)
        } else {
            inside(v)
        }
    }
}

impl Outcome for Rates {
    fn label(&self) -> Label {
        Label::Beside(2)
    }

    fn labels(&self) -> Vec<Vec<f32>> {
        let counts = (0..=self.most as u8).map(f32::from);
        counts.flat_map(|y| [LEAST, 0.5, 1.0].map(|exposure| vec![y, exposure])).collect()
    }

    fn heads(&self) -> Heads {
        Heads::One
    }

    /// The curvature is E e^m/B as long as that is at most y + B. At m = 0 the loss is largest for
    /// the largest count in the least exposure, or for none in the largest.
    fn bounds(&self) -> Bounds {
        let curvature = (self.most + self.cap) / self.cap;
        let ends = [(f64::from(LEAST), self.most), (1.0, 0.0)];
        let start = ends.map(|(exposure, y)| self.value(exposure.ln(), y) / self.cap);
        Bounds {
            sign: Sign::Either,
            relation: Curvature::Bounded,
            rounding: 16.0 * curvature,
            ..Bounds::of_margin(curvature, start[0].max(start[1]))
        }
    }

    fn loss(&self) -> &dyn Loss {
        &NoMargin
    }

    fn row(&self, margins: &[f64], label: &[f32], out: &mut Slopes) -> f64 {
        let (m, y, exposure) = (margins[0], f64::from(label[0]), f64::from(label[1]));
        let rate = exposure * m.exp();
        let slope = (rate - y) / self.cap;
        out.slopes[0] = slope.clamp(-1.0, 1.0);
        out.hessian[0] = if slope.abs() <= 1.0 { rate / self.cap } else { 0.0 };
        self.value(m + exposure.ln(), y).max(0.0) / self.cap
    }

    fn exact(&self, margins: &[BigFloat], label: &[f32]) -> Vec<BigFloat> {
        let (y, exposure) = (exact(f64::from(label[0])), exact(f64::from(label[1])));
        let (m, far) = (&margins[0], BigFloat::from(1 << 20));
        let precision = m.precision();
        // Beyond, the slope is 1, or −y to a million bits.
        let near = m.clone().clamp(-far.clone(), far).with_precision(precision).value();
        let slope = (near.exp() * exposure - y) / exact(self.cap);
        vec![slope.clamp(-BigFloat::ONE, BigFloat::ONE).with_precision(precision).value()]
    }
}

/// What no function of a margin alone can be asked for.
struct NoMargin;

impl Loss for NoMargin {
    fn value(&self, _: f64) -> f64 {
        unreachable!("rates depend on their labels")
    }

    fn slope(&self, _: f64) -> f64 {
        unreachable!("rates depend on their labels")
    }

    fn curvature(&self, _: f64) -> f64 {
        unreachable!("rates depend on their labels")
    }

    fn big_slope(&self, _: &BigFloat) -> BigFloat {
        unreachable!("rates depend on their labels")
    }
}
