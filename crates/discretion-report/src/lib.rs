//! Charts and the page that a custodian shows to a review board.
//!
//! This crate knows nothing of rows, mechanisms or ledgers. It takes released values and public facts as plain data
//! ([`Report`], [`DensityReport`], [`Forest`], [`Lines`], [`Steps`], [`Bars`], [`Heatmap`]) and gives back text, so whatever it does is
//! post-processing. It depends on nothing.
//!
//! The charts are written by hand because the usual crate, plotters, fixes every colour in the file, which rules out
//! one picture for light and dark.

pub mod chart;
pub mod markup;
pub mod numbers;
pub mod report;
pub mod svg;

pub use chart::{Bars, Forest, Heatmap, Lines, Steps};
pub use report::{DensityReport, Report};
