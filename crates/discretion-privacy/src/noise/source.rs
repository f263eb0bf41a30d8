//! What a source of randomness offers: fair bits, and nothing else.

use serde::{Deserialize, Serialize};

/// Where the randomness of a release came from. It is written into every artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// The operating system's generator.
    OperatingSystem,
    /// A fixed seed: reproducible, and therefore **not private**.
    TestSeed,
}

/// The operating system gave no randomness.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the operating system's random generator failed: {0}")]
pub struct NoiseError(pub String);

/// A source of randomness. Sealed: there are [`Noise`](super::Noise), which a receipt lends, and,
/// for tests and experiments, [`Seeded`](super::Seeded).
pub trait Source: sealed::Sealed {
    /// What an artefact drawn from this source must say.
    fn provenance(&self) -> Provenance;

    /// Puts words of 64 fair bits to the front of `words`, which has room for some, and says how
    /// many: one at least.
    fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError>;

    /// 64 fair bits.
    fn word(&mut self) -> Result<u64, NoiseError> {
        let mut word = [0];
        self.fill(&mut word)?;
        Ok(word[0])
    }
}

pub(super) mod sealed {
    /// Keeps other crates from passing their own "randomness" off as private.
    pub trait Sealed {}
}
