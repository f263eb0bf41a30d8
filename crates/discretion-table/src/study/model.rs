//! `[model]` and `[intervals]`.

use super::document::{Section, number_of};
use crate::error::{Error, Hint};
use crate::problem::Problem;
use discretion::erm::LossKind;
use discretion::erm::matrix::Norm;
use discretion::train::Method;
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

/// `[intervals]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intervals {
    /// The confidence level, strictly between 0 and 1.
    pub level: f64,
}

pub(super) fn model(section: &Section<'_>) -> Result<(ModelSettings, Norm), Error> {
    section.allow(&["loss", "lambda", "method", "norm"])?;
    let loss = choice(section, "loss", &[("logistic", LossKind::Logistic), ("hinge", LossKind::Hinge)])?;
    let methods = [("auto", Method::Auto), ("objective", Method::Objective), ("output", Method::Output)];
    let method = choice(section, "method", &methods)?;
    let norm = choice(section, "norm", &[("scale", Norm::Scale), ("row", Norm::Row)])?;
    let settings = ModelSettings {
        loss: loss.unwrap_or(LossKind::Logistic),
        lambda: lambda(section)?,
        method: method.unwrap_or_default(),
    };
    Ok((settings, norm.unwrap_or_default()))
}

pub(super) fn intervals(section: &Section<'_>) -> Result<Intervals, Error> {
    section.allow(&["level"])?;
    let Some(entry) = section.get("level") else { return Ok(Intervals { level: 0.95 }) };
    let level = entry.number()?;
    if level > 0.0 && level < 1.0 {
        Ok(Intervals { level })
    } else {
        Err(entry.error(Problem::BadLevel(level)))
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
            let allowed: Vec<String> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
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
