//! `evaluate`.

use super::{AcceptCheck, ChargeFlags};
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Publish how good a model is on rows that never trained it: evaluation.json.
///
/// Counts of the model's scores for each class, with noise; from them AUC, ROC, calibration, Brier
/// score, and precision and recall at every threshold, each with an interval for sampling and
/// noise. The run is charged to the account of the rows that are counted. For rows that are held
/// out while a model trains, which costs rows and no budget, see [evaluate] in the study file.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion evaluate results/model.json --data year-2.csv --study study.toml --account year-2"
)]
pub struct Evaluate {
    /// A model file written by `discretion fit`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The table with rows that never trained it: .csv, .tsv (also with .gz behind it), .parquet,
    /// .arrow or .feather; again for several files that are one table
    #[arg(long, value_name = "FILE", required = true)]
    pub data: Vec<PathBuf>,
    /// The study file: its columns must be the model's, and its budget caps the account
    #[arg(long, value_name = "STUDY")]
    pub study: PathBuf,
    /// The account of these rows [default: the study's]
    #[arg(long, value_name = "NAME")]
    pub account: Option<String>,
    /// Count the values of this column apart: the same figures for each group
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,
    /// The file to write [default: evaluation.json beside the model]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Say what the run would cost and leave; charge and compute nothing
    #[arg(long, conflicts_with = "seed")]
    pub dry_run: bool,
    #[command(flatten)]
    pub charge: ChargeFlags,
    /// Print the evaluation file to standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Evaluate again although there is a file; it spends the budget again
    #[arg(long)]
    pub force: bool,
    /// Draw the noise under a fixed seed, for tests: NOT PRIVATE, writes seeded-evaluation.json
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub check: AcceptCheck,
}
