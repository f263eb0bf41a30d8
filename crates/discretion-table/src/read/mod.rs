//! Tables from files, streamed: at any time only a few blocks of a file are in memory, and the
//! compact encoded rows.
//!
//! CSV is split by our own code rather than by arrow-csv, which refuses invalid UTF-8, cannot name
//! line and column of a bad field, parses on one core, and builds arrays that we would not keep.

#[cfg(feature = "arrow")]
mod batch;
mod blocks;
mod bounds;
mod codes;
mod csv;
#[cfg(feature = "arrow")]
mod decoding;
mod encoded_rows;
mod fields;
mod files;
pub(crate) mod header;
mod in_order;
#[cfg(feature = "parquet")]
mod ipc;
#[cfg(feature = "parquet")]
mod ipc_sizes;
mod kept;
mod label;
mod labelled;
#[cfg(feature = "arrow")]
mod memory;
pub(crate) mod number;
mod one_each;
#[cfg(feature = "parquet")]
mod parquet;
mod persons;
mod persons_within;
mod plain_rows;
mod queries;
#[cfg(feature = "arrow")]
mod rare_types;
mod record;
pub(crate) mod sample;
mod separators;
mod sip_hash;
mod source;
mod spelling;
mod spill;
#[cfg(feature = "sqlite")]
mod sqlite;
mod storage;
mod tally;
#[cfg(feature = "arrow")]
mod texts;
mod transcode;

use crate::cohort::CohortProblem;
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::schema::{Column, Schema, Target};
use crate::table_source::Table;
use crate::text_format::TextFormat;
use discretion::erm::matrix::{Batch, Matrix};
use encoded_rows::EncodedRows;
use source::Format;
use std::path::{Path, PathBuf};

pub(crate) use codes::{date_code, number_code};
#[cfg(feature = "arrow")]
pub use decoding::is_decoding;
use files::{Each, Ended, Make, rows_at_most};
pub(crate) use files::{OneFile, same_headers};
pub use kept::KeptColumns;
pub(crate) use label::Labeller;
use labelled::RowReader;
pub use labelled::{read_labelled, read_labelled_of_persons};
#[cfg(feature = "arrow")]
pub use memory::{
    RowMarks, encode_batches, encode_columns, encode_labelled, encode_marked, encode_numbers,
};
pub use one_each::{OneEach, read_columns_once, read_labelled_once};
pub(crate) use persons::PersonCode;
pub use persons::{
    PersonKey, count_persons, person, read_batches_of_persons, read_columns_of_persons,
    read_persons,
};
pub use persons_within::{PersonsWithin, read_persons_within};
pub use plain_rows::{read_queries, read_rows, read_units};
pub use queries::QueryReader;
pub(crate) use source::{FileKind, beginning_of_file, is_table};
pub use spill::{Limits, RowsWithin, read_within};
pub use storage::{RowStorage, read_stored};
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
    /// To learn, with labels that are not in the table: otherwise as [`Purpose::Queries`].
    Features,
    /// To describe columns: as to learn, but the target is a column like others, and the batches
    /// have no labels.
    Describe,
    /// To apply a model: only the columns it uses are needed, and others are passed over.
    /// The batches have no labels.
    Predict,
    /// To be asked about: the study's columns and no others. The target may be there and is never
    /// read, and dropped columns may be there or not.
    Queries,
}

/// The whole table as a design matrix, for training, and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_matrix(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<(Matrix, Counts), Error> {
    let (files, reader) = (table.files()?, RowReader::two_classes(schema));
    let mut matrix = Matrix::new(reader.layout());
    matrix.reserve(rows_at_most(&files, schema));
    let counts = reader.read_pieces(table, &files, progress, |piece, _| {
        matrix.append(piece);
        Ok(())
    })?;
    Ok((matrix, counts))
}

/// Hands the encoded rows to `each` in the order of the file, and returns what was counted.
///
/// `progress` and `each` are called from the calling thread. Reading stops at the first error,
/// of the table or of `each`.
pub fn read_batches<E: From<Error>>(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    purpose: Purpose,
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = schema.encoder().reading_to(purpose);
    let request = Request::of(schema, &encoder, purpose, progress).asking(table);
    request.batches(&table.files()?, each)
}

/// What is counted of the rows for training. None is kept.
pub fn read_counts(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<Counts, Error> {
    RowReader::labelled(schema).read_counts(table, progress)
}

/// Hands chosen columns to `each` in the order of the file, and returns what was counted. Numbers
/// are clipped and laid out over [−1, 1], evenly or by their logarithm as declared; categories are
/// codes. Both are in the order of `columns`, which are of [`Schema::choose`].
///
/// `progress` and `each` are called from the calling thread. Reading stops at the first error, of
/// the table or of `each`; what is in columns that were not chosen does not matter.
pub fn read_columns<E: From<Error>>(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    columns: &[Column],
    progress: &dyn Fn(Progress),
    each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<Counts, E> {
    let encoder = Encoder::describing(columns);
    let purpose = Purpose::Describe;
    let request = Request::of(schema, &encoder, purpose, progress).asking(table);
    request.batches(&table.files()?, each)
}

/// What both readers need to know.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The file at hand, or what stands for it in messages.
    path: &'a Path,
    declared: &'a [Column],
    /// None where nothing is predicted.
    target: Option<&'a Target>,
    format: TextFormat,
    /// What to ask, if it is in a database.
    query: Option<&'a str>,
    encoder: &'a Encoder,
    purpose: Purpose,
    /// Whether rows may be of more than two classes; design matrices have room for two.
    any_classes: bool,
    /// Whether the table says which rows count, or how much.
    has_cohort: bool,
    pub(crate) progress: &'a dyn Fn(Progress),
}

impl<'a> Request<'a> {
    /// For rows of two classes, if they have any.
    pub(crate) fn of(
        schema: &'a Schema,
        encoder: &'a Encoder,
        purpose: Purpose,
        progress: &'a dyn Fn(Progress),
    ) -> Request<'a> {
        let (declared, target, format) = (schema.columns(), Some(schema.target()), schema.format());
        let path = Path::new("");
        Request {
            path,
            declared,
            target,
            format,
            query: None,
            encoder,
            purpose,
            any_classes: false,
            has_cohort: schema.cohort().is_in_table(),
            progress,
        }
    }

    /// The same of a table that may be in a database.
    pub(crate) fn asking(self, table: &'a (impl Table + ?Sized)) -> Request<'a> {
        Request { query: table.query(), ..self }
    }

    fn batches<E: From<Error>>(
        &self,
        files: &[PathBuf],
        mut each: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<Counts, E> {
        self.read(files, &EncodedRows::into_batch, &mut |batch| {
            each(batch)?;
            Ok(EncodedRows::default())
        })
    }

    /// Hands the rows of one file to `each`, and returns what was counted.
    fn read_file<T: Send>(&self, make: Make<'_, T>, each: Each<'_, T>) -> Result<Tally, Ended> {
        match Format::of(self.file())? {
            Format::Csv => csv::read(self, make, each),
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet::read(self, make, each),
            #[cfg(feature = "parquet")]
            Format::Arrow => ipc::read(self, make, each),
            #[cfg(feature = "sqlite")]
            Format::Sqlite => sqlite::read(self, make, each),
        }
    }

    /// Refuses a table of which not all rows count, if all would be taken for rows that do.
    fn check_cohort(&self) -> Result<(), Error> {
        let takes_all =
            matches!(self.purpose, Purpose::Train | Purpose::Describe | Purpose::Features);
        match takes_all && self.has_cohort && !self.encoder.reads_cohort() {
            true => Err(self.error(CohortProblem::WholeTables { what: "this command" }.into())),
            false => Ok(()),
        }
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
