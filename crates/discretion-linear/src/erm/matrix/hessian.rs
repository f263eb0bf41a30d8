//! Σ w x xᵀ from numbers and codes.

use super::Layout;
use super::aligned::Aligned;
use super::group::{Group, ROWS, Shape};
use super::tiles::Tiles;
use crate::erm::Order;
use pulp::Simd;

/// The lower triangle of Σ w x xᵀ. Its dense corner (intercept and numbers) is multiplied in tiles;
/// everything else is reached by codes: a pair of category columns is a weighted cross-tabulation.
///
/// For [`Order::Curvature`] the corner of a block is computed in single precision, with twice the
/// numbers in a register and fused additions; blocks are added up in double precision. Every entry
/// is summed row after row, whatever the tiles, so all machines get the same bits.
pub(super) struct HessianSum {
    shape: Shape,
    corner: Corner,
    /// Categories by numbers: Σ w x of the rows that hit a slot, slot by slot.
    crossed: Aligned<f64>,
    /// Categories by categories: Σ w of the rows that hit both slots, the later column's slot
    /// first.
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
        if self.shape.columns > 0 {
            self.add_codes(simd, group, weights);
        }
        if self.shape.is_mixed {
            self.add_mixed(simd, group, weights);
        }
    }

    /// Adds each row times its weight to the lines of the slots that it hits, and its weight to
    /// their pairs.
    #[inline(always)]
    fn add_codes<S: Simd>(&mut self, simd: S, group: &Group, weights: &[f64; ROWS]) {
        let (paired, across) = (&mut self.paired[..], self.shape.slots());
        let crossed = S::as_mut_simd_f64s(&mut self.crossed).0;
        let dense = S::as_simd_f64s(&group.dense).0;
        let length = dense.len() / ROWS;
        // Row by row: neighbours that hit the same slot wait for each other, and then columns wait
        // together.
        for ((row, &weight), x) in
            weights.iter().enumerate().zip(dense.chunks_exact(length)).take(group.rows)
        {
            let times = simd.splat_f64s(weight);
            for (column, slots) in group.slots.iter().enumerate() {
                let slot = slots[row] as usize;
                for (sum, x) in crossed[slot * length..][..length].iter_mut().zip(x) {
                    *sum = simd.add_f64s(*sum, simd.mul_f64s(times, *x));
                }
                let pairs = &mut paired[slot * across..][..across];
                for earlier in &group.slots[..=column] {
                    pairs[earlier[row] as usize] += weight;
                }
            }
        }
    }

    /// The same for entries that are not constants, which come behind all others.
    #[inline(always)]
    fn add_mixed<S: Simd>(&mut self, simd: S, group: &Group, weights: &[f64; ROWS]) {
        let (paired, across) = (&mut self.paired[..], self.shape.slots());
        let crossed = S::as_mut_simd_f64s(&mut self.crossed).0;
        let dense = S::as_simd_f64s(&group.dense).0;
        let length = dense.len() / ROWS;
        for ((row, &weight), x) in
            weights.iter().enumerate().zip(dense.chunks_exact(length)).take(group.rows)
        {
            for (at, mixed) in group.mixed.iter().enumerate() {
                let (slot, weight) = (mixed.slots[row] as usize, weight * mixed.entries[row]);
                let times = simd.splat_f64s(weight);
                for (sum, x) in crossed[slot * length..][..length].iter_mut().zip(x) {
                    *sum = simd.add_f64s(*sum, simd.mul_f64s(times, *x));
                }
                let pairs = &mut paired[slot * across..][..across];
                for earlier in &group.slots {
                    pairs[earlier[row] as usize] += weight;
                }
                for earlier in &group.mixed[..=at] {
                    pairs[earlier.slots[row] as usize] += weight * earlier.entries[row];
                }
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
        let values: Vec<f64> = layout.slot_values().collect();
        let crossed =
            self.crossed.chunks_exact(padded).zip(self.paired.chunks_exact(self.shape.slots()));
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
