//! Σ w x xᵀ from numbers and codes.

use super::Layout;
use super::group::{Group, ROWS, Shape};
use crate::erm::Order;
use pulp::Simd;

/// The lower triangle of Σ w x xᵀ. Its dense corner (intercept and numbers) is multiplied in tiles; everything else is
/// reached by codes: a pair of category columns is a weighted cross-tabulation.
///
/// For [`Order::Curvature`] the corner of a block is computed in single precision, with twice the numbers in a register
/// and fused additions; blocks are added up in double precision. Every entry is summed row after row, whatever the tiles,
/// so all machines get the same bits.
pub(super) struct HessianSum {
    shape: Shape,
    /// The value of a hit, by category column.
    values: Vec<f64>,
    /// All lines of categories, and room for the corner.
    lower: Vec<f64>,
    corner: Corner,
}

enum Corner {
    Exact(Tiles<f64>),
    Rounded(Tiles<f32>),
}

impl HessianSum {
    /// Nothing if the order does without.
    pub(super) fn new(layout: &Layout, order: Order) -> Option<HessianSum> {
        let shape = Shape::of(layout);
        let corner = match order {
            Order::Gradient => return None,
            Order::Hessian => Corner::Exact(Tiles::new(shape.width)),
            Order::Curvature => Corner::Rounded(Tiles::new(shape.width)),
        };
        let values = layout.categories().iter().map(|category| f64::from(category.value)).collect();
        Some(HessianSum { shape, values, lower: vec![0.0; shape.dimension * shape.dimension], corner })
    }

    /// Adds rows with these weights.
    #[inline(always)]
    pub(super) fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &[f64; ROWS]) {
        match &mut self.corner {
            Corner::Exact(tiles) => tiles.add_rows(simd, group, weights),
            Corner::Rounded(tiles) => tiles.add_rows(simd, group, weights),
        }
        if self.shape.columns > 0 {
            for (row, &weight) in weights.iter().enumerate().take(group.rows()) {
                self.add_codes(group, row, weight);
            }
        }
    }

    /// Closes a block of rows.
    #[inline(always)]
    pub(super) fn end_block(&mut self) {
        match &mut self.corner {
            Corner::Exact(tiles) => tiles.end_block(),
            Corner::Rounded(tiles) => tiles.end_block(),
        }
    }

    #[inline(always)]
    fn add_codes(&mut self, group: &Group, row: usize, weight: f64) {
        let Shape { width, dimension, .. } = self.shape;
        let (slots, nothing) = (group.slots(row), self.shape.slots() - 1);
        let dense = &group.dense()[row * self.shape.chunks()..].as_flattened()[..width];
        for (a, (&slot, value)) in slots.iter().zip(&self.values).enumerate() {
            if slot as usize == nothing {
                continue;
            }
            let weighted = weight * value;
            let at = width + slot as usize;
            let line = &mut self.lower[at * dimension..][..=at];
            for (h, x) in line.iter_mut().zip(dense) {
                *h += weighted * x;
            }
            for (&other, earlier) in slots[..a].iter().zip(&self.values) {
                if other as usize != nothing {
                    line[width + other as usize] += weighted * earlier;
                }
            }
            line[at] += weighted * value;
        }
    }

    /// The whole lower triangle, row-major.
    pub(super) fn finish(mut self) -> Vec<f64> {
        let (total, padded) = match &self.corner {
            Corner::Exact(tiles) => (&tiles.total, tiles.padded),
            Corner::Rounded(tiles) => (&tiles.total, tiles.padded),
        };
        for (a, line) in total.chunks_exact(padded).take(self.shape.width).enumerate() {
            self.lower[a * self.shape.dimension..][..=a].copy_from_slice(&line[..=a]);
        }
        self.lower
    }
}

/// Lines of the corner that are summed at once, in registers.
const TALL: usize = 8;

/// Columns of the corner are filled up to a multiple of this, and of every register's width.
const PADDING: usize = 16;

/// The arithmetic of a corner, one register at a time.
trait Number: Copy + 'static {
    type Register<S: Simd>: Copy;
    const ZERO: Self;
    fn round(x: f64) -> Self;
    fn widen(self) -> f64;
    fn registers<S: Simd>(numbers: &[Self]) -> &[Self::Register<S>];
    fn registers_mut<S: Simd>(numbers: &mut [Self]) -> &mut [Self::Register<S>];
    /// sum + a·b.
    fn add_product<S: Simd>(
        simd: S,
        sum: Self::Register<S>,
        a: Self,
        b: Self::Register<S>,
    ) -> Self::Register<S>;
}

impl Number for f64 {
    type Register<S: Simd> = S::f64s;
    const ZERO: f64 = 0.0;

    #[inline(always)]
    fn round(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }

    #[inline(always)]
    fn registers<S: Simd>(numbers: &[f64]) -> &[S::f64s] {
        S::as_simd_f64s(numbers).0
    }

    #[inline(always)]
    fn registers_mut<S: Simd>(numbers: &mut [f64]) -> &mut [S::f64s] {
        S::as_mut_simd_f64s(numbers).0
    }

    #[inline(always)]
    fn add_product<S: Simd>(simd: S, sum: S::f64s, a: f64, b: S::f64s) -> S::f64s {
        simd.add_f64s(sum, simd.mul_f64s(simd.splat_f64s(a), b))
    }
}

impl Number for f32 {
    type Register<S: Simd> = S::f32s;
    const ZERO: f32 = 0.0;

    #[inline(always)]
    fn round(x: f64) -> f32 {
        x as f32
    }

    #[inline(always)]
    fn widen(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn registers<S: Simd>(numbers: &[f32]) -> &[S::f32s] {
        S::as_simd_f32s(numbers).0
    }

    #[inline(always)]
    fn registers_mut<S: Simd>(numbers: &mut [f32]) -> &mut [S::f32s] {
        S::as_mut_simd_f32s(numbers).0
    }

    #[inline(always)]
    fn add_product<S: Simd>(simd: S, sum: S::f32s, a: f32, b: S::f32s) -> S::f32s {
        simd.mul_add_f32s(simd.splat_f32s(a), b, sum)
    }
}

/// The dense corner, multiplied in tiles of [`TALL`] lines and a register's width.
struct Tiles<T> {
    /// Lines and columns, filled up.
    padded: usize,
    /// Lines that have something in them, a multiple of [`TALL`].
    lines: usize,
    /// The dense parts of the rows.
    dense: Vec<T>,
    /// The same times their weights.
    weighted: Vec<T>,
    /// The sums of this block.
    sums: Vec<T>,
    /// Those of all blocks before.
    total: Vec<f64>,
}

impl<T: Number> Tiles<T> {
    fn new(width: usize) -> Self {
        let (padded, lines) = (width.next_multiple_of(PADDING), width.next_multiple_of(TALL));
        Tiles {
            padded,
            lines,
            dense: vec![T::ZERO; ROWS * padded],
            weighted: vec![T::ZERO; ROWS * padded],
            sums: vec![T::ZERO; lines * padded],
            total: vec![0.0; lines * padded],
        }
    }

    #[inline(always)]
    fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &[f64; ROWS]) {
        let rows = group.dense().chunks_exact(group.shape().chunks()).zip(weights).take(group.rows());
        let room = self.dense.chunks_exact_mut(self.padded).zip(self.weighted.chunks_exact_mut(self.padded));
        for ((x, &weight), (dense, weighted)) in rows.zip(room) {
            for ((dense, weighted), &x) in dense.iter_mut().zip(weighted).zip(x.as_flattened()) {
                (*dense, *weighted) = (T::round(x), T::round(weight * x));
            }
        }
        let width = self.padded / T::registers::<S>(&self.dense[..self.padded]).len();
        for top in (0..self.lines).step_by(TALL) {
            for left in (0..top + TALL).step_by(width) {
                self.multiply(simd, group.rows(), top, left / width);
            }
        }
    }

    /// Adds the products of a tile: lines from `top` on, and one register of columns.
    #[inline(always)]
    fn multiply<S: Simd>(&mut self, simd: S, rows: usize, top: usize, register: usize) {
        let padded = self.padded;
        let mut sums: [T::Register<S>; TALL] = std::array::from_fn(|line| {
            T::registers::<S>(&self.sums[(top + line) * padded..][..padded])[register]
        });
        let dense = self.dense.chunks_exact(padded);
        for (x, weighted) in dense.zip(self.weighted.chunks_exact(padded)).take(rows) {
            let x = T::registers::<S>(x)[register];
            let weighted: &[T; TALL] = weighted[top..].first_chunk().expect("rows are filled up");
            for line in 0..TALL {
                sums[line] = T::add_product(simd, sums[line], weighted[line], x);
            }
        }
        for line in 0..TALL {
            T::registers_mut::<S>(&mut self.sums[(top + line) * padded..][..padded])[register] = sums[line];
        }
    }

    #[inline(always)]
    fn end_block(&mut self) {
        for (total, sum) in self.total.iter_mut().zip(&mut self.sums) {
            *total += sum.widen();
            *sum = T::ZERO;
        }
    }
}
