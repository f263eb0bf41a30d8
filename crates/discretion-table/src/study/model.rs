//! `[model]`, `[tune]` and `[intervals]`.

use super::document::{Section, number_of};
use crate::error::{Error, Hint};
use crate::problem::Problem;
use crate::schema::Schema;
use discretion::erm::matrix::Norm;
use discretion::interval::{DRAWS, DRAWS_ALLOWED, Split};
use discretion::loss::{HalfWidth, LossKind, Score};
use discretion::train::Method;
use discretion::tune::{Tuning, TuningRule};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// `[model]`, apart from the norm, which is part of the schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// The loss.
    pub loss: LossKind,
    /// The regularisation.
    pub lambda: Lambda,
    /// How privacy is obtained.
    pub method: Method,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self { loss: LossKind::Logistic, lambda: Lambda::Auto, method: Method::Auto }
    }
}

/// What is made small where the outcome is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberLoss {
    /// The mean square of residuals.
    Squares,
    /// Huber's loss, in which large residuals count by their size and not by its square.
    Huber,
}

/// The regularisation λ.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lambda {
    /// From the number of rows, the dimension and the budget alone.
    #[default]
    Auto,
    /// This one.
    Fixed(f64),
    /// The one of these that is chosen privately.
    Grid(Vec<f64>),
}

/// `[tune]`: how λ is chosen from a list. What is left out takes its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TuneSettings {
    /// The share of the budget that goes to the choice.
    pub share: f64,
    /// The share of rows that only validate.
    pub validation: f64,
    /// What models are measured by.
    pub score: Score,
    /// How one is chosen.
    pub rule: TuningRule,
}

impl Default for TuneSettings {
    fn default() -> Self {
        Self {
            share: Tuning::SHARE,
            validation: Tuning::VALIDATION,
            score: Tuning::SCORE,
            rule: TuningRule::Auto,
        }
    }
}

/// `[intervals]`.
#[derive(Debug, Clone, PartialEq)]
pub struct IntervalSettings {
    /// The confidence level, strictly between 0 and 1.
    pub level: f64,
    /// How the budget is split between coefficients and the two matrices behind their intervals, if
    /// somebody said so.
    pub split: Option<Split>,
    /// Monte Carlo draws, for what is said about all intervals at once; the intervals need none.
    pub draws: usize,
    /// The columns whose coefficients get intervals; all of them if nobody named any.
    pub columns: Option<Vec<String>>,
    /// Of several classes: the one that the others are compared with; the first if nobody said so.
    pub reference: Option<String>,
    /// No ordinary coefficient is larger than this: log-odds for half the range of a number or for
    /// a category. What is known beforehand, never what the rows say.
    pub largest_effect: f64,
}

/// The largest effect if nobody declares another: an odds ratio of 55.
pub const LARGEST_EFFECT: f64 = 4.0;

/// What may be declared: more is no knowledge, and less leaves nothing to find out.
pub const LARGEST_EFFECT_ALLOWED: RangeInclusive<f64> = 0.1..=100.0;

impl Default for IntervalSettings {
    fn default() -> Self {
        Self {
            level: 0.95,
            split: None,
            draws: DRAWS,
            columns: None,
            reference: None,
            largest_effect: LARGEST_EFFECT,
        }
    }
}

/// The loss of a number; nothing for the one that suits rows and budget.
pub(super) fn number_loss(section: &Section<'_>) -> Result<Option<NumberLoss>, Error> {
    let losses = [
        ("auto", None),
        ("squares", Some(NumberLoss::Squares)),
        ("huber", Some(NumberLoss::Huber)),
    ];
    Ok(choice(section, "loss", &losses)?.flatten())
}

/// Whether the base rate is released before the training.
pub(super) fn releases_base_rate(section: &Section<'_>) -> Result<bool, Error> {
    Ok(choice(section, "base_rate", &[("private", true)])?.unwrap_or(false))
}

/// The settings; a loss only where there are classes. `usual` is how a hinge is smoothed if nobody
/// says so.
pub(super) fn model(
    section: &Section<'_>,
    usual: HalfWidth,
    is_number: bool,
) -> Result<(ModelSettings, Norm), Error> {
    section.allow(&["loss", "smoothing", "lambda", "method", "norm", "base_rate"])?;
    let losses = [("logistic", LossKind::Logistic), ("hinge", LossKind::Hinge)];
    let loss = if is_number { None } else { choice(section, "loss", &losses)? };
    if let Some(entry) = section.get("smoothing").filter(|_| is_number) {
        return Err(entry.error(Problem::NumberIsNotSmoothed));
    }
    let loss = smoothed(section, loss.unwrap_or(LossKind::Logistic), usual)?;
    let methods =
        [("auto", Method::Auto), ("objective", Method::Objective), ("output", Method::Output)];
    let method = choice(section, "method", &methods)?;
    let norm = choice(section, "norm", &[("scale", Norm::Scale), ("row", Norm::Row)])?;
    let settings =
        ModelSettings { loss, lambda: lambda(section)?, method: method.unwrap_or_default() };
    Ok((settings, norm.unwrap_or_default()))
}

/// The loss with the `smoothing` that is written for it.
fn smoothed(section: &Section<'_>, loss: LossKind, usual: HalfWidth) -> Result<LossKind, Error> {
    let Some(entry) = section.get("smoothing") else {
        return Ok(if loss == LossKind::Hinge { LossKind::hinge(usual) } else { loss });
    };
    if loss == LossKind::Logistic {
        return Err(entry.error(Problem::NothingToSmooth));
    }
    let h = entry.number()?;
    HalfWidth::new(h).map(LossKind::hinge).ok_or_else(|| entry.error(Problem::BadSmoothing(h)))
}

pub(super) fn tune(section: &Section<'_>) -> Result<TuneSettings, Error> {
    section.allow(&["share", "validation", "score", "rule"])?;
    let scores = [Score::Brier, Score::Ramp, Score::Logistic, Score::Hinge, Score::Error];
    let rules = [
        ("auto", TuningRule::Auto),
        ("generalised", TuningRule::Generalised),
        ("uniform", TuningRule::Uniform),
        ("random-stopping", TuningRule::RandomStopping),
    ];
    let default = TuneSettings::default();
    Ok(TuneSettings {
        share: share(section, "share")?.unwrap_or(default.share),
        validation: share(section, "validation")?.unwrap_or(default.validation),
        score: choice(section, "score", &scores.map(|score| (score.name(), score)))?
            .unwrap_or(default.score),
        rule: choice(section, "rule", &rules)?.unwrap_or(default.rule),
    })
}

pub(super) fn intervals(section: &Section<'_>, schema: &Schema) -> Result<IntervalSettings, Error> {
    section.allow(&["level", "split", "draws", "columns", "reference", "largest_effect"])?;
    let default = IntervalSettings::default();
    let split = match section.get("split") {
        None => default.split,
        Some(entry) if entry.value.as_str() == Some("auto") => None,
        Some(entry) => {
            const EXPECTED: &str =
                "a list of three shares (training, Hessian, covariance), or \"auto\"";
            let [training, hessian, covariance] = entry.list(EXPECTED, number_of)?[..] else {
                return Err(entry.wrong_type(EXPECTED));
            };
            let split = Split::new(training, hessian, covariance);
            Some(split.map_err(|error| entry.error(Problem::Split(Box::new(error))))?)
        }
    };
    let draws = match section.get("draws") {
        None => default.draws,
        Some(entry) => match entry.number()? {
            count if count.fract() == 0.0 && DRAWS_ALLOWED.contains(&(count as usize)) => {
                count as usize
            }
            other => return Err(entry.error(Problem::BadDraws(other))),
        },
    };
    let columns = match section.get("columns") {
        None => None,
        Some(entry) => {
            let names = entry.texts()?;
            schema.check_interval_columns(&names).map_err(|problem| entry.error(problem))?;
            Some(names)
        }
    };
    let reference = match section.get("reference") {
        None => None,
        Some(entry) => {
            let class = entry.text()?;
            schema.check_reference(class).map_err(|problem| entry.error(problem))?;
            Some(class.to_owned())
        }
    };
    let largest_effect = match section.get("largest_effect") {
        None => default.largest_effect,
        Some(entry) => match entry.number()? {
            largest if LARGEST_EFFECT_ALLOWED.contains(&largest) => largest,
            other => return Err(entry.error(Problem::BadLargestEffect(other))),
        },
    };
    let level = share(section, "level")?.unwrap_or(default.level);
    Ok(IntervalSettings { level, split, draws, columns, reference, largest_effect })
}

/// A number strictly between 0 and 1.
pub(super) fn share(section: &Section<'_>, key: &'static str) -> Result<Option<f64>, Error> {
    let Some(entry) = section.get(key) else { return Ok(None) };
    match entry.number()? {
        value if value > 0.0 && value < 1.0 => Ok(Some(value)),
        value => Err(entry.error(Problem::NotAShare { key, value })),
    }
}

fn lambda(section: &Section<'_>) -> Result<Lambda, Error> {
    const EXPECTED: &str = "a number, a list of numbers, or \"auto\"";
    let Some(entry) = section.get("lambda") else { return Ok(Lambda::Auto) };
    let checked = |lambda: f64| match lambda.is_finite() && lambda > 0.0 {
        true => Ok(lambda),
        false => Err(entry.error(Problem::BadLambda(lambda))),
    };
    if entry.value.as_str() == Some("auto") {
        return Ok(Lambda::Auto);
    }
    if let Some(lambda) = number_of(entry.value) {
        return checked(lambda).map(Lambda::Fixed);
    }
    let mut grid = Vec::new();
    for lambda in entry.list(EXPECTED, number_of)? {
        if grid.contains(&checked(lambda)?) {
            return Err(entry.error(Problem::RepeatedLambda(lambda)));
        }
        grid.push(lambda);
    }
    if grid.is_empty() { Err(entry.error(Problem::NoLambda)) } else { Ok(Lambda::Grid(grid)) }
}

/// One of a few words.
pub(super) fn choice<T: Copy>(
    section: &Section<'_>,
    key: &'static str,
    choices: &[(&str, T)],
) -> Result<Option<T>, Error> {
    let Some(entry) = section.get(key) else { return Ok(None) };
    let found = entry.text()?;
    match choices.iter().find(|(word, _)| *word == found) {
        Some((_, value)) => Ok(Some(*value)),
        None => {
            let allowed: Vec<String> =
                choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            Err(entry.error(Problem::UnknownChoice {
                key,
                section: section.title(),
                found: found.to_owned(),
                allowed: allowed.join(", "),
                hint: Hint::nearest(found, choices.iter().map(|(word, _)| *word)),
            }))
        }
    }
}
