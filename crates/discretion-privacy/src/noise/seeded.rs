//! A reproducible source for tests and experiments. Whatever it touches is marked not private.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Randomness from a fixed seed: reproducible, **not private**. All that is drawn from it is drawn
/// by the code that private releases use.
#[derive(Clone, Debug)]
pub struct Seeded {
    stream: ChaCha20Rng,
}

impl Seeded {
    /// The same seed gives the same draws.
    pub fn new(seed: u64) -> Seeded {
        Seeded { stream: ChaCha20Rng::seed_from_u64(seed) }
    }

    /// A uniform number in (0, 1), never 0 or 1.
    pub fn unit(&mut self) -> f64 {
        ((self.stream.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

impl Sealed for Seeded {}

impl Source for Seeded {
    fn provenance(&self) -> Provenance {
        Provenance::TestSeed
    }

    /// One word at a time: whoever reads ahead leaves nothing over, and draws what it would have
    /// drawn otherwise.
    fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError> {
        words[0] = self.stream.next_u64();
        Ok(1)
    }
}
