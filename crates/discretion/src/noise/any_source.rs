//! Either source, for callers that decide while they run.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};
use super::{OperatingSystem, Seeded};
use dashu::integer::IBig;
use dashu::rational::RBig;

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

    fn word(&mut self) -> Result<u64, NoiseError> {
        match self {
            AnySource::OperatingSystem(source) => source.word(),
            AnySource::Seeded(source) => source.word(),
        }
    }

    fn discrete_laplace(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        match self {
            AnySource::OperatingSystem(source) => source.discrete_laplace(scale),
            AnySource::Seeded(source) => source.discrete_laplace(scale),
        }
    }

    fn discrete_gaussian(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        match self {
            AnySource::OperatingSystem(source) => source.discrete_gaussian(scale),
            AnySource::Seeded(source) => source.discrete_gaussian(scale),
        }
    }
}
