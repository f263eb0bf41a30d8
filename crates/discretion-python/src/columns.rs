//! Which columns a density is of.

use crate::errors::{Raise, input};
use discretion::privacy::Unit;
use discretion_jobs::support::{self, Feature, Features};
use discretion_table::{Cohort, Column, Kind, Target, choose};
use pyo3::prelude::*;

/// The schema of a table that may have no target.
#[derive(serde::Deserialize)]
struct Declared {
    columns: Vec<Column>,
    target: Option<Target>,
    person: Option<String>,
    #[serde(default)]
    cohort: Cohort,
}

/// The columns of these names, or all that are used; checked on their way in.
pub fn chosen(py: Python<'_>, schema: &str, names: Option<Vec<String>>) -> PyResult<Vec<Column>> {
    let declared: Declared = serde_json::from_str(schema)
        .map_err(|error| input(py, format!("this schema cannot be used: {error}")))?;
    let unit = if declared.person.is_some() { Unit::Person } else { Unit::Row };
    let features = Features::of_rows(unit, &declared.cohort)
        .and(Feature::Density, "schema")
        .and(Feature::Python, "");
    support::check(&features).map_err(|failure| failure.raise(py))?;
    let used = || {
        let used = declared.columns.iter().filter(|column| column.kind != Kind::Dropped);
        used.map(|column| column.name.clone()).collect()
    };
    let outcomes: Vec<_> = declared.target.iter().collect();
    choose(&declared.columns, &outcomes, &names.unwrap_or_else(used))
        .map_err(|problem| input(py, format!("columns: {problem}")))
}
