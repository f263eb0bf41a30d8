//! Curves whose number of knots follows from public numbers.

use crate::budget::{Numbers, budget};
use crate::errors::Raise;
use crate::table::read_schema;
use discretion_table::person;
use pyo3::prelude::*;
use std::collections::HashSet;

/// How many units there are.
#[derive(FromPyObject)]
pub enum UnitsArgument {
    /// So many rows.
    Rows(usize),
    /// The persons whom each of them belongs to.
    Persons(Vec<String>),
}

impl UnitsArgument {
    fn count(&self) -> usize {
        match self {
            UnitsArgument::Rows(rows) => *rows,
            // As they are told apart where rows are grouped.
            UnitsArgument::Persons(names) => {
                names.iter().map(|name| person(name.as_bytes())).collect::<HashSet<_>>().len()
            }
        }
    }
}

/// The schema with every `curve = "auto"` settled for so many rows or persons.
#[pyfunction]
pub fn settled(
    py: Python<'_>,
    schema: &str,
    rows: UnitsArgument,
    spend: Numbers,
) -> PyResult<String> {
    let rows = rows.count();
    let schema = read_schema(py, schema)?;
    let budget = budget(spend).map_err(|failure| failure.raise(py))?;
    Ok(serde_json::to_string(&schema.with_auto_curves(rows, budget).0)
        .expect("a schema is plain data"))
}
