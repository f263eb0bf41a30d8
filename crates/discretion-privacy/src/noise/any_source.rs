//! Either source, for callers that decide while they run.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};
use super::{OperatingSystem, Seeded};

/// One of the two sources.
#[derive(Clone, Debug)]
pub enum AnySource {
    /// The operating system's.
    OperatingSystem(OperatingSystem),
    /// A fixed seed: not private.
    Seeded(Box<Seeded>),
}

impl AnySource {
    /// The operating system's, unless there is a seed.
    pub fn new(seed: Option<u64>) -> AnySource {
        match seed {
            None => AnySource::OperatingSystem(OperatingSystem),
            Some(seed) => AnySource::Seeded(Box::new(Seeded::new(seed))),
        }
    }
}

impl Sealed for AnySource {}

impl Source for AnySource {
    fn provenance(&self) -> Provenance {
        match self {
            AnySource::OperatingSystem(source) => source.provenance(),
            AnySource::Seeded(source) => source.provenance(),
        }
    }

    fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError> {
        match self {
            AnySource::OperatingSystem(source) => source.fill(words),
            AnySource::Seeded(source) => source.fill(words),
        }
    }
}
