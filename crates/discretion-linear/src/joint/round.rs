//! One sum over holders that leaves with noise.

use super::{Lattice, NoiseShare, SharedNoise};
use discretion_privacy::noise::{NoiseError, Provenance, Released, Source};
use discretion_privacy::trusted::released;

/// Everything public about one sum over holders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    what: &'static str,
    holders: usize,
    noise: SharedNoise,
}

impl Round {
    pub(super) fn new(what: &'static str, holders: usize, noise: SharedNoise) -> Round {
        Round { what, holders, noise }
    }

    /// What is summed, in words.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// How many holders contribute.
    pub fn holders(&self) -> usize {
        self.holders
    }

    /// The whole numbers that are summed.
    pub fn lattice(&self) -> Lattice {
        self.noise.lattice()
    }

    /// The noise.
    pub fn noise(&self) -> SharedNoise {
        self.noise
    }

    /// Draws one aggregator's share of the noise.
    pub fn noise_share(&self, source: &mut dyn Source) -> Result<NoiseShare, NoiseError> {
        self.noise.share(source)
    }

    /// How far fixed point moves each number of the sum at most: half a step for each holder.
    pub fn fixed_point_error(&self) -> f64 {
        0.5 * self.lattice().step() * self.holders as f64
    }

    /// What the aggregators released: the sum of all contributions and of all shares of noise, as
    /// signed whole numbers.
    ///
    /// Not a way around the gate. Whoever calls this holds numbers that left the aggregators, which
    /// added their noise before; a sum without it is nobody's to hold. `provenance` is where the
    /// aggregators say that their noise came from.
    pub fn open(&self, sum: &[i128], provenance: Provenance) -> Released<Vec<f64>> {
        released(self.lattice().decode(sum, self.holders), provenance)
    }
}
