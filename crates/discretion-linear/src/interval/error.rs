//! Why intervals were refused.

use crate::erm::OracleError;
use crate::train::TrainError;
use discretion_privacy::Budget;
use discretion_privacy::noise::NoiseError;

/// A budget with a δ that would be enough. Boxed, because errors are best small.
#[derive(Clone, Debug, PartialEq)]
pub struct DeltaHint(pub Option<Box<Budget>>);

impl std::fmt::Display for DeltaHint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(budget) => write!(out, ", or {budget} if the guarantee may have a delta"),
            None => Ok(()),
        }
    }
}

/// How many coefficients would be few enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FewerHint(pub Option<usize>);

impl std::fmt::Display for FewerHint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(count) => write!(
                out,
                "or about {count} coefficients (columns with most values are best left out or merged)"
            ),
            None => write!(out, "or fewer coefficients"),
        }
    }
}

/// Why intervals were refused or failed. `Noise` and `Oracle` are the machine's fault, the others
/// the request's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum IntervalError {
    /// The shares are not shares of one budget.
    #[error(
        "a budget is split into three shares above 0 that add up to 1 (training, Hessian, covariance), not \
         {training}, {hessian}, {covariance}; 0.7, 0.15, 0.15 is a split"
    )]
    Split {
        /// Share of the training.
        training: f64,
        /// Share of the Hessian.
        hessian: f64,
        /// Share of the covariance.
        covariance: f64,
    },
    /// A confidence level outside (0, 1).
    #[error("a confidence level lies between 0 and 1, such as 0.95 for 95 %, not {0}")]
    Level(f64),
    /// A Hessian of this size is not formed.
    #[error(
        "intervals are available for up to {most} coefficients, and this model has {dimension}; drop columns or merge \
         categories"
    )]
    TooWide {
        /// d.
        dimension: usize,
        /// The most that can be.
        most: usize,
    },
    /// The noise of the Hessian drowns it.
    #[error(
        "{budget} is too little for intervals of {dimension} coefficients from {rows} rows: how much the rows say about a typical \
         coefficient (at most {resolvable:.1e}) could not be told from the noise (about {noise:.1e}); about {enough} or \
         {rows_needed} rows would do{with_delta}, {fewer}, or a lambda above {noise:.1e}"
    )]
    TooManyCoefficients {
        /// d.
        dimension: usize,
        /// n.
        rows: usize,
        /// What the whole run may spend.
        budget: Budget,
        /// What the Hessian's noise hides.
        noise: f64,
        /// λ + t/d, the largest that the average eigenvalue of the Hessian can be.
        resolvable: f64,
        /// A budget of the same kind that would be enough, approximately.
        enough: Budget,
        /// A number of rows that would be enough, approximately.
        rows_needed: usize,
        /// And a budget with a δ, if a pure one was asked for.
        with_delta: DeltaHint,
        /// How many coefficients the budget is enough for.
        fewer: FewerHint,
    },
    /// No share of the budget, however small, has a price within it.
    #[error(
        "{0} cannot be split between coefficients and intervals; take a larger budget, or leave intervals out"
    )]
    NotPriced(Budget),
    /// What a file holds cannot be what was released.
    #[error("the matrices that intervals are computed from are damaged: {0}")]
    Evidence(&'static str),
    /// The training was refused.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The rows could not be summed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}
