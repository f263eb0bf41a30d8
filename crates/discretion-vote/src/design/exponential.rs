//! A label drawn by its votes (the exponential mechanism): every query is answered.

use dashu_int::IBig;
use dashu_ratio::RBig;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{NoiseError, Source, below, geometric};
use serde::{Deserialize, Serialize};

/// Tells a label with probability ∝ e^{ηc}, where c is the number of its votes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exponential {
    /// The largest number of queries.
    pub queries: u64,
    /// η.
    pub eta: f64,
}

impl Exponential {
    pub(super) fn event(&self) -> Event {
        Event::ExponentialVotes { queries: self.queries, eta: self.eta }
    }

    /// How probably a label leaves that is `ahead` votes ahead of each of `labels` − 1 others.
    pub(super) fn keeps(&self, ahead: u64, labels: usize) -> f64 {
        1.0 / (1.0 + (labels - 1) as f64 * (-self.eta * ahead as f64).exp())
    }

    /// A label, exactly: one is proposed, all with the same chance, and taken with probability
    /// e^{−η·behind}.
    pub(crate) fn winner(
        &self,
        counts: &[u32],
        source: &mut dyn Source,
    ) -> Result<usize, NoiseError> {
        let eta = RBig::try_from(self.eta).expect("a weight is finite");
        let most = counts.iter().copied().max().expect("there is a label");
        loop {
            let label = below(counts.len() as u64, source)? as usize;
            let behind = most - counts[label];
            if behind == 0 {
                return Ok(label);
            }
            // A geometric number of scale 1/x is not 0 with probability e^{−x}.
            let scale = RBig::ONE / (&eta * RBig::from(IBig::from(behind)));
            if !geometric(&scale, source)?.is_zero() {
                return Ok(label);
            }
        }
    }
}
