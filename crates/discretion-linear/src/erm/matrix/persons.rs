//! Rows that belong to persons: a person's rows together count as one.
//!
//! J(θ) = (1/N) Σ_p w_p Σ_{i∈p} f + …, where w_p is the largest double with r_p·w_p ≤ 1 for a person of r_p rows. So whatever
//! a person's rows are, and however many, their gradients add up to length 1 at most. How many there are is as private as what
//! is in them: everything public, how sums are cut and how they may be rounded too, follows from N, the layout and
//! [`Persons::MOST_ROWS`]. Rows that are left out are not among the r_p; a person who has no others keeps one of them.
//!
//! A type of its own, so that nothing that sums rows can be handed persons by mistake.

use super::block::{BLOCK, PartialSum};
use super::parts::{Cut, Partial, combine_big, hessian_numbers, in_order, most_parts};
use super::{Layout, Matrix};
use crate::erm::{Answer, Facts, Oracle, OracleError, Point, Question, Sums};
use crate::loss::Loss;
use discretion_privacy::Unit;
use discretion_privacy::noise::{BigFloat, Sensitive};
use rayon::prelude::*;
use std::ops::Range;

/// A part has at least so many persons. They may have many rows, so it is fewer than a part of rows has.
const PART_PERSONS: usize = 256;

/// Roundings that a weight costs a sum: that of the product, and what keeps a person's weights from adding up to 1.
const WEIGHING: usize = 2;

/// Rows of persons.
pub struct Persons {
    /// A person's rows are neighbours.
    pub(super) matrix: Matrix,
    /// Where each person's rows begin, and where the last one's end.
    pub(super) starts: Vec<usize>,
}

/// Some persons: a range of them.
#[derive(Clone, Copy)]
pub struct PersonsView<'p> {
    persons: &'p Persons,
    range: (usize, usize),
    /// Whether it was made to find a first guess on.
    is_sample: bool,
}

impl Persons {
    /// A person's further rows are left out. Public, and so large that it is rare: what it bounds is rounding.
    pub const MOST_ROWS: usize = 1 << 16;

    /// Groups rows by the identifiers of the persons they belong to, one for each row. Persons come in the order of their
    /// identifiers, which must say nothing about rows, and each one's rows in the order that they had.
    pub fn group(rows: Matrix, identifiers: &[u128]) -> Persons {
        assert_eq!(identifiers.len(), rows.rows(), "every row has an identifier");
        let mut order: Vec<usize> = (0..identifiers.len()).collect();
        order.par_sort_unstable_by_key(|&row| (identifiers[row], row));
        let (mut starts, mut kept) = (vec![0], Vec::with_capacity(order.len()));
        for of_person in order.chunk_by(|&a, &b| identifiers[a] == identifiers[b]) {
            let first = kept.len();
            kept.extend(of_person.iter().filter(|&&row| !rows.is_left_out(row)).take(Persons::MOST_ROWS));
            if kept.len() == first {
                kept.push(of_person[0]);
            }
            starts.push(kept.len());
        }
        let is_sorted = kept.len() == order.len() && kept.is_sorted();
        Persons { matrix: if is_sorted { rows } else { rows.gather(&kept) }, starts }
    }

    /// N, the number of persons.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        self.matrix.layout()
    }

    /// A range of persons.
    pub fn view(&self, range: Range<usize>) -> PersonsView<'_> {
        assert!(range.start < range.end && range.end <= self.count(), "a view has persons");
        PersonsView { persons: self, range: (range.start, range.end), is_sample: false }
    }

    fn all(&self) -> PersonsView<'_> {
        self.view(0..self.count())
    }

    /// Some persons in order: each one's rows, and the weight of each of them.
    pub(super) fn rows_of(&self, persons: Range<usize>) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
        persons.map(|person| {
            let rows = self.starts[person]..self.starts[person + 1];
            let weight = weight(rows.len());
            (rows, weight)
        })
    }

    /// The rows of some persons in order, with their weights.
    fn weighted(&self, persons: Range<usize>) -> impl Iterator<Item = (usize, f64)> + '_ {
        // Own weights are at most 1, and rounding keeps the order: a person's weights add up to 1 at most.
        let of_row = |row, weight| (row, weight * self.matrix.weight(row));
        self.rows_of(persons).flat_map(move |(rows, weight)| rows.map(move |row| of_row(row, weight)))
    }
}

/// The largest double w with r·w ≤ 1, exactly.
pub(super) fn weight(rows: usize) -> f64 {
    let (r, nearest) = (rows as f64, 1.0 / rows as f64);
    // One rounding, so the sign is that of the exact difference.
    if r.mul_add(nearest, -1.0) > 0.0 { nearest.next_down() } else { nearest }
}

/// How persons are cut for summing, by their number and the dimension alone.
#[derive(Clone, Copy)]
pub(super) struct PersonCut {
    persons: usize,
    parts: usize,
}

impl PersonCut {
    fn new(persons: usize, dimension: usize) -> PersonCut {
        PersonCut { persons, parts: persons.div_ceil(PART_PERSONS).clamp(1, most_parts(dimension)) }
    }

    pub(super) fn parts(self) -> usize {
        self.parts
    }

    /// The persons of a part.
    fn persons_of(self, part: usize) -> Range<usize> {
        self.persons * part / self.parts..self.persons * (part + 1) / self.parts
    }

    /// The most blocks that a part can have.
    fn most_blocks(self) -> usize {
        self.persons.div_ceil(self.parts) * Persons::MOST_ROWS.div_ceil(BLOCK)
    }

    /// Blocks that are summed before their sum is added to that of the blocks before: about as many as there can be such sums,
    /// so that no number takes part in many additions.
    fn section(self) -> usize {
        self.most_blocks().isqrt() + 1
    }

    /// The most additions that a number takes part in.
    fn depth(self) -> usize {
        BLOCK + self.section() + self.most_blocks().div_ceil(self.section()) + self.parts
    }

    /// The same for an entry of a matrix: one term for each row of a section, then over sections and parts; or one for each person
    /// of a part, then over parts.
    fn matrix_depth(self) -> usize {
        let by_rows = self.section() * BLOCK + self.most_blocks().div_ceil(self.section());
        by_rows.max(self.persons.div_ceil(self.parts)) + self.parts + WEIGHING
    }
}

impl Facts {
    /// The facts of so many persons whose rows are in [`Persons`] with so many columns, of whose shape nothing is known.
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

    /// The most additions that any entry of a matrix takes part in while it is summed: one term for each row in any order, then over
    /// parts.
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
                Facts { columns, entries, ..Facts::of_persons(count, layout.dimension(), layout.row_terms()) }
            }
        }
    }
}

impl Oracle for Persons {
    fn facts(&self) -> Facts {
        self.all().facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        self.all().answer(question)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.all().sampled().map(|persons| Box::new(persons) as Box<dyn Oracle>)
    }
}

impl Oracle for PersonsView<'_> {
    fn facts(&self) -> Facts {
        Facts::of_units(Unit::Person, self.count(), self.persons.layout())
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        Ok(match question {
            Question::Sums { loss, points } => Answer::Sums(self.means(loss, points)),
            Question::BigGradient { loss, theta, precision } => {
                Answer::BigGradient(self.big_mean(loss, theta, precision))
            }
            Question::Products { loss, theta, most } => Answer::Products(self.products(loss, theta, most)),
        })
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sampled().map(|persons| Box::new(persons) as Box<dyn Oracle>)
    }
}

impl<'p> PersonsView<'p> {
    pub(super) fn count(&self) -> usize {
        self.range.1 - self.range.0
    }

    pub(super) fn layout(&self) -> &Layout {
        self.persons.layout()
    }

    pub(super) fn matrix(&self) -> &Matrix {
        &self.persons.matrix
    }

    /// See [`Persons::rows_of`].
    pub(super) fn rows_of(&self, persons: Range<usize>) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
        self.persons.rows_of(persons)
    }

    pub(super) fn cut(&self) -> PersonCut {
        PersonCut::new(self.count(), self.persons.layout().dimension())
    }

    /// The first of many persons, whose order says nothing about their rows.
    fn sampled(&self) -> Option<PersonsView<'p>> {
        let every = Cut::sample_every(self.count()).filter(|_| !self.is_sample)?;
        let range = (self.range.0, self.range.0 + self.count().div_ceil(every));
        Some(PersonsView { range, is_sample: true, ..*self })
    }

    /// The persons of a part, by their place in the table.
    pub(super) fn persons_of(&self, part: usize) -> Range<usize> {
        let persons = self.cut().persons_of(part);
        self.range.0 + persons.start..self.range.0 + persons.end
    }

    /// Means over persons at every point, in one pass.
    fn means(&self, loss: &dyn Loss, points: &[Point]) -> Vec<Sensitive<Sums>> {
        let summed =
            in_order(self.cut().parts, hessian_numbers(points), |part| Ok(self.part(loss, points, part)));
        summed.expect("rows in memory can be read").finish(self.count())
    }

    /// Sums over a part at every point, section by section.
    fn part(&self, loss: &dyn Loss, points: &[Point], part: usize) -> Partial {
        let persons = self.persons_of(part);
        let rows = self.persons.starts[persons.start]..self.persons.starts[persons.end];
        let mut weights = self.persons.weighted(persons).map(|(_, weight)| weight);
        let sections = rows.clone().step_by(self.cut().section() * BLOCK);
        let sections = sections.map(|start| start..rows.end.min(start + self.cut().section() * BLOCK));
        let sum = |section: Range<usize>| {
            let mut sum = PartialSum::new(self.persons.layout(), loss, points);
            for start in section.clone().step_by(BLOCK) {
                let block = start..section.end.min(start + BLOCK);
                let weights: Vec<f64> = weights.by_ref().take(block.len()).collect();
                sum.add_block(&self.persons.matrix, block, Some(&weights));
            }
            sum.finish()
        };
        let added = |mut total: Partial, section: Partial| {
            total.add(section);
            total
        };
        sections.map(sum).reduce(added).expect("every person has a row")
    }

    /// The mean gradient in big floats.
    fn big_mean(&self, loss: &dyn Loss, theta: &[BigFloat], precision: usize) -> Sensitive<Vec<BigFloat>> {
        let part = |part| {
            let rows = self.persons.weighted(self.persons_of(part));
            Sensitive::new(self.persons.matrix.big_weighted_sum(loss, theta, precision, rows))
        };
        let parts: Vec<_> = (0..self.cut().parts).into_par_iter().map(part).collect();
        combine_big(parts, self.count(), precision)
    }
}
