//! Tables that another program holds in memory, handed over as arrow record batches.

use super::batch::{BatchEncoder, not_finite};
use super::encoded_rows::EncodedRows;
use super::header::{self, Role};
use super::{Purpose, Request};
use crate::encode::Encoder;
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use crate::schema::{Column, Schema};
use arrow_array::RecordBatchReader;
use arrow_schema::ArrowError;
use discretion::erm::matrix::Batch;
use rayon::prelude::*;
use std::path::Path;

/// What messages call a table that is not a file.
const TABLE: &str = "table";

/// Rows at a time: enough for a core, and few enough that what is decoded stays small beside the table.
const ROWS: usize = 8192;

/// Blocks at a time, for as many cores as there may be.
const BATCHES: usize = 16;

/// Hands the encoded rows of a table in memory to `each` in their order, and returns their number. They are encoded just
/// as [`read_batches`](super::read_batches) encodes those of a Parquet file.
///
/// `each` is called from the calling thread. Reading stops at the first error, of the table or of `each`.
pub fn encode_batches<E: From<Error>>(
    table: impl RecordBatchReader,
    schema: &Schema,
    purpose: Purpose,
    each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<u64, E> {
    let encoder = schema.encoder();
    encode(table, &Request::of(Path::new(TABLE), schema, &encoder, purpose, &|_| ()), each)
}

/// Hands chosen columns of a table in memory to `each`, as [`read_columns`](super::read_columns) hands those of a file. What
/// else is in the table does not matter.
pub fn encode_columns<E: From<Error>>(
    table: impl RecordBatchReader,
    columns: &[Column],
    each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<u64, E> {
    let (path, encoder, purpose) = (Path::new(TABLE), Encoder::describing(columns), Purpose::Predict);
    let (declared, encoder) = (columns, &encoder);
    let request =
        Request { path, declared, target: None, encoder, purpose, any_classes: false, progress: &|_| () };
    encode(table, &request, each)
}

fn encode<E: From<Error>>(
    table: impl RecordBatchReader,
    request: &Request<'_>,
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<u64, E> {
    let found = table.schema();
    let header: Vec<String> = found.fields().iter().map(|field| field.name().clone()).collect();
    let roles = header::roles(&header, request).map_err(|problem| request.error(problem))?;
    let encoder = BatchEncoder::new(request, &found, &roles)?;
    let used: Vec<usize> = (0..roles.len()).filter(|&i| roles[i] != Role::Skip).collect();
    let damaged = |error: ArrowError| request.error(Problem::Arrow(error.to_string()));
    let mut done = 0;
    for table in table {
        let table = table.and_then(|table| table.project(&used)).map_err(damaged)?;
        let starts: Vec<usize> = (0..table.num_rows()).step_by(ROWS).collect();
        for starts in starts.chunks(BATCHES) {
            let encode = |&start: &usize| {
                let table = table.slice(start, ROWS.min(table.num_rows() - start));
                encoder.encode(table.columns(), table.num_rows(), EncodedRows::default())
            };
            let encoded: Vec<Result<EncodedRows, _>> = starts.par_iter().map(encode).collect();
            for (start, encoded) in starts.iter().zip(encoded) {
                let encoded = encoded.map_err(|bad| {
                    let row = done + (start + bad.rows_before) as u64 + 1;
                    Location::new(request.path, Place::Row(row)).error(bad.problem)
                })?;
                each(encoded.into_batch())?;
            }
        }
        done += table.num_rows() as u64;
    }
    if done == 0 {
        return Err(request.error(Problem::NoRows).into());
    }
    Ok(done)
}

/// As [`encode_batches`], for a table of numbers alone that is no table of columns: `row` gives the values of a row, in the
/// order of the schema's columns.
pub fn encode_numbers<I: Iterator<Item = f64>, E: From<Error>>(
    rows: usize,
    row: impl Fn(usize) -> I + Sync,
    schema: &Schema,
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<u64, E> {
    let path = Path::new(TABLE);
    let numbers = schema.encoder().numbers;
    assert_eq!(numbers.len(), schema.columns().len(), "every column is a number");
    let encode = |&start: &usize| {
        let end = rows.min(start + ROWS);
        let mut batch =
            Batch { numeric: Vec::with_capacity((end - start) * numbers.len()), ..Batch::default() };
        for place in start..end {
            for (code, value) in numbers.iter().zip(row(place)) {
                if !value.is_finite() {
                    let problem = not_finite(&code.name, value);
                    return Err(Location::new(path, Place::Row(place as u64 + 1)).error(problem));
                }
                batch.numeric.push(code.encode(value));
            }
        }
        Ok(batch)
    };
    let starts: Vec<usize> = (0..rows).step_by(ROWS).collect();
    for starts in starts.chunks(BATCHES) {
        let encoded: Vec<Result<Batch, Error>> = starts.par_iter().map(encode).collect();
        encoded.into_iter().try_for_each(|batch| each(batch?))?;
    }
    match rows {
        0 => Err(Location::new(path, Place::File).error(Problem::NoRows).into()),
        _ => Ok(rows as u64),
    }
}
