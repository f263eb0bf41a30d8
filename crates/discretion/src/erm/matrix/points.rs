//! Margins and gradients of a group of rows, at one point along the rows' numbers, or at eight points side by side.
//!
//! Both ways carry out the same operations in the same order for every point, so a point gets the same bits in any company.

use super::Layout;
use super::group::{Group, LANES, Lanes, ROWS, Shape};
use pulp::Simd;

/// Rows that are added to a gradient together, so that its numbers are loaded and stored less often.
pub(super) const TOGETHER: usize = 4;

/// One number for each row of a group and each of up to eight points.
pub(super) type PerRow = [[f64; ROWS]; LANES];

/// Coefficients, and the gradient in the making, of one point (`T` is a number) or of eight (`T` is [`Lanes`]).
pub(super) struct Side<T> {
    /// The dense part: lanes along a row, or lanes of points.
    pub dense: Vec<Lanes>,
    /// By slot.
    pub hits: Vec<T>,
}

impl Side<f64> {
    pub fn zero(shape: Shape) -> Side<f64> {
        Side { dense: vec![[0.0; LANES]; shape.chunks()], hits: vec![0.0; shape.slots()] }
    }

    /// θ, each category's coefficient times the value of a hit.
    pub fn of(theta: &[f64], layout: &Layout) -> Side<f64> {
        let shape = Shape::of(layout);
        let mut side = Side::<f64>::zero(shape);
        side.dense.as_flattened_mut()[..shape.width].copy_from_slice(&theta[..shape.width]);
        for category in layout.categories() {
            for at in category.first..category.first + category.count {
                side.hits[at - shape.width] = f64::from(category.value) * theta[at];
            }
        }
        side
    }

    /// The gradient that weights added up to.
    pub fn gradient(&self, layout: &Layout) -> Vec<f64> {
        let shape = Shape::of(layout);
        let mut gradient = self.dense.as_flattened()[..shape.width].to_vec();
        for category in layout.categories() {
            let hits = &self.hits[category.first - shape.width..][..category.count];
            gradient.extend(hits.iter().map(|weight| weight * f64::from(category.value)));
        }
        gradient
    }

    /// yᵢ θ·xᵢ of every row.
    #[inline(always)]
    pub fn margins<S: Simd>(&self, simd: S, group: &Group, into: &mut PerRow) {
        let registers = LANES / S::F64_LANES;
        let rows = group.dense().chunks_exact(self.dense.len()).take(group.rows());
        for (row, x) in rows.enumerate() {
            let mut sums = [simd.splat_f64s(0.0); LANES];
            for (x, theta) in x.iter().zip(&self.dense) {
                let (x, theta) = (S::as_simd_f64s(x).0, S::as_simd_f64s(theta).0);
                for k in 0..registers {
                    sums[k] = simd.add_f64s(sums[k], simd.mul_f64s(x[k], theta[k]));
                }
            }
            let mut lanes = [0.0; LANES];
            S::as_mut_simd_f64s(&mut lanes).0.copy_from_slice(&sums[..registers]);
            let mut margin = total(lanes, |a, b| a + b);
            for &slot in group.slots(row) {
                margin += self.hits[slot as usize];
            }
            into[0][row] = group.signed(row) * margin;
        }
    }

    /// Adds every row times its weight; rows that are not there have weight 0.
    #[inline(always)]
    pub fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &PerRow) {
        let weights = &weights[0];
        let sums = S::as_mut_simd_f64s(self.dense.as_flattened_mut()).0;
        let length = sums.len();
        let dense = S::as_simd_f64s(group.dense().as_flattened()).0;
        for first in (0..group.rows()).step_by(TOGETHER) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| simd.splat_f64s(weights[first + k]));
            let [xa, xb, xc, xd] = rows_of(dense, first, length);
            for j in 0..length {
                let ab = simd.add_f64s(simd.mul_f64s(a, xa[j]), simd.mul_f64s(b, xb[j]));
                let cd = simd.add_f64s(simd.mul_f64s(c, xc[j]), simd.mul_f64s(d, xd[j]));
                sums[j] = simd.add_f64s(sums[j], simd.add_f64s(ab, cd));
            }
        }
        for row in 0..group.rows() {
            for &slot in group.slots(row) {
                self.hits[slot as usize] += weights[row];
            }
        }
    }
}

impl Side<Lanes> {
    pub fn zero(shape: Shape) -> Side<Lanes> {
        let padded = LANES * shape.chunks();
        Side { dense: vec![[0.0; LANES]; padded], hits: vec![[0.0; LANES]; shape.slots()] }
    }

    /// At most eight points.
    pub fn of(points: &[Side<f64>], shape: Shape) -> Side<Lanes> {
        let mut side = Side::<Lanes>::zero(shape);
        for (k, point) in points.iter().enumerate() {
            for (lanes, &theta) in side.dense.iter_mut().zip(point.dense.as_flattened()) {
                lanes[k] = theta;
            }
            for (lanes, &theta) in side.hits.iter_mut().zip(&point.hits) {
                lanes[k] = theta;
            }
        }
        side
    }

    /// One of the eight.
    pub fn point(&self, k: usize, shape: Shape) -> Side<f64> {
        let mut point = Side::<f64>::zero(shape);
        for (theta, lanes) in point.dense.as_flattened_mut().iter_mut().zip(&self.dense) {
            *theta = lanes[k];
        }
        for (theta, lanes) in point.hits.iter_mut().zip(&self.hits) {
            *theta = lanes[k];
        }
        point
    }

    /// yᵢ θ·xᵢ of every row at every point.
    #[inline(always)]
    pub fn margins<S: Simd>(&self, simd: S, group: &Group, into: &mut PerRow) {
        let registers = LANES / S::F64_LANES;
        let rows = group.dense().chunks_exact(self.dense.len() / LANES).take(group.rows());
        for (row, x) in rows.enumerate() {
            let mut margins = [0.0; LANES];
            for k in 0..registers {
                let mut sums = [simd.splat_f64s(0.0); LANES];
                for (x, theta) in x.iter().zip(self.dense.as_chunks::<LANES>().0) {
                    for lane in 0..LANES {
                        let theta = S::as_simd_f64s(&theta[lane]).0[k];
                        sums[lane] =
                            simd.add_f64s(sums[lane], simd.mul_f64s(simd.splat_f64s(x[lane]), theta));
                    }
                }
                let mut margin = total(sums, |a, b| simd.add_f64s(a, b));
                for &slot in group.slots(row) {
                    margin = simd.add_f64s(margin, S::as_simd_f64s(&self.hits[slot as usize]).0[k]);
                }
                let margin = simd.mul_f64s(simd.splat_f64s(group.signed(row)), margin);
                S::as_mut_simd_f64s(&mut margins).0[k] = margin;
            }
            for k in 0..LANES {
                into[k][row] = margins[k];
            }
        }
    }

    /// Adds every row times its weights; rows that are not there have weight 0.
    #[inline(always)]
    pub fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &PerRow) {
        let (registers, length) = (LANES / S::F64_LANES, self.dense.len());
        let dense = group.dense().as_flattened();
        let mut of_rows = [[0.0; LANES]; ROWS];
        for (row, lanes) in of_rows.iter_mut().enumerate() {
            for k in 0..LANES {
                lanes[k] = weights[k][row];
            }
        }
        let of_row = |row: usize, k: usize| S::as_simd_f64s(&of_rows[row]).0[k];
        for first in (0..group.rows()).step_by(TOGETHER) {
            let [xa, xb, xc, xd] = rows_of(dense, first, length);
            for k in 0..registers {
                let [a, b, c, d] = [0, 1, 2, 3].map(|row| of_row(first + row, k));
                for j in 0..length {
                    let times = |weights, x: f64| simd.mul_f64s(weights, simd.splat_f64s(x));
                    let ab = simd.add_f64s(times(a, xa[j]), times(b, xb[j]));
                    let cd = simd.add_f64s(times(c, xc[j]), times(d, xd[j]));
                    let sum = &mut S::as_mut_simd_f64s(&mut self.dense[j]).0[k];
                    *sum = simd.add_f64s(*sum, simd.add_f64s(ab, cd));
                }
            }
        }
        for row in 0..group.rows() {
            for &slot in group.slots(row) {
                let hits = S::as_mut_simd_f64s(&mut self.hits[slot as usize]).0;
                for k in 0..registers {
                    hits[k] = simd.add_f64s(hits[k], of_row(row, k));
                }
            }
        }
    }
}

/// Four rows of so many numbers each.
#[inline(always)]
fn rows_of<T>(dense: &[T], first: usize, length: usize) -> [&[T]; TOGETHER] {
    [0, 1, 2, 3].map(|k| &dense[(first + k) * length..][..length])
}

/// The sum of eight lanes, halved until one is left.
#[inline(always)]
fn total<T: Copy>(lanes: [T; LANES], add: impl Fn(T, T) -> T) -> T {
    let [a, b, c, d, e, f, g, h] = lanes;
    let [a, b, c, d] = [add(a, e), add(b, f), add(c, g), add(d, h)];
    add(add(a, c), add(b, d))
}
