//! Σ w x xᵀ from numbers and codes.

use super::Layout;
use super::aligned::Aligned;
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
    corner: Corner,
    /// Categories by numbers: Σ w x of the rows that hit a slot, slot by slot.
    crossed: Aligned<f64>,
    /// Categories by categories: Σ w of the rows that hit both slots, the later column's slot first.
    paired: Vec<f64>,
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
        let slots = shape.slots();
        let (crossed, paired) = (Aligned::new(0.0, slots * shape.padded), vec![0.0; slots * slots]);
        Some(HessianSum { shape, corner, crossed, paired })
    }

    /// Adds rows with these weights.
    #[inline(always)]
    pub(super) fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &[f64; ROWS]) {
        match &mut self.corner {
            Corner::Exact(tiles) => tiles.add_rows(simd, group, weights),
            Corner::Rounded(tiles) => tiles.add_rows(simd, group, weights),
        }
        let (paired, across) = (&mut self.paired[..], self.shape.slots());
        for (column, slots) in group.slots.iter().enumerate() {
            for earlier in &group.slots[..=column] {
                for ((&weight, &a), &b) in weights.iter().zip(slots).zip(earlier).take(group.rows) {
                    paired[a as usize * across + b as usize] += weight;
                }
            }
        }
        for slots in &group.slots {
            self.cross(simd, group, slots, weights);
        }
    }

    /// Adds each row times its weight to the line of the slot that it hits.
    #[inline(always)]
    fn cross<S: Simd>(&mut self, simd: S, group: &Group, slots: &[u32; ROWS], weights: &[f64; ROWS]) {
        let crossed = S::as_mut_simd_f64s(&mut self.crossed).0;
        let dense = S::as_simd_f64s(&group.dense).0;
        let length = dense.len() / ROWS;
        for ((&weight, &slot), x) in
            weights.iter().zip(slots).zip(dense.chunks_exact(length)).take(group.rows)
        {
            let weight = simd.splat_f64s(weight);
            let line = &mut crossed[slot as usize * length..][..length];
            for (sum, x) in line.iter_mut().zip(x) {
                *sum = simd.add_f64s(*sum, simd.mul_f64s(weight, *x));
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

    /// The whole lower triangle, row-major.
    pub(super) fn finish(self, layout: &Layout) -> Vec<f64> {
        let Shape { width, padded, dimension: d, .. } = self.shape;
        let mut lower = vec![0.0; d * d];
        let (total, corner) = match &self.corner {
            Corner::Exact(tiles) => (&tiles.total, tiles.padded),
            Corner::Rounded(tiles) => (&tiles.total, tiles.padded),
        };
        for (a, line) in total.chunks_exact(corner).take(width).enumerate() {
            for (b, &sum) in line[..=a].iter().enumerate() {
                // The intercept is the last place and the first coefficient.
                let (a, b) = (self.shape.coefficient(a), self.shape.coefficient(b));
                lower[a.max(b) * d + a.min(b)] = sum;
            }
        }
        let values =
            layout.categories().iter().flat_map(|c| std::iter::repeat_n(f64::from(c.value), c.count));
        let values: Vec<f64> = values.collect();
        let crossed = self.crossed.chunks_exact(padded).zip(self.paired.chunks_exact(self.shape.slots()));
        for ((slot, (crossed, paired)), &value) in crossed.enumerate().zip(&values) {
            let line = &mut lower[(width + slot) * d..][..=width + slot];
            for (place, sum) in crossed[..width].iter().enumerate() {
                line[self.shape.coefficient(place)] = value * sum;
            }
            for ((entry, sum), other) in line[width..].iter_mut().zip(paired).zip(&values) {
                *entry = value * other * sum;
            }
        }
        lower
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
        a: Self::Register<S>,
        b: Self::Register<S>,
    ) -> Self::Register<S>;
    fn splat<S: Simd>(simd: S, x: Self) -> Self::Register<S>;
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
    fn add_product<S: Simd>(simd: S, sum: S::f64s, a: S::f64s, b: S::f64s) -> S::f64s {
        simd.add_f64s(sum, simd.mul_f64s(a, b))
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, x: f64) -> S::f64s {
        simd.splat_f64s(x)
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
    fn add_product<S: Simd>(simd: S, sum: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        simd.mul_add_f32s(a, b, sum)
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, x: f32) -> S::f32s {
        simd.splat_f32s(x)
    }
}

/// The dense corner, multiplied in tiles of [`TALL`] lines and a register's width.
struct Tiles<T> {
    /// Lines and columns, filled up.
    padded: usize,
    /// Lines that have something in them, a multiple of [`TALL`].
    lines: usize,
    /// The dense parts of the rows.
    dense: Aligned<T>,
    /// The same times their weights.
    weighted: Aligned<T>,
    /// The sums of this block.
    sums: Aligned<T>,
    /// Those of all blocks before.
    total: Vec<f64>,
}

impl<T: Number> Tiles<T> {
    fn new(width: usize) -> Self {
        let (padded, lines) = (width.next_multiple_of(PADDING), width.next_multiple_of(TALL));
        Tiles {
            padded,
            lines,
            dense: Aligned::new(T::ZERO, ROWS * padded),
            weighted: Aligned::new(T::ZERO, ROWS * padded),
            sums: Aligned::new(T::ZERO, lines * padded),
            total: vec![0.0; lines * padded],
        }
    }

    #[inline(always)]
    fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &[f64; ROWS]) {
        let rows = group.dense.chunks_exact(group.shape.padded).zip(weights).take(group.rows);
        let room = self.dense.chunks_exact_mut(self.padded).zip(self.weighted.chunks_exact_mut(self.padded));
        for ((x, &weight), (dense, weighted)) in rows.zip(room) {
            for ((dense, weighted), &x) in dense.iter_mut().zip(weighted).zip(x) {
                (*dense, *weighted) = (T::round(x), T::round(weight * x));
            }
        }
        let width = self.padded / T::registers::<S>(&self.dense[..self.padded]).len();
        for top in (0..self.lines).step_by(TALL) {
            let across = (top + TALL).div_ceil(width);
            // Two registers at a time where there are enough of them to hold the sums.
            let in_pairs = if S::F64_LANES == 8 { across / 2 } else { 0 };
            for pair in 0..in_pairs {
                self.multiply::<S, 2>(simd, group.rows, top, 2 * pair);
            }
            for register in 2 * in_pairs..across {
                self.multiply::<S, 1>(simd, group.rows, top, register);
            }
        }
    }

    /// Adds the products of a tile: lines from `top` on, and columns from `register` on.
    #[inline(always)]
    fn multiply<S: Simd, const ACROSS: usize>(&mut self, simd: S, rows: usize, top: usize, register: usize) {
        let padded = self.padded;
        let line_of = |line: usize| (top + line) * padded..(top + line + 1) * padded;
        let mut sums: [[T::Register<S>; ACROSS]; TALL] = std::array::from_fn(|line| {
            *T::registers::<S>(&self.sums[line_of(line)])[register..]
                .first_chunk()
                .expect("lines are filled up")
        });
        let dense = self.dense.chunks_exact(padded);
        for (x, weighted) in dense.zip(self.weighted.chunks_exact(padded)).take(rows) {
            let x: &[_; ACROSS] = T::registers::<S>(x)[register..].first_chunk().expect("rows are filled up");
            let weighted: &[T; TALL] = weighted[top..].first_chunk().expect("rows are filled up");
            for line in 0..TALL {
                let weighted = T::splat(simd, weighted[line]);
                for k in 0..ACROSS {
                    sums[line][k] = T::add_product(simd, sums[line][k], weighted, x[k]);
                }
            }
        }
        for line in 0..TALL {
            let room = &mut T::registers_mut::<S>(&mut self.sums[line_of(line)])[register..][..ACROSS];
            room.copy_from_slice(&sums[line]);
        }
    }

    #[inline(always)]
    fn end_block(&mut self) {
        for (total, sum) in self.total.iter_mut().zip(&mut *self.sums) {
            *total += sum.widen();
            *sum = T::ZERO;
        }
    }
}
