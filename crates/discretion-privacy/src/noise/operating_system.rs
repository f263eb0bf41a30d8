//! The source that releases are made from: the operating system's generator, asked anew for all
//! that is used.
//!
//! Nothing is kept between two releases, so there is nothing that a forked process could inherit
//! and draw again.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};

/// Randomness from the operating system. Every private release uses it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OperatingSystem;

impl Sealed for OperatingSystem {}

impl Source for OperatingSystem {
    fn provenance(&self) -> Provenance {
        Provenance::OperatingSystem
    }

    fn fill(&mut self, words: &mut [u64]) -> Result<usize, NoiseError> {
        getrandom::fill(bytemuck::cast_slice_mut(words))
            .map_err(|error| NoiseError(error.to_string()))?;
        Ok(words.len())
    }
}
