//! Whole tables in their own units, for learners that are not linear.

use super::encoded_rows::EncodedRows;
use super::{Progress, Purpose, Request};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::Error;
use crate::plain::{Classes, PlainRows};
use crate::schema::Schema;
use crate::table_source::Table;

/// The whole table in its own units, with the class of every row, for learners that are not linear; and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_rows(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    classes: &Classes,
    progress: &dyn Fn(Progress),
) -> Result<(PlainRows, Counts), Error> {
    read_plain(table, &schema.relabelled(classes), Purpose::Train, progress)
}

/// The rows that are asked about, in their own units and without labels: a file with the study's columns and no others.
/// A target column is passed over.
///
/// `progress` is called from the calling thread.
pub fn read_queries(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<PlainRows, Error> {
    read_plain(table, schema, Purpose::Queries, progress).map(|(rows, _)| rows)
}

fn read_plain(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    purpose: Purpose,
    progress: &dyn Fn(Progress),
) -> Result<(PlainRows, Counts), Error> {
    let encoder = Encoder::plain(schema.columns()).reading_to(purpose);
    let mut rows = PlainRows::new(schema);
    let request =
        Request { any_classes: true, ..Request::of(schema, &encoder, purpose, progress).asking(table) };
    let counts = request.read(&table.files()?, &|encoded| encoded, &mut |encoded| {
        rows.append(encoded.numeric, encoded.codes, encoded.classes);
        Ok::<EncodedRows, Error>(EncodedRows::default())
    })?;
    Ok((rows, counts))
}
