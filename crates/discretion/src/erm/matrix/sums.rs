//! Value, gradient and Hessian from the codes, on all cores, with bit-identical sums for any number of them.
//!
//! Rows are cut into segments and segments into blocks by n and d alone. A block is summed row by row, a
//! segment block by block, and the segments in their order: who computes which segment changes nothing.

use super::hessian::HessianSum;
use super::{Matrix, OTHER};
use crate::erm::{Facts, Loss, Oracle, OracleError, Order, Sums};
use crate::noise::{Sensitive, Wide, exact};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use std::ops::Range;

/// Rows per block: small enough for a block's numbers to stay in cache.
const BLOCK: usize = 256;
/// A segment has at least this many rows, so that summing them outweighs adding segments up.
const SEGMENT_ROWS: usize = 16 * BLOCK;
/// More segments than any machine we know has cores.
const SEGMENTS: usize = 64;
/// Numbers that all segments' Hessians may hold together (256 MB).
const HESSIAN_NUMBERS: usize = 1 << 25;

/// A table of this many rows is worth solving on a sample first …
const SAMPLE_FROM: usize = 20_000;
/// … of one block in so many.
const SAMPLE_EVERY: usize = 16;

/// How many segments n rows in d dimensions are cut into.
fn segments(rows: usize, dimension: usize) -> usize {
    let affordable = (HESSIAN_NUMBERS / (dimension * dimension)).max(2);
    rows.div_ceil(SEGMENT_ROWS).clamp(1, SEGMENTS.min(affordable))
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
        Ok(Sensitive::new(self.sums_over_blocks(loss, theta, order, 1)))
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        (self.rows() >= SAMPLE_FROM).then(|| Box::new(Sample(self)) as Box<dyn Oracle>)
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

/// Every [`SAMPLE_EVERY`]th block of a large matrix.
struct Sample<'a>(&'a Matrix);

impl Oracle for Sample<'_> {
    fn facts(&self) -> Facts {
        Facts { rows: self.0.rows_in_blocks(SAMPLE_EVERY), ..self.0.facts() }
    }

    fn sums(&self, loss: &dyn Loss, theta: &[f64], order: Order) -> Result<Sensitive<Sums>, OracleError> {
        Ok(Sensitive::new(self.0.sums_over_blocks(loss, theta, order, SAMPLE_EVERY)))
    }

    fn wide_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[Wide],
        precision: usize,
    ) -> Result<Sensitive<Vec<Wide>>, OracleError> {
        self.0.wide_gradient(loss, theta, precision)
    }
}

impl Matrix {
    /// Means over every `every`th block.
    fn sums_over_blocks(&self, loss: &dyn Loss, theta: &[f64], order: Order, every: usize) -> Sums {
        let d = self.layout.dimension();
        assert_eq!(theta.len(), d, "one coefficient per dimension");
        let blocks = self.rows().div_ceil(BLOCK);
        let segments = segments(self.rows(), d);
        let parts: Vec<Sums> = (0..segments)
            .into_par_iter()
            .map(|s| {
                let range = blocks * s / segments..blocks * (s + 1) / segments;
                self.segment(loss, theta, order, range.filter(|block| block.is_multiple_of(every)))
            })
            .collect();
        let mut parts = parts.into_iter();
        let mut total = parts.next().expect("there is at least one segment");
        for part in parts {
            total.value += part.value;
            add(&mut total.gradient, &part.gradient);
            add(&mut total.hessian, &part.hessian);
        }
        let n = self.rows_in_blocks(every) as f64;
        total.value /= n;
        total.gradient.iter_mut().chain(&mut total.hessian).for_each(|x| *x /= n);
        total
    }

    fn rows_in_blocks(&self, every: usize) -> usize {
        let blocks = (0..self.rows().div_ceil(BLOCK)).step_by(every);
        blocks.map(|block| BLOCK.min(self.rows() - block * BLOCK)).sum()
    }

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

    fn segment(
        &self,
        loss: &dyn Loss,
        theta: &[f64],
        order: Order,
        blocks: impl Iterator<Item = usize>,
    ) -> Sums {
        let d = theta.len();
        let mut total = Sums { value: 0.0, gradient: vec![0.0; d], hessian: Vec::new() };
        let mut hessian = (order == Order::Hessian).then(|| HessianSum::new(self));
        let mut block_gradient = vec![0.0; d];
        let (mut margins, mut expansions) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        for block in blocks {
            let rows = block * BLOCK..((block + 1) * BLOCK).min(self.rows());
            margins.clear();
            vectorised(Margins { matrix: self, theta, rows: rows.clone(), into: &mut margins });
            total.value += loss.evaluate(&margins, &mut expansions);
            block_gradient.fill(0.0);
            let (expansions, into) = (&expansions, &mut block_gradient);
            vectorised(Derivatives { matrix: self, rows, expansions, into, hessian: hessian.as_mut() });
            add(&mut total.gradient, &block_gradient);
        }
        total.hessian = hessian.map(HessianSum::finish).unwrap_or_default();
        total
    }

    /// into += weight · x, before the row's factor.
    #[inline(always)]
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

/// Runs a loop over a block's numbers, compiled for the widest registers the machine has. Nothing in it can be
/// reordered or contracted, so every machine gets the same bits.
fn vectorised<F: NullaryFnOnce>(work: F) -> F::Output {
    Arch::new().dispatch(work)
}

struct Margins<'a> {
    matrix: &'a Matrix,
    theta: &'a [f64],
    rows: Range<usize>,
    into: &'a mut Vec<f64>,
}

impl NullaryFnOnce for Margins<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let matrix = self.matrix;
        for row in self.rows {
            let dot = matrix.layout.dot(&matrix.numeric, &matrix.codes, row, self.theta);
            self.into.push(f64::from(matrix.signed[row]) * dot);
        }
    }
}

struct Derivatives<'a> {
    matrix: &'a Matrix,
    rows: Range<usize>,
    expansions: &'a [[f64; 2]],
    into: &'a mut [f64],
    hessian: Option<&'a mut HessianSum>,
}

impl NullaryFnOnce for Derivatives<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (row, [slope, _]) in self.rows.clone().zip(self.expansions) {
            self.matrix.add_row(row, slope * f64::from(self.matrix.signed[row]), self.into);
        }
        if let Some(hessian) = self.hessian {
            hessian.add_block(self.matrix, self.rows, self.expansions);
        }
    }
}

fn add(into: &mut [f64], from: &[f64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}
