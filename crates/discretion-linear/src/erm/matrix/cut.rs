//! How a table is cut for summing, and which of its units a first guess is looked for on: functions
//! of public facts alone.

use super::block::BLOCK;
use super::{Grouping, Layout};
use crate::erm::Facts;
use discretion_privacy::Unit;
use std::ops::Range;

/// Least number of rows of a part, so that summing them outweighs adding parts up.
const PART_ROWS: usize = 16 * BLOCK;
/// Least number of persons of a part. They may have many rows, so it is smaller than that of rows.
const PART_PERSONS: usize = 256;
/// More parts than any machine we know has cores.
const PARTS: usize = 64;
/// Numbers that the Hessians of all parts of a pass at one point may hold together, and those of
/// the parts that are held at once at several points, unless there are more cores than that (256
/// MB).
pub(super) const HESSIAN_NUMBERS: usize = 1 << 25;

/// A table of this many units is worth solving on a sample first …
const SAMPLE_FROM: usize = 20_000;
/// … of one block in so many (of persons, of one person in so many), or of fewer, …
const SAMPLE_EVERY: usize = 16;
/// … so that it has about this many units at most.
const SAMPLE_ROWS: usize = 1 << 17;

/// Roundings that a weight costs a sum over persons: that of the product, and what keeps a person's
/// weights from adding up to 1.
const WEIGHING: usize = 2;

/// Partition of a table's units into parts that are summed apart. It follows from their number and
/// the layout's dimension alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    unit: Unit,
    units: usize,
    parts: usize,
}

impl Cut {
    /// Cuts a table of so many rows or persons of this layout.
    pub fn new(unit: Unit, units: usize, layout: &Layout) -> Cut {
        Cut::in_dimension(unit, units, layout.dimension())
    }

    pub(super) fn in_dimension(unit: Unit, units: usize, dimension: usize) -> Cut {
        let least = match unit {
            Unit::Row => PART_ROWS,
            Unit::Person => PART_PERSONS,
        };
        // Each part has a Hessian of its own.
        let most = PARTS.min((HESSIAN_NUMBERS / (dimension * dimension)).max(2));
        Cut { unit, units, parts: units.div_ceil(least).clamp(1, most) }
    }

    /// Returns the number of parts.
    pub fn parts(self) -> usize {
        self.parts
    }

    /// Returns what the units are.
    pub fn unit(self) -> Unit {
        self.unit
    }

    /// Returns the number of units of the whole table.
    pub fn units(self) -> usize {
        self.units
    }

    /// Returns the units of a part. Parts are in order and leave nothing out. Of rows, only the
    /// last part may end within a block.
    pub fn units_of(self, part: usize) -> Range<usize> {
        assert!(part < self.parts, "there are {} parts", self.parts);
        let share = |all: usize| all * part / self.parts..all * (part + 1) / self.parts;
        match self.unit {
            Unit::Row => {
                let blocks = share(self.units.div_ceil(BLOCK));
                (blocks.start * BLOCK).min(self.units)..(blocks.end * BLOCK).min(self.units)
            }
            Unit::Person => share(self.units),
        }
    }

    /// Returns the part that a row belongs to.
    pub fn part_of(self, row: usize) -> usize {
        assert!(row < self.units, "there are {} rows", self.units);
        assert!(self.unit.is_row(), "a person is found by name");
        let blocks = self.units.div_ceil(BLOCK);
        // Part p ends before block ⌊blocks·(p+1)/parts⌋: the first p for which that is beyond the
        // row's block.
        ((row / BLOCK + 1) * self.parts).div_ceil(blocks) - 1
    }

    /// Returns the units, in order, on which a first guess for the table is looked for: one block
    /// of rows in several, or the first persons, whose order says nothing about their rows. Nothing
    /// for a small table.
    pub fn sample(self) -> Option<impl Iterator<Item = Range<usize>>> {
        let units = self.units;
        let every =
            (units >= SAMPLE_FROM).then(|| units.div_ceil(SAMPLE_ROWS).max(SAMPLE_EVERY))?;
        let (all, step, len) = match self.unit {
            Unit::Row => (units, every * BLOCK, BLOCK),
            Unit::Person => (1, 1, units.div_ceil(every)),
        };
        Some((0..all).step_by(step).map(move |start| start..units.min(start + len)))
    }

    /// Returns the number of units of the sample; nothing for a small table.
    pub fn sample_len(self) -> Option<usize> {
        Some(self.sample()?.map(|range| range.len()).sum())
    }

    /// The most blocks that a part of persons can have.
    fn most_blocks(self) -> usize {
        self.units.div_ceil(self.parts) * Grouping::MOST_ROWS.div_ceil(BLOCK)
    }

    /// Blocks that are summed before their sum is added to that of the blocks before. Of persons
    /// about as many as there can be such sums, so that no number takes part in many additions; a
    /// part of rows has few blocks, and is one section.
    pub(super) fn section(self) -> usize {
        match self.unit {
            Unit::Row => self.units.div_ceil(BLOCK),
            Unit::Person => self.most_blocks().isqrt() + 1,
        }
    }

    /// The most additions that a number takes part in while blocks of rows are summed.
    fn depth(self) -> usize {
        let blocks = match self.unit {
            Unit::Row => self.units.div_ceil(BLOCK).div_ceil(self.parts),
            Unit::Person => self.section() + self.most_blocks().div_ceil(self.section()) + WEIGHING,
        };
        BLOCK + blocks + self.parts
    }

    /// The most additions that an entry of a matrix takes part in: of persons, one term for each
    /// row of a section, then over sections and parts; or one for each person of a part, then over
    /// parts.
    fn matrix_depth(self) -> usize {
        let by_rows = self.section() * BLOCK + self.most_blocks().div_ceil(self.section());
        by_rows.max(self.units.div_ceil(self.parts)) + self.parts + WEIGHING
    }
}

impl Facts {
    /// Returns the facts of `rows` rows with so many columns, of whose shape nothing is known.
    pub fn of_matrix(rows: usize, dimension: usize, row_terms: usize) -> Facts {
        Facts::of_shape(Unit::Row, rows, dimension, row_terms)
    }

    /// Returns the facts of so many persons whose rows have so many columns, of whose shape nothing
    /// is known.
    pub fn of_persons(persons: usize, dimension: usize, row_terms: usize) -> Facts {
        Facts::of_shape(Unit::Person, persons, dimension, row_terms)
    }

    fn of_shape(unit: Unit, units: usize, dimension: usize, row_terms: usize) -> Facts {
        let summation_depth = Cut::in_dimension(unit, units, dimension).depth();
        Facts {
            unit,
            rows: units,
            dimension,
            classes: None,
            row_terms,
            summation_depth,
            columns: None,
            entries: Vec::new(),
        }
    }

    /// Returns the facts of `rows` rows of this layout, whose labels are signs.
    pub fn of_layout(rows: usize, layout: &Layout) -> Facts {
        Facts::of_units(Unit::Row, rows, layout)
    }

    /// Returns the facts of so many rows or persons of this layout, whose labels are signs.
    pub fn of_units(unit: Unit, units: usize, layout: &Layout) -> Facts {
        let facts = Facts::of_shape(unit, units, layout.dimension(), layout.row_terms());
        // A product with a row's own weight is one more rounding, and one to spare. Persons have
        // weights anyway.
        let weighing = if unit.is_row() { 2 * usize::from(layout.is_weighted()) } else { 0 };
        Facts {
            columns: Some(layout.columns()),
            entries: layout.column_entries(),
            summation_depth: facts.summation_depth + weighing,
            ..facts
        }
    }

    /// Returns the facts of these rows if each is of one of so many classes, with coefficients of
    /// their own.
    pub fn of_classes(self, classes: usize) -> Facts {
        assert!(self.classes.is_none(), "classes are counted once");
        Facts { dimension: classes * self.dimension, classes: Some(classes), ..self }
    }

    /// Returns the number of coefficients of one class.
    pub fn row_dimension(&self) -> usize {
        self.dimension / self.classes.unwrap_or(1)
    }

    /// The most additions that any entry of a matrix takes part in while it is summed: one term for
    /// each row in any order, then over parts.
    pub(crate) fn matrix_depth(&self) -> usize {
        match self.unit {
            Unit::Row => self.rows + self.summation_depth,
            Unit::Person => {
                Cut::in_dimension(Unit::Person, self.rows, self.dimension).matrix_depth()
            }
        }
    }
}
