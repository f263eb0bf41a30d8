//! A part of a table as its worker has it.

use crate::erm::Point;
use crate::erm::matrix::{Classed, Matrix, Partial, PersonCut, Persons};
use crate::loss::Loss;
use discretion_privacy::noise::{BigFloat, Sensitive};

/// Whoever has the rows of a part, and sums them. None of it has anything to say of rows that
/// cannot be read any more.
pub trait PartSums {
    /// d; of several classes, that of all of them together.
    fn dimension(&self) -> usize;

    /// Sums at every point.
    fn sums(&self, loss: &dyn Loss, points: &[Point]) -> Option<Partial>;

    /// The gradient in big floats.
    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Option<Sensitive<Vec<BigFloat>>>;

    /// Products of persons' mean gradients, if the rows are known to belong to persons.
    fn products(&self, loss: &dyn Loss, theta: &[f64], most: f64) -> Option<Partial>;

    /// A quarter of the rows' squares, if they are of several classes.
    fn squares(&self) -> Option<Partial> {
        None
    }

    /// Each class's own block of the Hessian, if they are of several classes.
    fn class_blocks(&self, _theta: &[f64]) -> Option<Vec<f64>> {
        None
    }
}

impl PartSums for Matrix {
    fn dimension(&self) -> usize {
        self.layout().dimension()
    }

    fn sums(&self, loss: &dyn Loss, points: &[Point]) -> Option<Partial> {
        Some(self.partial(loss, points))
    }

    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Option<Sensitive<Vec<BigFloat>>> {
        Some(self.big_partial(loss, theta, precision))
    }

    fn products(&self, _: &dyn Loss, _: &[f64], _: f64) -> Option<Partial> {
        None
    }
}

/// The persons of a part of this cut, all of them.
pub struct PersonsPart {
    /// With all of their rows.
    pub persons: Persons,
    /// That of the whole table.
    pub of: PersonCut,
}

impl PartSums for PersonsPart {
    fn dimension(&self) -> usize {
        self.persons.layout().dimension()
    }

    fn sums(&self, loss: &dyn Loss, points: &[Point]) -> Option<Partial> {
        self.persons.partial(0..self.persons.count(), self.of, loss, points).ok()
    }

    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Option<Sensitive<Vec<BigFloat>>> {
        self.persons.big_partial(0..self.persons.count(), loss, theta, precision).ok()
    }

    fn products(&self, loss: &dyn Loss, theta: &[f64], most: f64) -> Option<Partial> {
        self.persons.partial_products(0..self.persons.count(), loss, theta, most).ok()
    }
}

/// The rows of a part, or its persons with all of theirs, where each row is of one of several
/// classes.
pub struct ClassesPart {
    /// All of them.
    pub rows: Classed,
    /// Of persons, the cut of the whole table.
    pub of: Option<PersonCut>,
}

impl PartSums for ClassesPart {
    fn dimension(&self) -> usize {
        self.rows.dimension()
    }

    fn sums(&self, loss: &dyn Loss, points: &[Point]) -> Option<Partial> {
        self.rows.partial(self.of, loss, points).ok()
    }

    fn big_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Option<Sensitive<Vec<BigFloat>>> {
        self.rows.big_partial(self.of, loss, theta, precision).ok()
    }

    fn products(&self, _: &dyn Loss, _: &[f64], _: f64) -> Option<Partial> {
        None
    }

    fn squares(&self) -> Option<Partial> {
        self.rows.partial_squares(self.of).ok()
    }

    fn class_blocks(&self, theta: &[f64]) -> Option<Vec<f64>> {
        self.rows.partial_blocks(self.of, theta).ok()
    }
}
