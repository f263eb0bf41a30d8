//! Private answers from any learner: k models, each trained on its own chunk of the rows, vote on public points
//! (Bassily, Thakkar & Thakurta 2018, corrected). `PROOF.md` beside this file proves [`answer`].
//!
//! A winner leaves if it would still win had one row been another, as far as noise can tell. Queries on which the voters
//! agree cost nothing; a query on which they do not is answered with ⊥ and paid for.

mod answer;
pub mod design;
mod plan;
mod recent;
mod scores;
mod session;
mod state;
mod tally;
mod whole;

#[cfg(test)]
mod tests;

pub use answer::{Answer, NoAnswer};
pub use design::Design;
pub use plan::{AGREEMENT, Demand, DemandError, Planned, distance};
pub use recent::Recent;
pub use scores::{Bins, MOST_BINS, NoBins};
pub use session::{AnswerError, Answered, Ballot, Memory, Stop, answer};
pub use state::State;
