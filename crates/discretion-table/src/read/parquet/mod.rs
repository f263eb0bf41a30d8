//! Parquet files, read as a stream of arrow record batches, only the columns that are used.
//!
//! Files of one large row group are common, and so the columns are what the cores share: each
//! decodes some of them, all for the same rows.
//!
//! The library trusts what a file says of itself, and has no limits to set. So the footer, the headers of pages and the
//! lengths in them are looked at before (`footer`, `pages`), what they may take is bounded
//! (`allowance`), and what panics all the same is caught (`read::decoding`).

mod allowance;
mod compact;
mod delta;
mod footer;
mod page_header;
mod pages;
pub(super) mod sample;

use super::batch::{BadRow, BatchEncoder};
use super::decoding::decoding;
use super::encoded_rows::EncodedRows;
use super::files::{Each, Ended, Make};
use super::header::{self, Role};
use super::in_order::in_order;
use super::source;
use super::tally::Tally;
use super::{Progress, Request};
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use allowance::Allowance;
use arrow_array::{Array, ArrayRef, RecordBatch};
use pages::Chunks;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Type;
use std::fs::File;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;

/// Rows at a time: a few columns of this many values fit the cache.
const ROWS: usize = 8192;

/// As [`Request::read`].
pub(crate) fn read<T: Send>(
    request: &Request<'_>,
    make: Make<'_, T>,
    each: Each<'_, T>,
) -> Result<Tally, Ended> {
    let (file, metadata) = load(request.path)?;
    let header: Vec<String> =
        metadata.schema().fields().iter().map(|field| field.name().clone()).collect();
    let roles = header::roles(&header, request).map_err(|problem| request.error(problem))?;
    let encoder = BatchEncoder::new(request, metadata.schema(), &roles)?;
    let used: Vec<usize> = (0..roles.len()).filter(|&i| roles[i] != Role::Skip).collect();
    let mut columns = Columns::open(request.path, &metadata, &used, ROWS)?;

    let all_rows = metadata.metadata().file_metadata().num_rows().max(1) as u64;
    let total = file.metadata().map_or(0, |metadata| metadata.len());
    let mut done = encoder.tally();
    let encode = |table: &mut DecodedColumns, memory| {
        // What is decoded is not needed while the rows wait for their turn.
        let DecodedColumns { columns, rows, .. } = &std::mem::take(table);
        encoder.encode(columns, *rows, memory).map(|(encoded, tally)| (make(encoded), tally))
    };
    let places = rayon::current_num_threads() + 1;
    in_order(
        places,
        |table| columns.next(table),
        encode,
        |encoded: Result<Result<(T, Tally), BadRow>, Problem>| {
            let encoded = encoded.map_err(|problem| request.error(problem))?;
            let (encoded, tally) = encoded.map_err(|bad| {
                let row = done.rows + bad.rows_before as u64 + 1;
                Location::new(request.path, Place::Row(row)).error(bad.problem)
            })?;
            let memory = each(encoded)?;
            done.add(&tally);
            // How far that is in bytes is not known; in rows it is, and their number is public.
            let bytes = (u128::from(total) * u128::from(done.rows) / u128::from(all_rows)) as u64;
            (request.progress)(Progress { bytes: bytes.min(total), total });
            Ok::<EncodedRows, Ended>(memory)
        },
    )?;
    Ok(done)
}

/// Some rows of the columns that are used.
#[derive(Default)]
struct DecodedColumns {
    columns: Vec<ArrayRef>,
    rows: usize,
    /// Goes with them where they are large: then the next ones are not decoded before.
    _large: Option<mpsc::Sender<()>>,
}

/// The columns that are used, by one reader for each core's share of them.
struct Columns {
    readers: Vec<ParquetRecordBatchReader>,
    allowance: Arc<Allowance>,
    /// Ends when the last rows, which were large, are gone.
    large: Option<mpsc::Receiver<()>>,
    ended: bool,
}

impl Columns {
    /// Opens some columns, to decode so many rows at a time.
    fn open(
        path: &Path,
        metadata: &ArrowReaderMetadata,
        used: &[usize],
        rows: usize,
    ) -> Result<Columns, Error> {
        let refuse = |problem| Location::file(path).error(problem);
        let length = source::open(path)?.metadata().map_or(0, |metadata| metadata.len());
        let schema = metadata.parquet_schema();
        let mut is_used = vec![false; metadata.schema().fields().len()];
        used.iter().for_each(|&column| is_used[column] = true);
        let leaves: Vec<usize> = (0..schema.num_columns())
            .filter(|&leaf| is_used[schema.get_column_root_idx(leaf)])
            .collect();
        footer::check_chunks(metadata.metadata(), &leaves, length).map_err(refuse)?;
        let allowance = Arc::new(Allowance::new(leaves.len(), length));
        // Room for texts of a fixed length is made for all rows, whether they have one or not.
        let fixed = leaves.iter().map(|&leaf| schema.column(leaf));
        let fixed = fixed.filter(|column| column.physical_type() == Type::FIXED_LEN_BYTE_ARRAY);
        let fixed: u64 = fixed.map(|column| rows as u64 * column.type_length().max(0) as u64).sum();
        let damaged = |reason| refuse(allowance.refusal().unwrap_or(Problem::Parquet(reason)));
        allowance.exchange(&mut 0, fixed).map_err(|error| damaged(error.to_string()))?;
        let mut readers = Vec::new();
        for part in parts(metadata, used, rayon::current_num_threads()) {
            // A file for each: the clones of one would share their place in it.
            let chunks = Chunks {
                file: Arc::new(source::open(path)?),
                metadata: Arc::clone(metadata.metadata()),
                allowance: Arc::clone(&allowance),
                rows: rows as u64,
            };
            let reader = decoding(|| {
                let mask = ProjectionMask::roots(schema, part.iter().copied());
                let hint = Some(metadata.schema().fields());
                parquet_to_arrow_field_levels(schema, mask, hint)
                    .and_then(|levels| {
                        ParquetRecordBatchReader::try_new_with_row_groups(
                            &levels, &chunks, rows, None,
                        )
                    })
                    .map_err(|error| error.to_string())
            });
            readers.push(reader.map_err(damaged)?);
        }
        Ok(Columns { readers, allowance, large: None, ended: false })
    }

    /// Decodes the next rows, unless there are none or something was wrong.
    fn next(&mut self, into: &mut DecodedColumns) -> Result<bool, Problem> {
        /// Bytes of rows from which on others wait for them.
        const LARGE: usize = 64 << 20;
        *into = DecodedColumns::default();
        if self.ended {
            return Ok(false);
        }
        self.ended = true;
        if let Some(large) = self.large.take() {
            // Nothing is ever sent: it ends when the other end is dropped.
            let _ = large.recv();
        }
        self.allowance.next_rows();
        let next = |reader: &mut ParquetRecordBatchReader| {
            decoding(|| reader.next().transpose().map_err(|error| error.to_string()))
        };
        // Threads of its own: the pool's may all be waiting for tables that they have asked for.
        let tables: Vec<Result<Option<RecordBatch>, String>> = thread::scope(|scope| {
            let others: Vec<_> =
                self.readers.iter_mut().map(|reader| scope.spawn(|| next(reader))).collect();
            let join = |other: thread::ScopedJoinHandle<'_, _>| {
                other.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            others.into_iter().map(join).collect()
        });
        let damaged = |reason| self.allowance.refusal().unwrap_or(Problem::Parquet(reason));
        let tables: Vec<Option<RecordBatch>> =
            tables.into_iter().collect::<Result<_, _>>().map_err(damaged)?;
        let rows: Vec<Option<usize>> =
            tables.iter().map(|table| table.as_ref().map(RecordBatch::num_rows)).collect();
        if rows.iter().any(|count| *count != rows[0]) {
            return Err(Problem::Parquet("its columns have different numbers of rows".to_owned()));
        }
        let Some(rows) = rows[0] else { return Ok(false) };
        let columns: Vec<ArrayRef> =
            tables.iter().flatten().flat_map(|table| table.columns().iter().cloned()).collect();
        let bytes: usize = columns.iter().map(|column| column.get_array_memory_size()).sum();
        let (sender, receiver) = (bytes > LARGE).then(mpsc::channel).unzip();
        self.large = receiver;
        *into = DecodedColumns { columns, rows, _large: sender };
        self.ended = false;
        Ok(true)
    }
}

/// Columns in their order, cut into parts that take about as many bytes of the file each. At least
/// one part.
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

/// Opens a file and reads its footer.
fn load(path: &Path) -> Result<(File, ArrowReaderMetadata), Error> {
    let file = source::open(path)?;
    let metadata = footer::load(&file, path)?;
    Ok((file, metadata))
}
