//! Why tuning was refused or failed.

use discretion_privacy::noise::NoiseError;

/// Why a choice was refused. Each reason is about public numbers.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// Nothing to choose from.
    #[error("there is nothing to choose from: name at least one candidate")]
    NoCandidates,
    /// The same candidate twice.
    #[error("candidates {first} and {second} (counted from 0) are the same; leave one of them out")]
    Repeated {
        /// The earlier position.
        first: usize,
        /// The later position.
        second: usize,
    },
    /// No rows on one side of the split.
    #[error(
        "{training} training and {validation} validation rows: both sides need at least one; take more rows or \
         another validation share"
    )]
    NoRows {
        /// n.
        training: usize,
        /// m.
        validation: usize,
    },
    /// ε₂ is not in [1e-9, 1000].
    #[error(
        "the epsilon of a selection must be a finite number above 0 (from 1e-9 to 1000), not {0}"
    )]
    Epsilon(f64),
    /// δ₀ is not in (0, 1).
    #[error(
        "the doubt of a selection must be above 0 and below 1, not {0}; 0.05 says its bound with 95 % certainty"
    )]
    Doubt(f64),
    /// A declared stability that is not one.
    #[error(
        "candidate {candidate} declares that one row moves its score by {sensitivity}; that must be a finite number \
         above 0"
    )]
    Sensitivity {
        /// Its position.
        candidate: usize,
        /// max(β₁/n, β₂/m), at most the width of its range.
        sensitivity: f64,
    },
    /// The probabilities of failure are not.
    #[error(
        "the candidates' probabilities of failure add up to {0}; that must be at least 0 and below 1"
    )]
    Failure(f64),
    /// A range that is not one.
    #[error(
        "candidate {candidate} declares scores from {low} to {high}; both must be finite and in this order"
    )]
    Range {
        /// Its position.
        candidate: usize,
        /// The lowest score.
        low: f64,
        /// The highest score.
        high: f64,
    },
}

/// Why a run of tuning failed, for reasons that do not depend on the values of rows.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum TuneError<E> {
    /// The tables are not those the plan was made for.
    #[error(
        "the plan was made for {planned:?} training and validation rows, and the tables have {found:?}; plan anew"
    )]
    Rows {
        /// (n, m) of the plan.
        planned: (usize, usize),
        /// (n, m) of the tables.
        found: (usize, usize),
    },
    /// The last training is not on all rows.
    #[error("the winner is trained on all {planned} rows, and the table has {found}; plan anew")]
    Union {
        /// n + m of the plan.
        planned: usize,
        /// The rows of the table.
        found: usize,
    },
    /// Training or scoring failed.
    #[error(transparent)]
    Procedure(E),
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}
