//! `discretion plan`.

use super::{BudgetFlags, LedgerFile, PlanKind, Settings, StudyFile};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args as ClapArgs};
use discretion::loss::LossKind;
use discretion::train::Method;
use discretion_jobs::plan::training::LambdaOverride;

/// Say what a budget buys, without reading any data.
///
/// Give a study file, or the number of coefficients and a budget. Flags go before what the study
/// says.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Examples:\n  discretion plan study.toml --rows 30000\n  discretion plan study.toml --rows 30000 --set intervals.level=0.9\n  discretion plan --rows 30000 --columns 100 --epsilon 1 --lambda 1e-3",
    // Without `--study`, which is hidden.
    override_usage = "discretion plan [OPTIONS] <STUDY|--columns <D>>\n       discretion plan <COMMAND>",
    group = ArgGroup::new("shape").args(["StudyFile", "columns"]).required(true),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Plan {
    #[command(subcommand)]
    pub kind: Option<PlanKind>,
    #[command(flatten)]
    pub study: StudyFile,
    #[command(flatten)]
    pub settings: Settings,
    /// The number of rows, or of persons if the study is about them [default: several plausible
    /// ones, a line each]
    #[arg(long, visible_alias = "persons", value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub rows: Option<u64>,
    /// Coefficients to learn: one for the intercept, for each numeric column and for each category
    #[arg(long, visible_alias = "coefficients", value_name = "D", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub columns: Option<u64>,
    /// The regularisation λ: a number or "auto" [default: the study's, or auto]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = lambda)]
    pub lambda: Option<LambdaOverride>,
    #[command(flatten)]
    pub budget: BudgetFlags,
    /// Plan with what is left in this account of the ledger or, with a budget, say how many such
    /// runs fit into it
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

fn lambda(text: &str) -> Result<LambdaOverride, String> {
    match text {
        "auto" => Ok(LambdaOverride::Auto),
        _ => {
            text.parse().map(LambdaOverride::Number).map_err(|_| "give a number or auto".to_owned())
        }
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
