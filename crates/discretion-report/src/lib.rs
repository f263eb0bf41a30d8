//! Charts and the page that a custodian shows to a review board.
//!
//! [`words`] says guarantees and mechanisms in plain words, [`numbers`] writes numbers as people
//! read them, [`terminal`] and [`report`] show a model or density file, [`coefficients`] is for
//! other programs, [`dossier`] for a review board. Nothing here sees a row or charges an account:
//! it takes released values and public facts and gives back text, so whatever it does is
//! post-processing.
//!
//! The charts are written by hand because the usual crate, plotters, fixes every colour in the
//! file, which rules out one picture for light and dark.
//!
//! What a budget promises, in words, and a chart of released shares:
//!
//! ```
//! use discretion::privacy::Budget;
//! use discretion_report::{Bars, words};
//!
//! assert_eq!(
//!     words::guarantee(Budget::Pure { epsilon: 1.0 }),
//!     "ε = 1: replacing any one row changes the probability of any outcome by at most a factor e^1 = 2.72"
//! );
//! let wards = Bars {
//!     title: "Wards".to_owned(),
//!     description: "Shares of the rows, with noise".to_owned(),
//!     width: 400.0,
//!     label: "share".to_owned(),
//!     bars: vec![("surgery".to_owned(), 0.7), ("cardiology".to_owned(), 0.3)],
//! };
//! let svg = wards.draw().standalone();
//! assert!(svg.starts_with("<svg") && svg.contains("prefers-color-scheme: dark"));
//! ```

pub mod chart;
pub mod coefficients;
pub mod dossier;
pub mod markup;
pub mod numbers;
pub mod report;
pub mod svg;
pub mod terminal;
pub mod words;

pub use chart::{Bars, Forest, Heatmap, Lines, Steps};
pub use report::{DensityReport, Report};
