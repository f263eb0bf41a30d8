//! A voting session under a ledger, whoever casts the votes: the command line, the service and
//! Python.
//!
//! [`of`] a study or [`Voting::plan`] (public numbers) → [`Voting::chunks`] → [`session`] (found,
//! or charged now) → train → ballots → [`discretion::vote::answer`] with the session's
//! [`LedgerMemory`] as its memory. What trains the models is the caller's to bring. Nothing here
//! prints: what a user should know is returned.

mod aim;
mod halves;
mod key;
mod memory;
mod numbers;
mod open;
mod queries;
mod rare;
mod student;
#[cfg(test)]
mod tests;

pub use aim::aim;
pub use halves::{to_ask_about, to_learn_from};
pub use key::key;
pub use memory::{LedgerMemory, explain};
pub use numbers::{ChunkCount, Numbers, Voting, VotingPlan, of};
pub use open::{SessionRequest, VotingSession, check_over, session};
pub use queries::{Queries, name_of};
pub use rare::{Expected, rare};
pub use student::{Student, student};
