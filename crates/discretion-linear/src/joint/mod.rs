//! Several holders, one model, one guarantee: the mathematics of it, without messages.
//!
//! [`Wanted`] (what a study says) → [`Joint`] (what it left open, decided) → [`Joint::plan`] (every
//! public number fixed) → [`Plan::event`] (what it costs every holder) → rounds. A [`Round`] is one
//! sum over holders: each turns its rows into a [`Contribution`], a vector of whole numbers in a
//! public range; each aggregator draws a [`NoiseShare`]; what leaves is the sum of all of them, by
//! [`Round::open`]. How contributions are added without anyone seeing one is a [`SecretSharing`]'s
//! business (crate `discretion-party`).
//!
//! The first round averages models that holders trained alone ([`Plan::average`]); the others are
//! the gradient at the average, and the rows' second moments or Hessian and covariance, for one
//! Newton step and its intervals ([`Plan::step`]); the last, if holders hold rows out, counts the scores of the model
//! on them ([`Plan::counts`]). `PROOF.md` beside this file proves all of it, including what up to t
//! aggregators learn who put their heads together.

mod auto;
mod average;
mod bounds;
pub mod clear;
mod counts;
mod error;
mod holders;
pub mod identity;
mod lattice;
mod noise;
mod plan;
mod round;
mod step;

pub use auto::{Stepping, Wanted};
pub use bounds::{distance_of_average, excess_risk};
pub use counts::CountsPlan;
pub use error::JointError;
pub use holders::{Holders, Sharing, Weighting};
pub use lattice::{Contribution, Lattice, SecretSharing};
pub use noise::{NoiseShare, SharedNoise, UnitNoise};
pub use plan::{Joint, MOST_FOR_STEP, Plan, Step};
pub use round::Round;
pub use step::{StepRounds, Stepped};

#[cfg(test)]
mod tests;
