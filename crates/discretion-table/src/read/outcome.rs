//! Rows that have a number as outcome among their columns.

use super::encoded_rows::EncodedRows;
use super::files::rows_at_most;
use super::{Progress, Purpose, Request};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::Error;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::matrix::Matrix;

/// The whole table as rows that have a number as outcome behind their own numbers, and no class; and what was counted.
///
/// `progress` is called from the calling thread.
pub(crate) fn read_with_outcome(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    encoder: &Encoder,
    progress: &dyn Fn(Progress),
) -> Result<(Matrix, Counts), Error> {
    let (files, layout) = (table.files()?, encoder.layout());
    let mut matrix = Matrix::new(layout.clone());
    matrix.reserve(rows_at_most(&files, schema));
    let request = Request::of(schema, encoder, Purpose::Describe, progress).asking(table);
    let make = |encoded: EncodedRows| {
        let mut batch = encoded.into_batch();
        batch.positive = vec![false; layout.rows_of(&batch)];
        Matrix::of(layout.clone(), batch)
    };
    let counts = request.read(&files, &make, &mut |piece: Matrix| {
        matrix.append(&piece);
        Ok::<EncodedRows, Error>(EncodedRows::in_memory_of(piece.into_memory()))
    })?;
    Ok((matrix, counts))
}
