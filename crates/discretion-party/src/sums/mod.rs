//! Sums over holders that nobody sees a part of: Prio3 shares each vector among the aggregators,
//! proves that its numbers are in range, and every aggregator adds its own noise to its share of
//! the sum before it lets go of it.
//!
//! Everything is a function of messages, which are bytes, so that any transport will do:
//!
//! | who | does | sends |
//! |---|---|---|
//! | holder | [`Scheme::report`] | one message to each aggregator |
//! | aggregator | [`Aggregator::receive`] | its part of the proof's check to all aggregators |
//! | aggregator | [`Aggregator::verify`], for each holder | nothing |
//! | aggregator | [`Aggregator::finish`], once | its share of the sum, with noise, to the coordinator |
//! | coordinator | [`Scheme::open`] | the released sum |
//!
//! [`simulate`] plays all parts in one process. `PROOF.md` beside this file says what anyone sees.

mod aggregator;
mod error;
mod message;
mod scheme;
mod simulate;

pub use aggregator::Aggregator;
pub use error::RoundError;
pub(crate) use message::{SumMessage, SumMessageKind};
pub use scheme::{Attempt, Scheme, VerifyKey};
pub use simulate::{Simulation, deal, simulate, simulate_plan};

#[cfg(test)]
pub(crate) mod tests;
