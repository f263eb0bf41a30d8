//! Encoded rows of a whole table, in memory or in a file that is read anew at every pass.

use super::Progress;
use super::persons::PersonKey;
use super::persons_within::read_persons_within;
use super::spill::{Limits, read_within};
use crate::counts::Counts;
use crate::error::Error;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::matrix::{Matrix, Rows};
use discretion::privacy::Unit;

/// Encoded rows with their outcome: a sign, one of several classes, or a number among their
/// columns.
pub struct RowStorage {
    /// All of them: in the order of the table, or persons in the order of a hash of their
    /// identifiers.
    pub rows: Rows<'static>,
    /// Where rows that validate were put behind the others while they were read: the number of the
    /// others.
    pub training: Option<usize>,
}

/// Reads the whole table, whatever its outcome is and whoever its rows belong to: into memory if
/// its encoded rows fit, else into a file. Returns what was counted, too.
///
/// `progress` is called from the calling thread.
pub fn read_stored(
    table: &(impl Table + ?Sized),
    schema: &Schema,
    key: PersonKey,
    limits: Limits<'_>,
    progress: &dyn Fn(Progress),
) -> Result<(RowStorage, Counts), Error> {
    match schema.unit() {
        Unit::Row => read_within(table, schema, limits, progress),
        Unit::Person => {
            let (persons, counts) = read_persons_within(table, schema, key, limits, progress)?;
            Ok((persons.into(), counts))
        }
    }
}

impl From<Rows<'static>> for RowStorage {
    fn from(rows: Rows<'static>) -> RowStorage {
        RowStorage { rows, training: None }
    }
}

impl From<Matrix> for RowStorage {
    fn from(rows: Matrix) -> RowStorage {
        Rows::from(rows).into()
    }
}
