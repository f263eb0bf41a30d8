//! Rows of several classes: the same compact rows, with the code of a class in the place of a sign.

use super::class_parts::with_all_blocks;
use super::class_sums::ClassSum;
use super::class_units::{Part, Units};
use super::parts::{Partial, combine_big, sum_parts};
use super::{Batch, Cells, KeptKnots, Layout, Matrix, Persons};
use crate::erm::{Answer, AskOracle, Facts, Oracle, OracleError, Order, Point, Question, Sums};
use crate::loss::{Bounded, Loss, LossKind, LossSpec};
use discretion_privacy::noise::{BigFloat, Sensitive};
use discretion_privacy::trusted::Open;
use rayon::prelude::*;
use std::ops::Range;

/// A table of encoded rows with ‖x‖₂ ≤ 1, each of one of K classes. θ has d coefficients for each
/// class, one class after the other.
pub struct Classed {
    /// All of them with the sign +1, or 0 where they are left out.
    rows: Rows,
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
        Classed::of_rows(Matrix::new(layout.of_classes(count)))
    }

    /// Rows whose layout says of how many classes they are. Panics if it says nothing of that.
    pub fn of_rows(rows: Matrix) -> Classed {
        let count = rows.layout().classes().expect("rows of several classes");
        Classed { rows: Rows::Own(rows), count }
    }

    /// The same of persons, whose rows may be elsewhere.
    pub fn of_persons(persons: Persons) -> Classed {
        let count = persons.layout().classes().expect("rows of several classes");
        Classed { rows: Rows::OfPersons(persons), count }
    }

    /// Appends rows, as [`Matrix::of`] takes them, with the class of each. Panics once they are
    /// grouped.
    pub fn push(&mut self, batch: Batch, classes: &[u16]) {
        let Rows::Own(rows) = &mut self.rows else {
            panic!("persons are grouped once all rows are there")
        };
        rows.append(&Matrix::labelled(rows.layout().clone(), batch, classes));
    }

    /// Rows that are encoded already, with the class of each. They must have the sign +1, or be
    /// left out.
    pub fn of(rows: Matrix, classes: Vec<u16>, count: usize) -> Classed {
        Classed::checked(rows, classes, count)
            .expect("one class per row, one of so many, and no sign")
    }

    /// The same of rows from elsewhere; nothing if they are no rows of so many classes.
    pub fn checked(rows: Matrix, classes: Vec<u16>, count: usize) -> Option<Classed> {
        let are_of_classes = count >= 2
            && rows.rows() == classes.len()
            && rows.signed.iter().all(|&signed| signed >= 0.0)
            && classes.iter().all(|&class| usize::from(class) < count);
        are_of_classes.then(|| Classed::of_rows(rows.with_classes(classes, count)))
    }

    /// The same rows, grouped by the identifiers of the persons they belong to, as
    /// [`Persons::group`] does.
    pub fn group(self, identifiers: &[u128]) -> Classed {
        let Rows::Own(rows) = self.rows else { panic!("persons are grouped once") };
        Classed::of_persons(Persons::group(rows, identifiers))
    }

    /// The rows, and the class of each. Panics once they are grouped.
    pub fn into_parts(self) -> (Matrix, Vec<u16>) {
        let Rows::Own(rows) = self.rows else { panic!("a person's rows stay together") };
        let classes = rows.classes.to_vec();
        (rows.without_classes(), classes)
    }

    /// The same rows in another order. Persons have their own.
    pub fn gather(self, order: &[usize]) -> Classed {
        if let Rows::OfPersons(_) = self.rows { self } else { self.rows_at(order) }
    }

    /// Copies of these rows. Panics once they are grouped.
    pub fn rows_at(&self, places: &[usize]) -> Classed {
        Classed { rows: Rows::Own(self.own().gather(places)), count: self.count }
    }

    /// The rows, with their classes. Panics once they are grouped.
    pub fn own(&self) -> &Matrix {
        let Rows::Own(rows) = &self.rows else { panic!("a person's rows stay together") };
        rows
    }

    /// The same rows by fewer knots.
    pub fn keeping_knots(&self, layout: Layout, kept: &KeptKnots) -> Classed {
        let rows = match &self.rows {
            Rows::Own(rows) => Rows::Own(rows.keeping_knots(layout, kept)),
            Rows::OfPersons(persons) => Rows::OfPersons(persons.keeping_knots(layout, kept)),
        };
        Classed { rows, count: self.count }
    }

    /// As they are counted in the cells of curves.
    pub(super) fn in_cells(&self) -> &dyn Cells {
        match &self.rows {
            Rows::Own(rows) => rows,
            Rows::OfPersons(persons) => persons,
        }
    }

    /// The persons, if rows are grouped by them.
    pub(crate) fn persons(&self) -> Option<&Persons> {
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
            Rows::Own(rows) => Units::Rows(rows.view(range)),
            Rows::OfPersons(persons) => Units::Persons(persons.view(range)),
        };
        ClassView { units, count: self.count }
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
            Rows::Own(rows) => Units::Rows(rows.as_sample()),
            Rows::OfPersons(persons) => Units::Persons(persons.as_sample()),
        };
        ClassView { units, ..self.all() }
    }
}

/// Some rows of such a table, or some persons.
#[derive(Clone, Copy)]
pub struct ClassView<'a> {
    pub(super) units: Units<'a>,
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
                let means: Result<_, _> =
                    points.iter().map(|point| self.mean(point, score)).collect();
                Answer::Sums(means?)
            }
            Question::BigGradient { loss, theta, precision } => {
                self.check(loss)?;
                Answer::BigGradient(self.big_mean(theta, precision)?)
            }
            Question::Products { .. } => return Err(OracleError::no_persons()),
        })
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }

    fn squares(&self) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        mean_squares(self.sampled().unwrap_or(*self).units.oracle()).map(Some)
    }

    fn class_blocks(&self, theta: &[f64]) -> Result<Option<Sensitive<Vec<f64>>>, OracleError> {
        self.sampled().unwrap_or(*self).own_blocks(theta).map(Some)
    }
}

/// (1/n) Σ xᵢ xᵢᵀ, from the sums of one margin.
pub(super) fn mean_squares(rows: &dyn Oracle) -> Result<Sensitive<Vec<f64>>, OracleError> {
    let theta = vec![0.0; rows.facts().dimension];
    // At 0 the curvature of the logistic loss is ¼ everywhere.
    let sums = rows.sums(LossKind::Logistic.loss(), &theta, Order::Curvature)?;
    Ok(Sensitive::new(sums.into_inner().hessian.into_iter().map(|x| 4.0 * x).collect()))
}

/// What is summed over rows of so many classes, if it is a score. Refuses what is not summed:
/// several classes have one loss, and rows that all count the same.
pub(super) fn score_of(
    layout: &Layout,
    count: usize,
    loss: &dyn Loss,
) -> Result<Option<Bounded>, OracleError> {
    if layout.is_weighted() {
        return Err(all_count());
    }
    let spec = loss.spec();
    if let Some((score, bound)) = spec.and_then(LossSpec::as_score) {
        return Ok(Some(Bounded { score, bound, classes: Some(count) }));
    }
    match spec {
        Some(spec) if spec == LossSpec::plain(LossKind::Logistic) => Ok(None),
        _ => Err(OracleError(
            "rows of several classes are summed with the logistic loss alone".to_owned(),
        )),
    }
}

/// Why rows of which some count less than others are not summed.
pub(super) fn all_count() -> OracleError {
    let text =
        "rows of several classes all count the same: none has a weight, and none is left out";
    OracleError(text.to_owned())
}

impl<'a> ClassView<'a> {
    /// All rows of a matrix of several classes, as those of more on which a first guess is looked
    /// for.
    pub(super) fn of_sample(rows: &'a Matrix) -> ClassView<'a> {
        let count = rows.layout().classes().expect("rows of several classes");
        ClassView { units: Units::Rows(rows.as_sample()), count }
    }

    pub(super) fn check(&self, loss: &dyn Loss) -> Result<Option<Bounded>, OracleError> {
        score_of(self.layout(), self.count, loss)
    }

    fn sampled(&self) -> Option<ClassView<'a>> {
        Some(ClassView { units: self.units.sampled()?, ..*self })
    }

    pub(super) fn layout(&self) -> &'a Layout {
        self.units.layout()
    }

    fn mean(&self, point: &Point, score: Option<Bounded>) -> Result<Sensitive<Sums>, OracleError> {
        let part = |part| self.part(point, score, &self.units.part(part));
        let numbers = ClassSum::numbers(self.layout(), self.count, std::slice::from_ref(point));
        let summed = sum_parts(self.units.parts(), numbers, part)?;
        let sums = summed.finish(self.units.total()).remove(0).into_inner();
        Ok(Sensitive::new(with_all_blocks(sums, self.count)))
    }

    /// Sums over a part, not divided by anything.
    pub(super) fn part(
        &self,
        point: &Point,
        score: Option<Bounded>,
        part: &Part,
    ) -> Result<Partial, OracleError> {
        self.units.by_section(part, || ClassSum::of(self.layout(), self.count, score, point))
    }

    fn big_mean(
        &self,
        theta: &[BigFloat],
        precision: usize,
    ) -> Result<Sensitive<Vec<BigFloat>>, OracleError> {
        let part =
            |part| Ok(Sensitive::new(self.big_sum(theta, precision, &self.units.part(part))?));
        let parts: Result<Vec<_>, OracleError> =
            (0..self.units.parts()).into_par_iter().map(part).collect();
        Ok(combine_big(parts?, self.units.total(), precision))
    }
}
