//! Exact discrete noise on whole numbers, such as counts. `PROOF.md` beside this file proves
//! [`IntegerNoise::release`].
//!
//! Whole numbers are computed without error, so they need no lattice, no tolerance and no mask.

use super::{NoiseError, ReadAhead, Released, Sensitive, Source};
use crate::account::Event;
use crate::{Pure, ROUNDING_SLACK, Zcdp};
use dashu_int::IBig;
use dashu_ratio::RBig;

mod samplers;

use samplers::rounded_gaussian;
pub use samplers::{discrete_gaussian, discrete_laplace, geometric};

#[cfg(test)]
mod tests;

/// Noise for a vector of whole numbers, by how far one row can move the vector and by what may be
/// spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntegerNoise {
    /// Discrete Laplace noise in every coordinate, for pure budgets.
    Laplace {
        /// How far one replaced row can move the vector, in L₁.
        sensitivity: u32,
        /// What may be spent.
        budget: Pure,
    },
    /// Discrete Gaussian noise in every coordinate, for zCDP budgets.
    Gaussian {
        /// The *square* of how far one replaced row can move the vector, in L₂: a whole number.
        squared_sensitivity: u32,
        /// What may be spent.
        budget: Zcdp,
    },
    /// Continuous Gaussian noise in every coordinate, and then the nearest whole number: for zCDP
    /// budgets, where a price is to be that of continuous noise.
    Rounded {
        /// The *square* of how far one replaced row can move the vector, in L₂: a whole number.
        squared_sensitivity: u32,
        /// What may be spent.
        budget: Zcdp,
    },
}

impl IntegerNoise {
    /// What one [`release`](IntegerNoise::release) costs.
    pub fn event(&self) -> Event {
        match *self {
            IntegerNoise::Laplace { budget: Pure { epsilon }, .. } => {
                Event::Pure { epsilon, what: "discrete Laplace noise on whole numbers".to_owned() }
            }
            IntegerNoise::Gaussian { squared_sensitivity, .. } => Event::DiscreteGaussian {
                sensitivity: f64::from(squared_sensitivity).sqrt(),
                sigma: self.scale().to_f64().value(),
            },
            IntegerNoise::Rounded { squared_sensitivity, .. } => Event::Gaussian {
                sensitivity: f64::from(squared_sensitivity).sqrt().next_up(),
                sigma: self.scale().to_f64().value(),
            },
        }
    }

    /// The scale of the law: Δ₁/ε exactly, or σ = Δ₂/√(2ρ) rounded up.
    fn scale(&self) -> RBig {
        let exactly = |x: f64| RBig::try_from(x).expect("a scale is finite");
        match *self {
            IntegerNoise::Laplace { sensitivity, budget } => {
                RBig::from(sensitivity) / exactly(budget.epsilon)
            }
            IntegerNoise::Gaussian { squared_sensitivity, budget }
            | IntegerNoise::Rounded { squared_sensitivity, budget } => exactly(
                (f64::from(squared_sensitivity) / (2.0 * budget.rho)).sqrt()
                    * (1.0 + ROUNDING_SLACK),
            ),
        }
    }

    /// The standard deviation per coordinate, or a little more.
    pub fn deviation(&self) -> f64 {
        let scale = self.scale().to_f64().value();
        match self {
            IntegerNoise::Laplace { .. } => scale * 2f64.sqrt(),
            IntegerNoise::Gaussian { .. } => scale,
            // Where rounding is uniform, as it is to 10⁻⁸ from σ = 1 on.
            IntegerNoise::Rounded { .. } => (scale * scale + 1.0 / 12.0).sqrt(),
        }
    }

    /// Noise alone, cut off at the ends of `i64`; for trials whose result does not leave.
    pub fn draw(&self, count: usize, source: &mut dyn Source) -> Result<Vec<i64>, NoiseError> {
        let (scale, source) = (self.scale(), &mut ReadAhead::of(source));
        (0..count).map(|_| self.one(&scale, source).map(saturate)).collect()
    }

    /// Adds noise and lets go. What does not fit into `i64` is cut off after its release.
    ///
    /// Postcondition: the released vector satisfies [`event`](IntegerNoise::event) for replace-one
    /// neighbours, if one row moves `values` by no more than declared.
    pub fn release(
        &self,
        values: Sensitive<Vec<i64>>,
        source: &mut dyn Source,
    ) -> Result<Released<Vec<i64>>, NoiseError> {
        let (scale, source) = (self.scale(), &mut ReadAhead::of(source));
        let mut released = values.into_inner();
        for value in &mut released {
            *value = saturate(IBig::from(*value) + self.one(&scale, source)?);
        }
        Ok(Released::new(released, source.provenance()))
    }

    fn one(&self, scale: &RBig, source: &mut dyn Source) -> Result<IBig, NoiseError> {
        match self {
            IntegerNoise::Laplace { .. } => discrete_laplace(scale, source),
            IntegerNoise::Gaussian { .. } => discrete_gaussian(scale, source),
            IntegerNoise::Rounded { .. } => rounded_gaussian(scale, source),
        }
    }
}

fn saturate(x: IBig) -> i64 {
    let limit = if x < IBig::ZERO { i64::MIN } else { i64::MAX };
    i64::try_from(x).unwrap_or(limit)
}
