//! Products of persons' mean gradients: what intervals need where a person's rows depend on each
//! other.

use super::parts::{Partial, sum_parts};
use super::persons::of_row;
use super::{Matrix, Persons, PersonsView};
use crate::erm::{OracleError, Sums};
use crate::loss::Loss;
use discretion_privacy::noise::Sensitive;
use discretion_privacy::trusted::Open;
use std::ops::Range;

impl Persons {
    /// The most roundings between slopes and any entry of a person's mean gradient: a sum over the
    /// person's rows, and four products.
    pub(crate) const GRADIENT_ROUNDINGS: usize = Persons::MOST_ROWS + 4;
}

impl PersonsView<'_> {
    /// (1/N) Σ ḡḡᵀ, lower triangle.
    pub(super) fn products(
        &self,
        loss: &dyn Loss,
        theta: &[f64],
        most: f64,
    ) -> Result<Sensitive<Vec<f64>>, OracleError> {
        let part = |part| self.persons.partial_products(self.persons_of(part), loss, theta, most);
        let summed = sum_parts(self.cut().parts(), theta.len() * theta.len(), part)?;
        Ok(Sensitive::new(summed.finish(self.count()).remove(0).into_inner().hessian))
    }
}

impl Persons {
    /// The same of persons who are a part, and a sum: in the place of a Hessian.
    pub(crate) fn partial_products(
        &self,
        persons: Range<usize>,
        loss: &dyn Loss,
        theta: &[f64],
        most: f64,
    ) -> Result<Partial, OracleError> {
        let d = self.layout().dimension();
        assert_eq!(theta.len(), d, "one coefficient per dimension");
        let mut sum = Products::new(d);
        self.each_person(persons, |matrix, rows, weight| {
            sum.add_person(matrix, rows, weight, |margin| cut(loss.slope(margin), most), theta);
        })?;
        Ok(Partial(vec![Sums { value: 0.0, gradient: vec![0.0; d], hessian: sum.total }]))
    }
}

/// Not `clamp`, which would let a NaN pass.
fn cut(slope: f64, most: f64) -> f64 {
    if slope.abs() <= most {
        slope
    } else if slope.is_nan() {
        0.0
    } else {
        most.copysign(slope)
    }
}

/// Σ ḡḡᵀ in the making.
struct Products {
    dimension: usize,
    /// Row-major, lower triangle.
    total: Vec<f64>,
    /// One person's ḡ, and where it was written to.
    gradient: Vec<f64>,
    is_touched: Vec<bool>,
    touched: Vec<usize>,
}

impl Products {
    fn new(dimension: usize) -> Products {
        Products {
            dimension,
            total: vec![0.0; dimension * dimension],
            gradient: vec![0.0; dimension],
            is_touched: vec![false; dimension],
            touched: Vec::new(),
        }
    }

    fn add_person(
        &mut self,
        matrix: &Matrix,
        rows: Range<usize>,
        weight: f64,
        slope: impl Fn(f64) -> f64,
        theta: &[f64],
    ) {
        for row in rows {
            let terms = matrix.terms(row);
            let signed = matrix.signed(row);
            let margin = signed * terms.iter().map(|&(j, x)| theta[j] * x).sum::<f64>();
            let weighted = of_row(weight, matrix.weight(row)) * slope(margin) * signed;
            for (j, x) in terms {
                self.gradient[j] += weighted * x;
                if !std::mem::replace(&mut self.is_touched[j], true) {
                    self.touched.push(j);
                }
            }
        }
        // Entries are written to in the order of rows; each product is added once, whatever that
        // order is.
        for &i in &self.touched {
            for &j in self.touched.iter().filter(|&&j| j <= i) {
                self.total[i * self.dimension + j] += self.gradient[i] * self.gradient[j];
            }
        }
        for i in self.touched.drain(..) {
            (self.gradient[i], self.is_touched[i]) = (0.0, false);
        }
    }
}
