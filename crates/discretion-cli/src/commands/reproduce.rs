//! `discretion reproduce`: the papers' experiments on public tables.

use crate::args::{Experiment, Experimenting, Reproduce};
use crate::files::{self, OutputFolder, Readers};
use crate::out;
use crate::progress::Counting;
use discretion::Refusal;
use discretion_reproduce::{Options, intervals, parties, tuning, voting};

/// Runs one experiment, writes its figures and prints its table.
pub fn run(args: &Reproduce) -> Result<(), Refusal> {
    let (experiment, args): (fn(&Options, _) -> _, &Experimenting) = match &args.experiment {
        Experiment::Tuning(args) => (tuning::run, args),
        Experiment::Intervals(args) => (intervals::run, args),
        Experiment::Voting(args) => (voting::run, args),
        Experiment::Parties(args) => (parties::run, args),
    };
    let folder = OutputFolder::prepare(&args.out)?;
    let options = Options { data: args.data.clone(), quick: args.quick, seed: args.seed };
    let counting = Counting::new("running");
    let results = experiment(&options, &|done, of| counting.update(done, of))
        .map_err(|failed| Refusal::bad_input(failed.0))?;
    drop(counting);
    for (name, figure) in &results.figures {
        files::write(&folder.join(name), Readers::Anyone, figure)?;
    }
    if args.json {
        return out::print(&results.json);
    }
    let names: Vec<String> =
        results.figures.iter().map(|(name, _)| folder.join(name).display().to_string()).collect();
    out::print(&format!("{}\nfigures: {}\n", results.text, names.join(", ")))
}
