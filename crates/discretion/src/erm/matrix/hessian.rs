//! Σ w x xᵀ from numbers and codes.

use super::{Layout, Matrix, OTHER};
use crate::erm::Order;
use pulp::Simd;
use std::ops::Range;

/// Rows that are multiplied together: few enough for both their forms to stay in the nearest cache.
const ROWS: usize = 32;

/// Lines of the dense corner that are summed at once, in registers; rows are padded to a multiple of it. A multiple of
/// every register's width.
const TALL: usize = 8;

/// The lower triangle of Σ w x xᵀ. Its dense corner (intercept and numbers) is kept apart and multiplied in tiles;
/// everything else is reached by codes: a pair of category columns is a weighted cross-tabulation.
///
/// Every entry of the corner is summed row after row, whatever the tiles, so all machines get the same bits. For
/// [`Order::Curvature`] the products w·x are rounded to `f32`: a product of two such numbers is exact in double
/// precision, so that fusing it with the addition, where the machine can, changes nothing.
pub(super) struct HessianSum {
    dimension: usize,
    lower: Vec<f64>,
    width: usize,
    padded: usize,
    corner: Vec<f64>,
    /// The dense parts of [`ROWS`] rows.
    dense: Vec<f64>,
    /// The same times their weights.
    weighted: Vec<f64>,
    is_rounded: bool,
}

impl HessianSum {
    /// Nothing if the order does without.
    pub(super) fn new(layout: &Layout, order: Order) -> Option<HessianSum> {
        if !order.has_hessian() {
            return None;
        }
        let dimension = layout.dimension();
        let width = 1 + layout.numeric().len();
        let padded = width.next_multiple_of(TALL);
        let mut dense = vec![0.0; ROWS * padded];
        dense.iter_mut().step_by(padded).for_each(|x| *x = layout.intercept());
        Some(HessianSum {
            dimension,
            lower: vec![0.0; dimension * dimension],
            width,
            padded,
            corner: vec![0.0; padded * padded],
            dense,
            weighted: vec![0.0; ROWS * padded],
            is_rounded: order == Order::Curvature,
        })
    }

    /// Adds rows with the curvatures of their expansions.
    #[inline(always)]
    pub(super) fn add_block<S: Simd>(
        &mut self,
        simd: S,
        matrix: &Matrix,
        rows: Range<usize>,
        expansions: &[[f64; 2]],
    ) {
        let first = rows.start;
        for start in rows.clone().step_by(ROWS) {
            let group = start..rows.end.min(start + ROWS);
            for (k, row) in group.clone().enumerate() {
                let weight = expansions[row - first][1] * f64::from(matrix.signed[row]).powi(2);
                self.load(matrix, row, k, weight);
                self.add_codes(matrix, row, k, weight);
            }
            if self.is_rounded {
                self.multiply(simd, group.len(), |a, b, sum| simd.mul_add_e_f64s(a, b, sum));
            } else {
                self.multiply(simd, group.len(), |a, b, sum| simd.add_f64s(sum, simd.mul_f64s(a, b)));
            }
        }
    }

    #[inline(always)]
    fn load(&mut self, matrix: &Matrix, row: usize, k: usize, weight: f64) {
        let numbers = self.width - 1;
        let dense = &mut self.dense[k * self.padded..][..self.width];
        for (x, &stored) in dense[1..].iter_mut().zip(&matrix.numeric[row * numbers..][..numbers]) {
            *x = f64::from(stored);
        }
        let weighted = self.weighted[k * self.padded..][..self.width].iter_mut().zip(dense);
        if self.is_rounded {
            weighted.for_each(|(a, x)| *a = f64::from((weight * *x) as f32));
        } else {
            weighted.for_each(|(a, x)| *a = weight * *x);
        }
    }

    /// Adds the first `rows` loaded rows to the corner, by tiles of [`TALL`] lines and one register's width.
    #[inline(always)]
    fn multiply<S: Simd>(
        &mut self,
        simd: S,
        rows: usize,
        add_product: impl Fn(S::f64s, S::f64s, S::f64s) -> S::f64s,
    ) {
        let padded = self.padded;
        for top in (0..padded).step_by(TALL) {
            for left in (0..top + TALL).step_by(S::F64_LANES) {
                let mut sums = [simd.splat_f64s(0.0); TALL];
                let rows = self.weighted.chunks_exact(padded).zip(self.dense.chunks_exact(padded)).take(rows);
                for (weighted, dense) in rows {
                    let weighted: &[f64; TALL] = weighted[top..].first_chunk().expect("rows are padded");
                    let x = S::as_simd_f64s(&dense[left..left + S::F64_LANES]).0[0];
                    for (sum, &a) in sums.iter_mut().zip(weighted) {
                        *sum = add_product(simd.splat_f64s(a), x, *sum);
                    }
                }
                for (line, sum) in self.corner[top * padded..].chunks_exact_mut(padded).zip(sums) {
                    let entries = &mut S::as_mut_simd_f64s(&mut line[left..left + S::F64_LANES]).0[0];
                    *entries = simd.add_f64s(*entries, sum);
                }
            }
        }
    }

    #[inline(always)]
    fn add_codes(&mut self, matrix: &Matrix, row: usize, k: usize, weight: f64) {
        let categories = matrix.layout.categories();
        let codes = &matrix.codes[row * categories.len()..][..categories.len()];
        let dense = &self.dense[k * self.padded..][..self.width];
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
        for (a, line) in self.corner.chunks_exact(self.padded).take(self.width).enumerate() {
            self.lower[a * self.dimension..][..=a].copy_from_slice(&line[..=a]);
        }
        self.lower
    }
}
