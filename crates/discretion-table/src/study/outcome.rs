//! The outcome, in `[data]`: one of two classes, one of several, a number, or a class that is made
//! of a number.

use super::document::{Entry, Section};
use super::format::na;
use crate::error::Error;
use crate::problem::Problem;
use crate::schema::{Labels, Scale, Target};

/// Instead of the negative values: all that are not positive. The text itself can be written as a
/// list: `["any other"]`.
const ANY_OTHER: &str = "any other";

/// What is predicted, and what else is: further numbers.
pub(super) fn targets(section: &Section<'_>) -> Result<(Target, Vec<Target>), Error> {
    section.refuse_unknown()?;
    if let Some(entry) = section.get("outcome") {
        return numbers(section, &entry);
    }
    target(section).map(|target| (target, Vec::new()))
}

fn target(section: &Section<'_>) -> Result<Target, Error> {
    let column = section.required_text("target")?;
    let texts = |key: &str| section.get(key).map(|entry| entry.one_or_more_texts()).transpose();
    let threshold = section.get("positive").map(|entry| threshold(&entry)).transpose()?.flatten();
    let positive = if threshold.is_some() { None } else { texts("positive")? };
    let negative = texts("negative")?;
    let classes = section.get("classes").map(|entry| entry.texts()).transpose()?;
    let refuse = |key: &str, problem| match section.get(key) {
        Some(entry) => entry.error(problem),
        None => section.error(problem),
    };
    let label = section.text("label")?.map(|label| label.trim().to_owned());
    let any_other =
        section.get("negative").is_some_and(|entry| entry.value.as_str() == Some(ANY_OTHER));
    let labels = match (threshold, positive, classes) {
        (Some(above), _, None) => match section.get("negative") {
            Some(entry) => return Err(entry.error(Problem::NegativeWithThreshold)),
            None => Labels::Above { above, label },
        },
        (Some(_), _, Some(_)) | (None, Some(_), Some(_)) => {
            return Err(refuse("classes", Problem::TwoKindsOfLabels));
        }
        (None, Some(_), None) if negative.is_none() => {
            return Err(section.error(Problem::NoNegative));
        }
        (None, Some(positive), None) => {
            Labels::Two { positive, negative: negative.filter(|_| !any_other), label }
        }
        (None, None, Some(_)) if label.is_some() => {
            return Err(refuse("label", Problem::LabelWithClasses));
        }
        (None, None, Some(_)) if negative.is_some() => {
            return Err(refuse("negative", Problem::NegativeWithClasses));
        }
        (None, None, Some(classes)) => Labels::Many { classes },
        (None, None, None) => return Err(section.error(Problem::NoLabels)),
    };
    let blamed = if matches!(labels, Labels::Many { .. }) { "classes" } else { "positive" };
    let target = Target { column, labels, na: na(section, &[])? };
    target
        .check()
        .and_then(|()| target.labels.check_spellings())
        .map_err(|problem| refuse(blamed, problem))?;
    Ok(target)
}

/// `outcome = { column = "days", min = 0, max = 60, scale = "log" }`, or a list of such tables.
fn numbers(data: &Section<'_>, entry: &Entry<'_>) -> Result<(Target, Vec<Target>), Error> {
    for key in ["target", "positive", "negative", "label", "classes"] {
        if let Some(other) = data.get(key) {
            return Err(other.error(Problem::NumberWithClasses { key }));
        }
    }
    let one = entry.section("data.outcome", "outcome".to_owned()).map(|section| vec![section]);
    let sections = one.or_else(|| entry.sections("data.outcome", "outcome")).ok_or_else(|| {
        entry.wrong_type(
            "a table such as { column = \"days\", min = 0, max = 60 }, or a list of them",
        )
    })?;
    let mut targets = sections
        .iter()
        .map(|section| number(data, section))
        .collect::<Result<std::collections::VecDeque<_>, _>>()?;
    let first = targets.pop_front().ok_or_else(|| entry.error(Problem::NoOutcome))?;
    Ok((first, targets.into()))
}

fn number(data: &Section<'_>, section: &Section<'_>) -> Result<Target, Error> {
    section.refuse_unknown()?;
    let labels = Labels::Number {
        min: section.required_number("min")?,
        max: section.required_number("max")?,
        scale: scale(section)?,
    };
    let target = Target { column: section.required_text("column")?, labels, na: na(data, &[])? };
    target.check().map_err(|problem| section.error(problem))?;
    Ok(target)
}

/// `positive = { above = 30 }`; nothing if it is no table.
fn threshold(entry: &Entry<'_>) -> Result<Option<f64>, Error> {
    let Some(section) = entry.section("data.positive", "positive".to_owned()) else {
        return Ok(None);
    };
    section.refuse_unknown()?;
    section.required_number("above").map(Some)
}

/// How a number is scaled: an outcome's, or a column's.
pub(super) fn scale(section: &Section<'_>) -> Result<Scale, Error> {
    Ok(match section.word("scale")? {
        Some("log") => Scale::Log,
        _ => Scale::Linear,
    })
}
