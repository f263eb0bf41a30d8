//! `check`, and `--accept-check`, the same for every command that charges.

use super::Settings;
use std::path::PathBuf;

/// Look for mistakes in a study and its table: NOT PRIVATE, for whoever holds the rows.
///
/// Says for each column and the outcome how many values are missing, clipped or not declared, which
/// undeclared ones are the most frequent, what is constant, which identifiers repeat and which rows
/// look doubled, each with a verdict: fine, look or mistake. It spends nothing and opens no ledger.
/// `fit` and the other commands that charge stop at its mistakes, before they charge.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 no mistake; 1 a mistake; 2 bad input.\n\nExamples:\n  discretion check study.toml\n  discretion check study.toml --set columns.age.max=110"
)]
pub struct Check {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    #[command(flatten)]
    pub settings: Settings,
    /// Another table than the one in [data]
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Whether a run goes on at what looks like a mistake.
#[derive(Debug, Default, Clone, Copy, clap::Args)]
pub struct AcceptCheck {
    /// Go on although the table looks like a mistake; `discretion check` says more about it
    #[arg(long = "accept-check")]
    pub accepted: bool,
}
