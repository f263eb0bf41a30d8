//! Encoded rows, wherever they are: in memory, or in a file that is read anew at every pass.

use super::Progress;
use super::persons::PersonKey;
use super::persons_within::read_persons_within;
use super::spill::{Limits, SpilledRows, read_within};
use crate::counts::Counts;
use crate::error::Error;
use crate::schema::Schema;
use crate::table_source::Table;
use discretion::erm::Oracle;
use discretion::erm::matrix::{
    Cells, Classed, KeptKnots, Layout, Matrix, Persons, Store, Streamed,
};
use discretion::privacy::Unit;
use std::ops::Range;

/// Encoded rows with their outcome: a sign, one of several classes, or a number among their
/// columns.
pub enum RowStorage {
    /// In memory, in the order of the table.
    Memory(Matrix),
    /// Grouped by person, in the order of a hash of their identifiers; in memory or in a file.
    Persons(Persons),
    /// Each of one of several classes; in memory, or of persons.
    Classes(Classed),
    /// In a file, those that validate behind the others.
    File(SpilledRows),
}

/// The whole table, whatever its outcome is and whoever its rows belong to: in memory if its
/// encoded rows fit, else in a file; and what was counted.
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
            Ok((RowStorage::grouped(persons), counts))
        }
    }
}

impl RowStorage {
    /// Rows in memory, by what their layout says of their labels.
    pub fn of_rows(rows: Matrix) -> RowStorage {
        match rows.layout().classes() {
            None => RowStorage::Memory(rows),
            Some(_) => RowStorage::Classes(Classed::of_rows(rows)),
        }
    }

    /// The same of persons.
    pub fn grouped(persons: Persons) -> RowStorage {
        match persons.layout().classes() {
            None => RowStorage::Persons(persons),
            Some(_) => RowStorage::Classes(Classed::of_persons(persons)),
        }
    }

    /// Whether rows are of several classes.
    pub fn has_classes(&self) -> bool {
        match self {
            RowStorage::Memory(_) | RowStorage::Persons(_) => false,
            RowStorage::Classes(_) => true,
            RowStorage::File(file) => file.layout().classes().is_some(),
        }
    }

    /// Calls `work` with all rows.
    pub fn with_all<T>(&self, work: impl FnOnce(&dyn Oracle) -> T) -> T {
        match self {
            RowStorage::Memory(matrix) => work(matrix),
            RowStorage::Persons(persons) => work(persons),
            RowStorage::Classes(classed) => work(classed),
            RowStorage::File(file) => work(&Streamed::new(file, 0..file.rows())),
        }
    }

    /// Calls `work` with some ranges of the rows, or of the persons.
    pub fn with_ranges<T>(
        &self,
        ranges: impl IntoIterator<Item = Range<usize>>,
        work: impl FnOnce(&[&dyn Oracle]) -> T,
    ) -> T {
        fn each<O: Oracle, T>(
            views: impl Iterator<Item = O>,
            work: impl FnOnce(&[&dyn Oracle]) -> T,
        ) -> T {
            let views: Vec<O> = views.collect();
            work(&views.iter().map(|view| view as &dyn Oracle).collect::<Vec<_>>())
        }
        let ranges = ranges.into_iter();
        match self {
            RowStorage::Memory(matrix) => each(ranges.map(|range| matrix.view(range)), work),
            RowStorage::Persons(persons) => each(ranges.map(|range| persons.view(range)), work),
            RowStorage::Classes(classed) => each(ranges.map(|range| classed.view(range)), work),
            RowStorage::File(file) => each(ranges.map(|range| Streamed::new(file, range)), work),
        }
    }

    /// Calls `work` with the rows, as they are counted in the cells of curves.
    pub fn with_cells<T>(&self, work: impl FnOnce(&dyn Cells) -> T) -> T {
        match self {
            RowStorage::Memory(matrix) => work(matrix),
            RowStorage::Persons(persons) => work(persons),
            RowStorage::Classes(classed) => work(classed),
            RowStorage::File(file) => work(&Streamed::new(file, 0..file.rows())),
        }
    }

    /// The same rows, whose curves keep some of their knots.
    pub fn keeping_knots(&self, layout: Layout, kept: &KeptKnots) -> RowStorage {
        match self {
            RowStorage::Memory(matrix) => RowStorage::Memory(matrix.keeping_knots(layout, kept)),
            RowStorage::Persons(persons) => {
                RowStorage::Persons(persons.keeping_knots(layout, kept))
            }
            RowStorage::Classes(classed) => {
                RowStorage::Classes(classed.keeping_knots(layout, kept))
            }
            RowStorage::File(file) => RowStorage::File(file.keeping_knots(layout, kept)),
        }
    }

    /// The same rows, which belong to the persons of these identifiers.
    pub fn of_persons(self, identifiers: &[u128]) -> RowStorage {
        match self {
            RowStorage::Memory(matrix) => RowStorage::Persons(Persons::group(matrix, identifiers)),
            RowStorage::Classes(classed) => RowStorage::Classes(classed.group(identifiers)),
            RowStorage::Persons(_) | RowStorage::File(_) => {
                panic!("rows in memory are grouped once")
            }
        }
    }

    /// How many rows there are, or persons.
    pub fn count(&self) -> usize {
        match self {
            RowStorage::Memory(matrix) => matrix.rows(),
            RowStorage::Persons(persons) => persons.count(),
            RowStorage::Classes(classed) => classed.rows(),
            RowStorage::File(file) => file.rows(),
        }
    }
}
