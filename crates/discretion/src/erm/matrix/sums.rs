//! Value, gradient and Hessian from the codes, on all cores, with bit-identical sums for any number of them.
//!
//! Rows are cut into segments and segments into blocks by n and d alone. A block is summed row by row, a
//! segment block by block, and the segments in their order: who computes which segment changes nothing.

use super::{Matrix, OTHER};
use crate::erm::{Facts, Loss, Oracle, OracleError, Order, Sums};
use crate::noise::{Sensitive, Wide, exact};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use rayon::prelude::*;
use std::ops::Range;

/// Rows per block: small enough for a block's numbers to stay in cache.
const BLOCK: usize = 256;
/// More segments than any machine we know has cores.
const SEGMENTS: usize = 64;
/// Numbers that all segments' Hessians may hold together (256 MB).
const HESSIAN_NUMBERS: usize = 1 << 25;

/// How many segments n rows in d dimensions are cut into.
fn segments(rows: usize, dimension: usize) -> usize {
    let affordable = (HESSIAN_NUMBERS / (dimension * dimension)).max(2);
    rows.div_ceil(BLOCK).clamp(1, SEGMENTS.min(affordable))
}

impl Facts {
    /// The facts of `rows` rows in a [`Matrix`] of this shape, before any row is read.
    pub fn of_matrix(rows: usize, dimension: usize, row_terms: usize) -> Facts {
        let segments = segments(rows, dimension);
        let blocks = rows.div_ceil(BLOCK).div_ceil(segments);
        Facts { rows, dimension, row_terms, summation_depth: BLOCK + blocks + segments }
    }
}

impl Oracle for Matrix {
    fn facts(&self) -> Facts {
        Facts::of_matrix(self.rows(), self.layout.dimension(), self.layout.row_terms())
    }

    fn sums(&self, loss: &dyn Loss, theta: &[f64], order: Order) -> Result<Sensitive<Sums>, OracleError> {
        let d = self.layout.dimension();
        assert_eq!(theta.len(), d, "one coefficient per dimension");
        let blocks = self.rows().div_ceil(BLOCK);
        let segments = segments(self.rows(), d);
        let parts: Vec<Sums> = (0..segments)
            .into_par_iter()
            .map(|s| self.segment(loss, theta, order, blocks * s / segments..blocks * (s + 1) / segments))
            .collect();
        let mut parts = parts.into_iter();
        let mut total = parts.next().expect("there is at least one segment");
        for part in parts {
            total.value += part.value;
            add(&mut total.gradient, &part.gradient);
            add(&mut total.hessian, &part.hessian);
        }
        let n = self.rows() as f64;
        total.value /= n;
        total.gradient.iter_mut().chain(&mut total.hessian).for_each(|x| *x /= n);
        Ok(Sensitive::new(total))
    }

    fn wide_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[Wide],
        precision: usize,
    ) -> Result<Sensitive<Vec<Wide>>, OracleError> {
        let zero = Wide::ZERO.with_precision(precision).value();
        let mut gradient = vec![zero.clone(); theta.len()];
        for row in 0..self.rows() {
            let signed = exact(f64::from(self.signed[row]));
            let terms = self.terms(row);
            let dot = terms.iter().fold(zero.clone(), |sum, &(j, x)| sum + &theta[j] * exact(x));
            let slope = loss.wide_slope(&(dot * &signed)) * signed;
            for (j, x) in terms {
                gradient[j] += &slope * exact(x);
            }
        }
        let n = Wide::from(self.rows()).with_precision(precision).value();
        Ok(Sensitive::new(gradient.into_iter().map(|x| x / &n).collect()))
    }
}

impl Matrix {
    /// The non-zero entries of a row, before its factor.
    pub(super) fn terms(&self, row: usize) -> Vec<(usize, f64)> {
        let layout = &self.layout;
        let (width, columns) = (layout.numeric().len(), layout.categories().len());
        let numbers = self.numeric[row * width..][..width].iter().map(|&x| f64::from(x));
        let hits = self.codes[row * columns..][..columns]
            .iter()
            .zip(layout.categories())
            .filter(|(code, _)| **code != OTHER)
            .map(|(&code, c)| (c.first + usize::from(code), f64::from(c.value)));
        std::iter::once((0, layout.intercept())).chain((1..).zip(numbers)).chain(hits).collect()
    }

    fn segment(&self, loss: &dyn Loss, theta: &[f64], order: Order, blocks: Range<usize>) -> Sums {
        let d = theta.len();
        let mut total = Sums { value: 0.0, gradient: vec![0.0; d], hessian: Vec::new() };
        let mut hessian = (order == Order::Hessian).then(|| HessianSum::new(self));
        let mut block_gradient = vec![0.0; d];
        let (mut margins, mut expansions) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        for block in blocks {
            let rows = block * BLOCK..((block + 1) * BLOCK).min(self.rows());
            margins.clear();
            margins.extend(rows.clone().map(|row| {
                f64::from(self.signed[row]) * self.layout.dot(&self.numeric, &self.codes, row, theta)
            }));
            loss.evaluate(&margins, &mut expansions);
            let mut value = 0.0;
            block_gradient.fill(0.0);
            for (row, [f, slope, _]) in rows.clone().zip(&expansions) {
                value += f;
                self.add_row(row, slope * f64::from(self.signed[row]), &mut block_gradient);
            }
            total.value += value;
            add(&mut total.gradient, &block_gradient);
            if let Some(hessian) = &mut hessian {
                hessian.add_block(self, rows, &expansions);
            }
        }
        total.hessian = hessian.map(|h| h.finish()).unwrap_or_default();
        total
    }

    /// into += weight · x, before the row's factor.
    #[inline]
    pub(super) fn add_row(&self, row: usize, weight: f64, into: &mut [f64]) {
        let layout = &self.layout;
        into[0] += weight * layout.intercept();
        let width = layout.numeric().len();
        for (&x, g) in self.numeric[row * width..][..width].iter().zip(&mut into[1..]) {
            *g += weight * f64::from(x);
        }
        for (&code, category) in self.codes[row * layout.categories().len()..].iter().zip(layout.categories())
        {
            if code != OTHER {
                into[category.first + usize::from(code)] += weight * f64::from(category.value);
            }
        }
    }
}

fn add(into: &mut [f64], from: &[f64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}

/// Σ w x xᵀ: the dense corner (intercept and numbers) by matrix products, everything else by codes.
struct HessianSum {
    dimension: usize,
    /// Row-major lower triangle; its dense corner stays 0 until the end.
    lower: Vec<f64>,
    corner: Mat<f64>,
    panel: Mat<f64>,
    weighted: Mat<f64>,
}

impl HessianSum {
    fn new(matrix: &Matrix) -> HessianSum {
        let dimension = matrix.layout.dimension();
        let dense = 1 + matrix.layout.numeric().len();
        HessianSum {
            dimension,
            lower: vec![0.0; dimension * dimension],
            corner: Mat::zeros(dense, dense),
            panel: Mat::from_fn(dense, BLOCK, |i, _| if i == 0 { matrix.layout.intercept() } else { 0.0 }),
            weighted: Mat::zeros(dense, BLOCK),
        }
    }

    fn add_block(&mut self, matrix: &Matrix, rows: Range<usize>, expansions: &[[f64; 3]]) {
        let count = rows.len();
        let width = matrix.layout.numeric().len();
        for (k, row) in rows.clone().enumerate() {
            let weight = expansions[k][2] * f64::from(matrix.signed[row]).powi(2);
            let column = self.panel.col_as_slice_mut(k);
            for (x, &stored) in column[1..].iter_mut().zip(&matrix.numeric[row * width..][..width]) {
                *x = f64::from(stored);
            }
            for (w, &x) in self.weighted.col_as_slice_mut(k).iter_mut().zip(&*column) {
                *w = weight * x;
            }
            self.add_codes(matrix, row, k, weight);
        }
        matmul(
            self.corner.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            self.weighted.subcols(0, count),
            BlockStructure::Rectangular,
            self.panel.subcols(0, count).transpose(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }

    fn add_codes(&mut self, matrix: &Matrix, row: usize, k: usize, weight: f64) {
        let categories = matrix.layout.categories();
        let codes = &matrix.codes[row * categories.len()..][..categories.len()];
        let dense = self.weighted.col_as_slice(k);
        for (a, (&code, category)) in codes.iter().zip(categories).enumerate() {
            if code == OTHER {
                continue;
            }
            let value = f64::from(category.value);
            let at = category.first + usize::from(code);
            let line = &mut self.lower[at * self.dimension..][..=at];
            for (h, x) in line.iter_mut().zip(dense) {
                *h += value * x;
            }
            for (&other, earlier) in codes[..a].iter().zip(categories) {
                if other != OTHER {
                    line[earlier.first + usize::from(other)] += weight * value * f64::from(earlier.value);
                }
            }
            line[at] += weight * value * value;
        }
    }

    fn finish(mut self) -> Vec<f64> {
        for i in 0..self.corner.nrows() {
            for j in 0..=i {
                self.lower[i * self.dimension + j] = self.corner[(i, j)];
            }
        }
        self.lower
    }
}
