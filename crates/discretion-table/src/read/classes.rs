//! Rows of several classes, for a model that has coefficients for each.

use super::{PersonKey, Progress, read_labelled, read_labelled_of_persons};
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
    let mut rows = empty(schema);
    let counts = read_labelled(table, schema, progress, |batch, classes| {
        rows.push(batch, classes);
        Ok::<(), Error>(())
    })?;
    Ok((rows, counts))
}

/// The same, each person's rows together, in the order of the key.
pub fn read_classes_of_persons(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    progress: &dyn Fn(Progress),
) -> Result<(Classed, Counts), Error> {
    let (mut rows, mut whose) = (empty(schema), Vec::new());
    let counts = read_labelled_of_persons(table, schema, key, progress, |batch, classes, places| {
        rows.push(batch, classes);
        whose.extend_from_slice(places);
        Ok::<(), Error>(())
    })?;
    Ok((rows.group(&whose), counts))
}

fn empty(schema: &Schema) -> Classed {
    Classed::new(schema.encoder().layout(), schema.target().labels.names().len())
}
