//! Parquet files, read as a stream of arrow record batches, only the columns that are used.

use super::batch::Rows;
use super::encoded::Encoded;
use super::header::{self, Role};
use super::source;
use super::{Progress, Request};
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use std::fs::File;
use std::path::Path;

/// Rows at a time: a few columns of this many values fit the cache.
const ROWS: usize = 8192;

/// As [`Request::read`].
pub(crate) fn read<T: Send, E: From<Error>>(
    request: &Request<'_>,
    make: &(impl Fn(Encoded) -> T + Sync),
    each: &mut impl FnMut(T) -> Result<Encoded, E>,
) -> Result<u64, E> {
    let builder = open(request.path)?;
    let header: Vec<String> = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let roles = header::roles(&header, request).map_err(|problem| request.error(problem))?;
    let rows = Rows::new(request, builder.schema(), &roles)?;

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
        each(make(encoded))?;
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
