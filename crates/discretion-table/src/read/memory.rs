//! Tables that another program holds in memory, handed over as arrow record batches.

use super::batch::{BatchEncoder, not_finite};
use super::encoded_rows::EncodedRows;
use super::header::{self, Role};
use super::tally::Tally;
use super::{Purpose, Request};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use crate::schema::{Column, Schema};
use crate::text_format::TextFormat;
use arrow_array::RecordBatchReader;
use arrow_schema::ArrowError;
use discretion::erm::matrix::Batch;
use rayon::prelude::*;
use std::path::Path;

/// What messages call a table that is not a file.
const TABLE: &str = "table";

/// Rows at a time: enough for a core, and few enough that what is decoded stays small beside the
/// table.
const ROWS: usize = 8192;

/// Blocks at a time, for as many cores as there may be.
const BATCHES: usize = 16;

/// Hands the encoded rows of a table in memory to `each` in their order, and returns what was
/// counted. They are encoded just as [`read_batches`](super::read_batches) encodes those of a
/// Parquet file.
///
/// `each` is called from the calling thread. Reading stops at the first error, of the table or of
/// `each`.
pub fn encode_batches<E: From<Error>>(
    table: impl RecordBatchReader,
    schema: &Schema,
    purpose: Purpose,
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = schema.encoder().reading_to(purpose);
    let request = Request::of(schema, &encoder, purpose, &|_| ());
    encode(table, &Request { path: Path::new(TABLE), ..request }, |encoded| {
        each(encoded.into_batch())
    })
}

/// What is read of rows beside their values: one for each row, or nothing where that is not read.
#[derive(Default)]
pub struct RowMarks {
    /// Whose they are, if the schema names a column that says so.
    pub persons: Vec<u128>,
    /// Which of them do not count.
    pub left_out: Vec<bool>,
    /// How much each counts, from 0 to 1.
    pub weights: Vec<f32>,
}

/// The same with what is read of rows beside their values: whose they are, whether they count, and
/// how much.
pub fn encode_marked<E: From<Error>>(
    table: impl RecordBatchReader,
    schema: &Schema,
    purpose: Purpose,
    mut each: impl FnMut(Batch, RowMarks) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = schema.encoder().reading_to(purpose).of_persons(schema).of_cohort(schema);
    let request = Request::of(schema, &encoder, purpose, &|_| ());
    encode(table, &Request { path: Path::new(TABLE), ..request }, |mut encoded| {
        let persons = std::mem::take(&mut encoded.persons);
        let (left_out, weights) =
            (std::mem::take(&mut encoded.left_out), std::mem::take(&mut encoded.weights));
        each(encoded.into_batch(), RowMarks { persons, left_out, weights })
    })
}

/// Hands rows with their labels to `each`, as [`read_labelled`](super::read_labelled) hands those
/// of a file: of two classes the batch says which rows are positive; of several the classes say
/// which each has, and all signs are +1. Where the schema says whose rows are, with the person of
/// each.
pub fn encode_labelled<E: From<Error>>(
    table: impl RecordBatchReader,
    schema: &Schema,
    mut each: impl FnMut(Batch, &[u16], &[u128]) -> Result<(), E>,
) -> Result<Counts, E> {
    let several = schema.target().labels.several().is_some();
    let encoder = schema.encoder().of_persons(schema);
    let request = Request {
        path: Path::new(TABLE),
        any_classes: several,
        ..Request::of(schema, &encoder, Purpose::Train, &|_| ())
    };
    encode(table, &request, |mut encoded| {
        let persons = std::mem::take(&mut encoded.persons);
        if !several {
            return each(encoded.into_batch(), &[], &persons);
        }
        let classes = std::mem::take(&mut encoded.classes);
        let batch = Batch {
            numeric: encoded.numeric,
            codes: encoded.codes,
            positive: vec![true; classes.len()],
        };
        each(batch, &classes, &persons)
    })
}

/// Hands chosen columns of a table in memory to `each`, as [`read_columns`](super::read_columns)
/// hands those of a file. What else is in the table does not matter. The purpose says who is told
/// of a missing number: who describes a table can declare what it counts as, who asks about rows
/// cannot.
pub fn encode_columns<E: From<Error>>(
    table: impl RecordBatchReader,
    columns: &[Column],
    purpose: Purpose,
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = Encoder::describing(columns).reading_to(purpose);
    // Columns are looked for as a model looks for its own, whatever it is for.
    let (path, encoder, purpose) = (Path::new(TABLE), &encoder, Purpose::Predict);
    let (declared, format) = (columns, TextFormat::default());
    let (target, query, any_classes, has_cohort, progress) = (None, None, false, false, &|_| ());
    let request = Request {
        path,
        declared,
        target,
        format,
        query,
        encoder,
        purpose,
        any_classes,
        has_cohort,
        progress,
    };
    encode(table, &request, |encoded| each(encoded.into_batch()))
}

fn encode<E: From<Error>>(
    table: impl RecordBatchReader,
    request: &Request<'_>,
    mut each: impl FnMut(EncodedRows) -> Result<(), E>,
) -> Result<Counts, E> {
    request.check_cohort()?;
    let found = table.schema();
    let header: Vec<String> = found.fields().iter().map(|field| field.name().clone()).collect();
    let roles = header::roles(&header, request).map_err(|problem| request.error(problem))?;
    let encoder = BatchEncoder::new(request, &found, &roles)?;
    let used: Vec<usize> = (0..roles.len()).filter(|&i| roles[i] != Role::Skip).collect();
    let damaged = |error: ArrowError| request.error(Problem::Arrow(error.to_string()));
    let mut done = encoder.tally();
    for table in table {
        let table = table.and_then(|table| table.project(&used)).map_err(damaged)?;
        let starts: Vec<usize> = (0..table.num_rows()).step_by(ROWS).collect();
        for starts in starts.chunks(BATCHES) {
            let encode = |&start: &usize| {
                let table = table.slice(start, ROWS.min(table.num_rows() - start));
                encoder.encode(table.columns(), table.num_rows(), EncodedRows::default())
            };
            let encoded: Vec<Result<(EncodedRows, Tally), _>> =
                starts.par_iter().map(encode).collect();
            for encoded in encoded {
                let (encoded, tally) = encoded.map_err(|bad| {
                    let row = done.rows + bad.rows_before as u64 + 1;
                    Location::new(request.path, Place::Row(row)).error(bad.problem)
                })?;
                done.add(&tally);
                each(encoded)?;
            }
        }
    }
    Ok(request.counts(&done)?)
}

/// As [`encode_batches`], for a table of numbers alone that is no table of columns: `row` gives the
/// values of a row, in the order of the schema's columns. Who trains asks for
/// [`Purpose::Features`].
pub fn encode_numbers<I: Iterator<Item = f64>, E: From<Error>>(
    rows: usize,
    row: impl Fn(usize) -> I + Sync,
    (schema, purpose): (&Schema, Purpose),
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Counts, E> {
    let path = Path::new(TABLE);
    let encoder = schema.encoder();
    Request { path, ..Request::of(schema, &encoder, purpose, &|_| ()) }.check_cohort()?;
    let numbers = &encoder.numbers;
    assert_eq!(numbers.len(), schema.columns().len(), "every column is a number");
    let encode = |&start: &usize| {
        let end = rows.min(start + ROWS);
        let mut batch = Batch {
            numeric: Vec::with_capacity((end - start) * numbers.len()),
            ..Batch::default()
        };
        let mut tally = Tally { rows: (end - start) as u64, ..Tally::new(&encoder, None) };
        for place in start..end {
            for ((code, tally), value) in numbers.iter().zip(&mut tally.numbers).zip(row(place)) {
                if !value.is_finite() {
                    let problem = not_finite(&code.name, value);
                    return Err(Location::new(path, Place::Row(place as u64 + 1)).error(problem));
                }
                batch.numeric.push(code.encode_counted(value, tally));
            }
        }
        Ok((batch, tally))
    };
    let starts: Vec<usize> = (0..rows).step_by(ROWS).collect();
    let mut done = Tally::new(&encoder, None);
    for starts in starts.chunks(BATCHES) {
        let encoded: Vec<Result<(Batch, Tally), Error>> = starts.par_iter().map(encode).collect();
        for encoded in encoded {
            let (batch, tally) = encoded?;
            done.add(&tally);
            each(batch)?;
        }
    }
    let request = Request::of(schema, &encoder, Purpose::Queries, &|_| ());
    Ok(Request { path, ..request }.counts(&done)?)
}
