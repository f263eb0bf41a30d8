//! The source that releases are made from: OpenDP's exact integer samplers (Canonne, Kamath & Steinke 2020)
//! and its generator, a ChaCha stream for each thread that the operating system seeds and reseeds.
//!
//! A forked process inherits the streams of the thread that forked, and would draw the noise that its parent and its siblings
//! draw. Threads of its own get new streams, so there every draw is made on one.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};
use dashu::integer::IBig;
use dashu::rational::RBig;
use opendp::error::Fallible;
use opendp::traits::samplers::{fill_bytes, sample_discrete_gaussian, sample_discrete_laplace};
use std::thread;

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
        fresh(|| fill_bytes(&mut bytes))?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn discrete_laplace(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        fresh(|| sample_discrete_laplace(scale.clone()))
    }

    fn discrete_gaussian(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        fresh(|| sample_discrete_gaussian(scale.clone()))
    }
}

/// Draws from a stream that no other process has.
fn fresh<T: Send>(draw: impl FnOnce() -> Fallible<T> + Send) -> Result<T, NoiseError> {
    thread_local! {
        /// The process in which this thread drew for the first time.
        static BORN_IN: u32 = std::process::id();
    }
    let drawn = if BORN_IN.with(|born_in| *born_in) == std::process::id() {
        draw()
    } else {
        thread::scope(|scope| scope.spawn(draw).join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    };
    drawn.map_err(|error| NoiseError(error.to_string()))
}
