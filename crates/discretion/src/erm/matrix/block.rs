//! One block of rows at a time: margins, losses, derivatives, and the sums that they are added to.

use super::hessian::HessianSum;
use super::parts::Partial;
use super::{Layout, Matrix, OTHER};
use crate::erm::{Loss, Point, Sums};
use pulp::{Arch, NullaryFnOnce, Simd, WithSimd};
use std::ops::Range;

/// Rows per block: small enough for a block's numbers to stay in cache.
pub(super) const BLOCK: usize = 256;

/// The sums of a part in the making, at one or several points.
pub(super) struct PartialSum<'a> {
    loss: &'a dyn Loss,
    points: &'a [Point],
    totals: Vec<(Sums, Option<HessianSum>)>,
    // Room for one block, used again for the next.
    gradient: Vec<f64>,
    margins: Vec<f64>,
    expansions: Vec<[f64; 2]>,
}

impl<'a> PartialSum<'a> {
    pub(super) fn new(layout: &Layout, loss: &'a dyn Loss, points: &'a [Point]) -> PartialSum<'a> {
        let d = layout.dimension();
        assert!(points.iter().all(|point| point.theta.len() == d), "one coefficient per dimension");
        let zero = |point: &Point| {
            let sums = Sums { value: 0.0, gradient: vec![0.0; d], hessian: Vec::new() };
            (sums, HessianSum::new(layout, point.order))
        };
        PartialSum {
            loss,
            points,
            totals: points.iter().map(zero).collect(),
            gradient: vec![0.0; d],
            margins: Vec::with_capacity(BLOCK),
            expansions: Vec::with_capacity(BLOCK),
        }
    }

    /// Adds the rows of one block, each as often as `counts` says, or once. Its numbers are in cache for all points.
    pub(super) fn add_block(&mut self, matrix: &Matrix, rows: Range<usize>, counts: Option<&[u32]>) {
        for (point, (total, hessian)) in self.points.iter().zip(&mut self.totals) {
            self.margins.clear();
            let theta = &point.theta;
            vectorised(Margins { matrix, theta, rows: rows.clone(), into: &mut self.margins });
            let value = self.loss.evaluate(&self.margins, &mut self.expansions);
            total.value += match counts {
                None => value,
                Some(counts) => weigh(self.loss, &self.margins, counts, &mut self.expansions),
            };
            self.gradient.fill(0.0);
            let (expansions, into) = (&self.expansions, &mut self.gradient);
            let hessian = hessian.as_mut();
            vectorised(Derivatives { matrix, rows: rows.clone(), expansions, into, hessian });
            add(&mut total.gradient, &self.gradient);
        }
    }

    /// Adds rows that begin where a block does, block by block.
    pub(super) fn add_rows(&mut self, matrix: &Matrix) {
        for start in (0..matrix.rows()).step_by(BLOCK) {
            self.add_block(matrix, start..matrix.rows().min(start + BLOCK), None);
        }
    }

    pub(super) fn finish(self) -> Partial {
        let finish = |(sums, hessian): (Sums, Option<HessianSum>)| Sums {
            hessian: hessian.map(HessianSum::finish).unwrap_or_default(),
            ..sums
        };
        Partial(self.totals.into_iter().map(finish).collect())
    }
}

/// Multiplies the expansions of rows by their counts; returns the weighted sum of values.
fn weigh(loss: &dyn Loss, margins: &[f64], counts: &[u32], expansions: &mut [[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for ((&margin, &count), expansion) in margins.iter().zip(counts).zip(expansions) {
        let count = f64::from(count);
        *expansion = expansion.map(|x| count * x);
        if count > 0.0 {
            total += count * loss.value(margin);
        }
    }
    total
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

    /// into += weight · x, before the row's factor.
    #[inline(always)]
    pub(super) fn add_row(&self, row: usize, weight: f64, into: &mut [f64]) {
        let width = self.layout.numeric().len();
        into[0] += weight * self.layout.intercept();
        for (&x, g) in self.numeric[row * width..][..width].iter().zip(&mut into[1..]) {
            *g += weight * f64::from(x);
        }
        self.add_codes(row, weight, into);
    }

    /// The same for several rows from `first` on. A term passes through two additions more than on its own, and
    /// through a quarter of the others.
    #[inline(always)]
    fn add_rows(&self, first: usize, weights: [f64; TOGETHER], into: &mut [f64]) {
        let (width, [a, b, c, d]) = (self.layout.numeric().len(), weights);
        into[0] += ((a + b) + (c + d)) * self.layout.intercept();
        if width > 0 {
            let mut rows = self.numeric[first * width..].chunks_exact(width);
            let mut next = || rows.next().expect("the caller has so many rows");
            let (w, x, y, z) = (next(), next(), next(), next());
            for ((((g, &w), &x), &y), &z) in into[1..].iter_mut().zip(w).zip(x).zip(y).zip(z) {
                *g += (a * f64::from(w) + b * f64::from(x)) + (c * f64::from(y) + d * f64::from(z));
            }
        }
        for (k, weight) in weights.into_iter().enumerate() {
            self.add_codes(first + k, weight, into);
        }
    }

    #[inline(always)]
    fn add_codes(&self, row: usize, weight: f64, into: &mut [f64]) {
        let categories = self.layout.categories();
        for (&code, category) in self.codes[row * categories.len()..].iter().zip(categories) {
            if code != OTHER {
                into[category.first + usize::from(code)] += weight * f64::from(category.value);
            }
        }
    }
}

/// Runs a loop over a block's numbers, compiled for the widest registers the machine has. Nothing in it is
/// reordered, and nothing contracted that is not exact, so every machine gets the same bits.
fn vectorised<F: WithSimd>(work: F) -> F::Output {
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

/// Rows that are added to a gradient together, so that its numbers are loaded and stored less often.
const TOGETHER: usize = 4;

impl WithSimd for Derivatives<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (matrix, first) = (self.matrix, self.rows.start);
        let weight = |row: usize| self.expansions[row - first][0] * f64::from(matrix.signed[row]);
        let together = self.rows.len() / TOGETHER * TOGETHER;
        for row in (first..first + together).step_by(TOGETHER) {
            matrix.add_rows(row, [weight(row), weight(row + 1), weight(row + 2), weight(row + 3)], self.into);
        }
        for row in first + together..self.rows.end {
            matrix.add_row(row, weight(row), self.into);
        }
        if let Some(hessian) = self.hessian {
            hessian.add_block(simd, matrix, self.rows, self.expansions);
        }
    }
}

pub(super) fn add(into: &mut [f64], from: &[f64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}
