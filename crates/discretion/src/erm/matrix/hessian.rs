//! Σ w x xᵀ from numbers and codes.

use super::{Matrix, OTHER};
use std::ops::Range;

/// Rows that update the dense corner together: its numbers are then loaded and stored a quarter as often.
const TOGETHER: usize = 4;

/// The lower triangle of Σ w x xᵀ. Its dense corner (intercept and numbers) is kept apart, packed, so that it
/// stays in the nearest cache; everything else is reached by codes.
///
/// Written by hand: with our linear algebra's matrix product in this place a pass over Adult took several times as
/// long, most of it in the exponentials *between* the products. We take that to be the cost of mixing its widest
/// registers with portable code; what was measured is the time.
pub(super) struct HessianSum {
    dimension: usize,
    lower: Vec<f64>,
    corner: Vec<f64>,
    /// The dense parts of [`TOGETHER`] rows.
    dense: Vec<f64>,
}

impl HessianSum {
    pub(super) fn new(matrix: &Matrix) -> HessianSum {
        let dimension = matrix.layout.dimension();
        let width = 1 + matrix.layout.numeric().len();
        let mut dense = vec![0.0; TOGETHER * width];
        dense.iter_mut().step_by(width).for_each(|x| *x = matrix.layout.intercept());
        HessianSum {
            dimension,
            lower: vec![0.0; dimension * dimension],
            corner: vec![0.0; width * width],
            dense,
        }
    }

    /// Adds rows with the curvatures of their expansions.
    #[inline(always)]
    pub(super) fn add_block(&mut self, matrix: &Matrix, rows: Range<usize>, expansions: &[[f64; 2]]) {
        let first = rows.start;
        for start in rows.clone().step_by(TOGETHER) {
            let mut weights = [0.0; TOGETHER];
            for (k, row) in (start..rows.end.min(start + TOGETHER)).enumerate() {
                weights[k] = expansions[row - first][1] * f64::from(matrix.signed[row]).powi(2);
                self.load(matrix, row, k);
                self.add_codes(matrix, row, k, weights[k]);
            }
            self.add_corner(weights);
        }
    }

    #[inline(always)]
    fn load(&mut self, matrix: &Matrix, row: usize, k: usize) {
        let numbers = matrix.layout.numeric().len();
        let into = &mut self.dense[k * (numbers + 1)..][1..=numbers];
        for (x, &stored) in into.iter_mut().zip(&matrix.numeric[row * numbers..][..numbers]) {
            *x = f64::from(stored);
        }
    }

    #[inline(always)]
    fn add_corner(&mut self, weights: [f64; TOGETHER]) {
        let width = self.dense.len() / TOGETHER;
        let (x0, rest) = self.dense.split_at(width);
        let (x1, rest) = rest.split_at(width);
        let (x2, x3) = rest.split_at(width);
        for (a, line) in self.corner.chunks_exact_mut(width).enumerate() {
            let [c0, c1, c2, c3] =
                [weights[0] * x0[a], weights[1] * x1[a], weights[2] * x2[a], weights[3] * x3[a]];
            let terms = x0.iter().zip(x1).zip(x2).zip(x3);
            for (h, (((p, q), r), s)) in line[..=a].iter_mut().zip(terms) {
                *h += c0 * p + c1 * q + c2 * r + c3 * s;
            }
        }
    }

    #[inline(always)]
    fn add_codes(&mut self, matrix: &Matrix, row: usize, k: usize, weight: f64) {
        let categories = matrix.layout.categories();
        let codes = &matrix.codes[row * categories.len()..][..categories.len()];
        let width = self.dense.len() / TOGETHER;
        let dense = &self.dense[k * width..][..width];
        for (a, (&code, category)) in codes.iter().zip(categories).enumerate() {
            if code == OTHER {
                continue;
            }
            let value = weight * f64::from(category.value);
            let at = category.first + usize::from(code);
            let line = &mut self.lower[at * self.dimension..][..=at];
            for (h, x) in line.iter_mut().zip(dense) {
                *h += value * x;
            }
            for (&other, earlier) in codes[..a].iter().zip(categories) {
                if other != OTHER {
                    line[earlier.first + usize::from(other)] += value * f64::from(earlier.value);
                }
            }
            line[at] += value * f64::from(category.value);
        }
    }

    /// The whole lower triangle, row-major.
    pub(super) fn finish(mut self) -> Vec<f64> {
        let width = self.dense.len() / TOGETHER;
        for (a, line) in self.corner.chunks_exact(width).enumerate() {
            self.lower[a * self.dimension..][..=a].copy_from_slice(&line[..=a]);
        }
        self.lower
    }
}
