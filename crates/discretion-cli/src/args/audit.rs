//! `audit`.

use super::BudgetFlags;
#[cfg(feature = "audit")]
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use clap::{ArgGroup, Args as ClapArgs};
#[cfg(feature = "audit")]
use discretion::audit::shipped::Shipped;
use std::path::PathBuf;

/// Test a privacy claim: bound from below what a mechanism really costs.
///
/// A mechanism is run many times on two neighbouring tables. Half of the runs choose an event that
/// tells the tables apart; the other half measure it, and its two frequencies prove that ε is at
/// least so much. A bound above the claim refutes the claim, and the exit code is 1. The tables are
/// invented; no study and no account is touched.
///
/// With --command any program can be audited: it is started with the path of a table and a number
/// of runs, and prints one output for each run on a line of its own, as numbers with spaces between
/// them.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  discretion audit --all\n  discretion audit --mechanism output --rho 0.5 --trials 1000000\n  \
                  discretion audit --command \"python3 mech.py\" --left a.csv --right b.csv --epsilon 1",
    group = ArgGroup::new("what").args(["mechanism", "all", "command"]).required(true)
)]
pub struct Audit {
    /// A mechanism of this program
    #[arg(long, value_name = "NAME", value_parser = mechanisms())]
    pub mechanism: Option<Shipped>,
    /// Every mechanism of this program, under every kind of budget that it takes
    #[arg(long, conflicts_with_all = ["epsilon", "rho", "rows"])]
    pub all: bool,
    /// A program of your own, with its arguments; it is started without a shell
    #[arg(long, value_name = "PROGRAM", requires_all = ["left", "right"], conflicts_with_all = ["exact", "rows"])]
    pub command: Option<String>,
    /// A table for the program
    #[arg(long, value_name = "FILE", requires = "command")]
    pub left: Option<PathBuf>,
    /// Its neighbour: as many lines, one of which differs
    #[arg(long, value_name = "FILE", requires = "command")]
    pub right: Option<PathBuf>,
    #[command(flatten)]
    pub budget: BudgetFlags,
    /// Rows of the neighbouring tables [default: few, so that many runs take little time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(3..=1_000_000))]
    pub rows: Option<u64>,
    /// Runs on each of the two tables
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub trials: usize,
    /// The probability with which a bound holds
    #[arg(long, value_name = "P", default_value_t = 0.999, allow_negative_numbers = true)]
    pub confidence: f64,
    /// The same runs each time, for tests [default: the operating system's randomness]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// No runs: compare the exact laws, where they can be written down
    #[arg(long)]
    pub exact: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Without its mechanisms the command is only parsed, to say which feature brings it.
#[cfg(not(feature = "audit"))]
type Shipped = String;

#[cfg(not(feature = "audit"))]
fn mechanisms() -> impl TypedValueParser<Value = Shipped> {
    clap::builder::StringValueParser::new()
}

#[cfg(feature = "audit")]
fn mechanisms() -> impl TypedValueParser<Value = Shipped> {
    PossibleValuesParser::new(Shipped::ALL.map(Shipped::name))
        .map(|word| Shipped::named(&word).expect("one of the names"))
}
