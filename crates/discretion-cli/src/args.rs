//! The command line. Every help text ends with an example.

mod audit;
mod budget;
mod check;
mod consent;
mod describe;
mod dossier;
mod evaluate;
mod export;
mod ledger;
mod ledger_file;
mod party;
mod plan;
mod release;
mod serve;
mod studio;
mod study_file;
mod table;
mod vote;

pub use audit::Audit;
pub use budget::{BudgetFlags, CapFlags};
use budget::{IN_PLACE_OF_SPEND, ORDINARY};
pub use check::{AcceptCheck, Check};
pub use consent::{ChargeFlags, RowsConsent};
pub use describe::{Density, Sample};
pub use dossier::Dossier;
pub use evaluate::Evaluate;
pub use export::{Export, ExportFormat};
pub use ledger::{Ledger, LedgerCommand, Raise};
pub use ledger_file::LedgerFile;
pub use party::{Coordinate, Join, Party, PartyCommand, PartyKey, Proportions, Simulate};
pub use plan::Plan;
pub use release::Release;
pub use serve::{ListTokens, NewToken, RevokeToken, Serve, ServeOther, ShowBudget, TokenCommand};
pub use studio::Studio;
pub use study_file::{Settings, StudyFile};
pub use table::TableOptions;
pub use vote::{Answer, PlanKind, PlanVote};

use clap::{Args as ClapArgs, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// Publish models of sensitive tables under differential privacy.
#[derive(Debug, Parser)]
#[command(
    name = "discretion",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 refused, with the reason, or the machine failed; 2 bad input or usage; 3 failed after the charge.\n\n\
                  Example, for a first look:\n  discretion demo"
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Demo(Demo),
    Studio(Studio),
    Schema(Schema),
    Check(Check),
    Fit(Fit),
    Predict(Predict),
    Evaluate(Evaluate),
    Answer(Answer),
    Serve(Serve),
    Party(Party),
    Plan(Plan),
    Ledger(Ledger),
    Report(Report),
    Dossier(Dossier),
    Export(Export),
    Density(Density),
    Release(Release),
    Sample(Sample),
    Audit(Audit),
    /// Was a command once: says where the papers' experiments are now, whatever it is asked
    #[command(hide = true, disable_help_flag = true)]
    Reproduce {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        _experiment: Vec<OsString>,
    },
}

/// Make the report of a model file again.
///
/// `fit` writes one beside every model. This makes it from the model file alone, for example at
/// another level.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion report demo/model.json --level 0.9 --out report-90.html"
)]
pub struct Report {
    /// The model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The page to write; beside the model if left out, report.html for model.json
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Another confidence level, between 0 and 1
    #[arg(long)]
    pub level: Option<f64>,
    /// Overwrite the page
    #[arg(long)]
    pub force: bool,
}

/// Make an example table and fit a private model to it.
///
/// The table is invented: thirty thousand hospital stays from a generator inside this program.
/// Nothing in it is sensitive, and the folder is yours to play with.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion demo --out demo")]
pub struct Demo {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "demo")]
    pub out: PathBuf,
    /// Say how everything was computed, too, as `fit --verbose` does
    #[arg(long)]
    pub verbose: bool,
}

/// Draft a study file for a table.
///
/// The draft holds column names and types. Bounds and categories are left as "?" for a person to
/// fill in from the data dictionary, because what is read from the rows is not private.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion schema patients.csv --out study.toml")]
pub struct Schema {
    /// The table: .csv, .tsv (also with .gz behind it), .parquet, .arrow or .feather; several files
    /// that are one table, a folder of them, or a pattern in quotes such as '20*.csv'
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// What to ask, if the table is in an SQLite file: "select age, ward from stays"
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,
    /// A data dictionary: a .csv file with a row for each column, which says its name, type, min,
    /// max, values, missing, label and drop. It fills in what it says
    #[arg(long, value_name = "FILE", conflicts_with = "from_data")]
    pub dictionary: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableOptions,
    /// Fill in bounds and categories from the rows. Such lines are NOT PRIVATE, and say so
    #[arg(long)]
    pub from_data: bool,
    /// The account's name, instead of a "?"
    #[arg(long, value_name = "NAME")]
    pub account: Option<String>,
    /// Write the draft here, instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// Train the private model of a study and write model.json.
///
/// Everything in model.json is public. A second fit is a second release and costs its budget again,
/// so an existing model is kept unless --force is given.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  discretion fit study.toml --epsilon 0.5 --out results\n  discretion fit study.toml --set intervals.level=0.9 --set model.loss=hinge"
)]
pub struct Fit {
    /// The study file
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// The folder to write to [default: named after the study file, beside it]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Say what the run would cost and leave; charge and train nothing
    #[arg(long, conflicts_with_all = ["not_private", "seed"])]
    pub dry_run: bool,
    #[command(flatten)]
    pub settings: Settings,
    #[command(flatten)]
    pub charge: ChargeFlags,
    /// Print the model file to standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Say how everything was computed, too: lambda, noise, all columns of all tables
    #[arg(long, conflicts_with = "json")]
    pub verbose: bool,
    /// Fit again although there is a model; it spends the budget again
    #[arg(long)]
    pub force: bool,
    /// Fit without noise and without penalty, for your own comparison with other programs: writes
    /// not-private-model.json, with robust errors (HC0)
    #[arg(long)]
    pub not_private: bool,
    /// Without noise, keep the study's lambda
    #[arg(long, requires = "not_private")]
    pub with_lambda: bool,
    /// Draw the noise under a fixed seed, for tests: NOT PRIVATE, writes seeded-model.json
    #[arg(long, value_name = "N", conflicts_with = "not_private")]
    pub seed: Option<u64>,
    /// Threads to use; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory to stay within, such as 512MB; a larger table is kept in a nameless file in the
    /// output folder, and the result is the same [default: as much as the table needs]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub check: AcceptCheck,
}

/// Bytes, from a number with a unit.
fn memory(text: &str) -> Result<u64, String> {
    const LEAST: u64 = 64_000_000;
    const UNITS: [(&str, u64); 4] =
        [("MiB", 1 << 20), ("GiB", 1 << 30), ("MB", 1_000_000), ("GB", 1_000_000_000)];
    let with_unit = UNITS.iter().find_map(|(unit, bytes)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        (number > 0.0 && number < 1e9).then_some((number * *bytes as f64) as u64)
    });
    match with_unit {
        None => Err("a number with a unit is needed, such as 512MB or 2GB".to_owned()),
        Some(bytes) if bytes < LEAST => Err("the program itself needs 64MB".to_owned()),
        Some(bytes) => Ok(bytes),
    }
}

/// Apply a model to a table.
///
/// Writes one line for each row: its number, its score, the probability of the positive class
/// (logistic models only) and the label. Columns that the model does not use are ignored, unless
/// --keep copies them.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion predict results/model.json new.csv --keep patient_id --out scores.csv"
)]
pub struct Predict {
    /// A model file written by `discretion fit`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The table: .csv, .tsv (also with .gz behind it), .parquet, .arrow or .feather
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Copy this column of the table to the output, as it is; give it again for several. The file
    /// is then for its owner's eyes
    #[arg(long = "keep", value_name = "COLUMN")]
    pub keep: Vec<String>,
    /// Call a row positive from this probability on, instead of from a half; for models without
    /// probabilities, from this score on. If the model was evaluated, what was released about it is
    /// told
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// Write here, instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Write one JSON object for each row, instead of CSV
    #[arg(long)]
    pub json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent_and_every_help_ends_with_an_example() {
        let command = super::Args::command();
        command.clone().debug_assert();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        for command in std::iter::once(&command).chain(shown) {
            let help = command.get_after_help().expect("an example").to_string();
            assert!(help.lines().last().unwrap().starts_with("  discretion "), "{help}");
        }
    }
}
