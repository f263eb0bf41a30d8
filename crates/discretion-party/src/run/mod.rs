//! A study from the first greeting to the last sum.
//!
//! [`join`] is what a holder of rows runs, [`coordinate`] what the coordinator does. Rounds follow one another (the average, then the
//! Newton step's); in each, holders report, aggregators check, each has its noisy share of the sum on its disk before any lets go
//! of one, and everybody opens the sum. What a member did is in its ledger's journal before anyone can see it, so that a study which was
//! given up can be taken up again by running the same commands, for the same charge. `PROOF.md` beside this file proves that.

mod agreement;
mod coordinate;
mod course;
mod join;
mod journal;
mod pace;
mod round;

pub use coordinate::coordinate;
pub use course::Outcome;
pub use join::{Joined, Membership, Notice, join, place_of};
pub use journal::paid;

#[cfg(test)]
mod tests;
