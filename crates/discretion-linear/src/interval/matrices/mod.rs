//! Private second-moment matrices (1/n)Σ w x xᵀ at released coefficients: the Hessian (w = f″) and
//! the gradients' covariance (w = f′²). `../PROOF.md` proves the sensitivities, the rounding bound
//! and both releases.

mod design;
mod numbers;
mod scheme;
mod symmetric;

pub use symmetric::Symmetric;

use super::IntervalError;
use crate::erm::matrix::Grouping;
use crate::erm::{AskOracle, Entries, Facts, Oracle, OracleError, Order};
use crate::loss::{LossKind, MomentsLoss, Weight, Weighted};
use crate::rounding::roundings;
use discretion_privacy::account::Event;
use discretion_privacy::noise::gate::{Gate, MASK_SHARE, Mask};
use discretion_privacy::noise::{Columns, Law, Released, Sensitive, Source, TrainingLaw, exact};
use discretion_privacy::trusted::{Open, certified};
use discretion_privacy::{Approximate, Budget, Pure, ROUNDING_SLACK, Zcdp};
pub(crate) use scheme::Scheme;
use std::f64::consts::SQRT_2;
use std::ops::Range;
pub(crate) use symmetric::{coordinates, svec};

/// The noise of one matrix, up to the size of what it hides: that is known when the coefficients
/// are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatrixNoise {
    /// Continuous spherical noise on the coordinates, then the gate's mask. Pure.
    Spherical {
        /// ε of the noise.
        epsilon: f64,
        /// ε of the mask.
        mask: f64,
    },
    /// Continuous noise with the shape of the rows, then the gate's mask. Pure.
    Shaped {
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
    /// The noise that a budget buys for the matrix of such a table; whichever law loses least.
    pub fn within(budget: Budget, facts: &Facts) -> MatrixNoise {
        MatrixNoise::with_outcomes(budget, facts, &NO_OUTCOME)
    }

    /// The same for rows that all weigh 1, if some of their columns are outcomes.
    pub(crate) fn with_outcomes(
        budget: Budget,
        facts: &Facts,
        outcomes: &Range<usize>,
    ) -> MatrixNoise {
        let pure = |epsilon: f64| {
            let (epsilon, mask) =
                ((1.0 - MASK_SHARE) * (1.0 - ROUNDING_SLACK) * epsilon, MASK_SHARE * epsilon);
            [MatrixNoise::Spherical { epsilon, mask }, MatrixNoise::Shaped { epsilon, mask }]
        };
        let laws = match budget {
            Budget::Pure { epsilon } => pure(epsilon).to_vec(),
            Budget::Zcdp { rho } => vec![MatrixNoise::Gaussian { rho }],
            Budget::Approximate { epsilon, delta } => {
                let rho = Zcdp::within(Approximate { epsilon, delta }).rho * (1.0 - ROUNDING_SLACK);
                [vec![MatrixNoise::Gaussian { rho }], pure(epsilon).to_vec()].concat()
            }
        };
        let possible = laws.into_iter().filter(|law| law.is_for(facts));
        let loss = |law: &MatrixNoise| Scheme::with_outcomes(*law, facts, outcomes).loss(facts);
        possible
            .map(|law| (loss(&law), law))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("there is always one")
            .1
    }

    /// Noise can have the shape of rows only where that shape is known.
    fn is_for(self, facts: &Facts) -> bool {
        !matches!(self, MatrixNoise::Shaped { .. }) || scaled_columns(facts).is_some()
    }

    /// The standard deviation of coordinates in which a replaced row moves the matrix by
    /// `sensitivity` at most. The mask is left out.
    fn round_deviation(self, sensitivity: f64, coordinates: usize) -> f64 {
        match self {
            MatrixNoise::Gaussian { rho } => sensitivity / (2.0 * rho).sqrt(),
            // Per coordinate, spherical noise in D dimensions has the variance (D + 1)·scale².
            MatrixNoise::Spherical { epsilon, .. } | MatrixNoise::Shaped { epsilon, .. } => {
                sensitivity / epsilon * (coordinates as f64 + 1.0).sqrt()
            }
        }
    }

    /// What a typical eigenvalue must exceed to be told from the noise. Where the noise of each
    /// entry is known to those who read the matrix, twice the deviation of a typical diagonal
    /// entry: what drowns is taken from the others. Else the noise as an operator: twice the length
    /// of a row of it, the edge of the semicircle law.
    pub fn hides(self, most: f64, facts: &Facts) -> f64 {
        let scheme = Scheme::new(self, facts);
        let variances =
            scheme.deviations(most, facts).into_iter().map(|x| x * x).collect::<Vec<_>>();
        let matrix = scheme.numbers().matrix(&variances);
        let d = facts.dimension;
        if scaled_columns(facts).is_some() {
            let mut diagonal: Vec<f64> = (0..d).map(|i| matrix.entry(i, i)).collect();
            return 2.0 * diagonal.select_nth_unstable_by(d / 2, f64::total_cmp).1.sqrt();
        }
        let all: f64 =
            (0..d).flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| matrix.entry(i, j)).sum();
        2.0 * (all / d as f64).sqrt()
    }

    /// What is recorded of releasing a matrix with this noise. The size of what it hides cancels
    /// out of the price.
    pub(crate) fn event(self, what: &str) -> Event {
        let what = what.to_owned();
        match self {
            MatrixNoise::Spherical { epsilon, mask } | MatrixNoise::Shaped { epsilon, mask } => {
                let mask = Mask::Laplace(Pure { epsilon: mask });
                Event::Composition { of: vec![Event::Pure { epsilon, what }, mask.into()] }
            }
            MatrixNoise::Gaussian { rho } => Event::LatticeGaussian { rho, what },
        }
    }
}

/// √2·most/n, rounded up: how far the exact matrix moves, in its coordinates, when one row is
/// replaced.
pub(crate) fn sensitivity(most: f64, rows: usize) -> f64 {
    SQRT_2 * most / rows as f64 * (1.0 + ROUNDING_SLACK)
}

/// A bound, for every table, on the distance between computed and exact coordinates.
pub(crate) fn sum_error(most: f64, facts: &Facts) -> f64 {
    // Products, the division by n and the factor √2 beside the additions; a hundredth for underflow
    // and for this formula itself.
    1.01 * roundings(facts.matrix_depth() + 12) * most
}

/// How far apart the computed coordinates of neighbouring tables can be.
pub(crate) fn computed_sensitivity(most: f64, facts: &Facts) -> f64 {
    (sensitivity(most, facts.rows) + 2.0 * sum_error(most, facts)) * (1.0 + ROUNDING_SLACK)
}

/// How far a replaced row can move computed numbers x_i x_j w, as a multiple of the most that x_i
/// x_j can be: by 2·most/n and rounding.
pub(super) fn computed_movement(most: f64, facts: &Facts) -> f64 {
    (2.0 * most / facts.rows as f64 + 2.0 * sum_error(most, facts)) * (1.0 + 4.0 * ROUNDING_SLACK)
}

/// The columns of rows that are scaled by constants, which are then their sizes. Where each row is
/// divided by its own length no size below 1 is known.
pub(crate) fn scaled_columns(facts: &Facts) -> Option<&Columns> {
    facts.scaled_columns()
}

/// Rows without an outcome among their columns.
const NO_OUTCOME: Range<usize> = 0..0;

/// How finely continuous noise is drawn, as a share of its scale.
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
    source: &mut dyn Source,
) -> Result<Released<Symmetric>, IntervalError> {
    let facts = facts_of(weight, &oracle.facts());
    let most = weight.most(loss, length(theta));
    let scheme = Scheme::new(noise, &facts);
    let square = computed(oracle, loss, weight, theta, most)?.into_inner();
    let computed = Sensitive::new(scheme.coordinates(&square));
    let released = add_noise(computed, &scheme, most, &facts, source)?;
    Ok(released.map(|coordinates| scheme.matrix(&coordinates)))
}

/// The matrix as it is computed, no row or person weighing more than `most`: row-major, lower
/// triangle.
pub(crate) fn computed(
    oracle: &dyn Oracle,
    loss: LossKind,
    weight: Weight,
    theta: &[f64],
    most: f64,
) -> Result<Sensitive<Vec<f64>>, OracleError> {
    if weight == Weight::SquaredSlope && !oracle.facts().unit.is_row() {
        // So much below that no computed product of two entries is beyond what `most` allows.
        let slope = most.sqrt() * (1.0 - 3.0 * roundings(Grouping::GRADIENT_ROUNDINGS));
        return oracle.products(loss.loss(), theta, slope);
    }
    let weighted = Weighted::new(loss, weight, most);
    let sums = oracle.sums(&weighted, theta, Order::Hessian)?.into_inner();
    Ok(Sensitive::new(sums.hessian))
}

/// (1/n)Σ xxᵀ over rows, each weighing 1 or, if it is left out, 0: row-major, lower triangle.
pub(crate) fn products_of_rows(oracle: &dyn Oracle) -> Result<Sensitive<Vec<f64>>, OracleError> {
    let origin = vec![0.0; oracle.facts().dimension];
    let sums = oracle.sums(&MomentsLoss, &origin, Order::Hessian)?.into_inner();
    Ok(Sensitive::new(sums.hessian))
}

/// The facts of what is multiplied: of a person's mean gradient no more is known than the sizes of
/// its columns.
pub(super) fn facts_of(weight: Weight, facts: &Facts) -> Facts {
    let is_mean = weight == Weight::SquaredSlope && !facts.unit.is_row();
    let columns = facts.columns.as_ref().map_or(0, Columns::count);
    match is_mean {
        true => Facts { entries: vec![Entries::Any; columns], ..facts.clone() },
        false => facts.clone(),
    }
}

/// The standard deviation of the noise at every pair of columns, for coefficients of this length;
/// and of those within each.
pub(super) fn deviations(
    noise: MatrixNoise,
    loss: LossKind,
    weight: Weight,
    length: f64,
    facts: &Facts,
) -> Option<(Columns, Symmetric, Vec<f64>)> {
    let facts = facts_of(weight, facts);
    Scheme::new(noise, &facts).block_deviations(weight.most(loss, length), &facts)
}

/// ‖θ‖.
pub(super) fn length(theta: &[f64]) -> f64 {
    theta.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Releases the coordinates of a scheme.
pub(crate) fn add_noise(
    computed: Sensitive<Vec<f64>>,
    scheme: &Scheme,
    most: f64,
    facts: &Facts,
    source: &mut dyn Source,
) -> Result<Released<Vec<f64>>, IntervalError> {
    let computed = computed.into_inner();
    let dimension = computed.len();
    let exact_computed = computed.into_iter().map(exact);
    let (law, scale, mask) = match scheme.noise() {
        MatrixNoise::Gaussian { rho } => {
            let sensitivity = computed_sensitivity(most, facts);
            let gate = Gate::for_query(dimension, sensitivity, Mask::Gaussian(Zcdp { rho }));
            let certified = certified(exact_computed.collect(), gate.tolerance());
            return Ok(gate.release(Sensitive::new(certified), source)?);
        }
        MatrixNoise::Spherical { epsilon, mask } => {
            let scale = computed_sensitivity(most, facts) / epsilon * (1.0 + ROUNDING_SLACK);
            (TrainingLaw::Round(Law::Spherical { scale }), scale, mask)
        }
        MatrixNoise::Shaped { epsilon, mask } => {
            let moved = scheme.movement(most, facts);
            (TrainingLaw::Shaped(scheme.law(moved)), moved / epsilon, mask)
        }
    };
    let resolution = RESOLUTION * scale;
    let drawn = law.draw(dimension, resolution, source)?;
    let vector = exact_computed.zip(drawn.coordinates()).map(|(x, b)| x + b).collect();
    // As much again for adding up.
    let gate = Gate::new(dimension, 2.0 * resolution, Mask::Laplace(Pure { epsilon: mask }));
    let certified = certified(vector, gate.tolerance());
    Ok(gate.release(Sensitive::new(certified), source)?)
}
