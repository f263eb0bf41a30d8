//! What random stopping does to intervals: their coverage after the best of several runs was
//! released, beside that of one run with the same budget for its training.

use super::columns::{ADULT_MIXED, BANK_MIXED};
use super::measure::{LEVEL, mixed};
use super::population::{Population, Values};
use crate::{Failure, Options, Progress, Results};
use discretion::fit::{Choosing, Lambda, Request, Table};
use discretion::interval::{Intervals, Split};
use discretion::loss::LossKind;
use discretion::noise::Seeded;
use discretion::privacy::Budget;
use discretion::train::Method;
use discretion::tune::{SplitTable, Tuning, TuningRule};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The candidates. With the largest, intervals cover a θ₀(λ) that is far from that of the others.
const LAMBDAS: [f64; 5] = [0.0005, 0.001, 0.002, 0.005, 0.02];

/// The share of rows that only validate.
const VALIDATION: f64 = Tuning::VALIDATION;

/// Measures coverage by budget, for random stopping and for the other rule, which trains once and
/// on λ alone depends on the rows.
pub fn stopping(
    options: &Options,
    replicates: usize,
    progress: Progress<'_>,
) -> Result<Results, Failure> {
    let tables = tables(options)?;
    let budgets = [
        Budget::Pure { epsilon: 1.0 },
        Budget::Pure { epsilon: 3.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.1 },
    ];
    let rules =
        [("random stopping", TuningRule::RandomStopping), ("one training", TuningRule::Uniform)];
    let (mut done, of) = (0, tables.len() * budgets.len() * rules.len());
    let mut text = format!(
        "coverage of {:.0} % intervals, {replicates} replicates, and the median λ\n",
        100.0 * LEVEL
    );
    for (name, population) in &tables {
        for budget in budgets {
            text.push_str(&format!("{:34}", format!("{name}, {budget}")));
            for (rule_name, rule) in rules {
                let cell = match measured(population, budget, rule, replicates, options.seed) {
                    Ok((coverage, lambda)) => format!("{rule_name} {coverage:.4} ({lambda})"),
                    Err(Failure(why)) => format!("{rule_name} refused: {why}"),
                };
                text.push_str(&format!("  {cell}"));
                done += 1;
                progress(done, of);
            }
            text.push('\n');
        }
    }
    Ok(Results { text, json: String::from("[]"), figures: Vec::new() })
}

/// The share of intervals that hold θ₀ at the λ that was released, and the median of these λ.
fn measured(
    population: &Population,
    budget: Budget,
    rule: TuningRule,
    replicates: usize,
    seed: u64,
) -> Result<(f64, f64), Failure> {
    let truths =
        LAMBDAS.map(|lambda| (lambda.to_bits(), population.truth(LossKind::Logistic, lambda)));
    let truths: BTreeMap<u64, Vec<f64>> =
        truths.into_iter().map(|(key, truth)| Ok((key, truth?))).collect::<Result<_, Failure>>()?;
    let choosing = Choosing {
        lambdas: LAMBDAS.to_vec(),
        share: Tuning::SHARE,
        validation: VALIDATION,
        score: Tuning::SCORE,
        rule,
    };
    let request = Request {
        loss: LossKind::Logistic,
        lambda: Lambda::Chosen(choosing),
        method: Method::Auto,
        budget,
        intervals: Some(Split::DEFAULT),
    };
    let one = |i: u64| -> Result<(usize, usize, f64), Failure> {
        let [training, validation] = population.replicate_in_parts(VALIDATION, mixed(&[seed, i]));
        let all: Vec<u32> = training.iter().zip(&validation).map(|(a, b)| a + b).collect();
        let (training, validation, all) =
            (population.table(&training), population.table(&validation), population.table(&all));
        let table =
            Table::Split(SplitTable { training: &training, validation: &validation, all: &all });
        let plan = request.plan(table.facts()).map_err(failed)?;
        let fitted = plan.run(table, &mut Seeded::new(mixed(&[seed, i, 7]))).map_err(failed)?;
        let evidence =
            fitted.evidence.ok_or_else(|| Failure("there are no intervals".to_owned()))?;
        let lambda = fitted.training.lambda();
        let truth = &truths[&lambda.to_bits()];
        let intervals = Intervals::new(&evidence, &fitted.coefficients).map_err(failed)?;
        let intervals = intervals.coefficients(LEVEL).map_err(failed)?;
        let held = intervals
            .iter()
            .zip(truth)
            .filter(|(i, truth)| i.lower <= **truth && **truth <= i.upper);
        Ok((held.count(), intervals.len(), lambda))
    };
    let each: Vec<_> =
        (0..replicates as u64).into_par_iter().map(one).collect::<Result<_, Failure>>()?;
    let (held, of): (usize, usize) =
        each.iter().fold((0, 0), |(a, b), (held, of, _)| (a + held, b + of));
    let mut lambdas: Vec<f64> = each.iter().map(|(_, _, lambda)| *lambda).collect();
    lambdas.sort_by(f64::total_cmp);
    Ok((held as f64 / of as f64, lambdas[lambdas.len() / 2]))
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}

fn tables(options: &Options) -> Result<Vec<(&'static str, Population)>, Failure> {
    if options.quick {
        return Ok(vec![(
            "made up",
            Values::made_up(4000, 4, options.seed).population(4, None, options.seed),
        )]);
    }
    let folder = options.data.as_deref();
    let folder =
        folder.ok_or_else(|| Failure("the folder with the public tables is missing".to_owned()))?;
    let read = |(name, chosen)| {
        Ok((name, Values::read(chosen, folder)?.population(10, None, options.seed)))
    };
    [("Adult", &ADULT_MIXED), ("Banking", &BANK_MIXED)].into_iter().map(read).collect()
}
