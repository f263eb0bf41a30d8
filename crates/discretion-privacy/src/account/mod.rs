//! What happened, apart from what it costs.
//!
//! An [`Event`] records what was run, in the numbers that its proof uses. A [`Spend`] prices the
//! parts of one run, which its plan fixed. A [`Filter`] adds up the runs of an account, which a
//! person chooses one after the other while looking at what came out, and is fixed when the account
//! is opened. `PROOF.md` beside this file proves both.

mod approximate;
mod beside;
mod cap;
mod check;
mod concentrated;
mod convex;
mod cost;
mod event;
mod filter;
mod gaussian;
mod objective;
mod opening;
mod optimal;
mod part;
mod price;
mod room;
mod rounding;
mod shaped;
mod spend;
mod take_apart;
mod terms;
mod totals;
mod training;

#[cfg(test)]
mod tests;

pub use cap::Cap;
pub use cost::CostError;
pub use event::{Curvature, Event, EventError, Law, MaskNoise};
pub use filter::{Filter, PlainLimits, Reading};
pub use opening::FilterKind;
pub use price::{CAP_TOLERANCE, NotPriced, Price, Rule, amount};
pub use room::Search;
pub use shaped::{Column, Columns, ShapeError, ShapedLaw, TrainingLaw};
pub use spend::Spend;
pub use terms::Terms;
pub use totals::Totals;
pub use training::{
    CLASSES_SLOPE, classes_curvature_price, classes_minimiser_sensitivity, classes_trace,
    column_gaussian_sigma, curvature_price, minimiser_sensitivity,
};
