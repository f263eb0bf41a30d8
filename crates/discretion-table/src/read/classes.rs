//! Rows of several classes, for a model that has coefficients for each.

use super::{Progress, read_labelled};
use crate::counts::Counts;
use crate::error::Error;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::matrix::Classed;

/// The whole table with the class of every row, for training, and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_classes(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<(Classed, Counts), Error> {
    let mut rows = Classed::new(schema.encoder().layout(), schema.target().labels.names().len());
    let counts = read_labelled(table, schema, progress, |batch, classes| {
        rows.push(batch, classes);
        Ok::<(), Error>(())
    })?;
    Ok((rows, counts))
}
