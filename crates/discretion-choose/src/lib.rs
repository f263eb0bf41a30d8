//! Choosing among candidates (a parameter, a number of bins) with privacy.
//!
//! [`Procedure`] (what is tuned, with declared stability) → [`Validation::plan`] (checked, and
//! every public number fixed) → [`Validation::event`] (what it costs) → [`Validation::validate`] →
//! a [`Released`] [`Choice`], or [`Validation::validate_then_train`] → the winner, trained on all
//! rows. The price does not grow with the number of candidates; what grows, with its logarithm, is
//! how much score the choice may lose ([`Choice::shortfall`]).
//!
//! One of three models for ε = 1:
//!
//! ```
//! use discretion_choose::{Rule, Selector};
//! use discretion_privacy::noise::{Receipt, Sensitive};
//!
//! // The share of 5,000 validation rows that each of three models gets right: one row moves it by 1/5,000.
//! let shares = Sensitive::new(vec![0.71, 0.84, 0.62]);
//! let selector = Selector::new(Rule::Uniform { doubt: 0.05 }, 1.0, vec![1.0 / 5_000.0; 3])?;
//! let choice = selector.choose(shares, Receipt::nobody_remembers().noise())?;
//! assert_eq!(choice.index, 1);
//! assert!(choice.shortfall[0] < 0.01, "known before the choice: how much worse than the best it may be");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `select/PROOF.md` proves it. [`split`] says which rows train and which validate; [`checker`]
//! searches for rows that break a declared stability.

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
