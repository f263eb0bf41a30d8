//! Whole tables in their own units, for learners that are not linear.

use super::encoded_rows::EncodedRows;
use super::{PersonKey, Progress, Purpose, Request};
use crate::counts::Counts;
use crate::encode::Encoder;
use crate::error::Error;
use crate::plain::{Classes, PlainRows, UnitRows};
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::privacy::Unit;

/// The whole table in its own units, with the class of every row, for learners that are not linear;
/// and what was counted.
///
/// `progress` is called from the calling thread.
pub fn read_rows(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    classes: &Classes,
    progress: &dyn Fn(Progress),
) -> Result<(PlainRows, Counts), Error> {
    let plain = read_plain(table, &schema.relabelled(classes), Purpose::Train, progress)?;
    Ok((plain.rows, plain.counts))
}

/// The same in the units that the schema's guarantee is about: where it names persons, the rows of
/// each together, in the order of their places under this key.
pub fn read_units(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    classes: &Classes,
    key: PersonKey,
    progress: &dyn Fn(Progress),
) -> Result<(UnitRows, Counts), Error> {
    let PlainTable { rows, persons, counts } =
        read_plain(table, &schema.relabelled(classes), Purpose::Train, progress)?;
    let rows = match schema.unit() {
        Unit::Row => UnitRows::from(rows),
        Unit::Person => {
            let places: Vec<u128> = persons.into_iter().map(|person| key.place(person)).collect();
            UnitRows::of_persons(&rows, &places)
        }
    };
    Ok((rows, counts))
}

/// The rows that are asked about, in their own units and without labels: a file with the study's
/// columns and no others. A target column is passed over.
///
/// `progress` is called from the calling thread.
pub fn read_queries(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    progress: &dyn Fn(Progress),
) -> Result<PlainRows, Error> {
    read_plain(table, schema, Purpose::Queries, progress).map(|plain| plain.rows)
}

/// What was read.
struct PlainTable {
    rows: PlainRows,
    /// Whose rows they are, where they are read to learn from and the schema says.
    persons: Vec<u128>,
    counts: Counts,
}

fn read_plain(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    purpose: Purpose,
    progress: &dyn Fn(Progress),
) -> Result<PlainTable, Error> {
    let encoder = Encoder::plain(schema.columns()).reading_to(purpose);
    // A query is nobody's.
    let encoder = if purpose == Purpose::Train { encoder.of_persons(schema) } else { encoder };
    let (mut rows, mut persons) = (PlainRows::new(schema), Vec::new());
    let request = Request {
        any_classes: true,
        ..Request::of(schema, &encoder, purpose, progress).asking(table)
    };
    let counts = request.read(&table.files()?, &|encoded| encoded, &mut |encoded| {
        persons.extend(encoded.persons);
        rows.append(encoded.numeric, encoded.codes, encoded.classes);
        Ok::<EncodedRows, Error>(EncodedRows::default())
    })?;
    Ok(PlainTable { rows, persons, counts })
}
