//! Charts and the page that a custodian shows to a review board.
//!
//! [`words`] says guarantees and mechanisms in plain words, [`numbers`] writes numbers as people read them, [`terminal`] and
//! [`report`] show a model or density file. Nothing here sees a row or charges an account: it takes released values and public
//! facts and gives back text, so whatever it does is post-processing.
//!
//! The charts are written by hand because the usual crate, plotters, fixes every colour in the file, which rules out
//! one picture for light and dark.

pub mod chart;
pub mod markup;
pub mod numbers;
pub mod report;
pub mod svg;
pub mod terminal;
pub mod words;

pub use chart::{Bars, Forest, Heatmap, Lines, Steps};
pub use report::{DensityReport, Report};
