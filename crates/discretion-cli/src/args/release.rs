//! `release`.

use super::{AcceptCheck, ChargeFlags, Settings, memory};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Publish everything that a study releases, for one charge.
///
/// A study can hold a model ([model]), a density ([density]) and any number of further ones, each
/// under [[release]] with a name and a share of the budget. They are planned together, priced as one
/// composition and charged once, and written into one folder with one page (report.html) and one
/// list for programs (index.json). A run that was broken off goes on with --reuse: what it paid for
/// is not charged again.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion release study.toml --dry-run\n  discretion release study.toml --out results"
)]
pub struct Release {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// The folder to write to [default: named after the study file, beside it]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Say what each release may spend and what the run would cost, and leave; charge and compute
    /// nothing
    #[arg(long, conflicts_with = "seed")]
    pub dry_run: bool,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub charge: ChargeFlags,
    /// Print the index to standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Release again although the files are there; it spends the budget again
    #[arg(long)]
    pub force: bool,
    /// Draw the noise under a fixed seed, for tests: NOT PRIVATE, writes seeded-index.json
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads to use; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory to stay within, for each model, such as 512MB [default: as much as the table needs]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub check: AcceptCheck,
}
