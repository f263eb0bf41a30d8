//! Private histogram densities of one or a few columns, with the number of bins chosen by the data.
//!
//! [`Histogram`] (what is wanted) → [`Histogram::plan`] (checked, and every public number fixed) →
//! [`HistogramPlan::event`] (what it costs) → [`HistogramPlan::run`] → a released [`Density`], which can be plotted and drawn
//! from. `PROOF.md` beside this file proves every constant.

mod axis;
mod candidates;
mod error;
mod fitted;
mod plan;
mod points;
mod procedure;
mod released;
mod tally;

#[cfg(test)]
mod tests;

pub use axis::{Axis, Scale, Value};
pub use candidates::default_candidates;
pub use error::DensityError;
pub use fitted::Fitted;
pub use plan::{CEILING, Histogram, HistogramPlan, SELECTION_SHARE, VALIDATION_SHARE};
pub use points::Points;
pub use procedure::{Bins, Histograms};
pub use released::{Bar, Density};
pub use tally::{Tally, Wanted};
