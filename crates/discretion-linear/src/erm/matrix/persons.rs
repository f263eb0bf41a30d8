//! Rows that belong to persons: a person's rows together count as one.
//!
//! J(θ) = (1/N) Σ_p w_p Σ_{i∈p} f + …, where w_p is the largest double with r_p·w_p ≤ 1 for a
//! person of r_p rows. So whatever a person's rows are, and however many, their gradients add up to
//! length 1 at most. How many there are is as private as what is in them: everything public, how
//! sums are cut and how they may be rounded too, follows from N, the layout and
//! [`Persons::MOST_ROWS`]. Rows that are left out are not among the r_p; a person who has no others
//! keeps one of them.
//!
//! A type of its own, so that nothing that sums rows can be handed persons by mistake.

use super::block::{BLOCK, BlockSum, PartialSum};
use super::parts::{Partial, combine_big, hessian_numbers, sum_parts};
use super::person_cut::PersonCut;
use super::person_rows::PersonRows;
use super::person_weights::RowWeights;
use super::stream::PIECE;
use super::{DealtRows, Layout, Matrix};
use crate::erm::{Answer, Facts, Oracle, OracleError, Point, Question, Sums};
use crate::loss::Loss;
use discretion_privacy::Unit;
use discretion_privacy::noise::{BigFloat, Sensitive};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::LazyLock;

/// Rows of persons.
pub struct Persons {
    /// A person's rows are neighbours.
    pub(super) rows: PersonRows,
    /// Where each person's rows begin, and where the last one's end.
    pub(super) starts: Vec<usize>,
}

/// Some persons: a range of them.
#[derive(Clone, Copy)]
pub struct PersonsView<'p> {
    pub(super) persons: &'p Persons,
    range: (usize, usize),
    /// Whether it was made to find a first guess on.
    is_sample: bool,
}

impl Persons {
    /// A person's further rows are left out. Public, and so large that it is rare: what it bounds
    /// is rounding.
    pub const MOST_ROWS: usize = 1 << 16;

    /// Groups rows by the identifiers of the persons they belong to, one for each row. Persons come
    /// in the order of their identifiers, which must say nothing about rows, and each one's rows in
    /// the order that they had.
    pub fn group(rows: Matrix, identifiers: &[u128]) -> Persons {
        let mut dealt = DealtRows::new(rows.layout().clone(), rows.rows());
        dealt.append(&rows, identifiers);
        drop(rows);
        dealt.group()
    }

    /// N, the number of persons.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        self.rows.layout()
    }

    /// A range of persons.
    pub fn view(&self, range: Range<usize>) -> PersonsView<'_> {
        assert!(range.start < range.end && range.end <= self.count(), "a view has persons");
        PersonsView { persons: self, range: (range.start, range.end), is_sample: false }
    }

    /// The rows, of persons that are here.
    #[cfg(test)]
    pub(super) fn matrix(&self) -> &Matrix {
        match &self.rows {
            PersonRows::Here(matrix) => matrix,
            PersonRows::Stored(_) => panic!("such rows are in memory"),
        }
    }

    /// Some persons in order: each one's rows, and the weight of each of them.
    pub(super) fn weighted(
        &self,
        persons: Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
        let known: &[f64] = &*WEIGHTS;
        self.starts[persons.start..=persons.end].windows(2).map(|own| {
            let rows = own[0]..own[1];
            let weight = known.get(rows.len()).copied().unwrap_or_else(|| weight(rows.len()));
            (rows, weight)
        })
    }
}

/// What a row weighs: its part of the person's weight, times its own, which is at most 1. Rounding
/// keeps the order, so what a person's rows weigh adds up to 1 at most.
pub(super) fn of_row(of_person: f64, own: f64) -> f64 {
    of_person * own
}

/// The largest double w with r·w ≤ 1, exactly.
pub(super) fn weight(rows: usize) -> f64 {
    let (r, nearest) = (rows as f64, 1.0 / rows as f64);
    // One rounding, so the sign is that of the exact difference.
    if r.mul_add(nearest, -1.0) > 0.0 { nearest.next_down() } else { nearest }
}

/// The weights of persons with few rows, as most have: a fused product is slow where the machine is
/// not known to have one.
static WEIGHTS: LazyLock<[f64; 64]> =
    LazyLock::new(|| std::array::from_fn(|rows| if rows == 0 { 0.0 } else { weight(rows) }));

impl Oracle for Persons {
    fn facts(&self) -> Facts {
        self.view(0..self.count()).facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        self.view(0..self.count()).answer(question)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.view(0..self.count()).sampled().map(|persons| Box::new(persons) as Box<dyn Oracle>)
    }
}

impl Oracle for PersonsView<'_> {
    fn facts(&self) -> Facts {
        Facts::of_units(Unit::Person, self.count(), self.persons.layout())
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        Ok(match question {
            Question::Sums { loss, points } => Answer::Sums(self.means(loss, points)?),
            Question::BigGradient { loss, theta, precision } => {
                Answer::BigGradient(self.big_mean(loss, theta, precision)?)
            }
            Question::Products { loss, theta, most } => {
                Answer::Products(self.products(loss, theta, most)?)
            }
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

    pub(super) fn cut(&self) -> PersonCut {
        PersonCut::new(self.count(), self.persons.layout().dimension())
    }

    /// The first of many persons, whose order says nothing about their rows.
    pub(super) fn sampled(&self) -> Option<PersonsView<'p>> {
        let first = PersonCut::sample(self.count()).filter(|_| !self.is_sample)?;
        let range = (self.range.0, self.range.0 + first);
        Some(PersonsView { range, is_sample: true, ..*self })
    }

    /// The persons of a part, by their place in the table.
    pub(super) fn persons_of(&self, part: usize) -> Range<usize> {
        let persons = self.cut().persons_of(part);
        self.range.0 + persons.start..self.range.0 + persons.end
    }

    /// Means over persons at every point, in one pass.
    fn means(
        &self,
        loss: &dyn Loss,
        points: &[Point],
    ) -> Result<Vec<Sensitive<Sums>>, OracleError> {
        let cut = self.cut();
        let part = |part| self.persons.partial(self.persons_of(part), cut, loss, points);
        Ok(sum_parts(cut.parts(), hessian_numbers(points), part)?.finish(self.count()))
    }

    /// The mean gradient in big floats.
    fn big_mean(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        let part = |part| self.persons.big_partial(self.persons_of(part), loss, theta, precision);
        let parts: Result<Vec<_>, OracleError> =
            (0..self.cut().parts()).into_par_iter().map(part).collect();
        Ok(combine_big(parts?, self.count(), precision))
    }
}

impl Persons {
    /// All of them, as the first of more persons on whom a first guess is looked for.
    pub(crate) fn as_sample(&self) -> PersonsView<'_> {
        PersonsView { is_sample: true, ..self.view(0..self.count()) }
    }

    /// Sums over persons who are a part of a cut, at every point. Sections and pieces have whole
    /// blocks.
    pub(crate) fn partial(
        &self,
        persons: Range<usize>,
        of: PersonCut,
        loss: &dyn Loss,
        points: &[Point],
    ) -> Result<Partial, OracleError> {
        self.by_section(persons, of.section(), || PartialSum::new(self.layout(), loss, points))
    }

    /// Sums over persons, section by section: each section has so many blocks and a sum of its own,
    /// and is added to those before.
    pub(super) fn by_section<S: BlockSum>(
        &self,
        persons: Range<usize>,
        section: usize,
        new: impl Fn() -> S,
    ) -> Result<Partial, OracleError> {
        let rows = self.starts[persons.start]..self.starts[persons.end];
        let mut of_persons = RowWeights::new(self.weighted(persons), rows.len());
        let (section, mut total) = (section * BLOCK, None::<Partial>);
        for start in rows.clone().step_by(section) {
            let section = start..rows.end.min(start + section);
            let mut sum = new();
            for start in section.clone().step_by(PIECE) {
                let piece = start..section.end.min(start + PIECE);
                let weights = of_persons.next(piece.len());
                self.rows.with_rows(piece.clone(), |matrix, at| {
                    if matrix.layout().is_weighted() {
                        let own = weights.iter_mut().zip(at..);
                        own.for_each(|(part, row)| *part = of_row(*part, matrix.weight(row)));
                    }
                    for (weights, start) in weights.chunks(BLOCK).zip((at..).step_by(BLOCK)) {
                        sum.add_block(matrix, start..start + weights.len(), Some(weights));
                    }
                })?;
            }
            match &mut total {
                None => total = Some(sum.finish()?),
                Some(total) => total.add(sum.finish()?),
            }
        }
        Ok(total.expect("every person has a row"))
    }

    /// The gradient of persons who are a part, in big floats.
    pub(crate) fn big_partial(
        &self,
        persons: Range<usize>,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        let rows = self.starts[persons.start]..self.starts[persons.end];
        // Once in a lifetime, if at all: the rows of a part are held together.
        self.rows.with_rows(rows.clone(), |matrix, at| {
            let places = self
                .weighted(persons)
                .flat_map(|(own, weight)| own.map(move |row| (at + row - rows.start, weight)));
            let weighted = places.map(|(row, weight)| (row, of_row(weight, matrix.weight(row))));
            Sensitive::new(matrix.big_weighted_sum(loss, theta, precision, weighted))
        })
    }
}
