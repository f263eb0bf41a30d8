//! (1/n)Σ xxᵀ: which coefficients the rows determine, and along which of them rows are separated.

use super::shape::{self, Part};
use super::{PlainError, picked};
use crate::interval::Symmetric;
use crate::interval::squares::eigen;
use faer::Mat;
use std::ops::Range;

/// A column says what others say if less than this share of its squares is left beside them. Rows
/// are encoded to 24 bits, whose squares are 1e-15 of a column's.
const LEAST_LEFT: f64 = 1e-10;

/// Coefficients with less than this share of the largest have no part in what is told.
const SHARE_TOLD: f64 = 0.1;

pub(super) struct Gram {
    whole: Symmetric,
    /// The coefficients that are estimated.
    places: Vec<usize>,
    references: Vec<usize>,
    /// The parts that add up to the intercept.
    complete: Vec<Range<usize>>,
    /// L with LLᵀ = the matrix of those that are estimated.
    factor: Mat<f64>,
}

impl Gram {
    pub(super) fn new(gram: &Symmetric, parts: &[Part]) -> Result<Gram, PlainError> {
        let ranges = shape::ranges(parts);
        let complete = shape::complete(parts, gram);
        let references = shape::references(parts, &complete);
        let present = shape::present(parts);
        let is_empty = |&&j: &&usize| gram.entry(j, j) <= 0.0;
        let empty: Vec<usize> = present.iter().filter(is_empty).copied().collect();
        if !empty.is_empty() {
            return Err(PlainError::Empty(empty));
        }
        let places: Vec<usize> = present.into_iter().filter(|j| !references.contains(j)).collect();
        let factor = factored(gram, &places)?;
        let complete = ranges.into_iter().zip(complete).filter(|(_, is)| *is);
        let complete = complete.map(|(range, _)| range).collect();
        Ok(Gram { whole: gram.clone(), places, references, complete, factor })
    }

    /// The coefficients that are estimated.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Those that are held at 0.
    pub(super) fn references(&self) -> &[usize] {
        &self.references
    }

    /// The lines and columns of what is estimated.
    pub(super) fn kept(&self, matrix: &Symmetric) -> Mat<f64> {
        picked(matrix, &self.places)
    }

    /// The matrix with nothing but `diagonal` in the lines and columns of what is not estimated.
    pub(super) fn only_kept(&self, matrix: &Symmetric, diagonal: f64) -> Symmetric {
        let d = self.whole.dimension();
        let mut kept = Symmetric::zero(d);
        (0..d).for_each(|i| *kept.entry_mut(i, i) = diagonal);
        for (at, &i) in self.places.iter().enumerate() {
            self.places[..=at].iter().for_each(|&j| *kept.entry_mut(i, j) = matrix.entry(i, j));
        }
        kept
    }

    /// The trace of H⁻¹ times this matrix: not below the largest share of its spread that is
    /// without curvature in some direction.
    pub(super) fn trace_beside(&self, inverse: &Mat<f64>) -> f64 {
        let line = |i: usize| {
            let at = |j: usize| inverse[(i, j)] * self.whole.entry(self.places[i], self.places[j]);
            (0..self.places.len()).map(at).sum::<f64>()
        };
        (0..self.places.len()).map(line).sum()
    }

    /// The refusal of rows whose Hessian has no curvature left in some directions.
    pub(super) fn separated(&self, hessian: &Mat<f64>) -> PlainError {
        // In directions of one spread: L⁻¹HL⁻ᵀ.
        let inverse = lower_inverse(&self.factor);
        let (vectors, values) = match eigen(&(&inverse * hessian * inverse.transpose())) {
            Ok(found) => found,
            Err(error) => return error.into(),
        };
        let directions = inverse.transpose() * vectors;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min).max(1e-15);
        let mut told = vec![false; self.whole.dimension()];
        for k in (0..values.len()).filter(|&k| values[k] <= 1e3 * least) {
            let mut direction = vec![0.0; told.len()];
            self.places.iter().enumerate().for_each(|(i, &j)| direction[j] = directions[(i, k)]);
            self.centre(&mut direction);
            let size = |j: usize| direction[j].abs() * self.whole.entry(j, j).sqrt();
            let largest = (1..told.len()).map(size).fold(0.0, f64::max);
            if largest > 1e-3 * size(0) {
                (1..told.len()).for_each(|j| told[j] |= size(j) >= SHARE_TOLD * largest);
            }
        }
        PlainError::Separated((1..told.len()).filter(|&j| told[j]).collect())
    }

    /// Says the same with the intercept, so that what most rows have of a complete part counts 0.
    fn centre(&self, direction: &mut [f64]) {
        for range in &self.complete {
            let mut values: Vec<(f64, f64)> =
                range.clone().map(|j| (direction[j], self.whole.entry(0, j))).collect();
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            let half: f64 = 0.5 * values.iter().map(|(_, weight)| weight).sum::<f64>();
            let mut below = 0.0;
            let middle = values.iter().find(|(_, weight)| {
                below += weight;
                below >= half
            });
            let middle = middle.map_or(0.0, |(value, _)| *value);
            direction[range.clone()].iter_mut().for_each(|value| *value -= middle);
            direction[0] += middle;
        }
    }
}

/// The Cholesky factor, column by column; or which column says what those before it say.
fn factored(gram: &Symmetric, places: &[usize]) -> Result<Mat<f64>, PlainError> {
    let mut factor = Mat::<f64>::zeros(places.len(), places.len());
    for (i, &place) in places.iter().enumerate() {
        for j in 0..i {
            let known: f64 = (0..j).map(|k| factor[(i, k)] * factor[(j, k)]).sum();
            factor[(i, j)] = (gram.entry(place, places[j]) - known) / factor[(j, j)];
        }
        let all = gram.entry(place, place);
        let left = all - (0..i).map(|k| factor[(i, k)].powi(2)).sum::<f64>();
        if left <= LEAST_LEFT * all {
            // How much of each before it: L⁻ᵀ of its line.
            let mut shares = vec![0.0; i];
            for j in (0..i).rev() {
                let known: f64 = (j + 1..i).map(|k| factor[(k, j)] * shares[k]).sum();
                shares[j] = (factor[(i, j)] - known) / factor[(j, j)];
            }
            let size = |j: usize| shares[j].abs() * gram.entry(places[j], places[j]).sqrt();
            let others = (0..i).filter(|&j| size(j) > 1e-4 * all.sqrt()).map(|j| places[j]);
            return Err(PlainError::Alias { one: place, others: others.collect() });
        }
        factor[(i, i)] = left.sqrt();
    }
    Ok(factor)
}

fn lower_inverse(factor: &Mat<f64>) -> Mat<f64> {
    let d = factor.nrows();
    let mut inverse = Mat::<f64>::zeros(d, d);
    for j in 0..d {
        for i in j..d {
            let known: f64 = (j..i).map(|k| factor[(i, k)] * inverse[(k, j)]).sum();
            inverse[(i, j)] = (f64::from(u8::from(i == j)) - known) / factor[(i, i)];
        }
    }
    inverse
}
