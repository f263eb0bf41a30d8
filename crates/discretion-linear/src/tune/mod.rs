//! λ chosen privately, paid for once. `PROOF.md` beside this file proves what both families of
//! rules cost.
//!
//! [`Tuning`] (what is wanted) → [`Tuning::plan`] (checked, and every public number fixed) →
//! [`TuningPlan::event`] (what it costs) → [`TuningPlan::run`] → a [`Tuned`] model. Only the chosen
//! λ and the model trained with it are released; scores never are.

mod error;
mod plan;
mod procedure;
mod scoring;
mod stopping;

#[cfg(test)]
mod class_tests;
#[cfg(test)]
mod tests;

pub use crate::loss::Score;
pub use error::TuningError;
pub use plan::{Family, RejectedLambda, TuningPlan};
pub use stopping::StoppingPlan;

use crate::erm::{Facts, Oracle};
use crate::loss::LossKind;
use crate::train::{Method, Plan, Pricing};
use discretion_privacy::noise::Released;
use discretion_privacy::{Budget, Stopping};
use serde::{Deserialize, Serialize};

/// How a λ is chosen from a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuningRule {
    /// Whichever can tell the candidates apart, by public numbers.
    #[default]
    Auto,
    /// By noisy score, each λ by its own stability; then trained anew on all rows.
    Generalised,
    /// By noisy score, all by the stability of the smallest λ; then trained anew on all rows.
    Uniform,
    /// The best of a random number of private runs; it needs no stability.
    RandomStopping,
}

/// What is to be tuned, and what all of it may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// The loss.
    pub loss: LossKind,
    /// The candidates for λ.
    pub lambdas: Vec<f64>,
    /// The training mechanism.
    pub method: Method,
    /// How training pays for slope and curvature.
    pub pricing: Pricing,
    /// What tuning and training together may spend.
    pub budget: Budget,
    /// The share of the budget that goes to the choice, for the two rules that choose first and
    /// train then.
    pub share: f64,
    /// The share of rows that only validate.
    pub validation: f64,
    /// What a model is measured by.
    pub score: Score,
    /// How it is chosen.
    pub rule: TuningRule,
}

impl Tuning {
    /// The share of the budget that a choice by noisy score takes (docs/tuning.md).
    pub const SHARE: f64 = 0.3;
    /// The share of rows that validate (docs/tuning.md).
    pub const VALIDATION: f64 = 0.1;
    /// The score (docs/tuning.md).
    pub const SCORE: Score = Score::Brier;

    /// A request with every default.
    pub fn new(loss: LossKind, lambdas: Vec<f64>, method: Method, budget: Budget) -> Tuning {
        Tuning {
            loss,
            lambdas,
            method,
            pricing: Pricing::Separate,
            budget,
            share: Tuning::SHARE,
            validation: Tuning::VALIDATION,
            score: Tuning::SCORE,
            rule: TuningRule::Auto,
        }
    }

    /// Checks the request and fixes every public number of the run.
    pub fn plan(&self, facts: SplitFacts) -> Result<TuningPlan, TuningError> {
        plan::plan(self, &facts)
    }

    /// Plans random stopping with this law of the number of runs, whatever the rule is.
    pub fn plan_stopping(
        &self,
        facts: SplitFacts,
        law: Stopping,
    ) -> Result<TuningPlan, TuningError> {
        plan::plan_stopping(self, &facts, law)
    }
}

/// The public facts of a table and of its two parts.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitFacts {
    /// The rows that train.
    pub training: Facts,
    /// The rows that validate.
    pub validation: Facts,
    /// Both together.
    pub all: Facts,
}

/// A table and its two parts.
#[derive(Clone, Copy)]
pub struct SplitTable<'t> {
    /// The rows that train.
    pub training: &'t dyn Oracle,
    /// The rows that validate. No row is in both parts.
    pub validation: &'t dyn Oracle,
    /// Both together.
    pub all: &'t dyn Oracle,
}

impl SplitTable<'_> {
    /// The public facts.
    pub fn facts(&self) -> SplitFacts {
        let Self { training, validation, all } = self;
        SplitFacts { training: training.facts(), validation: validation.facts(), all: all.facts() }
    }
}

/// A candidate for λ and the plans it is trained by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// On the training rows.
    pub(crate) training: Plan,
    /// On all rows.
    pub(crate) all: Plan,
}

/// A model with the λ that was chosen for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The chosen λ and the mechanism that trained the model.
    pub plan: Plan,
    /// Its coefficients.
    pub coefficients: Released<Vec<f64>>,
    /// Whether it was trained on all rows, or on the training rows alone.
    pub on_all_rows: bool,
}
