//! What should the defaults of tuning be? Prints the mean AUC on held-out rows of models tuned over
//! ten λ from 1e-5 to 1, one setting changed at a time, on the public tables: the tables under "The
//! defaults" in docs/tuning.md. `cargo run --release --example tuning_defaults -- DATA_DIR SEEDS
//! [Adult|MAGIC|Banking ...]` in bench/papers

use discretion::choose::split::is_validation;
use discretion::erm::Oracle;
use discretion::erm::matrix::{Matrix, Rows};
use discretion::loss::LossKind;
use discretion::loss::Score;
use discretion::noise::Seeded;
use discretion::privacy::{Budget, Stopping};
use discretion::train::{Method, Training};
use discretion::tune::{SplitTable, Tuning, TuningPlan, TuningRule};
use discretion_papers::Failure;
use discretion_papers::tables::{ADULT, BANK, MAGIC};
use discretion_papers::tuning::{WIDE, measures, on_all_cores};
use rayon::prelude::*;
use std::path::PathBuf;

/// Every so many rows are held out, another set for each of the first few seeds.
const HELD_OUT: usize = 5;

/// A way of tuning, and its law if it is not the default one.
struct Setting {
    name: String,
    tuning: Tuning,
    law: Option<Stopping>,
}

fn settings(budget: Budget) -> Vec<Setting> {
    let new = |rule| Tuning {
        rule,
        ..Tuning::new(LossKind::Logistic, WIDE.to_vec(), Method::Auto, budget)
    };
    let (by_score, stopping) = (new(TuningRule::Generalised), new(TuningRule::RandomStopping));
    let mut all = Vec::new();
    let mut add = |name: String, tuning: Tuning, law| all.push(Setting { name, tuning, law });
    for share in [0.1, 0.2, 0.3, 0.5] {
        add(format!("generalised, share {share}"), Tuning { share, ..by_score.clone() }, None);
    }
    for validation in [0.05, 0.2, 0.3] {
        add(
            format!("generalised, validation {validation}"),
            Tuning { validation, ..by_score.clone() },
            None,
        );
    }
    for score in [Score::Ramp, Score::Logistic, Score::Hinge] {
        add(
            format!("generalised, score {}", score.name()),
            Tuning { score, ..by_score.clone() },
            None,
        );
    }
    for (shape, most) in [(0.0, 300), (0.0, 1000), (0.5, 100), (0.5, 300), (1.0, 20), (1.0, 40)] {
        let law = Stopping::new(shape, most).expect("a law that exists");
        add(format!("stopping, law ({shape}, {most})"), stopping.clone(), Some(law));
    }
    for validation in [0.05, 0.1, 0.2, 0.3] {
        add(
            format!("stopping, validation {validation}"),
            Tuning { validation, ..stopping.clone() },
            None,
        );
    }
    for score in [Score::Ramp, Score::Logistic, Score::Hinge, Score::Error] {
        add(
            format!("stopping, score {}", score.name()),
            Tuning { score, ..stopping.clone() },
            None,
        );
    }
    all
}

/// Rows to learn from, and rows to be measured on.
fn halves(table: &Matrix, seed: u64) -> [Matrix; 2] {
    let shift = seed as usize % HELD_OUT;
    let (test, rest): (Vec<usize>, Vec<usize>) =
        (0..table.rows()).partition(|row| row % HELD_OUT == shift);
    [rest, test].map(|rows| table.gather(&rows))
}

fn tuned_auc(table: &Matrix, setting: &Setting, seed: u64) -> Result<f64, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure(error.to_string());
    let [all, test] = halves(table, seed);
    let (validating, training): (Vec<usize>, Vec<usize>) =
        (0..all.rows()).partition(|&row| is_validation(row, setting.tuning.validation));
    let [training, validation] = [training, validating].map(|rows| all.gather(&rows));
    let [training, validation, all] = [training, validation, all].map(Rows::from);
    let split = SplitTable { training: &training, validation: &validation, all: &all };
    let plan: TuningPlan = match setting.law {
        Some(law) => setting.tuning.plan_stopping(split.facts(), law),
        None => setting.tuning.plan(split.facts()),
    }
    .map_err(|error| failed(&error))?;
    let model = plan.run(split, &mut Seeded::new(seed)).map_err(|error| failed(&error))?;
    Ok(measures::auc(measures::margins(&test, &model.coefficients)))
}

fn auto_auc(table: &Matrix, budget: Budget, seed: u64) -> Result<f64, Failure> {
    let [all, test] = halves(table, seed);
    let all = Rows::from(all);
    let training =
        Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
    let plan = training.plan(all.facts()).map_err(|error| Failure(error.to_string()))?;
    let theta =
        plan.fit(&all, &mut Seeded::new(seed)).map_err(|error| Failure(error.to_string()))?;
    Ok(measures::auc(measures::margins(&test, &theta)))
}

#[allow(clippy::print_stdout)] // a measuring program
fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let usage = || Failure("say where the tables are and how many seeds to run".to_owned());
    let folder = PathBuf::from(arguments.next().ok_or_else(usage)?);
    let seeds: u64 = arguments.next().and_then(|seeds| seeds.parse().ok()).ok_or_else(usage)?;
    let names: Vec<String> = arguments.collect();
    for table in [ADULT, MAGIC, BANK]
        .iter()
        .filter(|t| names.is_empty() || names.iter().any(|n| n == t.name))
    {
        let rows = table.read(&folder)?;
        for budget in
            [Budget::Pure { epsilon: 1.0 }, Budget::Approximate { epsilon: 1.0, delta: 1e-6 }]
        {
            println!("{}, {budget}, {seeds} seeds: AUC", table.name);
            let print = |name: &str, of: &(dyn Fn(u64) -> Result<f64, Failure> + Sync)| {
                let found: Vec<f64> =
                    on_all_cores(|| (0..seeds).into_par_iter().map(of).collect::<Result<_, _>>())?;
                let estimate = measures::Estimate::of(&found);
                println!("  {name:<32} {:.4} ±{:.4}", estimate.mean, estimate.half_width());
                Ok::<(), Failure>(())
            };
            print("no tuning, lambda = auto", &|seed| auto_auc(&rows, budget, seed))?;
            for setting in settings(budget) {
                print(&setting.name, &|seed| tuned_auc(&rows, &setting, seed))?;
            }
        }
    }
    Ok(())
}
