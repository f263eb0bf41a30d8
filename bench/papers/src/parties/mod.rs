//! Several holders, one model: Pathak, Rane & Raj 2010 and this library on tables that are split
//! among holders.
//!
//! docs/parties.md shows the results and says how the rules were chosen.

mod accuracy;
mod clear;
mod coverage;
mod methods;
mod present;
mod rules;
mod split;

#[cfg(test)]
mod tests;

use crate::tables::ADULT;
use crate::tuning::made_up;
use crate::{Failure, Options, Progress, Results};
use discretion::erm::matrix::Matrix;
use discretion::joint::Sharing;
use discretion::privacy::Budget;
use methods::failed;
pub use rules::text as rules;
use split::{Deal, Sizes, Split};
use std::sync::atomic::{AtomicUsize, Ordering};

/// δ of the budget that the paper does not have.
const DELTA: f64 = 1e-6;

/// The budgets.
const BUDGETS: [Budget; 2] =
    [Budget::Pure { epsilon: 1.0 }, Budget::Approximate { epsilon: 1.0, delta: DELTA }];

/// The coefficient of Adult's `education-num`, which sorted rows are sorted by: after the intercept
/// and age.
const EDUCATION: usize = 2;

/// Accuracy on one table.
struct TableAccuracy {
    name: &'static str,
    /// Training rows of a fold.
    rows: usize,
    splits: Vec<Split>,
    lines: Vec<accuracy::Line>,
}

/// Everything.
struct Measurements {
    sharing: Sharing,
    tables: Vec<TableAccuracy>,
    coverage: Vec<coverage::Line>,
    rows_covered: usize,
}

/// How much of it is run.
struct Extent {
    holders: Vec<usize>,
    folds: usize,
    draws: usize,
    /// Samples of the table and of the made-up population that intervals are computed on.
    samples: [usize; 2],
    /// Rows of the made-up population of intervals.
    population: usize,
}

/// Runs it.
pub fn run(options: &Options, progress: Progress<'_>) -> Result<Results, Failure> {
    let adult = options.data.as_ref().filter(|_| !options.quick);
    let (name, table, extent) = match adult {
        Some(folder) => {
            let extent = Extent {
                holders: vec![5, 20],
                folds: 3,
                draws: 10,
                samples: [10, 100],
                population: 20_000,
            };
            (ADULT.name, ADULT.read(folder)?, extent)
        }
        None => {
            let extent = Extent {
                holders: vec![2, 3],
                folds: 2,
                draws: 2,
                samples: [2, 6],
                population: 2_000,
            };
            ("made-up", made_up::census(2_000, options.seed), extent)
        }
    };
    measure(name, &table, &extent, options.seed, progress)
}

fn measure(
    name: &'static str,
    table: &Matrix,
    extent: &Extent,
    seed: u64,
    progress: Progress<'_>,
) -> Result<Results, Failure> {
    let sharing = Sharing::new(2, 1).map_err(failed)?;
    let split = |holders: usize, sizes: Sizes, dealt: Deal| Split { holders, sizes, dealt };
    let splits: Vec<Split> = extent
        .holders
        .iter()
        .flat_map(|&holders| {
            [
                split(holders, Sizes::Even, Deal::AtRandom),
                split(holders, Sizes::Doubling, Deal::AtRandom),
                split(holders, Sizes::Even, Deal::Sorted),
            ]
        })
        .collect();
    let setting = accuracy::Setting {
        splits: splits.clone(),
        column: EDUCATION,
        budgets: BUDGETS.to_vec(),
        sharing,
        folds: extent.folds,
        draws: extent.draws,
    };
    let population = made_up::census(extent.population, seed);
    let few = extent.holders[0];
    let interval = |population, name, dealt, budget, samples| coverage::Setting {
        name,
        population,
        split: split(few, Sizes::Doubling, dealt),
        column: EDUCATION,
        sharing,
        budget,
        samples,
    };
    let [few_samples, many] = extent.samples;
    let intervals = [
        (interval(&population, "made-up", Deal::AtRandom, BUDGETS[0], many), true),
        (interval(&population, "made-up", Deal::AtRandom, BUDGETS[1], many), true),
        (interval(&population, "made-up", Deal::Sorted, BUDGETS[1], many), false),
        (interval(table, name, Deal::AtRandom, BUDGETS[1], few_samples), false),
        (interval(table, name, Deal::Sorted, BUDGETS[1], few_samples), false),
    ];
    let (all, done) = (setting.tasks() + intervals.len(), AtomicUsize::new(0));
    let step = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
    let lines = setting.run(table, seed, &step)?;
    let mut coverage = Vec::new();
    for (setting, with_others) in intervals {
        coverage.extend(setting.run(if with_others { &coverage::OTHERS } else { &[] }, seed)?);
        step();
    }
    let rows = table.rows() - table.rows() / extent.folds;
    let tables = vec![TableAccuracy { name, rows, splits, lines }];
    present::results(&Measurements { sharing, tables, coverage, rows_covered: table.rows() })
}
