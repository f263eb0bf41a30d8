//! A study from the first greeting to the last sum.
//!
//! [`join`] is what a holder of rows runs, [`coordinate`] what the coordinator does. Rounds follow
//! one another (the average, then the Newton step's); in each, holders report, aggregators check,
//! each has its noisy share of the sum on its disk before any lets go of one, and everybody opens
//! the sum. What a member did is in its ledger's journal before anyone can see it, so that a study
//! which was given up can be taken up again by running the same commands, for the same charge.
//! `PROOF.md` beside this file proves that.

mod agreement;
mod begin;
mod coordinate;
mod error;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod join;
mod journal;
mod member_run;
mod notice;
mod progress;
mod round;
mod time_padding;

pub use coordinate::coordinate;
pub(crate) use error::StudyError;
pub use join::{MemberOutcome, Membership, join};
pub use journal::earlier_charge;
pub use notice::Notice;
pub use progress::Outcome;

#[cfg(test)]
mod tests;
