//! How a budget should be divided between coefficients, Hessian and covariance: coverage and length
//! by split.

use super::columns::{ADULT_FROM_THE_LEFT, ADULT_MIXED, BANK_FROM_THE_LEFT, BANK_MIXED};
use super::measure::{Tally, measure_ours};
use super::population::{Population, Values};
use super::setting::LAMBDA;
use crate::tables::{ADULT, BANK};
use crate::{Failure, Options, Progress, Results};
use discretion::interval::Split;
use discretion::loss::LossKind;
use discretion::privacy::Budget;
use discretion::train::{Method, Training};
use serde_json::json;

/// The splits that are compared.
const SPLITS: [[f64; 3]; 6] = [
    [0.5, 0.25, 0.25],
    [0.6, 0.2, 0.2],
    [0.7, 0.15, 0.15],
    [0.8, 0.1, 0.1],
    [0.9, 0.05, 0.05],
    [0.8, 0.15, 0.05],
];

const DELTA: f64 = 1e-6;

/// A population and what is tried on it.
struct Case {
    name: &'static str,
    population: Population,
    replicates: usize,
    budgets: Vec<Budget>,
}

/// Measures every split on Adult and Banking. The lengths are means over coefficients, and λ is
/// fixed: with `lambda = "auto"` every split would have another λ, and lengths that do not compare.
pub fn splits(options: &Options, progress: Progress<'_>) -> Result<Results, Failure> {
    let cases = cases(options)?;
    let of = cases.iter().map(|case| case.budgets.len() * SPLITS.len()).sum();
    let mut done = 0;
    let heads: String =
        SPLITS.iter().map(|[a, b, c]| format!("{:>16}", format!("{a}:{b}:{c}"))).collect();
    let mut text = format!("coverage and mean length of 95 % intervals\n{:36}{heads}\n", "");
    let mut json = Vec::new();
    for case in &cases {
        for &budget in &case.budgets {
            let mut cells = String::new();
            for [training, hessian, covariance] in SPLITS {
                let split = Split::new(training, hessian, covariance)
                    .map_err(|error| Failure(error.to_string()))?;
                let tally = case.tally(budget, split, options.seed);
                let cell = match &tally {
                    Ok(tally) => format!("{:.3} {:>8.4}", tally.coverage, tally.all.mean),
                    Err(_) => "refused".to_owned(),
                };
                cells.push_str(&format!("{cell:>16}"));
                json.push(json!({
                    "table": case.name,
                    "budget": budget,
                    "split": [training, hessian, covariance],
                    "measured": tally.as_ref().ok(),
                    "refused": tally.as_ref().err().map(|failed| &failed.0),
                }));
                done += 1;
                progress(done, of);
            }
            text.push_str(&format!("{:36}{cells}\n", format!("{}, {budget}", case.name)));
        }
    }
    let json = serde_json::to_string_pretty(&json).map_err(|error| Failure(error.to_string()))?;
    Ok(Results { text, json, figures: Vec::new() })
}

impl Case {
    fn tally(&self, budget: Budget, split: Split, seed: u64) -> Result<Tally, Failure> {
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(LAMBDA),
            method: Method::Auto,
            budget,
        };
        measure_ours(&self.population, &training, split, self.replicates, seed)
    }
}

fn cases(options: &Options) -> Result<Vec<Case>, Failure> {
    let pure = |epsilon: f64| Budget::Pure { epsilon };
    let with_delta = |epsilon: f64| Budget::Approximate { epsilon, delta: DELTA };
    let zcdp = |rho: f64| Budget::Zcdp { rho };
    let budgets = vec![pure(1.0), with_delta(1.0), zcdp(0.1), pure(0.3), zcdp(0.01)];
    if options.quick {
        let population = Values::made_up(4000, 4, options.seed).population(4, None, options.seed);
        let budgets = vec![pure(4.0), with_delta(4.0), zcdp(1.0)];
        return Ok(vec![Case { name: "made up", population, replicates: 10, budgets }]);
    }
    let folder = options
        .data
        .as_deref()
        .ok_or_else(|| Failure("the folder with the public tables is missing".to_owned()))?;
    let mut cases = Vec::new();
    // Replicates and noise are the same for every split, so lengths compare well even where there
    // are few of them.
    for (name, chosen, replicates) in [
        ("Adult left, 10", &ADULT_FROM_THE_LEFT, 300),
        ("Banking left, 10", &BANK_FROM_THE_LEFT, 300),
        ("Adult mixed, 10", &ADULT_MIXED, 100),
        ("Banking mixed, 10", &BANK_MIXED, 100),
    ] {
        let population = Values::read(chosen, folder)?.population(10, None, options.seed);
        cases.push(Case { name, population, replicates, budgets: budgets.clone() });
    }
    for (name, table) in [("Banking, all", &BANK), ("Adult, all", &ADULT)] {
        let population = Population::of(table.read(folder)?);
        let budgets = vec![with_delta(1.0), with_delta(3.0), zcdp(0.1), zcdp(1.0)];
        cases.push(Case { name, population, replicates: 30, budgets });
    }
    Ok(cases)
}
