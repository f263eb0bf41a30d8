//! Why there is no ordinary fit.

use crate::erm::OracleError;
use crate::interval::IntervalError;

/// Why there is no ordinary fit. Coefficients are told by their places.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlainError {
    /// A Hessian of this size is not formed.
    #[error("a fit without penalty has up to {most} coefficients, and this model has {dimension}")]
    TooWide {
        /// d.
        dimension: usize,
        /// The most that can be.
        most: usize,
    },
    /// No row has these.
    #[error("no row has what the coefficients {0:?} are about")]
    Empty(Vec<usize>),
    /// In every row one says what others say together.
    #[error("coefficient {one} says what {others:?} say together")]
    Alias {
        /// The last of them.
        one: usize,
        /// Those before it; only the intercept if it is the same in every row.
        others: Vec<usize>,
    },
    /// Some combination of these never contradicts the outcome, so they have no finite estimate;
    /// none if every row has the same outcome.
    #[error("the outcome is told apart by the coefficients {0:?}")]
    Separated(Vec<usize>),
    /// The two matrices are no evidence.
    #[error(transparent)]
    Evidence(#[from] IntervalError),
    /// The rows could not be summed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl PlainError {
    /// Replaces the places of coefficients.
    pub(super) fn at(self, place: impl Fn(usize) -> usize) -> PlainError {
        let all = |places: Vec<usize>| places.into_iter().map(&place).collect();
        match self {
            PlainError::Empty(places) => PlainError::Empty(all(places)),
            PlainError::Alias { one, others } => {
                PlainError::Alias { one: place(one), others: all(others) }
            }
            PlainError::Separated(places) => PlainError::Separated(all(places)),
            other => other,
        }
    }
}
