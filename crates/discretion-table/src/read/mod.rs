//! Tables from files, streamed: at any time only a few blocks of a file are in memory, and the
//! compact encoded rows.
//!
//! CSV is split by our own code rather than by arrow-csv, which refuses invalid UTF-8, cannot
//! name line and column of a bad field, parses on one core, and builds arrays that we would not keep.

#[cfg(feature = "arrow")]
mod batch;
mod blocks;
mod bounds;
mod csv;
#[cfg(feature = "arrow")]
mod decoding;
mod encoded_rows;
mod fields;
pub(crate) mod header;
mod in_order;
mod kept;
mod label;
#[cfg(feature = "arrow")]
mod memory;
pub(crate) mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod queries;
mod record;
pub(crate) mod sample;
mod source;
mod spill;
mod tally;
#[cfg(feature = "arrow")]
mod texts;

use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::{Error, Location};
use crate::plain::{Classes, PlainRows};
use crate::problem::Problem;
use crate::schema::{Column, Schema, Target};
use discretion::erm::matrix::{Batch, Matrix};
use encoded_rows::EncodedRows;
use source::Format;
use std::path::Path;

#[cfg(feature = "arrow")]
pub use decoding::is_decoding;
pub use kept::KeptColumns;
pub(crate) use label::Labeller;
#[cfg(feature = "arrow")]
pub use memory::{encode_batches, encode_columns, encode_numbers};
pub use queries::QueryReader;
pub(crate) use record::number_code;
pub(crate) use source::whole_file;
pub use spill::{Limits, RowStorage, SpilledRows, read_within};
pub(crate) use tally::{CategoryTally, NumberTally, Tally};

/// How much of a file has been read. Public: it depends on sizes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file read so far.
    pub bytes: u64,
    /// Bytes of the file.
    pub total: u64,
}

/// What rows are read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To learn: the target is needed, and every column of the file must be declared.
    Train,
    /// To describe columns: as to learn, but the target is a column like others, and the batches have no labels.
    Describe,
    /// To apply a model: only the columns it uses are needed, and others are passed over.
    /// The batches have no labels.
    Predict,
    /// To be asked about: the study's columns and no others. The target may be there and is never read, and dropped
    /// columns may be there or not.
    Queries,
}

/// The whole table as a design matrix, for training, and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_matrix(
    path: &Path,
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<(Matrix, Counts), Error> {
    let mut matrix = Matrix::new(schema.encoder().layout());
    matrix.reserve(rows_at_most(path, schema));
    let counts = read_pieces(path, schema, progress, |piece| {
        matrix.append(piece);
        Ok(())
    })?;
    Ok((matrix, counts))
}

/// How many rows a plain CSV of this size can hold if no field is empty: each has a character and a separator. Only good
/// for making room; a compressed file may hold more.
fn rows_at_most(path: &Path, schema: &Schema) -> usize {
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    usize::try_from(bytes).unwrap_or(0) / (2 * (schema.columns().len() + 1))
}

/// Hands the rows for training to `each`, in the order of the file and a few at a time. They are made into design matrices
/// on all cores.
fn read_pieces(
    path: &Path,
    schema: &Schema,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(&Matrix) -> Result<(), Error>,
) -> Result<Counts, Error> {
    let encoder = schema.encoder();
    let layout = encoder.layout();
    let request = Request::of(path, schema, &encoder, Purpose::Train, progress);
    let make = |encoded: EncodedRows| Matrix::of(layout.clone(), encoded.into_batch());
    request.read(&make, &mut |piece| {
        each(&piece)?;
        Ok(EncodedRows::in_memory_of(piece.into_memory()))
    })
}

/// Hands the encoded rows to `each` in the order of the file, and returns what was counted.
///
/// `progress` and `each` are called from the calling thread. Reading stops at the first error,
/// of the table or of `each`.
pub fn read_batches<E: From<Error>>(
    path: &Path,
    schema: &Schema,
    purpose: Purpose,
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = schema.encoder();
    let request = Request::of(path, schema, &encoder, purpose, progress);
    request.batches(each)
}

/// Hands chosen columns to `each` in the order of the file, and returns what was counted. Numbers are clipped and laid
/// out over [−1, 1], evenly or by their logarithm as declared; categories are codes. Both are in the order of `columns`,
/// which are of [`Schema::choose`].
///
/// `progress` and `each` are called from the calling thread. Reading stops at the first error, of the table or of `each`;
/// what is in columns that were not chosen does not matter.
pub fn read_columns<E: From<Error>>(
    path: &Path,
    schema: &Schema,
    columns: &[Column],
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = Encoder::describing(columns);
    let purpose = Purpose::Describe;
    let request = Request::of(path, schema, &encoder, purpose, progress);
    request.batches(each)
}

/// The whole table in its own units, with the class of every row, for learners that are not linear; and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_rows(
    path: &Path,
    schema: &Schema,
    classes: &Classes,
    progress: &dyn Fn(Progress),
) -> Result<(PlainRows, Counts), Error> {
    read_plain(path, &schema.relabelled(classes), Purpose::Train, progress)
}

/// The rows that are asked about, in their own units and without labels: a file with the study's columns and no others.
/// A target column is passed over.
///
/// `progress` is called from the calling thread.
pub fn read_queries(path: &Path, schema: &Schema, progress: &dyn Fn(Progress)) -> Result<PlainRows, Error> {
    read_plain(path, schema, Purpose::Queries, progress).map(|(rows, _)| rows)
}

fn read_plain(
    path: &Path,
    schema: &Schema,
    purpose: Purpose,
    progress: &dyn Fn(Progress),
) -> Result<(PlainRows, Counts), Error> {
    let encoder = Encoder::plain(schema.columns());
    let mut rows = PlainRows::new(schema);
    let request = Request { any_classes: true, ..Request::of(path, schema, &encoder, purpose, progress) };
    let counts = request.read(&|encoded| encoded, &mut |encoded| {
        rows.append(encoded.numeric, encoded.codes, encoded.classes);
        Ok::<EncodedRows, Error>(EncodedRows::default())
    })?;
    Ok((rows, counts))
}

/// What both readers need to know.
pub(crate) struct Request<'a> {
    path: &'a Path,
    declared: &'a [Column],
    /// None where nothing is predicted.
    target: Option<&'a Target>,
    encoder: &'a Encoder,
    purpose: Purpose,
    /// Whether rows may be of more than two classes; design matrices have room for two.
    any_classes: bool,
    progress: &'a dyn Fn(Progress),
}

impl<'a> Request<'a> {
    /// For rows of two classes, if they have any.
    pub(crate) fn of(
        path: &'a Path,
        schema: &'a Schema,
        encoder: &'a Encoder,
        purpose: Purpose,
        progress: &'a dyn Fn(Progress),
    ) -> Request<'a> {
        let (declared, target) = (schema.columns(), Some(schema.target()));
        Request { path, declared, target, encoder, purpose, any_classes: false, progress }
    }

    fn batches<E: From<Error>>(&self, mut each: impl FnMut(Batch) -> Result<(), E>) -> Result<Counts, E> {
        self.read(&EncodedRows::into_batch, &mut |batch| {
            each(batch)?;
            Ok(EncodedRows::default())
        })
    }

    /// Hands the rows to `each` in order and returns what was counted. Several threads encode them and `make` of them what is
    /// wanted; `each` gives memory back that it does not need, for rows to come.
    fn read<T: Send, E: From<Error>>(
        &self,
        make: &(impl Fn(EncodedRows) -> T + Sync),
        each: &mut impl FnMut(T) -> Result<EncodedRows, E>,
    ) -> Result<Counts, E> {
        let tally = match Format::of(self.path)? {
            Format::Csv => csv::read(self, make, each)?,
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet::read(self, make, each)?,
        };
        Ok(self.counts(&tally)?)
    }

    /// What was counted, if there is a row.
    fn counts(&self, tally: &Tally) -> Result<Counts, Error> {
        match tally.rows {
            0 => Err(self.error(Problem::NoRows)),
            _ => Ok(Counts::new(self.encoder, self.target, tally)),
        }
    }

    pub(crate) fn error(&self, problem: Problem) -> Error {
        Location::file(self.path).error(problem)
    }
}
