//! The mean of scores, with noise: every query is answered.

use crate::scores::in_range;
use dashu_int::IBig;
use dashu_ratio::RBig;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{NoiseError, Real, Source};
use discretion_privacy::normal_cdf;
use serde::{Deserialize, Serialize};

/// Scores are counted in parts of one over this, so that sums are whole numbers.
const UNITS: u32 = 1024;

/// Means are told in steps of one over this: finer digits are noise.
const STEPS: f64 = 10_000.0;

/// Tells (sum of scores + N(0, σ²))/number of scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sums {
    /// The largest number of queries.
    pub queries: u64,
    /// σ, in votes.
    pub sigma: f64,
}

impl Sums {
    pub(super) fn event(&self) -> Event {
        Event::NoisySums { queries: self.queries, sigma: self.sigma }
    }

    /// The probability that a told mean of `chunks` scores is within `width` of the true one.
    pub fn within(&self, width: f64, chunks: u64) -> f64 {
        1.0 - 2.0 * normal_cdf(-width * chunks as f64 / self.sigma)
    }

    /// The noisy mean, between 0 and 1.
    pub(crate) fn mean(&self, scores: &[f32], source: &mut dyn Source) -> Result<f64, NoiseError> {
        let units = scores.iter().map(|&score| (in_range(score) * f64::from(UNITS)).round() as u64);
        let sum = IBig::from(units.sum::<u64>()) + self.noise(source)?;
        let all = IBig::from(UNITS) * IBig::from(scores.len());
        // What is beyond is told as the end of the range, whatever its size.
        let inside = i64::try_from(sum.clamp(IBig::ZERO, all.clone()))
            .expect("so many scores are in memory");
        let mean = inside as f64 / (f64::from(UNITS) * scores.len() as f64);
        Ok((mean * STEPS).round() / STEPS)
    }

    /// ⌊N(0, σ²)⌋ in units, exactly. The sum is a whole number, so this is the sum with continuous
    /// noise, rounded down.
    fn noise(&self, source: &mut dyn Source) -> Result<IBig, NoiseError> {
        let sigma = RBig::try_from(self.sigma).expect("a deviation is finite") * RBig::from(UNITS);
        let mut noise = Real::normal(source)?;
        for bits in (64..).step_by(64) {
            let steps = noise.cut(bits, source)?;
            // The noise is less than one step away from `steps`.
            let [low, high] = [&steps - IBig::ONE, steps + IBig::ONE]
                .map(|steps| (RBig::from(steps) / RBig::from(IBig::ONE << bits) * &sigma).floor());
            if low == high {
                return Ok(low);
            }
        }
        unreachable!("a continuous number is not equal to a given one")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion_privacy::noise::Seeded;

    /// Noise that no 64 bits hold still has a sign: of 64 draws all have the same one with
    /// probability 2^−63.
    #[test]
    fn noise_beyond_all_bounds_ends_at_both_ends() {
        let sums = Sums { queries: 1, sigma: 1e30 };
        let mut source = Seeded::new(5);
        let told: Vec<f64> =
            (0..64).map(|_| sums.mean(&[0.5, 0.5], &mut source).unwrap()).collect();
        assert!(told.contains(&0.0) && told.contains(&1.0), "{told:?}");
    }
}
