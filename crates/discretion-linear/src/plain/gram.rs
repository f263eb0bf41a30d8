//! (1/n)Σ xxᵀ: which coefficients the rows determine, and along which of them rows are separated.

use super::shape::{self, Part};
use super::{PlainError, picked};
use crate::interval::Symmetric;
use faer::{Col, Mat};
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
        check_determined(gram, &places)?;
        let complete = ranges.into_iter().zip(complete).filter(|(_, is)| *is);
        let complete = complete.map(|(range, _)| range).collect();
        Ok(Gram { whole: gram.clone(), places, references, complete })
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

    /// The refusal of rows along which steps go on for ever: what has a part in this step, which
    /// moves the margins of all that decide by about 1.
    pub(super) fn separated(&self, step: &Col<f64>) -> PlainError {
        let d = self.whole.dimension();
        let mut direction = vec![0.0; d];
        self.places.iter().zip(step.iter()).for_each(|(&j, step)| direction[j] = *step);
        self.centre(&mut direction);
        let size = |j: usize| direction[j].abs() * self.whole.entry(j, j).sqrt();
        let largest = (1..d).map(size).fold(0.0, f64::max);
        let is_told = |&j: &usize| size(j) >= SHARE_TOLD * largest && largest > 1e-3 * size(0);
        PlainError::Separated((1..d).filter(is_told).collect())
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

/// Refuses a column that says what those before it say: a Cholesky factor, line by line.
fn check_determined(gram: &Symmetric, places: &[usize]) -> Result<(), PlainError> {
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
    Ok(())
}
