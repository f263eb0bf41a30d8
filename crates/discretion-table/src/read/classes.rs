//! Rows of several classes, for a model that has coefficients for each.

use super::{EncodedRows, Progress, Purpose, Request};
use crate::counts::Counts;
use crate::error::Error;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::matrix::{Batch, Classed};

/// The whole table with the class of every row, for training, and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_classes(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<(Classed, Counts), Error> {
    let (files, encoder) = (table.files()?, schema.encoder());
    let mut rows = Classed::new(encoder.layout(), schema.target().labels.names().len());
    let request = Request {
        any_classes: true,
        ..Request::of(schema, &encoder, Purpose::Train, progress).asking(table)
    };
    let counts = request.read(&files, &|encoded| encoded, &mut |encoded: EncodedRows| {
        let EncodedRows { numeric, codes, classes, .. } = encoded;
        rows.push(Batch { numeric, codes, positive: Vec::new() }, &classes);
        Ok::<EncodedRows, Error>(EncodedRows::default())
    })?;
    Ok((rows, counts))
}
