//! Choosing among candidates (a parameter, a number of bins) with privacy.
//!
//! [`Procedure`] (what is tuned, with declared stability) → [`Validation::plan`] (checked, and every public number fixed)
//! → [`Validation::event`] (what it costs) → [`Validation::validate`] → a [`Released`] [`Choice`], or
//! [`Validation::validate_then_train`] → the winner, trained on all rows. The price does not grow with the number of
//! candidates; what grows, with its logarithm, is how much score the choice may lose ([`Choice::shortfall`]).
//!
//! `select/PROOF.md` proves it. [`split`] says which rows train and which validate; [`checker`] searches for rows that break a
//! declared stability.

pub mod checker;
mod error;
mod procedure;
mod select;
pub mod split;
mod validation;

#[cfg(test)]
mod tests;

pub use error::{Refused, TuneError};
pub use procedure::{Procedure, Stability, Trainer};
pub use select::{Choice, Rule, Selector};
pub use validation::{Rows, Tuned, Validation};

#[cfg(doc)]
use discretion_privacy::noise::Released;
