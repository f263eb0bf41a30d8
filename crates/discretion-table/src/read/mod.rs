//! Tables from files, streamed: at any time only a few blocks of a file are in memory, and the
//! compact encoded rows.
//!
//! CSV is split by our own code rather than by arrow-csv, which refuses invalid UTF-8, cannot
//! name line and column of a bad field, parses on one core, and builds arrays that we would not keep.

mod blocks;
mod csv;
mod fields;
mod header;
mod label;
pub(crate) mod number;
mod parquet;
mod record;
pub(crate) mod sample;
mod source;
mod texts;

use crate::encode::Encoder;
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::schema::{Column, Schema};
use discretion::erm::matrix::{Batch, Matrix};
use source::Format;
use std::path::Path;

pub(crate) use source::whole_file;

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
}

/// The whole table as a design matrix, for training.
///
/// `progress` is called from the calling thread.
pub fn read_matrix(path: &Path, schema: &Schema, progress: &dyn Fn(Progress)) -> Result<Matrix, Error> {
    let mut matrix = Matrix::new(schema.encoder().layout());
    read_batches(path, schema, Purpose::Train, progress, |batch| {
        matrix.push(batch);
        Ok::<(), Error>(())
    })?;
    Ok(matrix)
}

/// Hands the encoded rows to `each` in the order of the file, and returns their number.
///
/// `progress` and `each` are called from the calling thread. Reading stops at the first error,
/// of the table or of `each`.
pub fn read_batches<E: From<Error>>(
    path: &Path,
    schema: &Schema,
    purpose: Purpose,
    progress: &dyn Fn(Progress),
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<u64, E> {
    let encoder = schema.encoder();
    Request { path, schema, encoder: &encoder, purpose, progress }.read(&mut each)
}

/// Hands chosen columns to `each` in the order of the file, and returns the number of rows. Numbers are clipped and laid
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
    mut each: impl FnMut(Batch) -> Result<(), E>,
) -> Result<u64, E> {
    let encoder = Encoder::describing(columns);
    Request { path, schema, encoder: &encoder, purpose: Purpose::Describe, progress }.read(&mut each)
}

/// What both readers need to know.
struct Request<'a> {
    path: &'a Path,
    schema: &'a Schema,
    encoder: &'a Encoder,
    purpose: Purpose,
    progress: &'a dyn Fn(Progress),
}

impl Request<'_> {
    fn read<E: From<Error>>(&self, each: &mut impl FnMut(Batch) -> Result<(), E>) -> Result<u64, E> {
        let rows = match Format::of(self.path)? {
            Format::Csv => csv::read(self, each)?,
            Format::Parquet => parquet::read(self, each)?,
        };
        if rows == 0 {
            return Err(self.error(Problem::NoRows).into());
        }
        Ok(rows)
    }

    fn error(&self, problem: Problem) -> Error {
        Location::file(self.path).error(problem)
    }
}
