//! The table of a fit: whole, or in two parts if some rows only validate.

use crate::erm::matrix::Layout;
use crate::erm::{Facts, Oracle};
use crate::interval::parts;
use crate::tune::{SplitFacts, SplitTable};
use discretion_choose::split;
use discretion_privacy::Unit;

/// Rows, as a request needs them.
#[derive(Clone, Copy)]
pub enum Table<'t> {
    /// All of them.
    Whole(&'t dyn Oracle),
    /// In two parts, for a λ that is chosen.
    Split(SplitTable<'t>),
    /// In as many as intervals without matrices need; no row is in two of them.
    Parts {
        /// All rows.
        all: &'t dyn Oracle,
        /// Those of each part.
        parts: &'t [&'t dyn Oracle],
    },
}

impl<'t> Table<'t> {
    /// The public facts.
    pub fn facts(&self) -> TableFacts {
        match self {
            Table::Whole(all) => TableFacts::Whole(all.facts()),
            Table::Split(table) => TableFacts::Split(table.facts()),
            Table::Parts { all, parts } => {
                let parts = parts.iter().map(|part| part.facts()).collect();
                TableFacts::Parts { all: all.facts(), parts }
            }
        }
    }

    pub(super) fn all(&self) -> &'t dyn Oracle {
        match self {
            Table::Whole(all) | Table::Parts { all, .. } => *all,
            Table::Split(table) => table.all,
        }
    }
}

/// The public facts of rows, as a request needs them.
#[derive(Clone, Debug, PartialEq)]
pub enum TableFacts {
    /// All of them.
    Whole(Facts),
    /// In two parts.
    Split(SplitFacts),
    /// In many.
    Parts {
        /// Of all rows.
        all: Facts,
        /// Of those of each part.
        parts: Vec<Facts>,
    },
}

impl TableFacts {
    /// The facts of rows in a matrix with so many columns, of whose shape nothing is known.
    pub fn of_matrix(
        rows: usize,
        dimension: usize,
        row_terms: usize,
        validation: Option<f64>,
    ) -> TableFacts {
        TableFacts::of(rows, validation, |rows| Facts::of_matrix(rows, dimension, row_terms))
    }

    /// The facts of rows of this layout, before any row is read.
    pub fn of_layout(rows: usize, layout: &Layout, validation: Option<f64>) -> TableFacts {
        TableFacts::of_units(Unit::Row, rows, layout, validation)
    }

    /// Those of all rows.
    pub fn all(&self) -> &Facts {
        match self {
            TableFacts::Whole(all)
            | TableFacts::Split(SplitFacts { all, .. })
            | TableFacts::Parts { all, .. } => all,
        }
    }

    /// The same of rows of so many classes.
    pub fn of_classes(self, classes: usize) -> TableFacts {
        match self {
            TableFacts::Whole(all) => TableFacts::Whole(all.of_classes(classes)),
            TableFacts::Split(SplitFacts { training, validation, all }) => {
                let [training, validation, all] =
                    [training, validation, all].map(|facts| facts.of_classes(classes));
                TableFacts::Split(SplitFacts { training, validation, all })
            }
            TableFacts::Parts { all, parts } => TableFacts::Parts {
                all: all.of_classes(classes),
                parts: parts.into_iter().map(|part| part.of_classes(classes)).collect(),
            },
        }
    }

    /// The facts of so many rows or persons of this layout, in the parts of intervals without
    /// matrices.
    pub fn in_parts(unit: Unit, count: usize, layout: &Layout) -> TableFacts {
        let facts = |count| Facts::of_units(unit, count, layout);
        TableFacts::Parts {
            all: facts(count),
            parts: parts::ranges(count).map(|range| facts(range.len())).collect(),
        }
    }

    /// The facts of so many rows or persons of this layout. A split is one of units.
    pub fn of_units(
        unit: Unit,
        count: usize,
        layout: &Layout,
        validation: Option<f64>,
    ) -> TableFacts {
        TableFacts::of(count, validation, |count| Facts::of_units(unit, count, layout))
    }

    fn of(rows: usize, validation: Option<f64>, facts: impl Fn(usize) -> Facts) -> TableFacts {
        let all = facts(rows);
        match validation {
            None => TableFacts::Whole(all),
            Some(share) => {
                let validating = split::validation_rows(rows, share);
                let (training, validation) = (facts(rows - validating), facts(validating));
                TableFacts::Split(SplitFacts { training, validation, all })
            }
        }
    }
}
