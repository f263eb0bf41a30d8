//! Arrow record batches, from a file or from another program's memory, as encoded rows.

use super::Request;
use super::encoded::Encoded;
use super::header::Role;
use super::label::Labeller;
use super::texts::{Texts, column_type};
use crate::encode::Encoder;
use crate::error::{Error, Excerpt};
use crate::problem::Problem;
use crate::schema::{Kind, Labels, trimmed};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType};

fn check_type(role: Role, column: &str, found: &DataType) -> Result<(), Problem> {
    let kind = column_type(found);
    let (possible, wanted) = match role {
        Role::Skip => return Ok(()),
        Role::Number(_) => (kind.number, "a number"),
        Role::Category(_) | Role::Target => (kind.text, "a category"),
    };
    if possible {
        return Ok(());
    }
    Err(Problem::ParquetType { column: column.to_owned(), found: found.to_string(), wanted })
}

/// Whether the declaration writes whole numbers as `1.0`; a column of doubles is then compared
/// in that form, and as `1` otherwise.
fn writes_decimals(request: &Request<'_>, name: &str) -> bool {
    let decimal = |values: &[String]| values.iter().any(|value| value.ends_with(".0"));
    if let Some(target) = request.target.filter(|target| target.column == name) {
        return match &target.labels {
            Labels::Two { positive, negative } => {
                decimal(positive) || negative.as_deref().is_some_and(decimal)
            }
            Labels::Many { classes } => decimal(classes),
        };
    }
    let column = request.declared.iter().find(|column| column.name == name);
    column.is_some_and(|column| matches!(&column.kind, Kind::Category { values } if decimal(values)))
}

/// A column that is read.
struct Column {
    role: Role,
    decimals: bool,
}

/// What turns record batches into encoded rows.
pub(crate) struct Rows<'a> {
    encoder: &'a Encoder,
    labeller: Option<Labeller>,
    columns: Vec<Column>,
}

/// What is wrong in a batch, and how many of its rows precede it.
pub(crate) struct Bad {
    pub rows_before: usize,
    pub problem: Problem,
}

impl<'a> Rows<'a> {
    /// For batches that have the columns with a role, and no others.
    pub fn new(
        request: &'a Request<'_>,
        found: &arrow_schema::Schema,
        roles: &[Role],
    ) -> Result<Rows<'a>, Error> {
        let mut columns = Vec::new();
        for (&role, field) in roles.iter().zip(found.fields()) {
            check_type(role, field.name(), field.data_type()).map_err(|problem| request.error(problem))?;
            if role != Role::Skip {
                columns.push(Column { role, decimals: writes_decimals(request, field.name()) });
            }
        }
        Ok(Rows { encoder: request.encoder, labeller: Labeller::new(request)?, columns })
    }

    /// Encodes a batch.
    pub fn encode(&self, table: &RecordBatch) -> Result<Encoded, Bad> {
        let rows = table.num_rows();
        let mut encoded = Encoded {
            numeric: vec![0.0; rows * self.encoder.numbers.len()],
            codes: vec![0; rows * self.encoder.categories.len()],
            classes: Vec::with_capacity(rows),
        };
        let columns = self.columns.iter().zip(table.columns());
        let bad = columns.filter_map(|(column, array)| self.column(column, array, &mut encoded).err());
        match bad.min_by_key(|bad| bad.rows_before) {
            None => Ok(encoded),
            Some(bad) => Err(bad),
        }
    }

    fn column(&self, column: &Column, array: &ArrayRef, encoded: &mut Encoded) -> Result<(), Bad> {
        let damaged = |error: ArrowError| Bad { rows_before: 0, problem: Problem::Arrow(error.to_string()) };
        if let Role::Number(j) = column.role {
            let values = arrow_cast::cast(array, &DataType::Float64).map_err(damaged)?;
            return self.numbers(j, &values, encoded);
        }
        let texts = Texts::new(array, column.decimals).map_err(damaged)?;
        let width = self.encoder.categories.len();
        for row in 0..array.len() {
            let text = texts.get(row).map_or(&b""[..], trimmed);
            match (column.role, &self.labeller) {
                (Role::Category(j), _) => {
                    encoded.codes[row * width + j] = self.encoder.categories[j].encode(text);
                }
                (Role::Target, Some(labeller)) => {
                    let class = labeller.class(text).map_err(|problem| Bad { rows_before: row, problem })?;
                    encoded.classes.push(class);
                }
                (role, _) => unreachable!("{role:?} is not read as text"),
            }
        }
        Ok(())
    }

    fn numbers(&self, j: usize, values: &ArrayRef, encoded: &mut Encoded) -> Result<(), Bad> {
        let (code, width) = (&self.encoder.numbers[j], self.encoder.numbers.len());
        for (row, value) in values.as_primitive::<Float64Type>().iter().enumerate() {
            encoded.numeric[row * width + j] = match value {
                None => code.missing,
                Some(value) if value.is_finite() => code.encode(value),
                Some(value) => {
                    return Err(Bad { rows_before: row, problem: not_finite(&code.name, value) });
                }
            };
        }
        Ok(())
    }
}

/// A number that is none.
pub(crate) fn not_finite(column: &str, value: f64) -> Problem {
    Problem::NotFinite { column: column.to_owned(), text: Excerpt::of(value.to_string().as_bytes()) }
}
