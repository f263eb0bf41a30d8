//! Which columns a density is of.

use crate::errors::input;
use discretion_table::{Column, Kind, Target, choose};
use pyo3::prelude::*;

/// The schema of a table that may have no target.
#[derive(serde::Deserialize)]
struct Declared {
    columns: Vec<Column>,
    target: Option<Target>,
}

/// The columns of these names, or all that are used; checked on their way in.
pub fn chosen(py: Python<'_>, schema: &str, names: Option<Vec<String>>) -> PyResult<Vec<Column>> {
    let declared: Declared = serde_json::from_str(schema)
        .map_err(|error| input(py, format!("this schema cannot be used: {error}")))?;
    let used = || {
        let used = declared.columns.iter().filter(|column| column.kind != Kind::Dropped);
        used.map(|column| column.name.clone()).collect()
    };
    let outcomes: Vec<_> = declared.target.iter().collect();
    choose(&declared.columns, &outcomes, &names.unwrap_or_else(used))
        .map_err(|problem| input(py, format!("columns: {problem}")))
}
