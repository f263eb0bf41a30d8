//! `answer` and `plan vote`.

use super::{
    AcceptCheck, BudgetFlags, IN_PLACE_OF_SPEND, LedgerFile, ORDINARY, RowsConsent, StudyFile,
};
use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

/// Other jobs that can be planned.
#[derive(Debug, Subcommand)]
pub enum PlanKind {
    Vote(PlanVote),
}

/// Say how many voting models a budget needs, or what a number of them can serve.
///
/// One model is trained on each chunk of the rows, and they vote on queries. Queries on which they
/// agree cost nothing, so the budget depends on how many may be unstable. With --answer all every
/// query is answered and costs. Give a study with a [vote] table, or the numbers.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion plan vote --epsilon 1 --delta 1e-6 --queries 1000 --unstable 50 --rows 500000"
)]
pub struct PlanVote {
    #[command(flatten)]
    pub study: StudyFile,
    #[command(flatten)]
    pub budget: BudgetFlags,
    /// How many queries may be asked
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000), required_unless_present = "StudyFile")]
    pub queries: Option<u64>,
    /// Which queries are answered: those whose winner is clear, or all [default: sure]
    #[arg(long, value_name = "WHICH", value_parser = ["sure", "all"])]
    pub answer: Option<String>,
    /// With --answer all: labels that lead clearly are called sure; one without the most votes is
    /// so with probability 1 - P at most
    #[arg(long, value_name = "P", allow_negative_numbers = true, conflicts_with = "scores")]
    pub confidence: Option<f64>,
    /// How many of them may be unstable before the session ends [default: 50, or all queries if
    /// fewer]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub unstable: Option<u64>,
    /// The probability that some stable query goes unanswered [default: 0.05]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub miss: Option<f64>,
    /// The share of votes for its winner with which a query counts as stable [default: 5/6, or 0.7
    /// with --answer all]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub agreement: Option<f64>,
    /// Answers are scores, which take up to two tests each; with --answer all their noisy mean
    #[arg(long)]
    pub scores: bool,
    /// The number of rows, to see what is left for each model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub rows: Option<u64>,
    /// The number of voting models, if it is given: says what they can serve
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(2..=1_000_000_000))]
    pub chunks: Option<u64>,
    /// Run such a vote on invented rows with every learner that is built in, and a model fitted
    /// directly beside it; reads no table
    #[cfg(feature = "learners")]
    #[arg(long, requires_all = ["StudyFile", "rows"])]
    pub rehearse: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Answer queries privately by a vote of models, whatever learns them.
///
/// The rows are split into chunks, a model is trained on each (the [vote] table says by what), and
/// the models vote on every query. Where they agree the winner is written; where they do not, the
/// line stays empty, and that is what costs. With `answer = "all"` in [vote] every query gets an
/// answer, from noisy counts. One session is charged before anything is trained. It goes on in
/// later runs until its queries or its unstable answers are used up; a query that was answered
/// before is answered again for nothing.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion answer study.toml --queries new.csv --out answers.csv --student student"
)]
pub struct Answer {
    /// The study file, with a [vote] table
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Public points without labels: a .csv, .parquet or .arrow file with the study's columns [not
    /// with protect = "labels", where half of the rows are the queries]
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,
    /// The answers to write [default: answers.csv in a folder named after the study file, beside
    /// it]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Train a model on the answers, which costs nothing more, and write model.json and report.html
    /// there
    #[arg(long, value_name = "DIR")]
    pub student: Option<PathBuf>,
    /// One width of score bins for each query, a number a line, in place of the study's gamma
    #[arg(long, value_name = "FILE")]
    pub gammas: Option<PathBuf>,
    /// Where trained models are kept for later runs; NOT PRIVATE [default: models-NOT-PRIVATE
    /// beside the ledger]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Charge a new session although one is there
    #[arg(long, conflicts_with = "seed")]
    pub new: bool,
    /// Say what a session would cost and leave; charge and train nothing
    #[arg(long, conflicts_with_all = ["seed", "new"])]
    pub dry_run: bool,
    #[command(flatten, next_help_heading = IN_PLACE_OF_SPEND)]
    pub spend: BudgetFlags,
    #[command(flatten, next_help_heading = ORDINARY)]
    pub ledger: LedgerFile,
    #[command(flatten)]
    pub rows: RowsConsent,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    /// Draw the noise under a fixed seed, for tests: NOT PRIVATE, charges nothing, writes
    /// seeded-answers.csv
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Threads to use; the votes do not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub check: AcceptCheck,
}
