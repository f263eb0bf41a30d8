//! Confidence intervals for private linear classifiers (Wang, Kifer & Lee).
//!
//! [`Plan::new`] splits one budget between coefficients and the second moments behind their
//! intervals: of logistic regression those of the rows, else Hessian and gradient covariance. Train
//! with [`Plan::training`], release the moments with [`Plan::run`], and everything after that is
//! post-processing: [`Intervals`] gives an [`Interval`] for every linear combination of
//! coefficients.
//!
//! [`Intervals::of_ordinary`] covers the ordinary regression's coefficients in the population that
//! the rows are a random sample of, if none of them is larger than is declared. [`Intervals::new`]
//! covers θ₀(λ), the minimiser of E f(yθ·x) + (λ/2)‖θ‖² there. `PROOF.md` beside this file says
//! why, and what is asymptotic about it.

mod drawn;
mod draws;
mod error;
pub mod estimate;
mod evidence;
mod intervals;
mod matrices;
mod mixture;
mod ordinary;
pub mod parts;
mod plan;
mod resolution;
mod split;
mod without_noise;

pub use error::{DeltaHint, FewerHint, IntervalError};
pub use evidence::{Evidence, MatrixDeviations, SecondMoments};
pub use intervals::Intervals;
pub use matrices::{MatrixNoise, Symmetric};
pub use ordinary::{Alias, RowMoments};
pub use plan::{Matrices, Plan, WIDEST};
pub use split::Split;
pub use without_noise::not_private;

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// What sums over several holders share with sums over one table.
pub(crate) mod joint {
    pub(crate) use super::intervals::eigen;
    pub(crate) use super::matrices::{
        Scheme, computed, coordinates, products_of_rows, sensitivity, sum_error, svec,
    };
    pub(crate) use super::ordinary::{Step, suffice};
    pub(crate) use super::split::part;
}

/// What least squares share with the matrices behind intervals.
pub(crate) mod squares {
    pub(crate) use super::estimate::{Noisy, Read};
    pub(crate) use super::intervals::eigen;
    #[cfg(test)]
    pub(crate) use super::matrices::computed_sensitivity;
    pub(crate) use super::matrices::{
        MatrixNoise, Scheme, Symmetric, add_noise, products_of_rows, scaled_columns,
    };
    pub(crate) use super::split::part;
}

#[cfg(test)]
pub(crate) use ordinary::tests as ordinary_tests;
#[cfg(test)]
pub(crate) mod tests;

/// Draws for what is said about all coefficients at once, if nobody asks for another number.
pub const DRAWS: usize = 20_000;

/// How many may be asked for. Fewer say little about a tail; the most are 80 MB in memory.
pub const DRAWS_ALLOWED: RangeInclusive<usize> = 10_000..=10_000_000;

/// An estimate with its uncertainty, from sampling and from privacy together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The released value.
    pub estimate: f64,
    /// The interval's lower end.
    pub lower: f64,
    /// The interval's upper end.
    pub upper: f64,
    /// How likely an estimate at least this far from 0 would be if the covered value were 0.
    pub p_value: f64,
    /// The part of the standard deviation that comes from the rows being a sample.
    pub sampling_deviation: f64,
    /// The part that comes from the noise for privacy.
    pub privacy_deviation: f64,
    /// As much of that as comes from the noise in the matrices; the rest is from the noise in the
    /// coefficients.
    pub matrices_deviation: f64,
    /// The most that the penalty can have taken from the estimate, if the interval covers the
    /// ordinary coefficients; else 0.
    pub largest_bias: f64,
    /// How far λ pulls the covered value away from the one without regularisation, to first order:
    /// λ(H̃⁻¹θ̃).
    pub shrinkage: f64,
}

impl Interval {
    /// Half the interval's length.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.upper - self.lower)
    }

    /// The same of a multiple of what it is about.
    pub fn times(&self, factor: f64) -> Interval {
        let (one, other) = (factor * self.lower, factor * self.upper);
        Interval {
            estimate: factor * self.estimate,
            lower: one.min(other),
            upper: one.max(other),
            p_value: self.p_value,
            sampling_deviation: factor.abs() * self.sampling_deviation,
            privacy_deviation: factor.abs() * self.privacy_deviation,
            matrices_deviation: factor.abs() * self.matrices_deviation,
            largest_bias: factor.abs() * self.largest_bias,
            shrinkage: factor * self.shrinkage,
        }
    }

    /// The shares of sampling, noise for privacy and largest bias: of the sum of their squares.
    pub fn shares(&self) -> [f64; 3] {
        let squares = [self.sampling_deviation, self.privacy_deviation, self.largest_bias]
            .map(|part| part * part);
        let sum: f64 = squares.iter().sum();
        squares.map(|square| if sum > 0.0 { square / sum } else { 0.0 })
    }

    /// |shrinkage| over half the length. Well below 1, λ hardly matters beside the noise; around 1 and above, the
    /// interval says little about a model without regularisation.
    pub fn shrinkage_share(&self) -> f64 {
        let half_width = self.half_width();
        if half_width > 0.0 { self.shrinkage.abs() / half_width } else { 0.0 }
    }
}
