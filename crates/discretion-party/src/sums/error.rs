//! Why a round was refused or given up.

use discretion::joint::JointError;
use discretion::noise::NoiseError;

/// Why a round was refused or given up. Whatever it is, nothing was released.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RoundError {
    /// Too few or too many for the secret sharing.
    #[error("sums are shared among 2 to 254 aggregators, not {0}")]
    Aggregators(usize),
    /// A vector that Prio3 cannot carry.
    #[error("a vector of {dimension} numbers cannot be shared: {why}")]
    Scheme {
        /// How many numbers.
        dimension: usize,
        /// What Prio3 says.
        why: String,
    },
    /// A message that is not one.
    #[error("a message {from} is damaged or of another round: {why}")]
    Damaged {
        /// Whose it claims to be, as far as that can be told.
        from: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A message for another aggregator.
    #[error("a message of holder {holder} for aggregator {meant} came to aggregator {here}")]
    Misdirected {
        /// From 0.
        holder: usize,
        /// From 0.
        meant: usize,
        /// From 0.
        here: usize,
    },
    /// A second message where there is one, or one that comes too early or too late.
    #[error("a message of holder {holder} came out of turn: {why}")]
    OutOfTurn {
        /// From 0.
        holder: usize,
        /// What was expected.
        why: &'static str,
    },
    /// The proof failed: numbers out of range, or shares that do not fit together.
    #[error("the contribution of holder {holder} was rejected: its proof does not hold")]
    Rejected {
        /// From 0.
        holder: usize,
    },
    /// A sum that someone is missing from.
    #[error("the round cannot be finished without holder {holder}; nothing was released")]
    Missing {
        /// The first that is missing, from 0.
        holder: usize,
    },
    /// A sum that an aggregator is missing from, or is in twice.
    #[error(
        "the sum cannot be opened: {found} shares of the {expected} aggregators' are there, each counted once"
    )]
    Incomplete {
        /// Different ones that are there.
        found: usize,
        /// A.
        expected: usize,
    },
    /// The sizes are not those of a table.
    #[error("{rows} rows cannot be dealt to holders of {dealt} rows together")]
    Dealt {
        /// The table's.
        rows: usize,
        /// The holders'.
        dealt: usize,
    },
    /// The study was refused.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}
