//! Private answers from any learner: k models, each trained on its own chunk of the rows, vote on
//! public points (Bassily, Thakkar & Thakurta 2018, corrected). `PROOF.md` beside this file proves
//! [`answer`].
//!
//! A winner leaves if it would still win had one row been another, as far as noise can tell.
//! Queries on which the voters agree cost nothing; a query on which they do not is answered with ⊥
//! and paid for. Or every query is answered and paid for ([`DemandAll`]), by noise on the counts
//! themselves.
//!
//! A session of 100 queries, and its first answer:
//!
//! ```
//! use discretion_privacy::Approximate;
//! use discretion_privacy::noise::{Provenance, Receipt, Sensitive};
//! use discretion_vote::{Answer, Ballot, Demand, Memory, State, answer};
//! # struct Forgetful(String);
//! # impl Memory for Forgetful {
//! #     type Error = std::convert::Infallible;
//! #     fn state(&self) -> String { self.0.clone() }
//! #     fn recall(&self, _: &str) -> Result<Option<Answer>, Self::Error> { Ok(None) }
//! #     fn remember(&mut self, state: &str, _: &[(String, Answer)]) -> Result<(), Self::Error> {
//! #         self.0 = state.to_owned();
//! #         Ok(())
//! #     }
//! # }
//!
//! let budget = Approximate { epsilon: 1.0, delta: 1e-6 };
//! let demand = Demand { budget, queries: 100, unstable: 5, miss: 0.05, scores: false }.checked()?;
//! let planned = demand.plan();
//! let models = planned.chunks(0.75).expect("so many models, if three of four agree");
//!
//! // A ledger's session remembers; this memory, which is not shown, forgets when it is dropped.
//! let state = State::begin(planned.design, demand.queries, Provenance::OperatingSystem);
//! let mut memory = Forgetful(state.to_secret_text());
//! let agreed = Ballot::Labels(Sensitive::new(vec![0, models as u32]));
//! let mut receipt = Receipt::nobody_remembers();
//! let told = answer([("first query".to_owned(), agreed)], &mut memory, receipt.noise())?;
//! assert_eq!(told.answers[0].as_deref(), Some(&Answer::Label(1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod all;
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

pub use all::{AGREEMENT_OF_ALL, DemandAll, PlannedAll, Told};
pub use answer::{Answer, NoAnswer};
pub use design::Design;
pub use plan::{AGREEMENT, Demand, DemandError, Planned, distance};
pub use recent::Recent;
pub use scores::{Bins, MOST_BINS, NoBins};
pub use session::{AnswerError, Answered, Ballot, Memory, Stop, answer};
pub use state::State;
