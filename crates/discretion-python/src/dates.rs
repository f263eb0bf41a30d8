//! Dates, as Python declares them.

use crate::errors::input;
use discretion_table::{Column, DateFormat, DatePart, Kind, Moment, Reading, ReadingProblem};
use pyo3::prelude::*;

/// A date as a study file would declare it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct DeclaredDate {
    min: Option<Moment>,
    max: Option<Moment>,
    missing: Option<Moment>,
    format: Option<DateFormat>,
    #[serde(default)]
    parts: Vec<DatePart>,
    #[serde(default)]
    na: Vec<String>,
}

/// The columns that a declared date makes, as JSON: the date itself, if it has a range, and its
/// parts.
#[pyfunction]
pub fn date_columns(py: Python<'_>, name: &str, declared: &str) -> PyResult<String> {
    let refuse = |reason: String| input(py, format!("column {name:?} cannot be a date: {reason}"));
    let declared: DeclaredDate =
        serde_json::from_str(declared).map_err(|error| refuse(error.to_string()))?;
    let columns = columns(name, declared).map_err(|problem| refuse(problem.to_string()))?;
    if columns.is_empty() {
        return Err(refuse(
            "give the range that it has, \"min\" and \"max\", or the \"parts\" to use".to_owned(),
        ));
    }
    for column in &columns {
        column.check().map_err(|problem| refuse(problem.to_string()))?;
    }
    Ok(serde_json::to_string(&columns).expect("columns are plain data"))
}

fn columns(name: &str, declared: DeclaredDate) -> Result<Vec<Column>, ReadingProblem> {
    let DeclaredDate { min, max, missing, format, parts, na } = declared;
    let reading = Reading { format, ..Reading::with_na(na) };
    let range = min.zip(max);
    let date = range.map(|(min, max)| Column {
        reading: reading.clone(),
        ..Column::new(name, Kind::Date { min, max, missing })
    });
    let parts =
        parts.into_iter().map(|part| Column::part_of_date(name, part, range, reading.clone()));
    date.into_iter().map(Ok).chain(parts).collect()
}
