//! Private second-moment matrices (1/n)Σ w x xᵀ at released coefficients: the Hessian (w = f″) and the gradients'
//! covariance (w = f′²). `../PROOF.md` proves the sensitivities, the rounding bound and both releases.

mod symmetric;

pub use symmetric::Symmetric;

use super::IntervalError;
use crate::erm::{AskOracle, Facts, Oracle, Order};
use crate::loss::{LossKind, Weight, Weighted};
use crate::rounding::roundings;
use discretion_privacy::account::Event;
use discretion_privacy::noise::gate::{Gate, MASK_SHARE, Mask};
use discretion_privacy::noise::{Law, Released, Sensitive, Source, exact};
use discretion_privacy::trusted::{Open, certified};
use discretion_privacy::{Approximate, Budget, Pure, ROUNDING_SLACK, Zcdp};
use std::f64::consts::SQRT_2;
pub(crate) use symmetric::{coordinates, svec};

/// The noise of one matrix, up to the size of what it hides: that is known when the coefficients are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatrixNoise {
    /// Continuous spherical noise on the coordinates, then the gate's mask. Pure.
    Spherical {
        /// ε of the noise.
        epsilon: f64,
        /// ε of the mask.
        mask: f64,
    },
    /// Exact discrete Gaussian noise on the coordinates, rounded to a lattice.
    Gaussian {
        /// ρ.
        rho: f64,
    },
}

impl MatrixNoise {
    /// The noise that a budget buys for a d × d matrix; with δ, whichever law is smaller.
    pub fn within(budget: Budget, dimension: usize) -> MatrixNoise {
        let spherical = |epsilon: f64| MatrixNoise::Spherical {
            epsilon: (1.0 - MASK_SHARE) * (1.0 - ROUNDING_SLACK) * epsilon,
            mask: MASK_SHARE * epsilon,
        };
        match budget {
            Budget::Pure { epsilon } => spherical(epsilon),
            Budget::Zcdp { rho } => MatrixNoise::Gaussian { rho },
            Budget::Approximate { epsilon, delta } => {
                let pure = spherical(epsilon);
                let rho = Zcdp::within(Approximate { epsilon, delta }).rho * (1.0 - ROUNDING_SLACK);
                let gaussian = MatrixNoise::Gaussian { rho };
                if gaussian.deviation(1.0, dimension) < pure.deviation(1.0, dimension) {
                    gaussian
                } else {
                    pure
                }
            }
        }
    }

    /// The standard deviation of each coordinate, for a query of this sensitivity. The mask is left out.
    pub fn deviation(self, sensitivity: f64, dimension: usize) -> f64 {
        match self {
            MatrixNoise::Spherical { epsilon, .. } => {
                // Per coordinate, spherical noise in D dimensions has the variance (D + 1)·scale².
                sensitivity / epsilon * (coordinates(dimension) as f64 + 1.0).sqrt()
            }
            MatrixNoise::Gaussian { rho } => sensitivity / (2.0 * rho).sqrt(),
        }
    }

    /// How long the noise is as an operator, typically: √(2d) deviations, the edge of the semicircle law.
    pub fn spectral_norm(self, sensitivity: f64, dimension: usize) -> f64 {
        (2.0 * dimension as f64).sqrt() * self.deviation(sensitivity, dimension)
    }

    /// What is recorded of releasing a matrix with this noise. The size of what it hides cancels out of the price.
    pub(super) fn event(self, what: &str) -> Event {
        let what = what.to_owned();
        match self {
            MatrixNoise::Spherical { epsilon, mask } => {
                let mask = Mask::Laplace(Pure { epsilon: mask });
                Event::Composition { of: vec![Event::Pure { epsilon, what }, mask.into()] }
            }
            MatrixNoise::Gaussian { rho } => Event::Concentrated { rho, what },
        }
    }
}

/// √2·most/n, rounded up: how far the exact matrix moves, in its coordinates, when one row is replaced.
pub(crate) fn sensitivity(most: f64, rows: usize) -> f64 {
    SQRT_2 * most / rows as f64 * (1.0 + ROUNDING_SLACK)
}

/// A bound, for every table, on the distance between computed and exact coordinates.
pub(crate) fn sum_error(most: f64, facts: &Facts) -> f64 {
    // Products, the division by n and the factor √2 beside the additions; a hundredth for underflow and for this
    // formula itself.
    1.01 * roundings(facts.rows + facts.summation_depth + 12) * most
}

/// How far apart the computed coordinates of neighbouring tables can be.
pub(super) fn computed_sensitivity(most: f64, facts: &Facts) -> f64 {
    (sensitivity(most, facts.rows) + 2.0 * sum_error(most, facts)) * (1.0 + ROUNDING_SLACK)
}

/// How finely spherical noise is drawn, as a share of its scale.
const RESOLUTION: f64 = 1.0 / (1u64 << 40) as f64;

/// A private matrix at released coefficients.
///
/// Postcondition: what is returned costs `noise.event(..)`, whatever was released before.
pub(super) fn release(
    oracle: &dyn Oracle,
    loss: LossKind,
    weight: Weight,
    theta: &Released<Vec<f64>>,
    noise: MatrixNoise,
    source: &mut impl Source,
) -> Result<Released<Symmetric>, IntervalError> {
    let facts = oracle.facts();
    let length = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most = weight.most(loss, length);
    let weighted = Weighted::new(loss, weight, most);
    let sums = oracle.sums(&weighted, theta, Order::Hessian)?.into_inner();
    let computed = Sensitive::new(svec(&sums.hessian, facts.dimension));
    let released = add_noise(computed, computed_sensitivity(most, &facts), noise, source)?;
    Ok(released.map(|coordinates| Symmetric::from_svec(coordinates, facts.dimension)))
}

/// Releases coordinates that are at most `sensitivity` apart on neighbouring tables.
fn add_noise(
    computed: Sensitive<Vec<f64>>,
    sensitivity: f64,
    noise: MatrixNoise,
    source: &mut impl Source,
) -> Result<Released<Vec<f64>>, IntervalError> {
    let computed = computed.into_inner();
    let dimension = computed.len();
    let exact_computed = computed.into_iter().map(exact);
    let (gate, vector) = match noise {
        MatrixNoise::Gaussian { rho } => {
            (Gate::for_query(dimension, sensitivity, Mask::Gaussian(Zcdp { rho })), exact_computed.collect())
        }
        MatrixNoise::Spherical { epsilon, mask } => {
            let scale = sensitivity / epsilon * (1.0 + ROUNDING_SLACK);
            let resolution = RESOLUTION * scale;
            let drawn = Law::Spherical { scale }.draw(dimension, resolution, source)?;
            let vector = exact_computed.zip(drawn.coordinates()).map(|(x, b)| x + b).collect();
            // As much again for adding up.
            (Gate::new(dimension, 2.0 * resolution, Mask::Laplace(Pure { epsilon: mask })), vector)
        }
    };
    let certified = certified(vector, gate.tolerance());
    Ok(gate.release(Sensitive::new(certified), source)?)
}
