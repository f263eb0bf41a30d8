//! One file for each command.

mod answer;
mod audit;
mod demo;
mod density;
mod fit;
mod ledger;
mod party;
mod plan;
mod predict;
mod report;
mod reproduce;
mod sample;
mod schema;
mod serve;

use crate::args::{Args, Command};
use discretion::Refusal;

/// Runs what was asked for.
pub fn run(args: &Args) -> Result<(), Refusal> {
    match &args.command {
        Command::Answer(args) => answer::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Party(args) => party::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Ledger(args) => ledger::run(args),
        Command::Report(args) => report::run(args),
        Command::Density(args) => density::run(args),
        Command::Sample(args) => sample::run(args),
        Command::Reproduce(args) => reproduce::run(args),
        Command::Audit(args) => audit::run(args),
    }
}
