//! The rows of a fit of a number, with the outcome among their columns.

use discretion::erm::Oracle;
use discretion::erm::matrix::{Cells, Kept, Layout, Matrix, Persons};
use discretion::erm::remote::Remote;

/// Rows, or persons with all of theirs, here or elsewhere. One value in a run: what is not used of it costs nothing.
#[allow(clippy::large_enum_variant)]
pub enum NumberRows {
    /// Rows that count one by one.
    Rows(Matrix),
    /// Rows of persons, who count one by one.
    Persons(Persons),
    /// Either of them, with the workers of a cluster: sums come from there. Its curves have their knots.
    Remote(Remote),
}

impl NumberRows {
    /// All of them, to be summed.
    pub fn oracle(&self) -> &dyn Oracle {
        match self {
            NumberRows::Rows(rows) => rows,
            NumberRows::Persons(persons) => persons,
            NumberRows::Remote(remote) => remote,
        }
    }

    /// As they are counted in the cells of curves.
    pub fn cells(&self) -> &dyn Cells {
        match self {
            NumberRows::Rows(rows) => rows,
            NumberRows::Persons(persons) => persons,
            NumberRows::Remote(_) => unreachable!("{NO_KNOTS}"),
        }
    }

    /// The same rows by fewer knots.
    pub(super) fn keeping_knots(&self, layout: Layout, kept: &Kept) -> NumberRows {
        match self {
            NumberRows::Rows(rows) => NumberRows::Rows(rows.keeping_knots(layout, kept)),
            NumberRows::Persons(persons) => NumberRows::Persons(persons.keeping_knots(layout, kept)),
            NumberRows::Remote(_) => unreachable!("{NO_KNOTS}"),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            NumberRows::Rows(rows) => rows.rows(),
            NumberRows::Persons(persons) => persons.count(),
            NumberRows::Remote(remote) => remote.facts().rows,
        }
    }
}

const NO_KNOTS: &str = "knots that are still to be found are refused on a cluster";
