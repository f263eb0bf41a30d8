//! Value, gradient and Hessian from the codes, on all cores, with bit-identical sums for any number
//! of them.
//!
//! Rows are cut into parts (`parts.rs`) and parts into blocks by n and d alone. A block is summed
//! row by row, a part block by block, and the parts in their order: who computes which part changes
//! nothing.

use super::Matrix;
use super::block::{BLOCK, BlockSum, PartialSum};
use super::parts::{Cut, Partial, combine_big, hessian_numbers, sum_parts};
use crate::erm::{Answer, Facts, Oracle, OracleError, Point, Question, Sums};
use crate::loss::Loss;
use discretion_privacy::noise::{BigFloat, Sensitive, exact};
use rayon::prelude::*;
use std::ops::Range;

/// Some rows of a matrix: a range of them, possibly each counted several times, possibly only some
/// blocks.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(super) matrix: &'a Matrix,
    range: (usize, usize),
    /// How often each row of the range counts; once if nothing is said.
    counts: Option<&'a [u32]>,
    /// Only every so many blocks are looked at.
    every: usize,
    /// Whether these rows are a sample of more: there is no sample of a sample.
    is_sample: bool,
}

impl Matrix {
    /// All rows.
    pub(super) fn all(&self) -> View<'_> {
        self.view(0..self.rows())
    }

    /// A range of rows.
    pub fn view(&self, range: Range<usize>) -> View<'_> {
        assert!(range.start < range.end && range.end <= self.rows(), "a view has rows");
        View {
            matrix: self,
            range: (range.start, range.end),
            counts: None,
            every: 1,
            is_sample: false,
        }
    }

    /// All rows, as those of more on which a first guess is looked for.
    pub(crate) fn as_sample(&self) -> View<'_> {
        View { is_sample: true, ..self.all() }
    }

    /// All rows, each counted as often as `counts` says: a bootstrap replicate without a copy.
    pub fn counted<'a>(&'a self, counts: &'a [u32]) -> View<'a> {
        assert_eq!(counts.len(), self.rows(), "one count per row");
        assert!(counts.iter().any(|&count| count > 0), "a replicate has rows");
        View { counts: Some(counts), ..self.all() }
    }
}

impl Oracle for Matrix {
    fn facts(&self) -> Facts {
        self.all().facts()
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        self.all().answer(question)
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.all().sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }
}

impl Oracle for View<'_> {
    fn facts(&self) -> Facts {
        let layout = &self.matrix.layout;
        let facts = Facts::of_layout(self.stored(), layout);
        // Multiplying by a count is one more rounding.
        let depth = facts.summation_depth + usize::from(self.counts.is_some());
        Facts { rows: self.total(), summation_depth: depth, ..facts }
    }

    fn answer(&self, question: Question<'_>) -> Result<Answer, OracleError> {
        Ok(match question {
            Question::Sums { loss, points } => Answer::Sums(self.means(loss, points)),
            Question::BigGradient { loss, theta, precision } => {
                Answer::BigGradient(self.big_mean(loss, theta, precision))
            }
            Question::Products { .. } => return Err(OracleError::no_persons()),
        })
    }

    fn sample(&self) -> Option<Box<dyn Oracle + '_>> {
        self.sampled().map(|rows| Box::new(rows) as Box<dyn Oracle>)
    }
}

impl<'a> View<'a> {
    /// One block in several of many rows.
    pub(super) fn sampled(&self) -> Option<View<'a>> {
        let every = Cut::sample_every(self.range.1 - self.range.0).filter(|_| !self.is_sample)?;
        Some(View { every, is_sample: true, ..*self })
    }

    fn count(&self, row: usize) -> f64 {
        self.counts.map_or(1.0, |counts| f64::from(counts[row]))
    }

    /// How many blocks are looked at.
    pub(super) fn blocks(&self) -> usize {
        (self.range.1 - self.range.0).div_ceil(BLOCK).div_ceil(self.every)
    }

    /// The rows of a block that is looked at.
    pub(super) fn block(&self, block: usize) -> Range<usize> {
        let start = self.range.0 + block * self.every * BLOCK;
        start..(start + BLOCK).min(self.range.1)
    }

    /// Rows that are looked at. All blocks but the last are whole.
    fn stored(&self) -> usize {
        let last = self.blocks() - 1;
        last * BLOCK + self.block(last).len()
    }

    pub(super) fn cut(&self) -> Cut {
        Cut::of(self.stored(), &self.matrix.layout)
    }

    /// How many rows count.
    pub(super) fn total(&self) -> usize {
        match self.counts {
            None => self.stored(),
            Some(counts) => (0..self.blocks())
                .flat_map(|block| self.block(block))
                .map(|row| counts[row] as usize)
                .sum(),
        }
    }

    /// Means at every point, in one pass: a block's numbers are in cache for all of them.
    fn means(&self, loss: &dyn Loss, points: &[Point]) -> Vec<Sensitive<Sums>> {
        let cut = self.cut();
        let summed = sum_parts(cut.parts(), hessian_numbers(points), |part| {
            Ok(self.part(loss, points, cut.blocks_of(part)))
        });
        summed.expect("rows in memory can be read").finish(self.total())
    }

    /// The mean gradient in big floats.
    fn big_mean(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
    ) -> Sensitive<Vec<BigFloat>> {
        let cut = self.cut();
        let part =
            |part| Sensitive::new(self.big_part(loss, theta, precision, cut.blocks_of(part)));
        let parts: Vec<_> = (0..cut.parts()).into_par_iter().map(part).collect();
        combine_big(parts, self.total(), precision)
    }

    /// Σ f′ yᵢ xᵢ over some blocks, in big floats.
    pub(super) fn big_part(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
        blocks: Range<usize>,
    ) -> Vec<BigFloat> {
        let weight = |row: usize| self.count(row) * self.matrix.weight(row);
        let rows = blocks.flat_map(|block| self.block(block)).map(|row| (row, weight(row)));
        self.matrix.big_weighted_sum(loss, theta, precision, rows)
    }

    /// Sums over some blocks at every point.
    pub(super) fn part(&self, loss: &dyn Loss, points: &[Point], blocks: Range<usize>) -> Partial {
        let mut sum = PartialSum::new(&self.matrix.layout, loss, points);
        for rows in blocks.map(|block| self.block(block)) {
            let counted = self.counts.map(|_| rows.clone().map(|row| self.count(row)).collect());
            let weights =
                self.matrix.weights_of(rows.clone(), loss, |row| self.count(row)).or(counted);
            sum.add_block(self.matrix, rows, weights.as_deref());
        }
        sum.sums()
    }
}

impl Matrix {
    /// Some rows' own weights, times how often each counts, as this loss is summed with them;
    /// nothing if they have none.
    pub(super) fn weights_of(
        &self,
        rows: Range<usize>,
        loss: &dyn Loss,
        count: impl Fn(usize) -> f64,
    ) -> Option<Vec<f64>> {
        let own = |row: usize| match loss.squares_weights() {
            // The square of an f32 is a double.
            true => self.weight(row) * self.weight(row),
            false => self.weight(row),
        };
        self.layout.is_weighted().then(|| rows.map(|row| count(row) * own(row)).collect())
    }

    /// A row's label times its factor.
    pub(super) fn signed(&self, row: usize) -> f64 {
        f64::from(self.signed[row])
    }

    /// Σ f′ yᵢ xᵢ over rows with weights, in big floats.
    pub(super) fn big_weighted_sum(
        &self,
        loss: &dyn Loss,
        theta: &[BigFloat],
        precision: usize,
        rows: impl Iterator<Item = (usize, f64)>,
    ) -> Vec<BigFloat> {
        let zero = BigFloat::ZERO.with_precision(precision).value();
        let mut gradient = vec![zero.clone(); theta.len()];
        for (row, weight) in rows {
            let signed = exact(self.signed(row));
            let terms = self.terms(row);
            let dot = terms.iter().fold(zero.clone(), |sum, &(j, x)| sum + &theta[j] * exact(x));
            let slope = loss.big_slope(&(dot * &signed)) * signed * exact(weight);
            for (j, x) in terms {
                gradient[j] += &slope * exact(x);
            }
        }
        gradient
    }
}
