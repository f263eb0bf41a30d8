//! What a table of several classes is summed over: rows, or persons with all of theirs.

use super::block::BlockSum;
use super::classed::all_count;
use super::parts::Partial;
use super::persons::{PersonsView, of_row};
use super::sums::View;
use super::{Layout, Matrix, PersonCut};
use crate::erm::{Facts, Oracle, OracleError};
use std::ops::Range;

/// Some rows of a matrix, or some persons.
#[derive(Clone, Copy)]
pub(super) enum Units<'a> {
    Rows(View<'a>),
    Persons(PersonsView<'a>),
}

/// What is summed together before it is added to the rest.
#[derive(Clone)]
pub(super) struct Part {
    /// Blocks of rows, or persons.
    some: Range<usize>,
    /// Of persons: blocks of their rows that are summed before their sum is added to that of the
    /// blocks before.
    section: usize,
}

impl<'a> Units<'a> {
    pub fn layout(&self) -> &'a Layout {
        match self {
            Units::Rows(rows) => rows.matrix.layout(),
            Units::Persons(persons) => persons.persons.layout(),
        }
    }

    /// The same rows as those of one margin, for facts and for sums that know no classes.
    pub fn oracle(&self) -> &dyn Oracle {
        match self {
            Units::Rows(rows) => rows,
            Units::Persons(persons) => persons,
        }
    }

    /// Some of very many.
    pub fn sampled(&self) -> Option<Units<'a>> {
        match self {
            Units::Rows(rows) => rows.sampled().map(Units::Rows),
            Units::Persons(persons) => persons.sampled().map(Units::Persons),
        }
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        match self {
            Units::Rows(rows) => rows.total(),
            Units::Persons(persons) => persons.count(),
        }
    }

    /// How many parts they are summed in.
    pub fn parts(&self) -> usize {
        match self {
            Units::Rows(rows) => rows.cut().parts(),
            Units::Persons(persons) => persons.cut().parts(),
        }
    }

    /// One of them.
    pub fn part(&self, number: usize) -> Part {
        match self {
            Units::Rows(rows) => Part { some: rows.cut().blocks_of(number), section: 0 },
            Units::Persons(persons) => {
                Part { some: persons.persons_of(number), section: persons.cut().section() }
            }
        }
    }

    /// All of them as one part of a larger table: of persons, of one that is cut like this.
    pub fn as_one_part(&self, of: Option<PersonCut>) -> Part {
        match self {
            Units::Rows(rows) => Part { some: 0..rows.blocks(), section: 0 },
            Units::Persons(persons) => {
                let section = of.unwrap_or(persons.cut()).section();
                Part { some: 0..persons.count(), section }
            }
        }
    }

    /// Sums over a part: each of its sections in a sum of its own.
    pub fn by_section<S: BlockSum>(
        &self,
        part: &Part,
        new: impl Fn() -> S,
    ) -> Result<Partial, OracleError> {
        match self {
            Units::Rows(rows) => {
                let mut sum = new();
                part.some
                    .clone()
                    .for_each(|block| sum.add_block(rows.matrix, rows.block(block), None));
                sum.finish()
            }
            Units::Persons(persons) => {
                persons.persons.by_section(part.some.clone(), part.section, new)
            }
        }
    }

    /// Hands the rows of a part to `each`: a matrix, where the row is in it, and its weight.
    pub fn each_row(
        &self,
        part: &Part,
        mut each: impl FnMut(&Matrix, usize, f64),
    ) -> Result<(), OracleError> {
        let mut saw_left_out = false;
        let mut one = |matrix: &Matrix, row: usize, weight: f64| {
            saw_left_out |= matrix.is_left_out(row);
            each(matrix, row, weight);
        };
        match self {
            Units::Rows(rows) => {
                let blocks = part.some.clone().flat_map(|block| rows.block(block));
                blocks.for_each(|row| one(rows.matrix, row, 1.0));
            }
            Units::Persons(persons) => {
                persons.persons.each_person(part.some.clone(), |matrix, rows, weight| {
                    rows.for_each(|row| one(matrix, row, of_row(weight, matrix.weight(row))));
                })?;
            }
        }
        if saw_left_out { Err(all_count()) } else { Ok(()) }
    }
}

impl Facts {
    /// The facts of the same rows if each is of one of so many classes, with coefficients of their
    /// own.
    pub fn of_classes(self, classes: usize) -> Facts {
        assert!(self.classes.is_none(), "classes are counted once");
        Facts { dimension: classes * self.dimension, classes: Some(classes), ..self }
    }

    /// The number of coefficients of one class.
    pub fn row_dimension(&self) -> usize {
        self.dimension / self.classes.unwrap_or(1)
    }
}
