//! How good a released model is, on rows that did not train it, in numbers that may be published.
//!
//! [`Quality`] (what is wanted) → [`Quality::plan`] (every public number fixed) →
//! [`QualityPlan::event`] (what it costs) → [`QualityPlan::run`] on a [`Tally`] of scores →
//! released [`ScoreCounts`]: how many rows of each class have scores in each bin, with exact noise.
//! [`Figures`] are computed from them: AUC, ROC, calibration, Brier score and whatever is counted
//! above a threshold, each with an interval for sampling and noise together. [`classes`] does the
//! same for several classes and [`numbers`] for an outcome that is a number. `PROOF.md` beside this
//! file proves the release.
//!
//! Scores of a model on twenty thousand rows:
//!
//! ```
//! use discretion_linear::quality::{Figures, Meaning, Quality};
//! use discretion_privacy::Budget;
//! use discretion_privacy::noise::Receipt;
//!
//! let quality = Quality { budget: Budget::Pure { epsilon: 1.0 }, groups: 1, low: -3.0, high: 3.0 };
//! let plan = quality.plan(20_000)?; // every public number, before a row is looked at
//! let mut tally = plan.tally();
//! (0..20_000).for_each(|row| tally.add(f64::from(row % 50) / 10.0 - 2.5, row % 50 + row % 41 > 50, 0));
//!
//! let counts = plan.run(&tally, Receipt::nobody_remembers().noise())?;
//! let figures = Figures::of_all(&counts, Meaning::LogOdds, 0.95);
//! let auc = figures.auc.expect("so many rows say something");
//! assert!(auc.lower > 0.7 && auc.upper < 0.95 && auc.upper - auc.lower < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod auc;
mod cells;
pub mod classes;
mod counts;
mod edges;
mod expected;
mod figures;
mod grid;
pub(crate) mod joint;
pub mod numbers;
mod plan;
mod scoring;

#[cfg(test)]
mod tests;

pub use cells::Estimate;
pub(crate) use cells::normal_quantile;
pub use counts::{GroupCounts, ScoreCounts};
pub use figures::{BinFigures, Figures, Meaning, ThresholdFigures};
pub use grid::{Grid, Tally};
pub use plan::{EDGES_SHARE, MOST_GROUPS, Quality, QualityError, QualityPlan};
pub(crate) use scoring::RowLabel;
pub use scoring::{AnyTally, Counting, Scoring, log_odds};
