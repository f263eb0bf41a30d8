//! The label with the largest noisy count: every query is answered.

use dashu_int::IBig;
use dashu_ratio::RBig;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{NoiseError, Real, Source};
use discretion_privacy::normal_cdf;
use serde::{Deserialize, Serialize};

/// Tells which count + N(0, σ²) is the largest, and, if asked for, whether it leads clearly.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Maximum {
    /// The largest number of queries.
    pub queries: u64,
    /// σ.
    pub sigma: f64,
    /// A winner whose noisy count is ahead of all others by more than this is called sure. It is
    /// told of the same noisy counts, so it costs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<u64>,
}

/// The winner of noisy counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Noisy {
    pub winner: usize,
    /// Whether it leads clearly; true where nobody asks.
    pub sure: bool,
}

impl Maximum {
    pub(super) fn event(&self) -> Event {
        Event::NoisyMaximum { queries: self.queries, sigma: self.sigma }
    }

    /// At least how probably a label leaves that is `ahead` votes ahead of each of `labels` − 1
    /// others: exactly so for two.
    pub(super) fn keeps(&self, ahead: u64, labels: usize) -> f64 {
        1.0 - (labels - 1) as f64 * normal_cdf(-(ahead as f64) / self.spread())
    }

    /// The deviation of the difference between two noisy counts.
    pub(crate) fn spread(&self) -> f64 {
        std::f64::consts::SQRT_2 * self.sigma
    }

    /// The largest of the noisy counts, decided exactly: all noise is refined until one count is
    /// ahead of every other, and by more or by less than the lead. Equal noisy counts have
    /// probability 0.
    pub(crate) fn winner(
        &self,
        counts: &[u32],
        source: &mut dyn Source,
    ) -> Result<Noisy, NoiseError> {
        let sigma = RBig::try_from(self.sigma).expect("a deviation is finite");
        let (numerator, denominator) = (sigma.numerator(), IBig::from(sigma.denominator().clone()));
        let mut noise =
            counts.iter().map(|_| Real::normal(source)).collect::<Result<Vec<_>, _>>()?;
        for bits in (64..).step_by(64) {
            // In units of 2^−bits/denominator each noisy count is less than `numerator` away from
            // its place.
            let unit = &denominator << bits;
            let mut places = Vec::with_capacity(counts.len());
            for (count, noise) in counts.iter().zip(&mut noise) {
                places.push(IBig::from(*count) * &unit + numerator * noise.cut(bits, source)?);
            }
            let best =
                (0..places.len()).fold(0, |best, label| match places[label] > places[best] {
                    true => label,
                    false => best,
                });
            let doubt = numerator * IBig::from(2u8);
            let ahead: Vec<IBig> = (0..places.len())
                .filter(|&label| label != best)
                .map(|label| &places[best] - &places[label])
                .collect();
            let at_least = |votes: u64| ahead.iter().all(|ahead| *ahead >= &unit * votes + &doubt);
            let less_than = |votes: u64| ahead.iter().any(|ahead| *ahead <= &unit * votes - &doubt);
            match self.lead {
                _ if !at_least(0) => {}
                None => return Ok(Noisy { winner: best, sure: true }),
                Some(lead) if at_least(lead) => return Ok(Noisy { winner: best, sure: true }),
                Some(lead) if less_than(lead) => return Ok(Noisy { winner: best, sure: false }),
                Some(_) => {}
            }
        }
        unreachable!("continuous numbers are not equal")
    }
}
