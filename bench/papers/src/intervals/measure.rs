//! Coverage and length over bootstrap replicates, ours beside the paper's constants as printed.

use super::population::Population;
use super::printed;
use super::setting::{LAMBDA, Setting};
use crate::Failure;
use discretion::erm::Oracle;
use discretion::interval::{Evidence, Intervals, Plan, Split};
use discretion::noise::{Seeded, TrainingLaw};
use discretion::train::Training;
use rayon::prelude::*;
use serde::Serialize;

/// The paper's 1 − α.
pub const LEVEL: f64 = 0.95;

/// One way of making intervals, measured.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Tally {
    /// The share of intervals that hold the population's value, over replicates and coefficients.
    pub coverage: f64,
    /// Length of the intervals.
    pub all: Lengths,
    /// Length of those of the first column alone, which means the same for any number of columns.
    pub first: Lengths,
}

/// Lengths, averaged over coefficients.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Lengths {
    /// Mean over replicates.
    pub mean: f64,
    /// Standard deviation over replicates.
    pub deviation: f64,
    /// Length of the variability interval: from the 2.5 % to the 97.5 % quantile of the private
    /// coefficients.
    pub variability: f64,
}

impl Tally {
    /// Mean length over that of the variability interval.
    pub fn ratio(&self) -> f64 {
        self.all.mean / self.all.variability
    }
}

/// Both ways, on the same replicates.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TallyPair {
    /// The library's.
    pub ours: Tally,
    /// The paper's, with its constants.
    pub printed: Tally,
}

/// What one replicate gave.
struct Outcome {
    theta: Vec<f64>,
    ends: Vec<[f64; 2]>,
}

/// Intervals on `replicates` bootstrap replicates, both ways.
pub fn measure(
    population: &Population,
    setting: &Setting,
    replicates: usize,
    seed: u64,
) -> Result<TallyPair, Failure> {
    let truth = population.truth(setting.loss, LAMBDA)?;
    let facts = population.table(&population.counts()).facts();
    let plan = Plan::new(&setting.training(), setting.split(), facts.clone()).map_err(failed)?;
    let training = setting.training_as_printed();
    let training = training.map(|training| training.plan(facts)).transpose().map_err(failed)?;
    // The paper's noise knows nothing of the shape of the rows.
    let training = training.map(|plan| plan.with_law(|law| matches!(law, TrainingLaw::Round(_))));
    let both = repeated(population, replicates, seed, |table, i| {
        let mut source = Seeded::new(mixed(&[seed, i, setting.number()]));
        let (theta, ours) = released(&plan, table, &mut source)?;
        let (training, theta) = match &training {
            None => (plan.training(), theta),
            Some(training) => {
                (training, training.fit(table, &mut source).map_err(failed)?.to_vec())
            }
        };
        let evidence = printed::evidence(table, training, &theta, setting, &mut source)?;
        Ok((ours, Outcome::new(&evidence, &theta)?))
    })?;
    let (ours, printed): (Vec<Outcome>, Vec<Outcome>) = both.into_iter().unzip();
    Ok(TallyPair { ours: Tally::of(&ours, &truth), printed: Tally::of(&printed, &truth) })
}

/// The library's intervals alone, for any split.
pub fn measure_ours(
    population: &Population,
    training: &Training,
    split: Split,
    replicates: usize,
    seed: u64,
) -> Result<Tally, Failure> {
    let facts = population.table(&population.counts()).facts();
    let plan = Plan::new(training, split, facts).map_err(failed)?;
    let truth = population.truth(training.loss, plan.training().lambda())?;
    let outcomes = repeated(population, replicates, seed, |table, i| {
        Ok(released(&plan, table, &mut Seeded::new(mixed(&[seed, i, 0])))?.1)
    })?;
    Ok(Tally::of(&outcomes, &truth))
}

/// `each` on every replicate. They are the same for all settings on a population; the noise is each
/// one's own.
fn repeated<T: Send>(
    population: &Population,
    replicates: usize,
    seed: u64,
    each: impl Fn(&dyn Oracle, u64) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    (0..replicates as u64)
        .into_par_iter()
        .map(|i| {
            let counts = population.replicate(mixed(&[seed, i]));
            each(&population.table(&counts), i)
        })
        .collect()
}

/// Coefficients and their intervals, by the library.
fn released(
    plan: &Plan,
    table: &dyn Oracle,
    source: &mut Seeded,
) -> Result<(Vec<f64>, Outcome), Failure> {
    let theta = plan.training().fit(table, source).map_err(failed)?;
    let evidence = plan.run(table, &theta, source).map_err(failed)?;
    Ok((theta.to_vec(), Outcome::new(&evidence, &theta)?))
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}

impl Outcome {
    /// Coefficients with their intervals.
    fn new(evidence: &Evidence, theta: &[f64]) -> Result<Outcome, Failure> {
        let intervals =
            Intervals::new(evidence, theta).and_then(|intervals| intervals.coefficients(LEVEL));
        let ends = intervals.map_err(failed)?.iter().map(|i| [i.lower, i.upper]).collect();
        Ok(Outcome { theta: theta.to_vec(), ends })
    }
}

impl Tally {
    /// What these outcomes amount to.
    fn of(outcomes: &[Outcome], truth: &[f64]) -> Tally {
        let d = truth.len();
        let is_hit = |outcome: &Outcome, j: usize| {
            let [lower, upper] = outcome.ends[j];
            (lower..=upper).contains(&truth[j])
        };
        let hits: usize =
            outcomes.iter().map(|outcome| (0..d).filter(|&j| is_hit(outcome, j)).count()).sum();
        // The intercept stands before the first column.
        let first = 1.min(d - 1)..2.min(d);
        Tally {
            coverage: hits as f64 / (outcomes.len() * d) as f64,
            all: Lengths::of(outcomes, 0..d),
            first: Lengths::of(outcomes, first),
        }
    }
}

impl Lengths {
    fn of(outcomes: &[Outcome], coefficients: std::ops::Range<usize>) -> Lengths {
        let k = outcomes.len() as f64;
        let average = |of: &dyn Fn(usize) -> f64| {
            coefficients.clone().map(of).sum::<f64>() / coefficients.len() as f64
        };
        let lengths: Vec<f64> = outcomes
            .iter()
            .map(|outcome| average(&|j| outcome.ends[j][1] - outcome.ends[j][0]))
            .collect();
        let mean = lengths.iter().sum::<f64>() / k;
        let variance = lengths.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (k - 1.0);
        let variability = average(&|j| {
            let mut values: Vec<f64> = outcomes.iter().map(|outcome| outcome.theta[j]).collect();
            values.sort_by(f64::total_cmp);
            quantile(&values, 0.5 * (1.0 + LEVEL)) - quantile(&values, 0.5 * (1.0 - LEVEL))
        });
        Lengths { mean, deviation: variance.sqrt(), variability }
    }
}

/// Between the two nearest of sorted values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// One seed from several numbers (splitmix64's finaliser, number by number).
pub fn mixed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9E37_79B9_7F4A_7C15, |seed, &number| {
        let mut z = (seed ^ number).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}
