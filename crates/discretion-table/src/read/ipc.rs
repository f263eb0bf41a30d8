//! Arrow files (`.arrow`, `.feather`), a record batch at a time, only the columns that are used.
//!
//! What a file says about its own sizes is checked before memory is taken for it.

use super::Request;
use super::batch::{BadRow, BatchEncoder};
use super::decoding::decoding;
use super::encoded_rows::EncodedRows;
use super::files::{Each, Ended, Make};
use super::header::{self, Role};
use super::ipc_sizes;
use super::sample::{SampleColumn, stored};
use super::source;
use super::tally::Tally;
use super::texts::{Texts, column_type};
use crate::error::{Error, Location, Place};
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::SchemaRef;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Rows that are encoded at a time.
const ROWS: usize = 8192;

type Reader = FileReader<BufReader<File>>;

/// As [`Request::read_file`].
pub(crate) fn read<T: Send>(
    request: &Request<'_>,
    make: Make<'_, T>,
    each: Each<'_, T>,
) -> Result<Tally, Ended> {
    let found = schema(request.path)?;
    let names: Vec<String> = found.fields().iter().map(|field| field.name().clone()).collect();
    let roles = header::roles(&names, request).map_err(|problem| request.error(problem))?;
    let encoder = BatchEncoder::new(request, &found, &roles)?;
    let used: Vec<usize> = (0..roles.len()).filter(|&i| roles[i] != Role::Skip).collect();
    let mut batches = Batches::open(request.path, Some(used))?;
    let mut done = encoder.tally();
    let mut memory = EncodedRows::default();
    while let Some(table) = batches.next()? {
        for some in pieces(&table).map_err(|reason| damaged(request.path, reason))? {
            let encoded = encoder.encode(some.columns(), some.num_rows(), memory);
            let (encoded, tally) = encoded.map_err(|BadRow { rows_before, problem }| {
                let row = done.rows + rows_before as u64 + 1;
                Location::new(request.path, Place::Row(row)).error(problem)
            })?;
            memory = each(make(encoded))?;
            done.add(&tally);
        }
        (request.progress)(batches.progress());
    }
    Ok(done)
}

/// The columns, by the file's schema alone.
pub(crate) fn columns(path: &Path) -> Result<Vec<SampleColumn>, Error> {
    let found = schema(path)?;
    let column = |field: &arrow_schema::FieldRef| SampleColumn {
        name: field.name().clone(),
        stored: stored(field.data_type()),
    };
    Ok(found.fields().iter().map(column).collect())
}

/// Shows every field of the first `most_rows` rows to `visit`, as column and text.
pub(crate) fn visit(
    path: &Path,
    most_rows: u64,
    progress: &dyn Fn(super::Progress),
    visit: &mut impl FnMut(usize, &[u8]),
) -> Result<(), Error> {
    let found = schema(path)?;
    let usable: Vec<usize> = (0..found.fields().len())
        .filter(|&i| column_type(found.field(i).data_type()).text)
        .collect();
    let mut batches = Batches::open(path, Some(usable.clone()))?;
    let mut rows = 0;
    while rows < most_rows
        && let Some(table) = batches.next()?
    {
        let table = table.slice(
            0,
            table.num_rows().min(usize::try_from(most_rows - rows).unwrap_or(usize::MAX)),
        );
        for some in pieces(&table).map_err(|reason| damaged(path, reason))? {
            for (&column, array) in usable.iter().zip(some.columns()) {
                let texts = texts(array).map_err(|reason| damaged(path, reason))?;
                (0..array.len()).for_each(|row| visit(column, texts.get(row).unwrap_or_default()));
            }
        }
        rows += table.num_rows() as u64;
        progress(batches.progress());
    }
    Ok(())
}

fn texts(array: &ArrayRef) -> Result<Texts, String> {
    decoding(|| Texts::new(array).map_err(|error| error.to_string()))
}

/// Some rows at a time: fewer where a dictionary has a long text, which all of them could hold.
fn pieces(table: &RecordBatch) -> Result<impl Iterator<Item = RecordBatch>, String> {
    /// Bytes of one column's texts.
    const MOST: usize = 64 << 20;
    let mut longest = 1;
    for dictionary in table.columns().iter().filter_map(|column| column.as_any_dictionary_opt()) {
        let values = texts(dictionary.values())?;
        let lengths = (0..dictionary.values().len()).map(|i| values.get(i).map_or(0, <[u8]>::len));
        longest = longest.max(lengths.max().unwrap_or(0));
    }
    let (rows, all) = ((MOST / longest).clamp(1, ROWS), table.num_rows());
    Ok((0..all).step_by(rows).map(move |start| table.slice(start, rows.min(all - start))))
}

fn schema(path: &Path) -> Result<SchemaRef, Error> {
    Ok(Batches::open(path, None)?.reader.schema())
}

fn damaged(path: &Path, reason: String) -> Error {
    Location::file(path).error(Problem::from(ReadingProblem::ArrowFile(reason)))
}

/// The record batches of a file.
struct Batches<'p> {
    path: &'p Path,
    reader: Reader,
    done: u64,
    bytes: u64,
}

impl Batches<'_> {
    fn open(path: &Path, used: Option<Vec<usize>>) -> Result<Batches<'_>, Error> {
        let mut file = source::open(path)?;
        ipc_sizes::check(&mut file).map_err(|problem| Location::file(path).error(problem))?;
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        let reader = decoding(|| {
            FileReader::try_new_buffered(file, used).map_err(|error| error.to_string())
        });
        Ok(Batches {
            path,
            reader: reader.map_err(|reason| damaged(path, reason))?,
            done: 0,
            bytes,
        })
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        let batch = decoding(|| self.reader.next().transpose().map_err(|error| error.to_string()));
        self.done += 1;
        batch.map_err(|reason| damaged(self.path, reason))
    }

    /// In batches, whose number is public as the number of rows is.
    fn progress(&self) -> super::Progress {
        let all = self.reader.num_batches().max(1) as u64;
        let bytes = u128::from(self.bytes) * u128::from(self.done.min(all)) / u128::from(all);
        super::Progress { bytes: bytes as u64, total: self.bytes }
    }
}
