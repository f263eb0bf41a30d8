//! The sparse vector technique with one-sided noise: a test that passes costs nothing.
//!
//! A query passes if distance − X > cut − Y, where X and Y ≥ 0 are geometric and Y stays the same
//! until `paid_each` tests have failed. Both shifts in the proof go the same way, so one-sided
//! noise serves as well as Laplace noise, and the chance that an unstable query slips through
//! depends on Y alone, whose scale is the small one.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use discretion_privacy::ROUNDING_SLACK;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{NoiseError, Source, geometric};
use serde::{Deserialize, Serialize};

/// Asked of δ to pay for the rounding of exponentials and logarithms.
const DELTA_SLACK: f64 = 1e-9;

/// Tests with geometric noise on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sparse {
    /// r, the number of thresholds drawn one after the other.
    pub thresholds: u64,
    /// c, the number of failed tests after which a threshold is retired.
    pub paid_each: u64,
    /// b_t: Y has P(Y = y) ∝ e^{−y/b_t}.
    pub threshold_scale: f64,
    /// b_q: X has P(X = x) ∝ e^{−x/b_q}.
    pub query_scale: f64,
    /// w.
    pub cut: u64,
}

impl Sparse {
    /// What one threshold with its `paid_each` failed tests costs: 1/b_t + 2c/b_q, rounded up.
    pub fn epsilon_each(&self) -> f64 {
        let epsilon = 1.0 / self.threshold_scale + 2.0 * self.paid_each as f64 / self.query_scale;
        epsilon * (1.0 + ROUNDING_SLACK)
    }

    /// The probability that any unstable query slips through, rounded up: r·x^{w+1}(1 − y^c)/(1 −
    /// x·y^c) with x = e^{−1/b_t} and y = e^{−1/b_q}.
    pub fn delta(&self) -> f64 {
        let (t, q) = (1.0 / self.threshold_scale, self.paid_each as f64 / self.query_scale);
        let slips = (-t * (self.cut as f64 + 1.0)).exp() * (-q).exp_m1() / (-t - q).exp_m1();
        self.thresholds as f64 * slips * (1.0 + DELTA_SLACK)
    }

    pub(super) fn event(&self) -> Event {
        Event::SparseVector {
            runs: self.thresholds,
            epsilon_each: self.epsilon_each(),
            delta: self.delta(),
        }
    }

    /// The smallest cut at which [`Sparse::delta`] is no more than `delta`.
    pub(crate) fn with_delta(mut self, delta: f64) -> Sparse {
        self.cut = 0;
        let excess = (self.delta() / delta).ln();
        self.cut = (excess * self.threshold_scale).ceil().max(0.0) as u64;
        while self.delta() > delta {
            self.cut += 1;
        }
        self
    }

    /// w + s with the smallest s at which `tests` · P(X ≥ Y + s) ≤ `miss`.
    pub(super) fn needs(&self, tests: u64, miss: f64) -> u64 {
        let fails_at_cut = self.fails(0.0) * tests as f64;
        self.cut + ((fails_at_cut / miss).ln() * self.query_scale).ceil().max(0.0) as u64
    }

    /// P(X ≥ Y + s) for s ≥ 0.
    fn fails(&self, s: f64) -> f64 {
        let (t, q) = (1.0 / self.threshold_scale, 1.0 / self.query_scale);
        (-q * s).exp() * (-t).exp_m1() / (-t - q).exp_m1()
    }

    pub(super) fn chance(&self, distance: u64) -> f64 {
        if distance >= self.cut {
            return 1.0 - self.fails((distance - self.cut) as f64);
        }
        // Y must exceed the rest of the way and X.
        let (t, q) = (1.0 / self.threshold_scale, 1.0 / self.query_scale);
        let way = (self.cut - distance) as f64;
        (-t * (way + 1.0)).exp() * (-q).exp_m1() / (-t - q).exp_m1()
    }

    /// A new Y.
    pub(crate) fn threshold(&self, source: &mut dyn Source) -> Result<u64, NoiseError> {
        draw(self.threshold_scale, source).map(|y| u64::try_from(y).unwrap_or(u64::MAX))
    }

    /// Whether a query at `distance` passes under the threshold `cut` − `noise`.
    pub(crate) fn passes(
        &self,
        distance: u32,
        noise: u64,
        source: &mut dyn Source,
    ) -> Result<bool, NoiseError> {
        let x = IBig::from(draw(self.query_scale, source)?);
        Ok(IBig::from(distance) - x > IBig::from(self.cut) - IBig::from(noise))
    }
}

/// A number of the law that `scale` is, exactly.
fn draw(scale: f64, source: &mut dyn Source) -> Result<UBig, NoiseError> {
    geometric(&RBig::try_from(scale).expect("a scale is finite"), source)
}
