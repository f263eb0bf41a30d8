//! Why training was refused.

use crate::erm::{Facts, OracleError};
use crate::noise::NoiseError;
use crate::privacy::Budget;

/// Why training was refused or failed. The first three are the request's fault, the others the machine's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// λ is not a finite number above 0.
    #[error("lambda must be a finite number above 0, not {0}")]
    Lambda(f64),
    /// There is nothing to learn from.
    #[error("a table needs at least one row")]
    NoRows,
    /// λ leaves no budget for the noise of objective perturbation.
    #[error(
        "lambda = {lambda} is too small for {rows} rows and {budget}: objective perturbation needs lambda above \
         {smallest:.3e}; take a larger lambda (\"auto\" chooses one), more budget, or method = \"output\""
    )]
    LambdaTooSmall {
        /// What was asked for.
        lambda: f64,
        /// What would be feasible.
        smallest: f64,
        /// n.
        rows: usize,
        /// The budget.
        budget: Budget,
    },
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The rows could not be summed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

pub(super) fn check_lambda(lambda: f64) -> Result<(), TrainError> {
    if lambda.is_finite() && lambda > 0.0 { Ok(()) } else { Err(TrainError::Lambda(lambda)) }
}

pub(super) fn check_facts(facts: Facts) -> Result<(), TrainError> {
    if facts.rows > 0 { Ok(()) } else { Err(TrainError::NoRows) }
}
