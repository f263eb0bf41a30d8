//! The outcome, in `[data]`: one of two classes, one of several, a number, or a class that is made of a number.

use super::data::required_text;
use super::document::{Entry, Section};
use super::format::na;
use super::model::choice;
use crate::error::Error;
use crate::problem::Problem;
use crate::schema::{Labels, Scale, Target};

/// Instead of the negative values: all that are not positive. The text itself can be written as a list: `["any other"]`.
const ANY_OTHER: &str = "any other";

pub(super) fn target(section: &Section<'_>) -> Result<Target, Error> {
    section.allow(&[
        "path",
        "account",
        "person",
        "target",
        "outcome",
        "positive",
        "negative",
        "label",
        "classes",
        "from_rows",
        "query",
        "format",
        "na",
        "where",
        "missing_outcome",
        "weight",
    ])?;
    if let Some(entry) = section.get("outcome") {
        return number(section, &entry);
    }
    let column = required_text(section, "target", "\"the column to predict\"")?;
    let texts = |key: &str| section.get(key).map(|entry| entry.one_or_more_texts()).transpose();
    let threshold = section.get("positive").map(|entry| threshold(&entry)).transpose()?.flatten();
    let positive = if threshold.is_some() { None } else { texts("positive")? };
    let negative = texts("negative")?;
    let classes = section.get("classes").map(|entry| entry.texts()).transpose()?;
    let refuse = |key: &str, problem| match section.get(key) {
        Some(entry) => entry.error(problem),
        None => section.error(problem),
    };
    let label = match section.get("label") {
        Some(_) => {
            Some(required_text(section, "label", "\"a name for the positive class\"")?.trim().to_owned())
        }
        None => None,
    };
    let any_other = section.get("negative").is_some_and(|entry| entry.value.as_str() == Some(ANY_OTHER));
    let labels = match (positive, classes) {
        (_, None) if let Some(above) = threshold => match section.get("negative") {
            Some(entry) => return Err(entry.error(Problem::NegativeWithThreshold)),
            None => Labels::Above { above, label },
        },
        (_, Some(_)) if threshold.is_some() => return Err(refuse("classes", Problem::TwoKindsOfLabels)),
        (Some(_), None) if negative.is_none() => return Err(section.error(Problem::NoNegative)),
        (Some(positive), None) => Labels::Two { positive, negative: negative.filter(|_| !any_other), label },
        (None, Some(_)) if label.is_some() => return Err(refuse("label", Problem::LabelWithClasses)),
        (None, Some(_)) if negative.is_some() => {
            return Err(refuse("negative", Problem::NegativeWithClasses));
        }
        (None, Some(classes)) => Labels::Many { classes },
        (Some(_), Some(_)) => return Err(refuse("classes", Problem::TwoKindsOfLabels)),
        (None, None) => return Err(section.error(Problem::NoLabels)),
    };
    let blamed = if matches!(labels, Labels::Many { .. }) { "classes" } else { "positive" };
    let target = Target { column, labels, na: na(section, &[])? };
    target
        .check()
        .and_then(|()| target.labels.check_spellings())
        .map_err(|problem| refuse(blamed, problem))?;
    Ok(target)
}

/// `outcome = { column = "days", min = 0, max = 60, scale = "log" }`.
fn number(data: &Section<'_>, entry: &Entry<'_>) -> Result<Target, Error> {
    for key in ["target", "positive", "negative", "label", "classes"] {
        if let Some(other) = data.get(key) {
            return Err(other.error(Problem::NumberWithClasses { key }));
        }
    }
    let section = entry
        .section("outcome".to_owned())
        .ok_or_else(|| entry.wrong_type("a table such as { column = \"days\", min = 0, max = 60 }"))?;
    section.allow(&["column", "min", "max", "scale"])?;
    let bound = |key: &'static str, example| {
        section.number(key).and_then(|value| value.ok_or_else(|| section.missing(key, example)))
    };
    let scale = choice(&section, "scale", &[("linear", Scale::Linear), ("log", Scale::Log)])?;
    let labels = Labels::Number {
        min: bound("min", "0")?,
        max: bound("max", "60")?,
        scale: scale.unwrap_or_default(),
    };
    let target =
        Target { column: required_text(&section, "column", "\"days\"")?, labels, na: na(data, &[])? };
    target.check().map_err(|problem| entry.error(problem))?;
    Ok(target)
}

/// `positive = { above = 30 }`; nothing if it is no table.
fn threshold(entry: &Entry<'_>) -> Result<Option<f64>, Error> {
    let Some(section) = entry.section("positive".to_owned()) else { return Ok(None) };
    section.allow(&["above"])?;
    section.number("above")?.ok_or_else(|| section.missing("above", "30")).map(Some)
}
