//! Parquet files, read as a stream of arrow record batches, only the columns that are used.
//!
//! Files of one large row group are common, and so the columns are what the cores share: each decodes some of them, all
//! for the same rows.

use super::batch::{BadRow, BatchEncoder};
use super::encoded_rows::EncodedRows;
use super::header::{self, Role};
use super::in_order::in_order;
use super::source;
use super::{Progress, Request};
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use std::fs::File;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

/// Rows at a time: a few columns of this many values fit the cache.
const ROWS: usize = 8192;

/// As [`Request::read`].
pub(crate) fn read<T: Send, E: From<Error>>(
    request: &Request<'_>,
    make: &(impl Fn(EncodedRows) -> T + Sync),
    each: &mut impl FnMut(T) -> Result<EncodedRows, E>,
) -> Result<u64, E> {
    let (file, metadata) = load(request.path)?;
    let header: Vec<String> = metadata.schema().fields().iter().map(|field| field.name().clone()).collect();
    let roles = header::roles(&header, request).map_err(|problem| request.error(problem))?;
    let encoder = BatchEncoder::new(request, metadata.schema(), &roles)?;
    let used: Vec<usize> = (0..roles.len()).filter(|&i| roles[i] != Role::Skip).collect();
    let mut columns = Columns::open(request.path, &metadata, &used)?;

    let all_rows = metadata.metadata().file_metadata().num_rows().max(1) as u64;
    let total = file.metadata().map_or(0, |metadata| metadata.len());
    let mut done = 0;
    let encode = |table: &mut DecodedColumns, memory| {
        // What is decoded is not needed while the rows wait for their turn.
        let DecodedColumns { columns, rows: count } = std::mem::take(table);
        (count, encoder.encode(&columns, count, memory).map(make))
    };
    let places = rayon::current_num_threads() + 1;
    in_order(
        places,
        |table| columns.next(table),
        encode,
        |encoded: Result<(usize, Result<T, BadRow>), Problem>| {
            let (count, encoded) = encoded.map_err(|problem| request.error(problem))?;
            let encoded = encoded.map_err(|bad| {
                Location::new(request.path, Place::Row(done + bad.rows_before as u64 + 1)).error(bad.problem)
            })?;
            let memory = each(encoded)?;
            done += count as u64;
            // How far that is in bytes is not known; in rows it is, and their number is public.
            let bytes = (u128::from(total) * u128::from(done) / u128::from(all_rows)) as u64;
            (request.progress)(Progress { bytes: bytes.min(total), total });
            Ok::<EncodedRows, E>(memory)
        },
    )?;
    Ok(done)
}

/// Some rows of the columns that are used.
#[derive(Default)]
struct DecodedColumns {
    columns: Vec<ArrayRef>,
    rows: usize,
}

/// The columns that are used, by one reader for each core's share of them.
struct Columns {
    readers: Vec<ParquetRecordBatchReader>,
    ended: bool,
}

impl Columns {
    fn open(path: &Path, metadata: &ArrowReaderMetadata, used: &[usize]) -> Result<Columns, Error> {
        let mut readers = Vec::new();
        for part in parts(metadata, used, rayon::current_num_threads()) {
            let mask = ProjectionMask::roots(metadata.parquet_schema(), part.iter().copied());
            // A file for each: the clones of one would share their place in it.
            let file = source::open(path)?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
            readers.push(build(builder.with_projection(mask), path)?);
        }
        Ok(Columns { readers, ended: false })
    }

    /// Decodes the next rows, unless there are none or something was wrong.
    fn next(&mut self, into: &mut DecodedColumns) -> Result<bool, Problem> {
        if self.ended {
            return Ok(false);
        }
        self.ended = true;
        let damaged = |error: ArrowError| Problem::Parquet(error.to_string());
        // Threads of its own: the pool's may all be waiting for tables that they have asked for.
        let tables: Vec<Option<Result<RecordBatch, ArrowError>>> = thread::scope(|scope| {
            let others: Vec<_> =
                self.readers.iter_mut().map(|reader| scope.spawn(|| reader.next())).collect();
            let join = |other: thread::ScopedJoinHandle<'_, _>| {
                other.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            others.into_iter().map(join).collect()
        });
        let tables: Vec<Option<RecordBatch>> =
            tables.into_iter().map(Option::transpose).collect::<Result<_, _>>().map_err(damaged)?;
        let rows: Vec<Option<usize>> =
            tables.iter().map(|table| table.as_ref().map(RecordBatch::num_rows)).collect();
        if rows.iter().any(|count| *count != rows[0]) {
            return Err(Problem::Parquet("its columns have different numbers of rows".to_owned()));
        }
        let Some(rows) = rows[0] else { return Ok(false) };
        let columns = tables.iter().flatten().flat_map(|table| table.columns().iter().cloned()).collect();
        *into = DecodedColumns { columns, rows };
        self.ended = false;
        Ok(true)
    }
}

/// Columns in their order, cut into parts that take about as many bytes of the file each. At least one part.
fn parts<'a>(metadata: &ArrowReaderMetadata, used: &'a [usize], most: usize) -> Vec<&'a [usize]> {
    let schema = metadata.parquet_schema();
    let mut bytes = vec![0; metadata.schema().fields().len()];
    for group in metadata.metadata().row_groups() {
        for (leaf, column) in group.columns().iter().enumerate() {
            bytes[schema.get_column_root_idx(leaf)] += column.compressed_size().max(0) as u128;
        }
    }
    let all: u128 = used.iter().map(|&column| bytes[column]).sum();
    let mut before = 0;
    // The part that the middle of a column's bytes is in.
    let part = |&column: &usize| {
        let middle = before + bytes[column] / 2;
        before += bytes[column];
        (middle * most as u128).checked_div(all).unwrap_or(0)
    };
    let part_of: Vec<u128> = used.iter().map(part).collect();
    let mut parts = Vec::new();
    let mut rest = used;
    for chunk in part_of.chunk_by(|one, other| one == other) {
        let (part, others) = rest.split_at(chunk.len());
        parts.push(part);
        rest = others;
    }
    if parts.is_empty() { vec![used] } else { parts }
}

fn load(path: &Path) -> Result<(File, ArrowReaderMetadata), Error> {
    let file = source::open(path)?;
    if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
        return Err(Location::file(path).error(Problem::EmptyFile));
    }
    match ArrowReaderMetadata::load(&file, ArrowReaderOptions::default()) {
        Ok(metadata) => Ok((file, metadata)),
        Err(error) => Err(Location::file(path).error(Problem::Parquet(error.to_string()))),
    }
}

pub(crate) fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, Error> {
    let (file, metadata) = load(path)?;
    Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata))
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
