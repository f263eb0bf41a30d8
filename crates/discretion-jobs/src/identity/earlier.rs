//! Texts that builds before version 2 of names hashed, as `{:?}` printed them.
//!
//! **Nothing here changes, whatever types and fields are called later.** The texts name types,
//! fields and variants as they were then. `{:?}` prints numbers, texts and times of the standard
//! library alone. Settings that did not exist then have no such text, and get one that nothing
//! else has.

use discretion::interval::Split;
pub use discretion::joint::identity::budget_text as budget;
use discretion::joint::identity::{loss_text, option_text};
use discretion::loss::Score;
use discretion::privacy::Budget;
use discretion::train::Method;
use discretion::tune::TuningRule;
use discretion_table::{
    AnswerChoice, ClassWeights, EvaluateSettings, IntervalSettings, Lambda, LearnerChoice,
    ModelSettings, Processes, Protect, StepChoice, TuneSettings,
};

/// A budget as people read it.
pub fn budget_in_words(budget: Budget) -> String {
    match budget {
        Budget::Pure { epsilon } => format!("ε = {epsilon}"),
        Budget::Approximate { epsilon, delta } => format!("ε = {epsilon}, δ = {delta:e}"),
        Budget::Zcdp { rho } => format!("ρ = {rho}"),
    }
}

/// How privacy is obtained.
pub fn method(method: Method) -> &'static str {
    match method {
        Method::Auto => "Auto",
        Method::Objective => "Objective",
        Method::Output => "Output",
    }
}

/// Settings of a model.
pub fn model(model: &ModelSettings) -> String {
    let ModelSettings { loss, lambda, method: how } = model;
    let lambda = match lambda {
        Lambda::Auto => "Auto".to_owned(),
        Lambda::Fixed(lambda) => format!("Fixed({lambda:?})"),
        Lambda::Grid(lambdas) => format!("Grid({lambdas:?})"),
    };
    let (loss, method) = (loss_text(*loss), method(*how));
    format!("ModelSettings {{ loss: {loss}, lambda: {lambda}, method: {method} }}")
}

/// How λ is chosen.
pub fn tune(tune: &TuneSettings) -> String {
    let TuneSettings { share, validation, score, rule } = tune;
    let score = match score {
        Score::Brier => "Brier",
        Score::Ramp => "Ramp",
        Score::Logistic => "Logistic",
        Score::Hinge => "Hinge",
        Score::Error => "Error",
    };
    let rule = match rule {
        TuningRule::Auto => "Auto",
        TuningRule::Generalised => "Generalised",
        TuningRule::Uniform => "Uniform",
        TuningRule::RandomStopping => "RandomStopping",
    };
    format!(
        "TuneSettings {{ share: {share:?}, validation: {validation:?}, score: {score}, rule: {rule} }}"
    )
}

/// Settings of intervals, if there are any.
pub fn intervals(intervals: Option<&IntervalSettings>) -> String {
    let split = |split: Split| {
        format!(
            "Split {{ training: {:?}, hessian: {:?}, covariance: {:?} }}",
            split.training(),
            split.hessian(),
            split.covariance()
        )
    };
    option_text(intervals.map(|intervals| {
        let IntervalSettings { level, split: shares, draws, columns, reference, largest_effect } =
            intervals;
        let shares = option_text(shares.map(split));
        // There was no `largest_effect`: of another one than the usual there is no earlier run.
        let is_usual = *largest_effect == IntervalSettings::default().largest_effect;
        let effect = match is_usual {
            true => String::new(),
            false => format!(", largest_effect: {largest_effect:?}"),
        };
        format!(
            "IntervalSettings {{ level: {level:?}, split: {shares}, draws: {draws:?}, columns: {columns:?}, reference: {reference:?}{effect} }}"
        )
    }))
}

/// Settings of an evaluation, if there are any.
pub fn evaluate(evaluate: Option<&EvaluateSettings>) -> String {
    option_text(evaluate.map(|EvaluateSettings { share, by }| {
        format!("EvaluateSettings {{ share: {share:?}, by: {by:?} }}")
    }))
}

/// Numbers of bins to choose from, if somebody lists them.
pub fn bins(candidates: Option<&[Vec<usize>]>) -> String {
    option_text(candidates.map(|candidates| {
        let bins: Vec<String> = candidates.iter().map(|bins| format!("Bins({bins:?})")).collect();
        format!("[{}]", bins.join(", "))
    }))
}

/// The learner of a vote.
pub fn learner(learner: &LearnerChoice) -> String {
    match learner {
        LearnerChoice::Logistic => "Logistic".to_owned(),
        LearnerChoice::Trees => "Trees".to_owned(),
        LearnerChoice::Boosting => "Boosting".to_owned(),
        LearnerChoice::Command { command, processes, timeout } => {
            let processes = match processes {
                Processes::Chunk => "Chunk",
                Processes::Shared => "Shared",
            };
            format!(
                "Command {{ command: {command:?}, processes: {processes}, timeout: {timeout:?} }}"
            )
        }
    }
}

/// Which part of a row a vote protects.
pub fn protect(protect: Protect) -> &'static str {
    match protect {
        Protect::Rows => "Rows",
        Protect::Labels => "Labels",
    }
}

/// Which queries are answered.
pub fn answer(answer: AnswerChoice) -> String {
    match answer {
        AnswerChoice::Sure => "Sure".to_owned(),
        AnswerChoice::All { confidence } => format!("All {{ confidence: {confidence:?} }}"),
    }
}

/// How models of a vote weigh classes.
pub fn weights(weights: ClassWeights) -> &'static str {
    match weights {
        ClassWeights::Equal => "Equal",
        ClassWeights::Balanced => "Balanced",
    }
}

/// Whether a joint study takes a Newton step.
pub fn step(step: StepChoice) -> &'static str {
    match step {
        StepChoice::Auto => "Auto",
        StepChoice::Newton => "Newton",
        StepChoice::None => "None",
    }
}
