//! Products of persons' mean gradients: what intervals need where a person's rows depend on each
//! other.

use super::parts::Partial;
use super::rows::of_row;
use super::{Matrix, Rows};
use crate::erm::{OracleError, Sums};
use crate::loss::Loss;
use std::ops::Range;

impl Rows<'_> {
    /// Sums ḡḡᵀ over persons who are a part: in the place of a Hessian.
    pub(super) fn product_sums(
        &self,
        persons: Range<usize>,
        loss: &dyn Loss,
        theta: &[f64],
        most: f64,
    ) -> Result<Partial, OracleError> {
        let d = self.layout().dimension();
        assert_eq!(theta.len(), d, "one coefficient per dimension");
        let mut sum = Products::new(d);
        self.each_unit(persons, |matrix, rows, weight| {
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
