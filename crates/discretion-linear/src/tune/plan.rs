//! A tuning plan: the family of rules, the candidates' plans and every noise, fixed before a row is
//! looked at.

use super::procedure::{Linear, bounded, price_of, stability};
use super::stopping::{Found, StoppingPlan};
use super::{Candidate, SplitFacts, SplitTable, Tuned, Tuning, TuningError, TuningRule};
use crate::erm::Facts;
use crate::loss::{Bounded, Score};
use crate::train::{TrainError, Training, only_margins};
use discretion_choose::{Refused, Rows, Rule, TuneError, Validation, split};
use discretion_privacy::account::Event;
use discretion_privacy::noise::Source;
use discretion_privacy::{Budget, ROUNDING_SLACK, Stopping};
use std::marker::PhantomData;

/// δ₀ of the bound on what a choice may lose.
const DOUBT: f64 = 0.1;

/// A choice by noisy score is worth its price if it can tell scores apart by this; in
/// docs/tuning.md neighbours are 0.005 to 0.05 apart.
const FINE_ENOUGH: f64 = 0.02;

/// A λ that the budget cannot pay for, which public numbers tell.
#[derive(Clone, Debug, PartialEq)]
pub struct RejectedLambda {
    /// The λ.
    pub lambda: f64,
    /// Why.
    pub reason: TrainError,
}

/// The two families of rules.
#[derive(Clone, Debug, PartialEq)]
pub enum Family {
    /// Choose by noisy score, then train on all rows.
    Selection {
        /// The rule.
        rule: Rule,
        /// ε₂, the price of the choice.
        epsilon: f64,
        /// What is left for training.
        training: Budget,
        /// By how much the choice may miss each candidate's score, with probability 1 − δ₀.
        shortfall: Vec<f64>,
    },
    /// The best of a random number of private runs.
    RandomStopping(StoppingPlan),
}

/// Everything public about a tuning run.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPlan {
    pub(super) facts: SplitFacts,
    pub(super) score: Score,
    pub(super) candidates: Vec<Candidate>,
    pub(super) family: Family,
    scores: Vec<Bounded>,
    dropped: Vec<RejectedLambda>,
    why: String,
}

pub(super) fn plan(tuning: &Tuning, facts: &SplitFacts) -> Result<TuningPlan, TuningError> {
    check(tuning, facts)?;
    match tuning.rule {
        TuningRule::RandomStopping => stop(tuning, facts, "asked for".to_owned()),
        TuningRule::Generalised | TuningRule::Uniform => {
            if tuning.score.lipschitz().is_none() {
                return Err(TuningError::ScoreJumps);
            }
            select(tuning, facts, "asked for".to_owned())
        }
        TuningRule::Auto => choose_family(tuning, facts),
    }
}

/// What every rule needs.
fn check(tuning: &Tuning, facts: &SplitFacts) -> Result<(), TuningError> {
    let shares = [
        ("share of the budget for the choice", tuning.share),
        ("validation share", tuning.validation),
    ];
    for (what, value) in shares {
        if !split::is_share(value) {
            return Err(TuningError::Share { what, value });
        }
    }
    tuning.budget.checked().map_err(TrainError::from)?;
    if tuning.lambdas.is_empty() {
        return Err(Refused::NoCandidates.into());
    }
    for (second, lambda) in tuning.lambdas.iter().enumerate() {
        if let Some(first) = tuning.lambdas[..second].iter().position(|earlier| earlier == lambda) {
            return Err(Refused::Repeated { first, second }.into());
        }
    }
    if facts.training.rows == 0 || facts.validation.rows == 0 {
        let (training, validation) = (facts.training.rows, facts.validation.rows);
        return Err(TuningError::TooFewRows { share: tuning.validation, training, validation });
    }
    Ok(())
}

/// By the resolution that a choice by noisy score would have on this grid.
fn choose_family(tuning: &Tuning, facts: &SplitFacts) -> Result<TuningPlan, TuningError> {
    if tuning.score.lipschitz().is_none() {
        return stop(tuning, facts, "the score \"error\" has no stability".to_owned());
    }
    let by_score = Tuning { rule: TuningRule::Generalised, ..tuning.clone() };
    let selection = select(&by_score, facts, String::new())?;
    let Family::Selection { shortfall, .. } = &selection.family else {
        unreachable!("it was asked for")
    };
    let fine = shortfall.iter().filter(|&&loss| loss <= FINE_ENOUGH).count();
    let count = shortfall.len();
    // One λ that cannot be told from the others may be the best: on Adult it is the smallest.
    if fine == count {
        let why = format!(
            "a choice by noisy score can tell all {count} candidates apart to {FINE_ENOUGH}"
        );
        return Ok(TuningPlan { why, ..selection });
    }
    if let Budget::Zcdp { .. } = tuning.budget {
        let why = format!(
            "random stopping costs too much of a budget in rho; a choice by noisy score can tell {fine} of {count} \
             candidates apart to {FINE_ENOUGH}, so write lambda = \"auto\" unless that is enough"
        );
        return Ok(TuningPlan { why, ..selection });
    }
    let why = format!(
        "with {} training rows the noise of a choice by score would hide differences of {FINE_ENOUGH} for {} of {count} \
         candidates",
        facts.training.rows,
        count - fine
    );
    stop(tuning, facts, why)
}

/// The plans of every λ that can be trained within `budget`, and those that cannot.
pub(super) fn candidates(
    tuning: &Tuning,
    budget: Budget,
    facts: &SplitFacts,
) -> Result<(Vec<Candidate>, Vec<RejectedLambda>), TuningError> {
    only_margins(tuning.loss)?;
    let (mut found, mut dropped) = (Vec::new(), Vec::new());
    for &lambda in &tuning.lambdas {
        let training =
            Training { loss: tuning.loss, lambda: Some(lambda), method: tuning.method, budget };
        let plan = |facts: &Facts| training.plan_with(facts.clone(), tuning.pricing);
        let plans = plan(&facts.training).and_then(|on| Ok((on, plan(&facts.all)?)));
        match plans {
            Ok((training, all)) => found.push(Candidate { training, all }),
            Err(reason @ TrainError::LambdaTooSmall { .. }) => {
                dropped.push(RejectedLambda { lambda, reason })
            }
            Err(error) => return Err(error.into()),
        }
    }
    match dropped.iter().max_by(|a, b| a.lambda.total_cmp(&b.lambda)) {
        Some(worst) if found.is_empty() => Err(TuningError::NoneFeasible {
            count: tuning.lambdas.len(),
            reason: worst.reason.clone(),
        }),
        _ => Ok((found, dropped)),
    }
}

/// ε₂ and what it leaves for training.
fn divide(tuning: &Tuning) -> Result<(f64, Budget), TuningError> {
    let (share, rest) = (tuning.share, (1.0 - tuning.share) * (1.0 - ROUNDING_SLACK));
    let (epsilon, training) = match tuning.budget {
        Budget::Pure { epsilon } => (share * epsilon, Budget::Pure { epsilon: rest * epsilon }),
        Budget::Approximate { epsilon, delta } => {
            (share * epsilon, Budget::Approximate { epsilon: rest * epsilon, delta })
        }
        Budget::Zcdp { rho } => {
            (Budget::Zcdp { rho: share * rho }.as_pure().epsilon, Budget::Zcdp { rho: rest * rho })
        }
    };
    let too_small = |reason: String| TuningError::TooSmall { budget: tuning.budget, reason };
    Budget::Pure { epsilon }.checked().map_err(|error| too_small(error.to_string()))?;
    training.checked().map_err(|error| too_small(error.to_string()))?;
    Ok((epsilon, training))
}

fn select(tuning: &Tuning, facts: &SplitFacts, why: String) -> Result<TuningPlan, TuningError> {
    let (epsilon, training) = divide(tuning)?;
    let (candidates, dropped) = candidates(tuning, training, facts)?;
    let rule = match tuning.rule {
        TuningRule::Uniform => Rule::Uniform { doubt: DOUBT },
        _ => Rule::Generalised { doubt: DOUBT },
    };
    let rare = (candidates.len() as f64 / DOUBT).ln();
    let scores: Vec<Bounded> = candidates
        .iter()
        .map(|candidate| bounded(tuning.score, &candidate.training, rare))
        .collect();
    let sensitivity = |(candidate, score): (&Candidate, &Bounded)| {
        let one = stability(&candidate.training, *score, &facts.validation, facts.validation.rows);
        let (low, high) = score.range();
        one.training.max(one.validation).min((high - low).next_up())
    };
    let sensitivities = candidates.iter().zip(&scores).map(sensitivity).collect();
    let shortfall = discretion_choose::Selector::new(rule, epsilon, sensitivities)?.shortfall();
    let family = Family::Selection { rule, epsilon, training, shortfall };
    Ok(TuningPlan {
        facts: facts.clone(),
        score: tuning.score,
        candidates,
        family,
        scores,
        dropped,
        why,
    })
}

fn stop(tuning: &Tuning, facts: &SplitFacts, why: String) -> Result<TuningPlan, TuningError> {
    Ok(stopping_plan(tuning, facts, StoppingPlan::new(tuning, facts)?, why))
}

pub(super) fn plan_stopping(
    tuning: &Tuning,
    facts: &SplitFacts,
    law: Stopping,
) -> Result<TuningPlan, TuningError> {
    check(tuning, facts)?;
    let found = StoppingPlan::under(tuning, facts, law, law)?;
    Ok(stopping_plan(tuning, facts, found, "asked for".to_owned()))
}

fn stopping_plan(tuning: &Tuning, facts: &SplitFacts, found: Found, why: String) -> TuningPlan {
    let (stopping, candidates, dropped) = found;
    let family = Family::RandomStopping(stopping);
    TuningPlan {
        facts: facts.clone(),
        score: tuning.score,
        candidates,
        family,
        scores: Vec::new(),
        dropped,
        why,
    }
}

impl TuningPlan {
    /// The public facts of the table and its parts.
    pub fn facts(&self) -> &SplitFacts {
        &self.facts
    }

    /// The family of rules and its numbers.
    pub fn family(&self) -> &Family {
        &self.family
    }

    /// Why this family.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// What models are measured by.
    pub fn score(&self) -> Score {
        self.score
    }

    /// Those λ that are chosen from.
    pub fn lambdas(&self) -> Vec<f64> {
        self.candidates.iter().map(|candidate| candidate.training.lambda()).collect()
    }

    /// Those that the budget cannot pay for.
    pub fn dropped(&self) -> &[RejectedLambda] {
        &self.dropped
    }

    /// What running this plan does to the table, for an account.
    pub fn event(&self) -> Event {
        match &self.family {
            &Family::Selection { epsilon, training, .. } => {
                let choice = Event::Selection { candidates: self.candidates.len(), epsilon };
                Event::Composition { of: vec![choice, price_of(training, &self.candidates)] }
            }
            Family::RandomStopping(stopping) => stopping.event(&self.candidates),
        }
    }

    /// Chooses and trains.
    ///
    /// Postcondition: the chosen λ and the coefficients together satisfy [`TuningPlan::event`] for
    /// replace-one neighbours, if no row is in both parts and `source` is the operating system.
    pub fn run(&self, table: SplitTable<'_>, source: &mut dyn Source) -> Result<Tuned, TrainError> {
        assert_eq!(table.facts(), self.facts, "a plan is made for one table's facts");
        match &self.family {
            &Family::Selection { rule, epsilon, training, .. } => {
                let linear = Linear {
                    candidates: self.candidates.clone(),
                    scores: self.scores.clone(),
                    validation: &self.facts.validation,
                    price: price_of(training, &self.candidates),
                    table: PhantomData,
                };
                let rows = Rows {
                    training: self.facts.training.rows,
                    validation: self.facts.validation.rows,
                };
                let validation = Validation::plan(&linear, rows, rule, epsilon)
                    .expect("the plan was checked when it was made");
                let tuned = validation
                    .validate_then_train(&table.training, &table.validation, &table.all, source)
                    .map_err(|error| match error {
                        TuneError::Procedure(error) => error,
                        TuneError::Noise(error) => error.into(),
                        TuneError::Rows { .. } | TuneError::Union { .. } => {
                            unreachable!("the facts were compared above")
                        }
                    })?;
                let plan = self.candidates[tuned.choice.index].all.clone();
                Ok(Tuned { plan, coefficients: tuned.output, on_all_rows: true })
            }
            Family::RandomStopping(stopping) => stopping.run(&self.candidates, table, source),
        }
    }
}
