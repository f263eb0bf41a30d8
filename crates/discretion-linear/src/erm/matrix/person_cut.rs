//! How persons are cut for summing, and what is public about them: functions of their number and of
//! the layout alone.

use super::block::BLOCK;
use super::parts::{Cut, most_parts};
use super::{Layout, Persons};
use crate::erm::Facts;
use discretion_privacy::Unit;
use std::ops::Range;

/// A part has at least so many persons. They may have many rows, so it is fewer than a part of rows
/// has.
const PART_PERSONS: usize = 256;

/// Roundings that a weight costs a sum: that of the product, and what keeps a person's weights from
/// adding up to 1.
const WEIGHING: usize = 2;

/// How persons are cut for summing, by their number and the dimension alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonCut {
    persons: usize,
    parts: usize,
}

impl PersonCut {
    /// The cut of so many persons with rows of this layout.
    pub fn of(persons: usize, layout: &Layout) -> PersonCut {
        PersonCut::new(persons, layout.dimension())
    }

    pub(super) fn new(persons: usize, dimension: usize) -> PersonCut {
        PersonCut { persons, parts: persons.div_ceil(PART_PERSONS).clamp(1, most_parts(dimension)) }
    }

    /// How many parts there are.
    pub fn parts(self) -> usize {
        self.parts
    }

    /// The persons of a part.
    pub fn persons_of(self, part: usize) -> Range<usize> {
        self.persons * part / self.parts..self.persons * (part + 1) / self.parts
    }

    /// On how many of so many persons, the first ones, a first guess is looked for; nothing if they
    /// are few.
    pub fn sample(persons: usize) -> Option<usize> {
        Cut::sample_every(persons).map(|every| persons.div_ceil(every))
    }

    /// The most blocks that a part can have.
    fn most_blocks(self) -> usize {
        self.persons.div_ceil(self.parts) * Persons::MOST_ROWS.div_ceil(BLOCK)
    }

    /// Blocks that are summed before their sum is added to that of the blocks before: about as many
    /// as there can be such sums, so that no number takes part in many additions.
    pub(super) fn section(self) -> usize {
        self.most_blocks().isqrt() + 1
    }

    /// The most additions that a number takes part in.
    fn depth(self) -> usize {
        BLOCK + self.section() + self.most_blocks().div_ceil(self.section()) + self.parts
    }

    /// The same for an entry of a matrix: one term for each row of a section, then over sections
    /// and parts; or one for each person of a part, then over parts.
    fn matrix_depth(self) -> usize {
        let by_rows = self.section() * BLOCK + self.most_blocks().div_ceil(self.section());
        by_rows.max(self.persons.div_ceil(self.parts)) + self.parts + WEIGHING
    }
}

impl Facts {
    /// The facts of so many persons whose rows are in [`Persons`] with so many columns, of whose
    /// shape nothing is known.
    pub fn of_persons(persons: usize, dimension: usize, row_terms: usize) -> Facts {
        let summation_depth = PersonCut::new(persons, dimension).depth() + WEIGHING;
        Facts {
            unit: Unit::Person,
            rows: persons,
            dimension,
            classes: None,
            row_terms,
            summation_depth,
            columns: None,
            entries: Vec::new(),
        }
    }

    /// The most additions that any entry of a matrix takes part in while it is summed: one term for
    /// each row in any order, then over parts.
    pub(crate) fn matrix_depth(&self) -> usize {
        match self.unit {
            Unit::Row => self.rows + self.summation_depth,
            Unit::Person => PersonCut::new(self.rows, self.dimension).matrix_depth(),
        }
    }

    /// The facts of so many units of this layout.
    pub fn of_units(unit: Unit, count: usize, layout: &Layout) -> Facts {
        match unit {
            Unit::Row => Facts::of_layout(count, layout),
            Unit::Person => {
                let (columns, entries) = (Some(layout.columns()), layout.column_entries());
                Facts {
                    columns,
                    entries,
                    ..Facts::of_persons(count, layout.dimension(), layout.row_terms())
                }
            }
        }
    }
}
