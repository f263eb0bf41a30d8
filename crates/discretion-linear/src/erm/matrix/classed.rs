//! Rows of several classes: the same compact rows, with the code of a class in the place of a sign.

use super::class_parts::with_all_blocks;
use super::class_sums::ClassSum;
use super::class_units::{Part, Units};
use super::parts::{Partial, combine_big, in_order};
use super::{Batch, Cells, Kept, Layout, Matrix, Persons};
use crate::erm::{Answer, AskOracle, Facts, Oracle, OracleError, Order, Point, Question, Sums};
use crate::loss::{Bounded, Loss, LossKind, LossSpec};
use discretion_privacy::noise::{BigFloat, Sensitive};
use discretion_privacy::trusted::Open;
use rayon::prelude::*;
use std::ops::Range;

/// A table of encoded rows with ‖x‖₂ ≤ 1, each of one of K classes. θ has d coefficients for each class, one class after the other.
pub struct Classed {
    /// All of them with the sign +1, or 0 where they are left out.
    rows: Rows,
    classes: Vec<u16>,
    count: usize,
}

/// What is counted. One value in a run: what is not used of it costs nothing.
#[allow(clippy::large_enum_variant)]
enum Rows {
    Own(Matrix),
    OfPersons(Persons),
}

impl Classed {
    /// An empty table of rows of so many classes.
    pub fn new(layout: Layout, count: usize) -> Classed {
        assert!((2..=usize::from(u16::MAX)).contains(&count), "there are at least two classes");
        Classed { rows: Rows::Own(Matrix::new(layout)), classes: Vec::new(), count }
    }

    /// Appends rows, as [`Matrix::of`] takes them, with the class of each. Panics once they are grouped.
    pub fn push(&mut self, mut batch: Batch, classes: &[u16]) {
        let Rows::Own(rows) = &mut self.rows else { panic!("persons are grouped once all rows are there") };
        assert!(classes.iter().all(|&class| usize::from(class) < self.count), "every row has a class");
        batch.positive = vec![true; classes.len()];
        rows.push(batch);
        self.classes.extend_from_slice(classes);
    }

    /// Rows that are encoded already, with the class of each. They must have the sign +1, or be left out.
    pub fn of(rows: Matrix, classes: Vec<u16>, count: usize) -> Classed {
        Classed::checked(rows, classes, count).expect("one class per row, one of so many, and no sign")
    }

    /// The same of rows from elsewhere; nothing if they are no rows of so many classes.
    pub fn checked(rows: Matrix, classes: Vec<u16>, count: usize) -> Option<Classed> {
        let are_of_classes = count >= 2
            && rows.rows() == classes.len()
            && rows.signed.iter().all(|&signed| signed >= 0.0)
            && classes.iter().all(|&class| usize::from(class) < count);
        are_of_classes.then_some(Classed { rows: Rows::Own(rows), classes, count })
    }

    /// The same rows, grouped by the identifiers of the persons they belong to, as [`Persons::group`] does.
    pub fn group(self, identifiers: &[u128]) -> Classed {
        let Classed { classes, count, .. } = self;
        let Rows::Own(rows) = self.rows else { panic!("persons are grouped once") };
        let (persons, order) = Persons::group_in_order(&rows, identifiers);
        let classes = order.into_iter().map(|row| classes[row]).collect();
        Classed { rows: Rows::OfPersons(persons), classes, count }
    }

    /// The rows, and the class of each. Panics once they are grouped.
    pub fn into_parts(self) -> (Matrix, Vec<u16>) {
        let Rows::Own(rows) = self.rows else { panic!("a person's rows stay together") };
        (rows, self.classes)
    }

    /// The same rows in another order. Persons have their own.
    pub fn gather(self, order: &[usize]) -> Classed {
        if let Rows::OfPersons(_) = self.rows { self } else { self.rows_at(order) }
    }

    /// Copies of these rows. Panics once they are grouped.
    pub fn rows_at(&self, places: &[usize]) -> Classed {
        let Rows::Own(rows) = &self.rows else { panic!("a person's rows stay together") };
        let classes = places.iter().map(|&row| self.classes[row]).collect();
        Classed { rows: Rows::Own(rows.gather(places)), classes, count: self.count }
    }

    /// The same rows by fewer knots.
    pub fn keeping_knots(&self, layout: Layout, kept: &Kept) -> Classed {
        let rows = match &self.rows {
            Rows::Own(rows) => Rows::Own(rows.keeping_knots(layout, kept)),
            Rows::OfPersons(persons) => Rows::OfPersons(persons.keeping_knots(layout, kept)),
        };
        Classed { rows, classes: self.classes.clone(), count: self.count }
    }

    /// As they are counted in the cells of curves.
    pub(super) fn in_cells(&self) -> &dyn Cells {
        match &self.rows {
            Rows::Own(rows) => rows,
            Rows::OfPersons(persons) => persons,
        }
    }

    /// The persons, if rows are grouped by them.
    pub(super) fn persons(&self) -> Option<&Persons> {
        match &self.rows {
            Rows::Own(_) => None,
            Rows::OfPersons(persons) => Some(persons),
        }
    }

    /// n, of rows or of persons.
    pub fn rows(&self) -> usize {
        match &self.rows {
            Rows::Own(rows) => rows.rows(),
            Rows::OfPersons(persons) => persons.count(),
        }
    }

    /// Some of the rows, or of the persons.
    pub fn view(&self, range: Range<usize>) -> ClassView<'_> {
        let units = match &self.rows {
            Rows::Own(rows) => Units::Rows(rows, rows.view(range)),
            Rows::OfPersons(persons) => Units::Persons(persons.view(range)),
        };
        ClassView { units, classes: &self.classes, count: self.count }
    }

    /// K.
    pub fn count(&self) -> usize {
        self.count
    }

    /// All rows.
    pub(super) fn all(&self) -> ClassView<'_> {
        self.view(0..self.rows())
    }

    /// All rows, as those of more on which a first guess is looked for.
    pub(crate) fn as_sample(&self) -> ClassView<'_> {
        let units = match &self.rows {
            Rows::Own(rows) => Units::Rows(rows, rows.as_sample()),
            Rows::OfPersons(persons) => Units::Persons(persons.as_sample()),
        };
        ClassView { units, ..self.all() }
    }
}

/// Some rows of such a table, or some persons.
#[derive(Clone, Copy)]
pub struct ClassView<'a> {
    pub(super) units: Units<'a>,
    pub(super) classes: &'a [u16],
    pub(super) count: usize,
}

impl Oracle for Classed {
    fn facts(&self) -> Facts {
        self.all().facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        self.all().answer(question)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.all().sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }

    fn squares(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        self.all().squares()
    }

    fn class_blocks(&self, theta: &[f64]) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        self.all().class_blocks(theta)
    }
}

impl Oracle for ClassView<'_> {
    fn facts(&self) -> Facts {
        self.units.oracle().facts().of_classes(self.count)
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        Ok(match question {
            Question::Sums { loss, points } => {
                let score = self.check(loss)?;
                Answer::Sums(points.iter().map(|point| self.mean(point, score)).collect())
            }
            Question::BigGradient { loss, theta, precision } => {
                self.check(loss)?;
                Answer::BigGradient(self.big_mean(theta, precision))
            }
            Question::Products { .. } => return Err(OracleError::no_persons()),
        })
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }

    fn squares(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        let units = self.sampled().unwrap_or(*self).units;
        let theta = vec![0.0; self.matrix().layout().dimension()];
        // At 0 the curvature of the logistic loss is ¼ everywhere.
        let sums = units.oracle().sums(LossKind::Logistic.loss(), &theta, Order::Curvature)?;
        Ok(Some(Sensitive::new(sums.into_inner().hessian.into_iter().map(|x| 4.0 * x).collect())))
    }

    fn class_blocks(&self, theta: &[f64]) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        Ok(Some(self.sampled().unwrap_or(*self).own_blocks(theta)))
    }
}

/// Several classes have one loss.
impl<'a> ClassView<'a> {
    /// What is summed, if it is a score. Refuses what is not summed here.
    pub(super) fn check(&self, loss: &dyn Loss) -> Result<Option<Bounded>, OracleError> {
        let error = |text: &str| Err(OracleError(text.to_owned()));
        if self.matrix().layout().is_weighted()
            || (0..self.matrix().rows()).any(|row| self.matrix().is_left_out(row))
        {
            return error(
                "rows of several classes all count the same: none has a weight, and none is left out",
            );
        }
        let spec = loss.spec();
        if let Some((score, bound)) = spec.and_then(LossSpec::as_score) {
            return Ok(Some(Bounded { score, bound, classes: Some(self.count) }));
        }
        match spec {
            Some(spec) if spec == LossSpec::plain(LossKind::Logistic) => Ok(None),
            _ => error("rows of several classes are summed with the logistic loss alone"),
        }
    }

    fn sampled(&self) -> Option<ClassView<'a>> {
        Some(ClassView { units: self.units.sampled()?, ..*self })
    }

    pub(super) fn matrix(&self) -> &'a Matrix {
        self.units.matrix()
    }

    fn mean(&self, point: &Point, score: Option<Bounded>) -> Sensitive<Sums> {
        let d = self.matrix().layout().dimension();
        let numbers = if point.order.has_hessian() { ClassSum::pairs(self.count) * d * d } else { 0 };
        let part = |part| Ok(self.part(point, score, &self.units.part(part)));
        let summed = in_order(self.units.parts(), numbers, part).expect("rows in memory can be read");
        let sums = summed.finish(self.units.total()).remove(0).into_inner();
        Sensitive::new(with_all_blocks(sums, self.count))
    }

    /// Sums over a part, not divided by anything.
    pub(super) fn part(&self, point: &Point, score: Option<Bounded>, part: &Part) -> Partial {
        self.units.by_section(part, |section| {
            let layout = self.matrix().layout();
            let mut sum = match score {
                None => ClassSum::new(layout, self.count, point),
                Some(score) => ClassSum::of_score(layout, score, point),
            };
            section.for_each(|(rows, weights)| {
                sum.add_block(self.matrix(), self.classes, rows, weights.as_deref());
            });
            Partial(vec![sum.finish()])
        })
    }

    fn big_mean(&self, theta: &[BigFloat], precision: usize) -> Sensitive<Vec<BigFloat>> {
        let part = |part| {
            let part = self.units.part(part);
            Sensitive::new(self.big_sum(theta, precision, self.units.weighted(&part)))
        };
        let parts: Vec<_> = (0..self.units.parts()).into_par_iter().map(part).collect();
        combine_big(parts, self.units.total(), precision)
    }
}
