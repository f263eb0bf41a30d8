//! The experiment of Chaudhuri & Vinterbo 2013, section 5: λ chosen privately, their way and ours.
//!
//! docs/tuning.md shows the results and says where they differ from the paper's.

mod experiment;
mod figures;
pub(crate) mod folds;
pub mod made_up;
pub mod measures;
mod methods;
mod picks;
mod printed;
mod text;

pub use experiment::{Experiment, ExperimentResults, Summary, on_all_cores};
pub use methods::Method;
pub use picks::{Comparison, Picks};

use crate::tables::{ADULT, MAGIC};
use crate::{Failure, Options, Progress, Results};
use discretion::erm::matrix::Matrix;
use discretion::privacy::Budget;
use discretion::train;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Θ, as the paper prints it.
pub const PRINTED: [f64; 10] = [0.001, 0.112, 0.223, 0.334, 0.445, 0.556, 0.667, 0.778, 0.889, 1.0];

/// Ten λ from 1e-5 to 1, evenly spaced in their logarithm.
pub const WIDE: [f64; 10] =
    [1e-5, 3.594e-5, 1.292e-4, 4.642e-4, 1.668e-3, 5.995e-3, 2.154e-2, 7.743e-2, 0.2783, 1.0];

/// The paper's privacy levels.
const ALPHAS: [f64; 6] = [0.3, 0.5, 1.0, 2.0, 3.0, 5.0];

/// δ of the one budget that the paper does not have.
const DELTA: f64 = 1e-6;

/// Choices of each rule on the made-up table and on the real ones.
const CHOICES: [u64; 2] = [200, 40];

/// A table whose best λ is far from the smallest. Output perturbation, because objective
/// perturbation would not let the smallest λ take part.
const FAINT: Comparison<'_> = Comparison {
    name: "faint (made up)",
    grid: "wide",
    lambdas: &WIDE,
    method: train::Method::Output,
    epsilon: 0.5,
    choices: CHOICES[0],
};

/// Its size.
const FAINT_ROWS: usize = 5000;

/// Runs it.
pub fn run(options: &Options, progress: Progress<'_>) -> Result<Results, Failure> {
    let tables = tables(options)?;
    let wanted: Vec<(&Matrix, Experiment)> = tables
        .iter()
        .flat_map(|(name, matrix)| experiments(name, options.quick).map(|one| (matrix, one)))
        .collect();
    let (all, done) = (wanted.iter().map(|(_, one)| one.tasks()).sum(), AtomicUsize::new(0));
    let mut text = String::new();
    let (mut results, mut speeds, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    for (matrix, experiment) in wanted {
        let started = Instant::now();
        let one = experiment.run(matrix, options.seed, &|| {
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
        })?;
        let seconds = started.elapsed().as_secs_f64();
        let speed = one.trained as f64 / seconds;
        text.push_str(&text::tables(&one));
        text.push_str(&format!(
            "\n  {} private classifiers in {seconds:.0} s, {speed:.0} per second\n\n",
            one.trained
        ));
        figures.extend(figures::draw(&one));
        speeds.push(Speed {
            table: one.experiment.table,
            grid: one.experiment.grid,
            classifiers: one.trained,
            seconds,
        });
        results.push(one);
    }
    text.push_str(&text::against_printed(&results, 1.0));
    let picks = compare_rules(&tables, options)?;
    text.push_str(&format!("\n{}", text::picks(&picks)));
    let summaries = results.iter().flat_map(|one| &one.summaries).collect();
    let everything = Everything { summaries, picks: &picks, speeds };
    let json = serde_json::to_string_pretty(&everything).map_err(failed)? + "\n";
    Ok(Results { text, json, figures })
}

/// What machines are told.
#[derive(Serialize)]
struct Everything<'a> {
    summaries: Vec<&'a Summary>,
    picks: &'a [Picks],
    speeds: Vec<Speed>,
}

/// How long an experiment took.
#[derive(Serialize)]
struct Speed {
    table: &'static str,
    grid: &'static str,
    classifiers: usize,
    seconds: f64,
}

fn tables(options: &Options) -> Result<Vec<(&'static str, Matrix)>, Failure> {
    match &options.data {
        Some(folder) if !options.quick => {
            [ADULT, MAGIC].iter().map(|table| Ok((table.name, table.read(folder)?))).collect()
        }
        _ => Ok(vec![("made-up", made_up::census(2000, options.seed))]),
    }
}

/// The paper's own list of λ in full, and the wider one with fewer repeats.
fn experiments(table: &'static str, quick: bool) -> [Experiment; 2] {
    let pure =
        |alphas: &[f64]| alphas.iter().map(|&epsilon| Budget::Pure { epsilon }).collect::<Vec<_>>();
    let printed = Experiment {
        table,
        grid: "printed",
        lambdas: PRINTED.to_vec(),
        budgets: pure(&ALPHAS),
        repeats: 10,
        folds: 10,
        rounds: 10,
        both_families: 2,
    };
    let with_delta = Budget::Approximate { epsilon: 1.0, delta: DELTA };
    let wide = Experiment {
        grid: "wide",
        lambdas: WIDE.to_vec(),
        budgets: [pure(&ALPHAS), vec![with_delta]].concat(),
        repeats: 2,
        ..printed.clone()
    };
    if !quick {
        return [printed, wide];
    }
    let short = |one: Experiment| Experiment { repeats: 1, rounds: 2, ..one };
    [
        Experiment { budgets: pure(&[0.5, 1.0]), ..short(printed) },
        Experiment { budgets: vec![Budget::Pure { epsilon: 1.0 }, with_delta], ..short(wide) },
    ]
}

fn compare_rules(
    tables: &[(&'static str, Matrix)],
    options: &Options,
) -> Result<Vec<Picks>, Failure> {
    let [many, few] = if options.quick { [20, 10] } else { CHOICES };
    let faint = Comparison { choices: many, ..FAINT };
    let mut all = vec![faint.run(&made_up::faint(FAINT_ROWS, options.seed), options.seed)?];
    for (name, table) in tables {
        for (grid, lambdas) in [("wide", &WIDE), ("printed", &PRINTED)] {
            let comparison = Comparison {
                name,
                grid,
                lambdas,
                method: train::Method::Auto,
                epsilon: 1.0,
                choices: few,
            };
            all.push(comparison.run(table, options.seed)?);
        }
    }
    Ok(all)
}

/// One seed from several numbers, so that every draw of an experiment has a stream of its own.
pub(crate) fn seed_of(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |seed: u64, &part| {
        // The finaliser of SplitMix64.
        let mut mixed = (seed ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

/// An error of the library, which under these settings is one of the machine.
fn failed(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_form_runs_and_every_method_is_in_the_table() {
        let results = run(&Options { data: None, quick: true, seed: 1 }, &|_, _| {}).unwrap();
        for method in Method::ALL {
            assert!(
                results.text.contains(method.name()),
                "{method:?} is missing:\n{}",
                results.text
            );
        }
        assert!(results.text.contains("(1, 1e-6)") && results.text.contains("per second"));
        assert_eq!(results.figures.len(), 6);
        let json: serde_json::Value = serde_json::from_str(&results.json).unwrap();
        for summary in json["summaries"].as_array().unwrap() {
            let number = |name: &str, of: &str| summary[name][of].as_f64().unwrap();
            assert!(number("auc", "lower") <= number("auc", "mean"), "{summary}");
            assert!((0.0..=1.0).contains(&number("auc", "mean")), "{summary}");
            assert!((0.0..=1.0).contains(&number("mse", "mean")), "{summary}");
        }
        assert_eq!(json["picks"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let experiment = |seed| {
            let [mut short, _] = experiments("made-up", true);
            short.budgets.truncate(1);
            let results = short.run(&made_up::census(600, 3), seed, &|| {}).unwrap();
            results.summaries.iter().map(|s| s.auc.mean).collect::<Vec<_>>()
        };
        assert_eq!(experiment(4), experiment(4));
        assert_ne!(experiment(4), experiment(5));
    }

    #[test]
    fn the_wide_list_is_evenly_spaced() {
        for (i, lambda) in WIDE.into_iter().enumerate() {
            let even = 10f64.powf(-5.0 + 5.0 * i as f64 / 9.0);
            assert!((lambda / even - 1.0).abs() < 1e-3, "{lambda} against {even}");
        }
    }
}
