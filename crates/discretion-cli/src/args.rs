//! The command line. Every help text ends with an example.

mod audit;
mod describe;
mod ledger_file;
mod party;
mod serve;
mod vote;

pub use audit::Audit;
pub use describe::{Density, Sample};
pub use ledger_file::LedgerFile;
pub use party::{Coordinate, Join, Party, PartyCommand, PartyKey, Proportions, Simulate};
pub use serve::{ListTokens, NewToken, RevokeToken, Serve, ServeOther, ShowBudget, TokenCommand};
pub use vote::{Answer, PlanKind, PlanVote};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args as ClapArgs, Parser, Subcommand};
use discretion::Refusal;
use discretion::loss::LossKind;
use discretion::privacy::Budget;
use discretion::privacy::account::Cap;
use discretion::train::Method;
use discretion_jobs::plan::training::LambdaOverride;
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
    Schema(Schema),
    Fit(Fit),
    Predict(Predict),
    Answer(Answer),
    Serve(Serve),
    Party(Party),
    Plan(Plan),
    Ledger(Ledger),
    Report(Report),
    Density(Density),
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
/// `fit` writes one beside every model. This makes it from the model file alone, for example at another level.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion report demo/model.json --level 0.9 --out report-90.html")]
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
/// The table is invented: forty thousand hospital stays from a generator inside this program. Nothing in it
/// is sensitive, and the folder is yours to play with.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion demo --out demo")]
pub struct Demo {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "demo")]
    pub out: PathBuf,
}

/// Draft a study file for a table.
///
/// The draft holds column names and types. Bounds and categories are left as "?" for a person to fill in
/// from the data dictionary, because what is read from the rows is not private.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion schema patients.csv --out study.toml")]
pub struct Schema {
    /// The table: .csv, .csv.gz or .parquet
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Fill in bounds and categories from the rows. Such lines are NOT PRIVATE, and say so
    #[arg(long)]
    pub from_data: bool,
    /// Write the draft here, instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    pub force: bool,
}

/// Train the private model of a study and write model.json.
///
/// Everything in model.json is public. A second fit is a second release and costs its budget again, so an
/// existing model is kept unless --force is given.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion fit study.toml --out results")]
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
    pub ledger: LedgerFile,
    /// Print the model file to standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Fit again although there is a model; it spends the budget again
    #[arg(long)]
    pub force: bool,
    /// Train without noise, for your own comparison: writes not-private-model.json
    #[arg(long)]
    pub not_private: bool,
    /// Draw the noise under a fixed seed, for tests: NOT PRIVATE, writes seeded-model.json
    #[arg(long, value_name = "N", conflicts_with = "not_private")]
    pub seed: Option<u64>,
    /// Threads to use; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Memory to stay within, such as 512MB; a larger table is kept in a nameless file in the output folder, and the
    /// result is the same [default: as much as the table needs]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory: Option<u64>,
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
/// Writes one line for each row: its number, its score, the probability of the positive class (logistic
/// models only) and the label. Columns that the model does not use are ignored.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion predict results/model.json new.csv --out scores.csv")]
pub struct Predict {
    /// A model file written by `discretion fit`
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The table: .csv, .csv.gz or .parquet
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
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

/// Say what a budget buys, without reading any data.
///
/// Give a study file, or the number of coefficients and a budget. Flags go before what the study says.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion plan --rows 30000 --columns 100 --epsilon 1 --lambda 1e-3",
    group = ArgGroup::new("shape").args(["study", "columns"]).required(true),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Plan {
    #[command(subcommand)]
    pub kind: Option<PlanKind>,
    /// Take columns, spend and model settings from this study file
    #[arg(long, value_name = "STUDY")]
    pub study: Option<PathBuf>,
    /// The number of rows
    #[arg(long, value_name = "N", required = true, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub rows: Option<u64>,
    /// Coefficients to learn: one for the intercept, for each numeric column and for each category
    #[arg(long, visible_alias = "coefficients", value_name = "D", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub columns: Option<u64>,
    /// The regularisation λ: a number or "auto" [default: the study's, or auto]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = lambda)]
    pub lambda: Option<LambdaOverride>,
    #[command(flatten)]
    pub budget: BudgetFlags,
    /// Plan with what is left in this account of the ledger or, with a budget, say how many such runs fit into it
    #[arg(long, value_name = "NAME")]
    pub account: Option<String>,
    #[command(flatten)]
    pub ledger: LedgerFile,
    /// The loss [default: the study's, or logistic]
    #[arg(long, value_parser = losses())]
    pub loss: Option<LossKind>,
    /// The mechanism [default: the study's, or auto]
    #[arg(long, value_parser = methods())]
    pub method: Option<Method>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Look at accounts: what was spent, on what, and what is left.
///
/// The ledger is one file. Every fit is charged to its account before it computes anything, and no entry
/// is ever changed or deleted.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion ledger show adult --why")]
pub struct Ledger {
    #[command(flatten)]
    pub ledger: LedgerFile,
    #[command(subcommand)]
    pub command: LedgerCommand,
}

/// What to do with the ledger.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Every account: its cap, what is spent and what is left
    #[command(after_help = "Example:\n  discretion ledger list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// One account: what is left, and everything that happened
    #[command(
        after_help = "With a budget it says how many more runs of that size fit (with a delta: of Gaussian noise).\n\n\
                      Example:\n  discretion ledger show adult --epsilon 0.5 --delta 1e-6"
    )]
    Show {
        /// The account
        account: String,
        /// Show every sum that counts, beside its limit
        #[arg(long)]
        why: bool,
        #[command(flatten)]
        size: BudgetFlags,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check that no entry was changed, left out or put in
    #[command(after_help = "Example:\n  discretion ledger verify --noted `cat head.txt`")]
    Verify {
        /// The head that an earlier verify printed: shows whether later entries were cut off
        #[arg(long, value_name = "HEAD")]
        noted: Option<String>,
    },
    Raise(Raise),
    /// Every entry as a line of JSON
    #[command(after_help = "Example:\n  discretion ledger export --out ledger.jsonl")]
    Export {
        /// Write here, instead of to standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long, requires = "out")]
        force: bool,
    },
}

/// Raise the cap of an account, with a reason that is kept.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion ledger raise adult --epsilon 5 --reason \"board decision of 12 March\""
)]
pub struct Raise {
    /// The account
    pub account: String,
    #[command(flatten)]
    pub cap: CapFlags,
    /// Why; asked for if it is left out
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// An account's cap on the command line.
#[derive(Debug, ClapArgs)]
pub struct CapFlags {
    /// The cap's ε
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// The cap's δ, beside ε or ρ
    #[arg(long, value_name = "D", allow_negative_numbers = true)]
    pub delta: Option<f64>,
    /// A zero-concentrated cap ρ
    #[arg(long, value_name = "R", allow_negative_numbers = true, conflicts_with = "epsilon")]
    pub rho: Option<f64>,
}

impl CapFlags {
    /// The cap.
    pub fn cap(&self) -> Result<Cap, Refusal> {
        Cap::new(self.epsilon, self.delta, self.rho)
            .map_err(|error| Refusal::bad_input(format!("--epsilon, --delta, --rho: {error}")))
    }
}

/// A budget on the command line.
#[derive(Debug, ClapArgs)]
pub struct BudgetFlags {
    /// The budget ε
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// The budget's δ
    #[arg(long, value_name = "D", allow_negative_numbers = true, requires = "epsilon")]
    pub delta: Option<f64>,
    /// A zero-concentrated budget ρ
    #[arg(long, value_name = "R", allow_negative_numbers = true, conflicts_with = "epsilon")]
    pub rho: Option<f64>,
}

impl BudgetFlags {
    /// Whether any of it was given.
    pub fn is_given(&self) -> bool {
        self.epsilon.is_some() || self.delta.is_some() || self.rho.is_some()
    }

    /// The budget.
    pub fn budget(&self) -> Result<Budget, Refusal> {
        Budget::new(self.epsilon, self.delta, self.rho)
            .map_err(|error| Refusal::bad_input(format!("--epsilon, --delta, --rho: {error}")))
    }
}

fn lambda(text: &str) -> Result<LambdaOverride, String> {
    match text {
        "auto" => Ok(LambdaOverride::Auto),
        _ => text.parse().map(LambdaOverride::Number).map_err(|_| "give a number or auto".to_owned()),
    }
}

fn losses() -> impl TypedValueParser<Value = LossKind> {
    PossibleValuesParser::new(["logistic", "hinge"]).map(|word| match word.as_str() {
        "hinge" => LossKind::Hinge,
        _ => LossKind::Logistic,
    })
}

fn methods() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(["auto", "objective", "output"]).map(|word| match word.as_str() {
        "objective" => Method::Objective,
        "output" => Method::Output,
        _ => Method::Auto,
    })
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
