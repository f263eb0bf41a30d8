//! Dates: their range, how they are written, and parts of them that are categories.

use super::curves;
use super::document::{Entry, Section};
use crate::curve::Curve;
use crate::date::{DateFormat, DatePart, Moment};
use crate::error::Error;
use crate::problem::Problem;
use crate::reading::Reading;
use crate::reading_problem::ReadingProblem;
use crate::schema::{Column, Kind};
use toml::de::DeValue;

/// The date itself, if it has a range, and its parts.
pub(super) fn columns(
    section: &Section<'_>,
    name: &str,
    reading: Reading,
    curve: Option<Curve>,
) -> Result<Vec<Column>, Error> {
    let bad = |entry: &Entry<'_>, reason: String| {
        entry.error(Problem::from(ReadingProblem::BadDate { column: name.to_owned(), reason }))
    };
    let moment = |key: &str| -> Result<Option<Moment>, Error> {
        let Some(entry) = section.get(key).filter(|entry| !curves::is_own(entry)) else {
            return Ok(None);
        };
        let text = match entry.value {
            DeValue::String(text) => text.trim().to_owned(),
            // TOML has dates of its own.
            DeValue::Datetime(date) => date.to_string(),
            _ => return Err(entry.wrong_type("a date such as \"2020-12-31\"")),
        };
        text.parse().map(Some).map_err(|reason| bad(&entry, reason))
    };
    let (min, max, missing) = (moment("min")?, moment("max")?, moment("missing")?);
    let format = match section.get("format") {
        None => None,
        Some(entry) => Some(
            entry
                .text()?
                .parse::<DateFormat>()
                .map_err(|reason| bad(&entry, format!("`format`: {reason}")))?,
        ),
    };
    let reading = Reading { format, ..reading };
    let parts = parts(section)?;
    let mut columns = Vec::new();
    match (min, max) {
        (Some(min), Some(max)) => {
            let kind = Kind::Date { min, max, missing };
            columns.push(Column { reading: reading.clone(), curve, ..Column::new(name, kind) });
        }
        // Parts alone need no range.
        (None, None) if !parts.is_empty() && missing.is_none() => {}
        (None, _) => return Err(section.missing("min", "\"2015-01-01\"")),
        (_, None) => return Err(section.missing("max", "\"2020-12-31\"")),
    }
    for part in parts {
        let column = Column::part_of_date(name, part, min.zip(max), reading.clone());
        columns.push(column.map_err(|problem| section.error(Problem::from(problem)))?);
    }
    Ok(columns)
}

fn parts(section: &Section<'_>) -> Result<Vec<DatePart>, Error> {
    let Some(entry) = section.get("parts") else { return Ok(Vec::new()) };
    let read = |value: &DeValue<'_>| {
        DatePart::ALL.iter().find(|(name, _)| value.as_str() == Some(*name)).map(|(_, part)| *part)
    };
    entry.list("a list of \"year\", \"month\", \"weekday\" and \"hour\"", read)
}
