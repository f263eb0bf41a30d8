//! Confidence intervals: Wang, Kifer & Lee 2018, section 7, on the tables that are public.
//!
//! Each table is taken as the population. Bootstrap replicates of it are counts of rows; on each,
//! coefficients and intervals are released by the library, and once more with the paper's constants
//! as printed. What is counted is how often the population's own coefficients are covered, and how
//! long intervals are beside the variability interval.

mod columns;
mod measure;
mod paper;
mod population;
mod present;
mod printed;
mod setting;
mod smoothing;
mod split;
mod stopping;
mod sweeps;

#[cfg(test)]
mod tests;

pub use smoothing::smoothing;
pub use split::splits;
pub use stopping::stopping;

use crate::{Failure, Options, Progress, Results};
use measure::measure;
use present::SweepResults;
use sweeps::Sweep;

/// Runs it.
pub fn run(options: &Options, progress: Progress<'_>) -> Result<Results, Failure> {
    let sweeps = sweeps::sweeps(options);
    let settings = setting::all(sweeps::EPSILONS).len();
    // Cells differ in cost by their replicates most of all.
    let cost = |sweep: &Sweep| sweep.values.len() * settings * sweep.replicates;
    let (mut done, of) = (0, sweeps.iter().map(cost).sum());
    progress(done, of);
    let mut measured = Vec::new();
    for sweep in sweeps {
        let replicates = sweep.replicates;
        measured.push(fill(sweep, options, &mut || {
            done += replicates;
            progress(done, of);
        })?);
    }
    let mut text = String::from(HEAD);
    for results in &measured {
        text.push_str(&format!("\n{}{}", results.text(), results.verdict()));
    }
    let json: Vec<serde_json::Value> = measured.iter().map(SweepResults::json).collect();
    let json = serde_json::to_string_pretty(&json).map_err(|error| Failure(error.to_string()))?;
    Ok(Results {
        text,
        json: json + "\n",
        figures: measured.iter().flat_map(SweepResults::figures).collect(),
    })
}

const HEAD: &str = "Coverage of 95 % intervals, and their mean length over that of the variability interval.\n\
    paper: what the paper prints. as printed: its constants, run here. ours: the library.\n\
    An experiment on public tables under fixed seeds; nothing here is private.\n";

/// Measures every cell of a sweep.
fn fill(sweep: Sweep, options: &Options, step: &mut dyn FnMut()) -> Result<SweepResults, Failure> {
    let read = sweep.read(options)?;
    let mut lines: Vec<_> =
        setting::all(sweep.epsilons).into_iter().map(|setting| (setting, Vec::new())).collect();
    for &value in &sweep.values {
        let population = sweep.population(&read, value, options.seed);
        for ((_, cells), setting) in lines.iter_mut().zip(setting::all(sweep.epsilons(value))) {
            cells.push(measure(&population, &setting, sweep.replicates, options.seed)?);
            step();
        }
    }
    Ok(SweepResults { sweep, lines })
}
