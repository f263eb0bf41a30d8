//! `[model]`, `[tune]` and `[intervals]`.

use super::document::{Section, number_of};
use super::settings;
use crate::error::Error;
use crate::problem::Problem;
use crate::schema::Schema;
use discretion::erm::matrix::Norm;
use discretion::interval::Split;
use discretion::loss::{HalfWidth, LossKind, Score};
use discretion::train::Method;
use discretion::tune::{Tuning, TuningRule};
use serde::{Deserialize, Serialize};

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
            share: settings::default_number("tune", "share"),
            validation: settings::default_number("tune", "validation"),
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

impl Default for IntervalSettings {
    fn default() -> Self {
        Self {
            level: settings::default_number("intervals", "level"),
            split: None,
            draws: settings::default_number("intervals", "draws") as usize,
            columns: None,
            reference: None,
            largest_effect: settings::default_number("intervals", "largest_effect"),
        }
    }
}

/// The loss of a number; nothing for the one that suits rows and budget.
pub(super) fn number_loss(section: &Section<'_>) -> Result<Option<NumberLoss>, Error> {
    Ok(match section.word_of("loss", &["auto", "squares", "huber"])? {
        Some("squares") => Some(NumberLoss::Squares),
        Some("huber") => Some(NumberLoss::Huber),
        _ => None,
    })
}

/// Whether the base rate is released before the training.
pub(super) fn releases_base_rate(section: &Section<'_>) -> Result<bool, Error> {
    Ok(section.word("base_rate")?.is_some())
}

/// The settings; a loss only where there are classes. `usual` is how a hinge is smoothed if nobody
/// says so.
pub(super) fn model(
    section: &Section<'_>,
    usual: HalfWidth,
    is_number: bool,
) -> Result<(ModelSettings, Norm), Error> {
    section.refuse_unknown()?;
    let loss = if is_number { None } else { section.word_of("loss", &["logistic", "hinge"])? };
    let loss = if loss == Some("hinge") { LossKind::Hinge } else { LossKind::Logistic };
    if let Some(entry) = section.get("smoothing").filter(|_| is_number) {
        return Err(entry.error(Problem::NumberIsNotSmoothed));
    }
    let loss = smoothed(section, loss, usual)?;
    let method = match section.word("method")? {
        Some("objective") => Method::Objective,
        Some("output") => Method::Output,
        _ => Method::Auto,
    };
    let norm = match section.word("norm")? {
        Some("row") => Norm::Row,
        _ => Norm::Scale,
    };
    Ok((ModelSettings { loss, lambda: lambda(section)?, method }, norm))
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
    section.refuse_unknown()?;
    let default = TuneSettings::default();
    let scores = [Score::Brier, Score::Ramp, Score::Logistic, Score::Hinge, Score::Error];
    let score = section.word("score")?;
    Ok(TuneSettings {
        share: section.number("share")?.unwrap_or(default.share),
        validation: section.number("validation")?.unwrap_or(default.validation),
        score: scores
            .into_iter()
            .find(|known| score == Some(known.name()))
            .unwrap_or(default.score),
        rule: match section.word("rule")? {
            Some("generalised") => TuningRule::Generalised,
            Some("uniform") => TuningRule::Uniform,
            Some("random-stopping") => TuningRule::RandomStopping,
            _ => TuningRule::Auto,
        },
    })
}

pub(super) fn intervals(section: &Section<'_>, schema: &Schema) -> Result<IntervalSettings, Error> {
    section.refuse_unknown()?;
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
    let draws = section.number("draws")?.map_or(default.draws, |draws| draws as usize);
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
    let largest_effect = section.number("largest_effect")?.unwrap_or(default.largest_effect);
    let level = section.number("level")?.unwrap_or(default.level);
    Ok(IntervalSettings { level, split, draws, columns, reference, largest_effect })
}

fn lambda(section: &Section<'_>) -> Result<Lambda, Error> {
    const EXPECTED: &str = "a number, a list of numbers, or \"auto\"";
    let Some(entry) = section.get("lambda") else { return Ok(Lambda::Auto) };
    if entry.value.as_str() == Some("auto") {
        return Ok(Lambda::Auto);
    }
    if let Some(lambda) = number_of(entry.value) {
        return entry.in_range(lambda).map(Lambda::Fixed);
    }
    let mut grid = Vec::new();
    for lambda in entry.list(EXPECTED, number_of)? {
        if grid.contains(&entry.in_range(lambda)?) {
            return Err(entry.error(Problem::RepeatedLambda(lambda)));
        }
        grid.push(lambda);
    }
    if grid.is_empty() { Err(entry.error(Problem::NoLambda)) } else { Ok(Lambda::Grid(grid)) }
}
