//! What a table of several classes is summed over: rows, or persons with all of theirs.

use super::block::BLOCK;
use super::parts::Partial;
use super::persons::{PersonsView, of_row};
use super::sums::View;
use super::{Matrix, PersonCut};
use crate::erm::{Facts, Oracle};
use crate::loss::LossKind;
use std::ops::Range;

/// Some rows of a matrix, or some persons.
#[derive(Clone, Copy)]
pub(super) enum Units<'a> {
    Rows(&'a Matrix, View<'a>),
    Persons(PersonsView<'a>),
}

/// What is summed together before it is added to the rest.
#[derive(Clone)]
pub(super) struct Part {
    /// Blocks of rows, or persons.
    some: Range<usize>,
    /// Of persons: blocks of their rows that are summed before their sum is added to that of the blocks before.
    section: usize,
}

/// Rows in the order of a sum, a block at a time, with the weight of each unless all weigh 1.
type Blocks<'b> = &'b mut dyn Iterator<Item = (Range<usize>, Option<Vec<f64>>)>;

impl<'a> Units<'a> {
    pub fn matrix(&self) -> &'a Matrix {
        match self {
            Units::Rows(matrix, _) => matrix,
            Units::Persons(persons) => persons.matrix(),
        }
    }

    /// The same rows as those of one margin, for facts and for sums that know no classes.
    pub fn oracle(&self) -> &dyn Oracle {
        match self {
            Units::Rows(_, rows) => rows,
            Units::Persons(persons) => persons,
        }
    }

    /// Some of very many.
    pub fn sampled(&self) -> Option<Units<'a>> {
        match self {
            Units::Rows(matrix, rows) => Some(Units::Rows(matrix, rows.sampled()?)),
            Units::Persons(persons) => persons.sampled().map(Units::Persons),
        }
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        match self {
            Units::Rows(_, rows) => rows.total(),
            Units::Persons(persons) => persons.count(),
        }
    }

    /// How many parts they are summed in.
    pub fn parts(&self) -> usize {
        match self {
            Units::Rows(_, rows) => rows.cut().parts(),
            Units::Persons(persons) => persons.cut().parts(),
        }
    }

    /// One of them.
    pub fn part(&self, number: usize) -> Part {
        match self {
            Units::Rows(_, rows) => Part { some: rows.cut().blocks_of(number), section: 0 },
            Units::Persons(persons) => {
                Part { some: persons.persons_of(number), section: persons.cut().section() }
            }
        }
    }

    /// All of them as one part of a larger table: of persons, of one that is cut like this.
    pub fn as_one_part(&self, of: Option<PersonCut>) -> Part {
        match self {
            Units::Rows(_, rows) => Part { some: 0..rows.blocks(), section: 0 },
            Units::Persons(persons) => {
                let section = of.unwrap_or(persons.cut()).section();
                Part { some: 0..persons.count(), section }
            }
        }
    }

    /// Sums over a part: `sum` is called with the blocks of each of its sections.
    pub fn by_section(&self, part: &Part, sum: impl Fn(Blocks<'_>) -> Partial) -> Partial {
        match self {
            Units::Rows(matrix, rows) => {
                let weights = |block: &Range<usize>| {
                    matrix.weights_of(block.clone(), LossKind::Logistic.loss(), |_| 1.0)
                };
                let blocks = part.some.clone().map(|block| rows.block(block));
                sum(&mut blocks.map(|block| (block.clone(), weights(&block))))
            }
            Units::Persons(persons) => {
                let mut weights = weighted(persons, part).map(|(_, weight)| weight);
                let mut block = |block: Range<usize>| {
                    let own = weights.by_ref().take(block.len()).collect();
                    (block, Some(own))
                };
                let mut total: Option<Partial> = None;
                for section in pieces(rows_of(persons, part), part.section * BLOCK) {
                    let summed = sum(&mut pieces(section, BLOCK).map(&mut block));
                    match &mut total {
                        None => total = Some(summed),
                        Some(total) => total.add(summed),
                    }
                }
                total.expect("every person has a row")
            }
        }
    }

    /// The rows of a part, with the weight of each.
    pub fn weighted(&self, part: &Part) -> Box<dyn Iterator<Item = (usize, f64)> + '_> {
        match self {
            Units::Rows(matrix, rows) => {
                let blocks = part.some.clone().flat_map(|block| rows.block(block));
                Box::new(blocks.map(|row| (row, matrix.weight(row))))
            }
            Units::Persons(persons) => Box::new(weighted(persons, part)),
        }
    }
}

impl Facts {
    /// The facts of the same rows if each is of one of so many classes, with coefficients of their own.
    pub fn of_classes(self, classes: usize) -> Facts {
        assert!(self.classes.is_none(), "classes are counted once");
        Facts { dimension: classes * self.dimension, classes: Some(classes), ..self }
    }

    /// The number of coefficients of one class.
    pub fn row_dimension(&self) -> usize {
        self.dimension / self.classes.unwrap_or(1)
    }
}

/// The rows of a part's persons.
fn rows_of(persons: &PersonsView<'_>, Part { some, .. }: &Part) -> Range<usize> {
    let starts = &persons.persons.starts;
    starts[some.start]..starts[some.end]
}

/// The same, with the weight of each: its part of the person's weight, times its own.
fn weighted<'p>(persons: &'p PersonsView<'_>, part: &Part) -> impl Iterator<Item = (usize, f64)> + use<'p> {
    let of_row = |row, weight| (row, of_row(weight, persons.matrix().weight(row)));
    let of_persons = persons.persons.weighted(part.some.clone());
    of_persons.flat_map(move |(rows, weight)| rows.map(move |row| of_row(row, weight)))
}

/// A range in pieces of this length, the last of which may be shorter.
fn pieces(whole: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = whole.end;
    whole.step_by(length).map(move |start| start..end.min(start + length))
}
