//! Value, gradient and Hessian from the codes, on all cores, with bit-identical sums for any number of them.
//!
//! Rows are cut into parts (`parts.rs`) and parts into blocks by n and d alone. A block is summed row by row, a
//! part block by block, and the parts in their order: who computes which part changes nothing.

use super::hessian::HessianSum;
use super::parts::{Cut, Partial, combine, combine_wide};
use super::{Matrix, OTHER};
use crate::erm::{Facts, Loss, Oracle, OracleError, Order, Point, Sums};
use crate::noise::{Sensitive, Wide, exact};
use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use std::ops::Range;

/// Rows per block: small enough for a block's numbers to stay in cache.
pub(super) const BLOCK: usize = 256;

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
    pub(super) fn all(&self) -> Rows<'_> {
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
        let facts = Facts::of_matrix(self.stored(), layout.dimension(), layout.row_terms());
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
        let cut = self.cut();
        let part = |part| Sensitive::new(self.wide_part(loss, theta, precision, cut.blocks_of(part)));
        let parts: Vec<_> = (0..cut.parts()).into_par_iter().map(part).collect();
        Ok(combine_wide(parts, self.total(), precision))
    }
}

impl<'a> Rows<'a> {
    /// One block in several of many rows.
    fn sampled(&self) -> Option<Rows<'a>> {
        let every = Cut::sample_every(self.range.1 - self.range.0).filter(|_| self.every == 1)?;
        Some(Rows { every, ..*self })
    }

    fn count(&self, row: usize) -> f64 {
        self.counts.map_or(1.0, |counts| f64::from(counts[row]))
    }

    /// How many blocks are looked at.
    fn blocks(&self) -> usize {
        (self.range.1 - self.range.0).div_ceil(BLOCK).div_ceil(self.every)
    }

    /// The rows of a block that is looked at.
    fn block(&self, block: usize) -> Range<usize> {
        let start = self.range.0 + block * self.every * BLOCK;
        start..(start + BLOCK).min(self.range.1)
    }

    /// Rows that are looked at. All blocks but the last are whole.
    fn stored(&self) -> usize {
        let last = self.blocks() - 1;
        last * BLOCK + self.block(last).len()
    }

    fn cut(&self) -> Cut {
        Cut::of(self.stored(), &self.matrix.layout)
    }

    /// How many rows count.
    fn total(&self) -> usize {
        match self.counts {
            None => self.stored(),
            Some(counts) => {
                (0..self.blocks()).flat_map(|block| self.block(block)).map(|row| counts[row] as usize).sum()
            }
        }
    }

    /// Means at every point, in one pass: a block's numbers are in cache for all of them.
    fn means(&self, loss: &dyn Loss, points: &[Point]) -> Vec<Sensitive<Sums>> {
        let cut = self.cut();
        let part = |part| self.part(loss, points, cut.blocks_of(part));
        let parts: Vec<Partial> = (0..cut.parts()).into_par_iter().map(part).collect();
        combine(parts, self.total())
    }

    /// Σ f′ yᵢ xᵢ over some blocks, in wide arithmetic.
    pub(super) fn wide_part(
        &self,
        loss: &dyn Loss,
        theta: &[Wide],
        precision: usize,
        blocks: Range<usize>,
    ) -> Vec<Wide> {
        let zero = Wide::ZERO.with_precision(precision).value();
        let mut gradient = vec![zero.clone(); theta.len()];
        for row in blocks.flat_map(|block| self.block(block)) {
            let signed = exact(f64::from(self.matrix.signed[row]));
            let terms = self.matrix.terms(row);
            let dot = terms.iter().fold(zero.clone(), |sum, &(j, x)| sum + &theta[j] * exact(x));
            let slope = loss.wide_slope(&(dot * &signed)) * signed * exact(self.count(row));
            for (j, x) in terms {
                gradient[j] += &slope * exact(x);
            }
        }
        gradient
    }

    /// Sums over some blocks at every point.
    pub(super) fn part(&self, loss: &dyn Loss, points: &[Point], blocks: Range<usize>) -> Partial {
        let (matrix, d) = (self.matrix, self.matrix.layout.dimension());
        assert!(points.iter().all(|point| point.theta.len() == d), "one coefficient per dimension");
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
        Partial(totals.into_iter().map(finish).collect())
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

pub(super) fn add(into: &mut [f64], from: &[f64]) {
    for (a, b) in into.iter_mut().zip(from) {
        *a += b;
    }
}
