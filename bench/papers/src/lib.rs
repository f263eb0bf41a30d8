//! The papers' tables and figures on public data, ours beside theirs.
//!
//! Everything here runs under fixed seeds on tables that are public anyway: its results are
//! experiments, and none of them is private.

pub mod intervals;
pub mod parties;
pub mod tables;
pub mod tuning;
pub mod voting;

use std::path::PathBuf;

/// What every experiment is told.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the public tables are; nothing for made-up rows.
    pub data: Option<PathBuf>,
    /// A short form on made-up rows: it shows that the experiment runs, and nothing else.
    pub quick: bool,
    /// Where the seeds start.
    pub seed: u64,
}

/// What an experiment gives back: a table to print, the same numbers for machines, and files to
/// write.
#[derive(Debug, Clone)]
pub struct Results {
    /// For people.
    pub text: String,
    /// For machines: JSON.
    pub json: String,
    /// Names and contents of the figures.
    pub figures: Vec<(String, String)>,
}

/// Why an experiment did not run: one sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

/// Told how far an experiment has come: done, of how many.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);
