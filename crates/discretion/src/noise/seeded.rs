//! A reproducible source for tests and experiments. Whatever it touches is marked not private.

use super::source::{NoiseError, Provenance, Source, sealed::Sealed};
use dashu::integer::IBig;
use dashu::rational::RBig;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Randomness from a fixed seed: reproducible, **not private**. OpenDP's generator cannot be replaced, so
/// the discrete laws are drawn in ordinary floating point here.
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

    fn geometric(&mut self, scale: f64) -> IBig {
        IBig::from((-self.unit().ln() * scale).floor() as i128)
    }
}

impl Sealed for Seeded {}

impl Source for Seeded {
    fn provenance(&self) -> Provenance {
        Provenance::TestSeed
    }

    fn word(&mut self) -> Result<u64, NoiseError> {
        Ok(self.stream.next_u64())
    }

    fn discrete_laplace(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        let scale = scale.to_f64().value();
        Ok(self.geometric(scale) - self.geometric(scale))
    }

    fn discrete_gaussian(&mut self, scale: &RBig) -> Result<IBig, NoiseError> {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        let normal = radius * (2.0 * std::f64::consts::PI * self.unit()).cos();
        Ok(IBig::from((normal * scale.to_f64().value()).round() as i128))
    }
}
