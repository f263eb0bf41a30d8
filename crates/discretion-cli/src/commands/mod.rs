//! One file for each command.

#[cfg(feature = "learners")]
mod answer;
#[cfg(feature = "audit")]
mod audit;
mod check;
mod demo;
mod density;
mod dossier;
mod evaluate;
mod export;
mod fit;
mod ledger;
#[cfg(feature = "party")]
mod party;
mod plan;
mod predict;
#[cfg(feature = "learners")]
mod rehearse;
mod release;
mod report;
mod sample;
mod schema;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "studio")]
mod studio;

use crate::args::{Args, Command};
use discretion::Refusal;

/// A command that this program was built without.
macro_rules! not_built_in {
    ($command:ident, $args:ident, $feature:literal) => {
        #[cfg(not(feature = $feature))]
        mod $command {
            pub fn run(_: &crate::args::$args) -> Result<(), discretion::Refusal> {
                Err(discretion::Refusal::bad_input(concat!(
                    "`discretion ",
                    stringify!($command),
                    "` was not built into this program; `make build` has everything, and `--features ",
                    $feature,
                    "` brings this"
                )))
            }
        }
    };
}

not_built_in!(answer, Answer, "learners");
not_built_in!(audit, Audit, "audit");
not_built_in!(party, Party, "party");
not_built_in!(serve, Serve, "serve");
not_built_in!(studio, Studio, "studio");

/// For those who learned the command from an older page.
const PAPERS: &str = "the papers' experiments are a program of their own, which is run in the source tree: \
                      cargo run --release --manifest-path bench/papers/Cargo.toml -- tuning --data DIR (or intervals, voting, parties)";

/// Runs what was asked for.
pub fn run(args: &Args) -> Result<(), Refusal> {
    match &args.command {
        Command::Answer(args) => answer::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Studio(args) => studio::run(args),
        Command::Demo(args) => demo::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Check(args) => check::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Party(args) => party::run(args),
        Command::Plan(args) => plan::run(args),
        Command::Ledger(args) => ledger::run(args),
        Command::Report(args) => report::run(args),
        Command::Dossier(args) => dossier::run(args),
        Command::Export(args) => export::run(args),
        Command::Evaluate(args) => evaluate::run(args),
        Command::Density(args) => density::run(args),
        Command::Release(args) => release::run(args),
        Command::Sample(args) => sample::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Reproduce { .. } => Err(Refusal::bad_input(PAPERS.to_owned())),
    }
}
