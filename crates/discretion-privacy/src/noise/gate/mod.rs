//! The one way out: lattice, certified error, exact discrete mask. `PROOF.md` beside this file
//! proves [`Gate::release`].

pub use crate::MASK_SHARE;

use super::vector::{BigFloat, exact};
use super::{
    NoiseError, ReadAhead, Released, Sensitive, Source, discrete_gaussian, discrete_laplace,
};
use crate::account::{Event, MaskNoise};
use crate::{Pure, ROUNDING_SLACK, Zcdp};
use dashu_int::IBig;
use dashu_ratio::RBig;

/// A computed vector together with a **public** bound on its L₂ distance to the ideal mechanism's
/// output.
///
/// Only the mechanisms of this crate make one; each proves its bound for every table.
pub struct Certified {
    pub(crate) vector: Vec<BigFloat>,
    pub(crate) tolerance: f64,
}

/// How much rounding may add to the sensitivity of a query.
const QUERY_ROUNDING: f64 = 1.0 / (1u64 << 20) as f64;

/// What the mask may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mask {
    /// Discrete Laplace noise, for pure budgets.
    Laplace(Pure),
    /// Discrete Gaussian noise, for zCDP, Rényi and (ε, δ) budgets.
    Gaussian(Zcdp),
}

impl From<Mask> for Event {
    fn from(mask: Mask) -> Event {
        let noise = match mask {
            Mask::Laplace(Pure { epsilon }) => MaskNoise::Laplace { epsilon },
            Mask::Gaussian(Zcdp { rho }) => MaskNoise::Gaussian { rho },
        };
        Event::Mask { noise }
    }
}

/// The gate for vectors of one dimension and one tolerance: a lattice and a mask, all from public
/// numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    dimension: usize,
    tolerance: f64,
    /// The lattice is 2^exponent ℤ^d.
    exponent: i32,
    mask: Mask,
}

impl Gate {
    /// A gate for vectors that are within `tolerance` of an ideal output, whatever the rows are.
    pub fn new(dimension: usize, tolerance: f64, mask: Mask) -> Gate {
        assert!(tolerance > 0.0 && tolerance.is_finite(), "a tolerance is a positive number");
        // A quarter of the tolerance spread over all coordinates: rounding then hardly adds to it.
        let exponent = (tolerance / (4.0 * (dimension as f64).sqrt())).log2().floor() as i32;
        Gate { dimension, tolerance, exponent, mask }
    }

    /// A gate whose noise is the whole mechanism: nothing was added before, and what is computed
    /// from two neighbouring tables is never further apart than `sensitivity` (`PROOF.md`, "A query
    /// of its own").
    pub fn for_query(dimension: usize, sensitivity: f64, mask: Mask) -> Gate {
        assert!(sensitivity > 0.0 && sensitivity.is_finite(), "a sensitivity is a positive number");
        // Rounding here is paid for by noise that matters, so it is a millionth of the sensitivity
        // at most.
        let exponent =
            (sensitivity * QUERY_ROUNDING / (dimension as f64).sqrt()).log2().floor() as i32;
        Gate { dimension, tolerance: 0.5 * sensitivity, exponent, mask }
    }

    /// What the mask spends.
    pub fn mask(&self) -> Mask {
        self.mask
    }

    /// τ: how far a computed vector may be from the ideal one.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The lattice step.
    pub fn step(&self) -> f64 {
        f64::from(self.exponent).exp2()
    }

    /// τ′: tolerance plus rounding to the lattice.
    fn widened_tolerance(&self) -> f64 {
        (self.tolerance + 0.5 * self.step() * (self.dimension as f64).sqrt())
            * (1.0 + ROUNDING_SLACK)
    }

    /// The mask's scale in lattice steps, a whole number, rounded up.
    fn scale_in_steps(&self) -> f64 {
        let sensitivity = 2.0 * self.widened_tolerance();
        let scale = match self.mask {
            Mask::Laplace(Pure { epsilon }) => {
                (self.dimension as f64).sqrt() * sensitivity / epsilon
            }
            Mask::Gaussian(Zcdp { rho }) => sensitivity / (2.0 * rho).sqrt(),
        };
        (scale / self.step() * (1.0 + ROUNDING_SLACK)).ceil()
    }

    /// The mask's standard deviation per coordinate, for planning and for intervals.
    pub fn mask_deviation(&self) -> f64 {
        let scale = self.scale_in_steps() * self.step();
        match self.mask {
            Mask::Laplace(_) => scale * 2f64.sqrt(),
            Mask::Gaussian(_) => scale,
        }
    }

    /// Rounds to the lattice, adds the mask, and lets go.
    ///
    /// Postcondition: if the ideal mechanism satisfies a guarantee G, the released vector satisfies
    /// G composed with the mask's own guarantee.
    pub fn release(
        &self,
        candidate: Sensitive<Certified>,
        source: &mut dyn Source,
    ) -> Result<Released<Vec<f64>>, NoiseError> {
        let Certified { vector, tolerance } = candidate.into_inner();
        assert!(
            tolerance <= self.tolerance && vector.len() == self.dimension,
            "made for another gate"
        );
        let scale = RBig::try_from(self.scale_in_steps()).expect("a scale is finite");
        let step = exact(self.step());
        let source = &mut ReadAhead::of(source);
        let mut released = Vec::with_capacity(vector.len());
        for coordinate in vector {
            let rounded: IBig = (coordinate >> self.exponent as isize).round().to_int().value();
            let noise = match self.mask {
                Mask::Laplace(_) => discrete_laplace(&scale, source)?,
                Mask::Gaussian(_) => discrete_gaussian(&scale, source)?,
            };
            // A lattice point with more than 53 significant bits is rounded once more, after its
            // release.
            released.push((BigFloat::from(rounded + noise) * &step).to_f64().value());
        }
        Ok(Released::new(released, source.provenance()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::losses::{MASK_STEPS, QUERY_STEPS, in_steps};

    /// The account prices Gaussian masks by the steps that they hide at least (`PROOF.md`, "How
    /// fine"): no gate's σ is below what it takes, and a query's is hardly above for some.
    #[test]
    fn a_gate_is_as_fine_as_the_account_takes_it_to_be() {
        let (mut coarsest, mut masks) = (f64::INFINITY, f64::INFINITY);
        for dimension in [1, 2, 3, 7, 100, 4_097] {
            for size in [1.0, 1.5, 1.999, 0.7, 3e-9] {
                for rho in [1e-6, 3e-3, 0.5, 8.0] {
                    let mask = Mask::Gaussian(Zcdp { rho });
                    let query = Gate::for_query(dimension, size, mask);
                    assert!(query.scale_in_steps() >= in_steps(rho, QUERY_STEPS), "{query:?}");
                    let gate = Gate::new(dimension, size, mask);
                    assert!(gate.scale_in_steps() >= in_steps(rho, MASK_STEPS), "{gate:?}");
                    coarsest = coarsest.min(query.scale_in_steps() * (2.0 * rho).sqrt());
                    masks = masks.min(2.0 * gate.widened_tolerance() / gate.step());
                }
            }
        }
        assert!(coarsest < 1.01 * QUERY_STEPS, "{coarsest}");
        // 8 steps of tolerance and a rounding; in a sum over holders there may be one.
        assert!(masks >= 8.0, "{masks}");
        assert_eq!(MASK_STEPS.to_bits(), 1f64.to_bits());
    }
}
