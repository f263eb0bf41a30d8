//! The dense corner of a Hessian: a symmetric product, multiplied in tiles that fit into registers.

use super::aligned::Aligned;
use super::group::{Group, ROWS};
use pulp::Simd;

/// Lines of the corner that are summed at once, in registers.
const TALL: usize = 8;

/// Columns of the corner are filled up to a multiple of this, and of every register's width.
const PADDING: usize = 16;

/// The arithmetic of a corner, one register at a time.
pub(super) trait Number: Copy + 'static {
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
pub(super) struct Tiles<T> {
    /// Lines and columns, filled up.
    pub padded: usize,
    /// Lines that have something in them, a multiple of [`TALL`].
    lines: usize,
    /// The dense parts of the rows.
    dense: Aligned<T>,
    /// The same times their weights.
    weighted: Aligned<T>,
    /// The sums of this block.
    sums: Aligned<T>,
    /// Those of all blocks before.
    pub total: Vec<f64>,
}

impl<T: Number> Tiles<T> {
    pub fn new(width: usize) -> Self {
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
    pub fn add_rows<S: Simd>(&mut self, simd: S, group: &Group, weights: &[f64; ROWS]) {
        let rows = group.dense.chunks_exact(group.shape.padded).zip(weights).take(group.rows);
        let room = self
            .dense
            .chunks_exact_mut(self.padded)
            .zip(self.weighted.chunks_exact_mut(self.padded));
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
    fn multiply<S: Simd, const ACROSS: usize>(
        &mut self,
        simd: S,
        rows: usize,
        top: usize,
        register: usize,
    ) {
        let padded = self.padded;
        let line_of = |line: usize| (top + line) * padded..(top + line + 1) * padded;
        let mut sums: [[T::Register<S>; ACROSS]; TALL] = std::array::from_fn(|line| {
            *T::registers::<S>(&self.sums[line_of(line)])[register..]
                .first_chunk()
                .expect("lines are filled up")
        });
        let dense = self.dense.chunks_exact(padded);
        for (x, weighted) in dense.zip(self.weighted.chunks_exact(padded)).take(rows) {
            let x: &[_; ACROSS] =
                T::registers::<S>(x)[register..].first_chunk().expect("rows are filled up");
            let weighted: &[T; TALL] = weighted[top..].first_chunk().expect("rows are filled up");
            for line in 0..TALL {
                let weighted = T::splat(simd, weighted[line]);
                for k in 0..ACROSS {
                    sums[line][k] = T::add_product(simd, sums[line][k], weighted, x[k]);
                }
            }
        }
        for (line, sums) in sums.iter().enumerate() {
            T::registers_mut::<S>(&mut self.sums[line_of(line)])[register..][..ACROSS]
                .copy_from_slice(sums);
        }
    }

    #[inline(always)]
    pub fn end_block(&mut self) {
        for (total, sum) in self.total.iter_mut().zip(&mut *self.sums) {
            *total += sum.widen();
            *sum = T::ZERO;
        }
    }
}
