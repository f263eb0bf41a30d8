//! Why least squares were refused.

use crate::erm::OracleError;
use crate::interval::IntervalError;
use discretion_privacy::BudgetError;
use discretion_privacy::noise::NoiseError;

/// Why least squares were refused or failed. `Noise` and `Oracle` are the machine's fault, the
/// others the request's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SquaresError {
    /// Rows that are divided by their own lengths.
    #[error(
        "least squares need columns that are scaled by constants; leave out norm = \"row\" in [model]"
    )]
    RowNorm,
    /// A matrix of this size is not formed.
    #[error(
        "least squares are available for up to {most} coefficients, and these columns have {dimension}; drop columns \
         or merge categories"
    )]
    TooWide {
        /// With the outcome.
        dimension: usize,
        /// The most that can be.
        most: usize,
    },
    /// Not a λ.
    #[error("lambda must be a finite number above 0, not {0}")]
    Lambda(f64),
    /// No budget.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A level outside (0, 1), moments that are damaged, a machine that failed.
    #[error(transparent)]
    Interval(#[from] IntervalError),
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The rows could not be summed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}
