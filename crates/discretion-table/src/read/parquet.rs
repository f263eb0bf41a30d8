//! Parquet files, read as a stream of arrow record batches, only the columns that are used.

use super::encoded::Encoded;
use super::header::{self, Role};
use super::label::Labeller;
use super::source;
use super::texts::{Texts, column_type};
use super::{Progress, Request};
use crate::encode::Encoder;
use crate::error::{Error, Excerpt, Location, Place};
use crate::problem::Problem;
use crate::schema::{Kind, Labels, Schema, trimmed};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::Path;

/// Rows at a time: a few columns of this many values fit the cache.
const ROWS: usize = 8192;

/// Hands the encoded rows to `each` in order and returns their number.
pub(crate) fn read<E: From<Error>>(
    request: &Request<'_>,
    each: &mut impl FnMut(Encoded) -> Result<(), E>,
) -> Result<u64, E> {
    let builder = open(request.path)?;
    let header: Vec<String> = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let roles = header::roles(&header, request).map_err(|problem| request.error(problem))?;
    for (role, field) in roles.iter().zip(builder.schema().fields()) {
        check_type(*role, field.name(), field.data_type()).map_err(|problem| request.error(problem))?;
    }
    let columns: Vec<Column> = header
        .into_iter()
        .zip(&roles)
        .filter(|(_, role)| **role != Role::Skip)
        .map(|(name, role)| Column { role: *role, decimals: writes_decimals(request.schema, &name) })
        .collect();
    let rows: Rows<'_> = Rows { encoder: request.encoder, labeller: Labeller::new(request)?, columns };

    let all_rows = builder.metadata().file_metadata().num_rows().max(1) as u64;
    let total = builder_bytes(request.path);
    let used = (0..roles.len()).filter(|&i| roles[i] != Role::Skip);
    let mask = ProjectionMask::roots(builder.parquet_schema(), used);
    let mut reader = build(builder.with_projection(mask), request.path)?;
    let damaged = |error: ArrowError| request.error(Problem::Parquet(error.to_string()));
    let mut done = 0;
    let mut next = reader.next();
    while let Some(table) = next.transpose().map_err(damaged)? {
        // The next rows are decoded while these are encoded.
        let (encoded, following) = rayon::join(|| rows.encode(&table), || reader.next());
        let encoded = encoded.map_err(|bad| {
            Location::new(request.path, Place::Row(done + bad.rows_before as u64 + 1)).error(bad.problem)
        })?;
        each(encoded)?;
        done += table.num_rows() as u64;
        // How far that is in bytes is not known; in rows it is, and their number is public.
        let bytes = (u128::from(total) * u128::from(done) / u128::from(all_rows)) as u64;
        (request.progress)(Progress { bytes: bytes.min(total), total });
        next = following;
    }
    Ok(done)
}

pub(crate) fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, Error> {
    let file = source::open(path)?;
    if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
        return Err(Location::file(path).error(Problem::EmptyFile));
    }
    ParquetRecordBatchReaderBuilder::try_new(file)
        .map_err(|error| Location::file(path).error(Problem::Parquet(error.to_string())))
}

pub(crate) fn build(
    builder: ParquetRecordBatchReaderBuilder<File>,
    path: &Path,
) -> Result<ParquetRecordBatchReader, Error> {
    builder
        .with_batch_size(ROWS)
        .build()
        .map_err(|error| Location::file(path).error(Problem::Parquet(error.to_string())))
}

fn builder_bytes(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

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
fn writes_decimals(schema: &Schema, name: &str) -> bool {
    let decimal = |values: &[String]| values.iter().any(|value| value.ends_with(".0"));
    if schema.target().column == name {
        return match &schema.target().labels {
            Labels::Two { positive, negative } => {
                decimal(positive) || negative.as_deref().is_some_and(decimal)
            }
            Labels::Many { classes } => decimal(classes),
        };
    }
    let column = schema.columns().iter().find(|column| column.name == name);
    column.is_some_and(|column| matches!(&column.kind, Kind::Category { values } if decimal(values)))
}

/// A column that is read.
struct Column {
    role: Role,
    decimals: bool,
}

/// What turns record batches into encoded rows.
struct Rows<'a> {
    encoder: &'a Encoder,
    labeller: Option<Labeller>,
    columns: Vec<Column>,
}

/// What is wrong in a batch, and how many of its rows precede it.
struct Bad {
    rows_before: usize,
    problem: Problem,
}

impl Rows<'_> {
    fn encode(&self, table: &RecordBatch) -> Result<Encoded, Bad> {
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
        let damaged =
            |error: ArrowError| Bad { rows_before: 0, problem: Problem::Parquet(error.to_string()) };
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
                    let text = Excerpt::of(value.to_string().as_bytes());
                    let problem = Problem::NotFinite { column: code.name.clone(), text };
                    return Err(Bad { rows_before: row, problem });
                }
            };
        }
        Ok(())
    }
}
