//! What a source of randomness offers.

use dashu::integer::IBig;
use dashu::rational::RBig;
use serde::{Deserialize, Serialize};

/// Where the randomness of a release came from. It is written into every artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// A ChaCha stream seeded by the operating system.
    OperatingSystem,
    /// A fixed seed: reproducible, and therefore **not private**.
    TestSeed,
}

/// The operating system gave no randomness.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the operating system's random generator failed: {0}")]
pub struct NoiseError(pub String);

/// A source of randomness. Sealed: there are [`OperatingSystem`](super::OperatingSystem) and, for tests and
/// experiments, [`Seeded`](super::Seeded); [`AnySource`](super::AnySource) is one of them.
pub trait Source: sealed::Sealed {
    /// What an artefact drawn from this source must say.
    fn provenance(&self) -> Provenance;

    /// 64 uniform bits.
    fn word(&mut self) -> Result<u64, NoiseError>;

    /// A whole number z with probability ∝ exp(−|z|/scale).
    fn discrete_laplace(&mut self, scale: &RBig) -> Result<IBig, NoiseError>;

    /// A whole number z with probability ∝ exp(−z²/(2·scale²)).
    fn discrete_gaussian(&mut self, scale: &RBig) -> Result<IBig, NoiseError>;
}

pub(super) mod sealed {
    /// Keeps other crates from passing their own "randomness" off as private.
    pub trait Sealed {}
}
