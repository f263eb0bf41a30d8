//! The source that releases are made from: OpenDP's exact integer samplers (Canonne, Kamath & Steinke 2020)
//! and its generator, a ChaCha stream that the operating system seeds and reseeds.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};
use dashu::integer::IBig;
use dashu::rational::RBig;
use opendp::error::Fallible;
use opendp::traits::samplers::{fill_bytes, sample_discrete_gaussian, sample_discrete_laplace};

/// Randomness from the operating system. Every private release uses it.
#[derive(Clone, Copy, Debug, Default)]
pub struct OperatingSystem;

impl Sealed for OperatingSystem {}

impl Source for OperatingSystem {
    fn provenance(&self) -> Provenance {
        Provenance::OperatingSystem
    }

    fn word(&mut self) -> Result<u64, NoiseError> {
        let mut bytes = [0; 8];
        fallible(fill_bytes(&mut bytes))?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn discrete_laplace(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        fallible(sample_discrete_laplace(scale.clone()))
    }

    fn discrete_gaussian(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        fallible(sample_discrete_gaussian(scale.clone()))
    }
}

fn fallible<T>(result: Fallible<T>) -> Result<T, NoiseError> {
    result.map_err(|error| NoiseError(error.to_string()))
}
