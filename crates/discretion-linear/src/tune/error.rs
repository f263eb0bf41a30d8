//! Why tuning was refused.

use crate::train::TrainError;
use discretion_choose::Refused;

/// Why a tuning was refused or failed. None of it depends on the values of rows.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TuningError {
    /// No λ can be trained with this budget.
    #[error(
        "none of the {count} values of lambda is large enough for this budget: {reason}; add a larger one, or write \
         lambda = \"auto\""
    )]
    NoneFeasible {
        /// How many there were.
        count: usize,
        /// What is wrong with the largest of them.
        reason: TrainError,
    },
    /// A share that is not one.
    #[error("the {what} must be above 0 and below 1, not {value}")]
    Share {
        /// Of what.
        what: &'static str,
        /// What it was.
        value: f64,
    },
    /// Too few rows to split.
    #[error(
        "a validation share of {share} leaves {training} training and {validation} validation rows: both need at \
         least one; take more rows or another share"
    )]
    TooFewRows {
        /// The share.
        share: f64,
        /// n.
        training: usize,
        /// m.
        validation: usize,
    },
    /// A score that jumps, for a rule that needs stability.
    #[error(
        "the score \"error\" jumps from 0 to 1 as a margin crosses 0, so one training row can change it by any \
         amount and no rule that rests on stability can use it; take \"brier\", \"ramp\", \"logistic\" or \"hinge\", or \
         rule = \"random-stopping\", which needs no stability"
    )]
    ScoreJumps,
    /// A budget that cannot be divided.
    #[error(
        "a budget of {budget} is too small to be divided between choosing lambda and training: {reason}"
    )]
    TooSmall {
        /// The budget.
        budget: discretion_privacy::Budget,
        /// What is wrong with a part.
        reason: String,
    },
    /// The choice was refused.
    #[error(transparent)]
    Selection(#[from] Refused),
    /// Training was refused or failed.
    #[error(transparent)]
    Train(#[from] TrainError),
}
