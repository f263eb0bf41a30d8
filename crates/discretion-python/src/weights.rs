//! How much rows count, as numpy has it.

use crate::errors::input;
use crate::table::{Encoded, digest_of};
use discretion_table::{Cohort, RowWeight, Schema};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

impl Encoded {
    /// The same rows, each with its weight.
    pub fn weighed(mut self, py: Python<'_>, weights: Option<Vec<f32>>) -> PyResult<Encoded> {
        let Some(weights) = weights else { return Ok(self) };
        let rows = self.rows.as_mut().expect("no fit has taken them");
        if weights.len() != rows.rows() {
            let each =
                "X and sample_weight have different numbers of rows; pass one weight for each row";
            return Err(input(py, each.to_owned()));
        }
        rows.weigh(&weights);
        // The same rows with other weights are another table.
        self.digest.extend(digest_of(weights.iter().map(|weight| weight.to_bits())));
        Ok(self)
    }
}

/// The schema of rows with weights, and the weights as parts of the largest that was declared.
pub fn weighed(
    py: Python<'_>,
    schema: Schema,
    weights: Option<(PyReadonlyArray1<'_, f64>, f64)>,
) -> PyResult<(Schema, Option<Vec<f32>>)> {
    // The schema of a model that was read from a file may tell of weights that were passed to its
    // own fit.
    let told = schema.cohort().weight.as_ref().is_some_and(|weight| weight.column.is_none());
    if weights.is_none() && !told {
        return Ok((schema, None));
    }
    let weight = weights.as_ref().map(|(_, max)| RowWeight { column: None, max: *max });
    let cohort = Cohort { weight, ..schema.cohort().clone() };
    let schema = schema.with_cohort(cohort).map_err(|problem| input(py, problem.to_string()))?;
    let Some((weights, max)) = weights else { return Ok((schema, None)) };
    let weight = RowWeight { column: None, max };
    let parts = weights.as_slice()?.iter().map(|&given| weight.part(given)).collect();
    Ok((schema, Some(parts)))
}
