//! `where` and `missing_outcome` in `[data]`: which rows count.

use super::document::{Entry, Section};
use crate::cohort::{Accepted, Cohort, CohortProblem, Condition, RowWeight};
use crate::date::Moment;
use crate::error::{Error, Excerpt};
use crate::problem::Problem;
use crate::schema::{Kind, Schema};
use toml::de::DeValue;

/// The schema with the rows that count.
pub(super) fn cohort(section: &Section<'_>, schema: Schema) -> Result<Schema, Error> {
    let known_outcome = section.word("missing_outcome")? == Some("left out");
    let mut conditions = Vec::new();
    if let Some(entry) = section.get("where") {
        let table = entry.section("", "`where` in [data]".to_owned()).ok_or_else(|| {
            entry.wrong_type("{ column = value } or { column = { min = …, max = … } }")
        })?;
        for entry in table.entries() {
            conditions.push(condition(&entry, &schema)?);
        }
    }
    let at = section.get("where").map_or_else(|| section.at(), |entry| entry.at());
    let cohort = Cohort { conditions, known_outcome, weight: None };
    let schema = schema.with_cohort(cohort.clone()).map_err(|problem| at.error(problem))?;
    let Some(entry) = section.get("weight") else { return Ok(schema) };
    let weight = Some(weight(&entry)?);
    schema.with_cohort(Cohort { weight, ..cohort }).map_err(|problem| entry.error(problem))
}

/// `weight = { column = "w", max = 5 }`.
fn weight(entry: &Entry<'_>) -> Result<RowWeight, Error> {
    let section = entry
        .section("data.weight", "`weight` in [data]".to_owned())
        .ok_or_else(|| entry.wrong_type("{ column = \"w\", max = 5 }"))?;
    section.refuse_unknown()?;
    Ok(RowWeight {
        column: Some(section.required_text("column")?),
        max: section.required_number("max")?,
    })
}

/// `sex = "F"`, `ward = ["a", "b"]`, `age = { min = 40 }`.
fn condition(entry: &Entry<'_>, schema: &Schema) -> Result<Condition, Error> {
    let column = entry.key.to_owned();
    let title = format!("`where` of column `{}`", Excerpt::of(&column));
    let is = match entry.section("data.where", title) {
        Some(bounds) => range(entry, &bounds, schema)?,
        None => Accepted::Values(entry.one_or_more_texts()?),
    };
    Ok(Condition { column, is })
}

/// Bounds of a date, if one is written as a date; else of a number.
fn range(entry: &Entry<'_>, bounds: &Section<'_>, schema: &Schema) -> Result<Accepted, Error> {
    bounds.refuse_unknown()?;
    let written = ["min", "max"].map(|key| bounds.get(key));
    if written.iter().all(Option::is_none) {
        return Err(bounds.missing("min", "40"));
    }
    let is_date =
        |bound: &Entry<'_>| matches!(bound.value, DeValue::String(_) | DeValue::Datetime(_));
    let declared = schema.columns().iter().find(|column| column.name == entry.key);
    let wants_dates = declared.is_some_and(|column| matches!(column.kind, Kind::Date { .. }));
    if wants_dates || written.iter().flatten().any(is_date) {
        let [min, max] =
            written.map(|bound| bound.map(|bound| moment(entry.key, &bound)).transpose());
        Ok(Accepted::Dates([min?, max?]))
    } else {
        let [min, max] = written.map(|bound| bound.map(|bound| bound.number()).transpose());
        Ok(Accepted::Numbers([min?, max?]))
    }
}

fn moment(column: &str, bound: &Entry<'_>) -> Result<Moment, Error> {
    let text = match bound.value {
        DeValue::String(text) => text.trim().to_owned(),
        // TOML has dates of its own.
        DeValue::Datetime(date) => date.to_string(),
        _ => return Err(bound.wrong_type("a date such as \"2020-12-31\"")),
    };
    let refuse = |_| {
        let column = column.to_owned();
        bound.error(Problem::from(CohortProblem::NotADate { column, text: text.clone() }))
    };
    text.parse().map_err(refuse)
}
