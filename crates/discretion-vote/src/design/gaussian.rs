//! Gaussian noise on every distance. Every test costs, and many of them cost little each.

use crate::whole::smallest_of_all;
use dashu_int::IBig;
use dashu_ratio::RBig;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{NoiseError, Real, Source};
use discretion_privacy::normal_cdf;
use serde::{Deserialize, Serialize};

/// Asked of δ to pay for the rounding of the distribution function.
const DELTA_SLACK: f64 = 1e-9;

/// Tests "distance + N(0, σ²) > cut".
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// The largest number of tests.
    pub tests: u64,
    /// T, the number of failed tests that ends the session.
    pub paid: u64,
    /// σ.
    pub sigma: f64,
    /// w.
    pub cut: u64,
}

impl Gaussian {
    /// The probability that any unstable query slips through, rounded up: T·Φ(−w/σ).
    pub fn delta(&self) -> f64 {
        self.paid as f64 * normal_cdf(-(self.cut as f64) / self.sigma) * (1.0 + DELTA_SLACK)
    }

    pub(super) fn event(&self) -> Event {
        Event::GaussianTests { tests: self.tests, sigma: self.sigma, delta: self.delta() }
    }

    /// The smallest cut at which [`Gaussian::delta`] is no more than `delta`.
    pub(crate) fn with_delta(mut self, delta: f64) -> Gaussian {
        self.cut = smallest_of_all(|cut| Gaussian { cut, ..self }.delta() <= delta);
        self
    }

    /// w + s with the smallest s at which `tests`·Φ(−s/σ) ≤ `miss`.
    pub(super) fn needs(&self, tests: u64, miss: f64) -> u64 {
        self.cut + smallest_of_all(|s| tests as f64 * normal_cdf(-(s as f64) / self.sigma) <= miss)
    }

    pub(super) fn chance(&self, distance: u64) -> f64 {
        normal_cdf((distance as f64 - self.cut as f64) / self.sigma)
    }

    /// Whether a query at `distance` passes, decided exactly: the noise is refined until it is on
    /// one side of w − distance.
    pub(crate) fn passes(
        &self,
        distance: u32,
        source: &mut dyn Source,
    ) -> Result<bool, NoiseError> {
        let sigma = RBig::try_from(self.sigma).expect("a deviation is finite");
        let needed = RBig::from(IBig::from(self.cut) - IBig::from(distance)) / sigma;
        let mut noise = Real::normal(source)?;
        for bits in (64..).step_by(64) {
            let steps = noise.cut(bits, source)?;
            let needed = &needed * RBig::from(IBig::ONE << bits);
            // The noise is less than one step away from `steps`, on a side that is not known if
            // that is 0.
            if RBig::from(&steps - IBig::ONE) >= needed {
                return Ok(true);
            }
            if RBig::from(steps + IBig::ONE) <= needed {
                return Ok(false);
            }
        }
        unreachable!("a continuous number is not equal to a given one")
    }
}
