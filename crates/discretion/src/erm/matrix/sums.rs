//! Value, gradient and Hessian from the codes, on all cores, with bit-identical sums for any number of them.
//!
//! Rows are cut into segments and segments into blocks by n and d alone. A block is summed row by row, a
//! segment block by block, and the segments in their order: who computes which segment changes nothing.

use super::hessian::HessianSum;
use super::{Matrix, OTHER};
use crate::erm::{Facts, Loss, Oracle, OracleError, Order, Point, Sums};
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

/// Some rows of a matrix: a range of them, possibly each counted several times, possibly only some blocks.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    matrix: &'a Matrix,
    range: (usize, usize),
    /// How often each row of the range counts; once if nothing is said.
    counts: Option<&'a [u32]>,
    /// Only every so many blocks are looked at.
    every: usize,
}

impl Matrix {
    /// All rows.
    fn all(&self) -> Rows<'_> {
        self.view(0..self.rows())
    }

    /// A range of rows.
    pub fn view(&self, range: Range<usize>) -> Rows<'_> {
        assert!(range.start < range.end && range.end <= self.rows(), "a view has rows");
        Rows { matrix: self, range: (range.start, range.end), counts: None, every: 1 }
    }

    /// All rows, each counted as often as `counts` says: a bootstrap replicate without a copy.
    pub fn counted<'a>(&'a self, counts: &'a [u32]) -> Rows<'a> {
        assert_eq!(counts.len(), self.rows(), "one count per row");
        assert!(counts.iter().any(|&count| count > 0), "a replicate has rows");
        Rows { counts: Some(counts), ..self.all() }
    }
}

impl Oracle for Matrix {
    fn facts(&self) -> Facts {
        self.all().facts()
    }

    fn sums(&self, loss: &dyn Loss, theta: &[f64], order: Order) -> Result<Sensitive<Sums>, OracleError> {
        self.all().sums(loss, theta, order)
    }

    fn sums_at(&self, loss: &dyn Loss, points: &[Point]) -> Result<Vec<Sensitive<Sums>>, OracleError> {
        self.all().sums_at(loss, points)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.all().sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }

    fn wide_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[Wide],
        precision: usize,
    ) -> Result<Sensitive<Vec<Wide>>, OracleError> {
        self.all().wide_gradient(loss, theta, precision)
    }
}

impl Oracle for Rows<'_> {
    fn facts(&self) -> Facts {
        let layout = &self.matrix.layout;
        let facts = Facts::of_matrix(self.len(), layout.dimension(), layout.row_terms());
        // Multiplying by a count is one more rounding.
        let depth = facts.summation_depth + usize::from(self.counts.is_some());
        Facts { rows: self.total(), summation_depth: depth, ..facts }
    }

    fn sums(&self, loss: &dyn Loss, theta: &[f64], order: Order) -> Result<Sensitive<Sums>, OracleError> {
        let point = Point { theta: theta.to_vec(), order };
        Ok(self.means(loss, &[point]).remove(0))
    }

    fn sums_at(&self, loss: &dyn Loss, points: &[Point]) -> Result<Vec<Sensitive<Sums>>, OracleError> {
        Ok(self.means(loss, points))
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }

    fn wide_gradient(
        &self,
        loss: &dyn Loss,
        theta: &[Wide],
        precision: usize,
    ) -> Result<Sensitive<Vec<Wide>>, OracleError> {
        let zero = Wide::ZERO.with_precision(precision).value();
        let mut gradient = vec![zero.clone(); theta.len()];
        for row in self.range.0..self.range.1 {
            let signed = exact(f64::from(self.matrix.signed[row]));
            let terms = self.matrix.terms(row);
            let dot = terms.iter().fold(zero.clone(), |sum, &(j, x)| sum + &theta[j] * exact(x));
            let slope = loss.wide_slope(&(dot * &signed)) * signed * exact(self.count(row));
            for (j, x) in terms {
                gradient[j] += &slope * exact(x);
            }
        }
        let n = Wide::from(self.total()).with_precision(precision).value();
        Ok(Sensitive::new(gradient.into_iter().map(|x| x / &n).collect()))
    }
}

impl<'a> Rows<'a> {
    /// Rows that are stored.
    fn len(&self) -> usize {
        self.range.1 - self.range.0
    }

    /// Every [`SAMPLE_EVERY`]th block of many rows.
    fn sampled(&self) -> Option<Rows<'a>> {
        (self.every == 1 && self.len() >= SAMPLE_FROM).then_some(Rows { every: SAMPLE_EVERY, ..*self })
    }

    fn count(&self, row: usize) -> f64 {
        self.counts.map_or(1.0, |counts| f64::from(counts[row]))
    }

    /// The rows of a block.
    fn block(&self, block: usize) -> Range<usize> {
        let start = self.range.0 + block * BLOCK;
        start..(start + BLOCK).min(self.range.1)
    }

    /// How many rows count.
    fn total(&self) -> usize {
        let blocks = (0..self.len().div_ceil(BLOCK)).step_by(self.every).map(|block| self.block(block));
        match self.counts {
            None => blocks.map(|rows| rows.len()).sum(),
            Some(counts) => blocks.flatten().map(|row| counts[row] as usize).sum(),
        }
    }

    /// Means at every point, in one pass: a block's numbers are in cache for all of them.
    fn means(&self, loss: &dyn Loss, points: &[Point]) -> Vec<Sensitive<Sums>> {
        let d = self.matrix.layout.dimension();
        assert!(points.iter().all(|point| point.theta.len() == d), "one coefficient per dimension");
        let blocks = self.len().div_ceil(BLOCK);
        let segments = segments(self.len(), d);
        let parts: Vec<Vec<Sums>> = (0..segments)
            .into_par_iter()
            .map(|s| {
                let range = blocks * s / segments..blocks * (s + 1) / segments;
                self.segment(loss, points, range.filter(|block| block.is_multiple_of(self.every)))
            })
            .collect();
        let n = self.total() as f64;
        let mut parts = parts.into_iter();
        let mut totals = parts.next().expect("there is at least one segment");
        for part in parts {
            for (total, part) in totals.iter_mut().zip(part) {
                total.value += part.value;
                add(&mut total.gradient, &part.gradient);
                add(&mut total.hessian, &part.hessian);
            }
        }
        for total in &mut totals {
            total.value /= n;
            total.gradient.iter_mut().chain(&mut total.hessian).for_each(|x| *x /= n);
        }
        totals.into_iter().map(Sensitive::new).collect()
    }

    fn segment(&self, loss: &dyn Loss, points: &[Point], blocks: impl Iterator<Item = usize>) -> Vec<Sums> {
        let (matrix, d) = (self.matrix, self.matrix.layout.dimension());
        let mut totals: Vec<(Sums, Option<HessianSum>)> = points
            .iter()
            .map(|point| {
                let sums = Sums { value: 0.0, gradient: vec![0.0; d], hessian: Vec::new() };
                (sums, (point.order == Order::Hessian).then(|| HessianSum::new(matrix)))
            })
            .collect();
        let mut block_gradient = vec![0.0; d];
        let (mut margins, mut expansions) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
        for block in blocks {
            let rows = self.block(block);
            for (point, (total, hessian)) in points.iter().zip(&mut totals) {
                margins.clear();
                let theta = &point.theta;
                vectorised(Margins { matrix, theta, rows: rows.clone(), into: &mut margins });
                let value = loss.evaluate(&margins, &mut expansions);
                total.value += match self.counts {
                    None => value,
                    Some(counts) => weigh(loss, &margins, &counts[rows.clone()], &mut expansions),
                };
                block_gradient.fill(0.0);
                let (expansions, into) = (&expansions, &mut block_gradient);
                vectorised(Derivatives {
                    matrix,
                    rows: rows.clone(),
                    expansions,
                    into,
                    hessian: hessian.as_mut(),
                });
                add(&mut total.gradient, &block_gradient);
            }
        }
        let finish = |(sums, hessian): (Sums, Option<HessianSum>)| Sums {
            hessian: hessian.map(HessianSum::finish).unwrap_or_default(),
            ..sums
        };
        totals.into_iter().map(finish).collect()
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
