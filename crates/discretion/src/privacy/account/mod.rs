//! What happened, apart from what it costs.
//!
//! An [`Event`] records what was run, in the numbers that its proof uses. A [`Spend`] is everything that was run
//! on one table; its [`Spend::prices`] are recomputed whenever they are asked for, so that a better rule prices
//! history better too. Each price is proved in `PROOF.md` beside this file.

mod approximate;
mod concentrated;
mod event;
mod gaussian;
mod optimal;
mod part;
mod price;
mod rounding;
mod spend;

#[cfg(test)]
mod tests;

pub use event::{Event, EventError, MaskNoise, Noise};
pub use price::{CAP_TOLERANCE, NotPriced, Price, Rule, amount};
pub use spend::Spend;
