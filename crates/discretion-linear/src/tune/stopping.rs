//! λ by random stopping: the best of a random number of private runs, measured by a private score.

use super::plan::{RejectedLambda, candidates};
use super::{Candidate, SplitFacts, SplitTable, Tuned, Tuning, TuningError};
use crate::erm::solver::{Start, Warm, side_by_side};
use crate::erm::{Facts, Oracle};
use crate::loss::Bounded;
use crate::train::{Draw, TrainError, solve_all};
use dashu_int::IBig;
use dashu_ratio::RBig;
use discretion_privacy::account::{Event, Spend, amount};
use discretion_privacy::noise::{
    NoiseError, Released, Sensitive, Source, below, discrete_gaussian, discrete_laplace, exact,
};
use discretion_privacy::trusted::Open;
use discretion_privacy::{Approximate, Budget, ROUNDING_SLACK, Stopping, Zcdp};

/// Margins beyond this are as good or as bad as can be, for scores that need a bound.
const MARGIN_BOUND: f64 = 10.0;

/// The law of the number of runs if a run is pure, and if it has a Rényi curve (docs/tuning.md).
const PURE_LAW: (f64, u32) = (0.5, 300);
const CURVED_LAW: (f64, u32) = (1.0, 40);

/// Everything public about random stopping.
#[derive(Clone, Debug, PartialEq)]
pub struct StoppingPlan {
    law: Stopping,
    run: Budget,
    score: NoisyScore,
}

/// A score on a lattice with exact discrete noise.
#[derive(Clone, Copy, Debug, PartialEq)]
struct NoisyScore {
    bounded: Bounded,
    /// The lattice is 2^exponent ℤ.
    exponent: i32,
    /// In steps of the lattice, a whole number.
    sensitivity: f64,
    noise: ScoreNoise,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ScoreNoise {
    Laplace { epsilon: f64 },
    Gaussian { sigma: f64 },
}

/// A feasible way of running: the plan, its candidates, and the λ it had to drop.
pub(super) type Found = (StoppingPlan, Vec<Candidate>, Vec<RejectedLambda>);

impl StoppingPlan {
    /// The largest run whose random stopping under the default laws stays within the budget.
    pub(super) fn new(tuning: &Tuning, facts: &SplitFacts) -> Result<Found, TuningError> {
        let [pure, curved] = [PURE_LAW, CURVED_LAW]
            .map(|(shape, most)| Stopping::new(shape, most).expect("a law that exists"));
        StoppingPlan::under(tuning, facts, pure, curved)
    }

    /// The same, under this law for pure runs and that one for runs with a Rényi curve.
    pub(super) fn under(
        tuning: &Tuning,
        facts: &SplitFacts,
        law: Stopping,
        curved_law: Stopping,
    ) -> Result<Found, TuningError> {
        let pure = || {
            let run = law.pure_run(tuning.budget.as_pure());
            StoppingPlan::with(tuning, facts, law, Budget::Pure { epsilon: run.epsilon })
        };
        // In ρ the bent curve of a stopped run costs more than a pure one does.
        let Budget::Approximate { epsilon, delta } = tuning.budget else { return pure() };
        let curved = largest(|share| {
            let run = Budget::Approximate { epsilon: share * epsilon, delta };
            let found = StoppingPlan::with(tuning, facts, curved_law, run).ok()?;
            let price = Spend::of(&found.0.event(&found.1)).ok()?.price(tuning.budget).ok()?;
            (price.amount <= amount(tuning.budget)).then_some(found)
        });
        // The middle λ of both stands for all: what counts is the noise.
        let noise = |found: &Found| found.1[found.1.len() / 2].training.chosen().expected_error();
        match (curved, pure()) {
            (Some(curved), Ok(pure)) if noise(&pure) < noise(&curved) => Ok(pure),
            (Some(curved), _) => Ok(curved),
            (None, pure) => pure,
        }
    }

    fn with(
        tuning: &Tuning,
        facts: &SplitFacts,
        law: Stopping,
        run: Budget,
    ) -> Result<Found, TuningError> {
        run.checked().map_err(|error| TuningError::TooSmall {
            budget: tuning.budget,
            reason: error.to_string(),
        })?;
        let (candidates, dropped) = candidates(tuning, run, facts)?;
        let bounded =
            Bounded { score: tuning.score, bound: MARGIN_BOUND, classes: facts.all.classes };
        let score = NoisyScore::new(bounded, &facts.validation, run);
        Ok((StoppingPlan { law, run, score }, candidates, dropped))
    }

    /// The law of the number of runs.
    pub fn law(&self) -> Stopping {
        self.law
    }

    /// What one run may spend.
    pub fn run_budget(&self) -> Budget {
        self.run
    }

    pub(super) fn event(&self, candidates: &[Candidate]) -> Event {
        let mut one_of: Vec<Event> =
            candidates.iter().map(|candidate| candidate.training.event()).collect();
        one_of.push(self.score.event());
        Event::RandomStopping { shape: self.law.shape(), most: self.law.most(), one_of }
    }

    pub(super) fn run(
        &self,
        candidates: &[Candidate],
        table: SplitTable<'_>,
        source: &mut dyn Source,
    ) -> Result<Tuned, TrainError> {
        let runs = self.law.draw(source)?;
        let picks = (0..runs)
            .map(|_| below(candidates.len() as u64, source).map(|pick| pick as usize))
            .collect::<Result<Vec<_>, _>>()?;
        let starts = starts(candidates, table.training)?;
        let mut best: Option<(IBig, usize, Released<Vec<f64>>)> = None;
        for picks in picks.chunks(side_by_side(table.training.facts().dimension)) {
            let plan = |pick: usize| &candidates[pick].training;
            let noises = picks
                .iter()
                .map(|&pick| plan(pick).draw(source))
                .collect::<Result<Vec<_>, NoiseError>>()?;
            let draws: Vec<Draw<'_>> = picks
                .iter()
                .zip(&noises)
                .map(|(&pick, noise)| Draw {
                    plan: plan(pick),
                    noise,
                    start: Start::Warm(&starts[pick]),
                })
                .collect();
            let mut models = Vec::with_capacity(picks.len());
            for (&pick, certified) in picks.iter().zip(solve_all(table.training, &draws)?) {
                models.push(plan(pick).chosen().gate().release(certified, source)?);
            }
            let thetas = models.iter().map(|model| model.to_vec()).collect();
            let scores =
                Bounded::of_all(&vec![self.score.bounded; picks.len()], thetas, table.validation)?;
            for ((&pick, model), score) in picks.iter().zip(models).zip(scores) {
                let contender = (self.score.noisy(score, source)?, pick, model);
                if best.as_ref().is_none_or(|champion| is_above(&contender, champion)) {
                    best = Some(contender);
                }
            }
        }
        let (_, pick, coefficients) = best.expect("there is at least one run");
        Ok(Tuned { plan: candidates[pick].training.clone(), coefficients, on_all_rows: false })
    }
}

/// A total order of outputs: score, then candidate, then coefficients, so that only equal outputs
/// tie (`PROOF.md`).
fn is_above(a: &(IBig, usize, Released<Vec<f64>>), b: &(IBig, usize, Released<Vec<f64>>)) -> bool {
    let coefficients =
        || a.2.iter().zip(b.2.iter()).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne());
    let order =
        a.0.cmp(&b.0)
            .then(a.1.cmp(&b.1))
            .then_with(|| coefficients().unwrap_or(std::cmp::Ordering::Equal));
    order.is_gt()
}

/// Where every run of a candidate starts: near its minimiser without noise. The same for all runs,
/// which makes them independent of each other given the rows.
fn starts<'t>(
    candidates: &[Candidate],
    training: &'t dyn Oracle,
) -> Result<Vec<Warm<'t>>, TrainError> {
    let outcome = candidates[0].training.outcome();
    let lambdas: Vec<f64> =
        candidates.iter().map(|candidate| candidate.training.lambda()).collect();
    Ok(Warm::starts(training, &*outcome, &lambdas)?)
}

/// The result for the largest share in (0, 1] that gives one, to a thousandth of it.
fn largest<T>(attempt: impl Fn(f64) -> Option<T>) -> Option<T> {
    let (mut low, mut high, mut best) = (0.0, 1.0, None);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        match attempt(middle) {
            Some(found) => (low, best) = (middle, Some(found)),
            None => high = middle,
        }
    }
    best
}

impl NoisyScore {
    fn new(bounded: Bounded, validation: &Facts, run: Budget) -> NoisyScore {
        let (low, high) = bounded.range();
        let moved = ((high - low) / validation.rows as f64
            + 2.0 * bounded.summation_error(validation))
            * (1.0 + ROUNDING_SLACK);
        // A millionth of what one row can do: finer would be lost in the noise.
        let exponent = moved.log2().floor() as i32 - 20;
        // Rounding two scores to the lattice moves them apart by one step at most, to a whole
        // number of steps.
        let sensitivity = (moved / f64::from(exponent).exp2()).floor() + 1.0;
        let gaussian = |Zcdp { rho }: Zcdp| ScoreNoise::Gaussian {
            sigma: (sensitivity / (2.0 * rho).sqrt() * (1.0 + ROUNDING_SLACK)).ceil(),
        };
        let noise = match run {
            Budget::Pure { epsilon } => ScoreNoise::Laplace { epsilon },
            Budget::Zcdp { rho } => gaussian(Zcdp { rho }),
            Budget::Approximate { epsilon, delta } => {
                gaussian(Zcdp::within(Approximate { epsilon, delta }))
            }
        };
        NoisyScore { bounded, exponent, sensitivity, noise }
    }

    fn event(&self) -> Event {
        match self.noise {
            ScoreNoise::Laplace { epsilon } => Event::Pure { epsilon, what: "a score".to_owned() },
            ScoreNoise::Gaussian { sigma } => {
                Event::DiscreteGaussian { sensitivity: self.sensitivity, sigma }
            }
        }
    }

    /// The scale of discrete Laplace noise, exactly, or σ.
    fn scale(&self) -> RBig {
        let rational = |x: f64| RBig::try_from(x).expect("a public number is finite");
        match self.noise {
            ScoreNoise::Laplace { epsilon } => rational(self.sensitivity) / rational(epsilon),
            ScoreNoise::Gaussian { sigma } => rational(sigma),
        }
    }

    /// A private score: it may be compared with others, and is compared only inside random
    /// stopping.
    fn noisy(&self, score: Sensitive<f64>, source: &mut dyn Source) -> Result<IBig, NoiseError> {
        let (low, high) = self.bounded.range();
        // Inside its range up to rounding.
        let score = score.into_inner().clamp(-high, -low);
        let steps: IBig = (exact(score) >> self.exponent as isize).round().to_int().value();
        let noise = match self.noise {
            ScoreNoise::Laplace { .. } => discrete_laplace(&self.scale(), source)?,
            ScoreNoise::Gaussian { .. } => discrete_gaussian(&self.scale(), source)?,
        };
        Ok(steps + noise)
    }
}

#[cfg(test)]
#[path = "stopping_tests.rs"]
mod tests;
