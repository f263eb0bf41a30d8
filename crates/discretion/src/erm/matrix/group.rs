//! Some rows in double precision, in the nearest cache: what all sums over them are made from.

use super::{Layout, Matrix, OTHER};
use std::ops::Range;

/// Numbers that are computed side by side. Every machine adds them up in the same order, whatever its registers hold.
pub(super) const LANES: usize = 8;
pub(super) type Lanes = [f64; LANES];

/// Rows that are worked on together: few enough to stay in the nearest cache. A multiple of [`TOGETHER`](super::points::TOGETHER).
pub(super) const ROWS: usize = 32;

/// Where a coefficient is kept during a pass: the dense ones (intercept and numbers) in lanes, filled up with zeros, and
/// one slot for each category behind them, with a last slot for "no category is hit".
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Intercept and numbers.
    pub width: usize,
    /// Category columns.
    pub columns: usize,
    /// d.
    pub dimension: usize,
}

impl Shape {
    pub fn of(layout: &Layout) -> Shape {
        let (width, columns) = (1 + layout.numeric().len(), layout.categories().len());
        Shape { width, columns, dimension: layout.dimension() }
    }

    /// Lanes that hold the dense part of a row.
    pub fn chunks(self) -> usize {
        self.width.div_ceil(LANES)
    }

    /// Slots of categories, the last of which nobody looks at.
    pub fn slots(self) -> usize {
        self.dimension - self.width + 1
    }
}

pub(super) struct Group {
    shape: Shape,
    /// How many rows there are at the moment; behind them are zeros, or rows of before.
    rows: usize,
    dense: Vec<Lanes>,
    slots: Vec<u32>,
    signed: [f64; ROWS],
    /// The first slot and the number of categories of every category column.
    columns: Vec<(u32, u16)>,
}

impl Group {
    pub fn new(layout: &Layout) -> Group {
        let shape = Shape::of(layout);
        let mut dense = vec![[0.0; LANES]; ROWS * shape.chunks()];
        dense.iter_mut().step_by(shape.chunks()).for_each(|lanes| lanes[0] = layout.intercept());
        let slot =
            |first: usize| u32::try_from(first - shape.width).expect("a layout has fewer coefficients");
        let columns = layout
            .categories()
            .iter()
            .map(|c| (slot(c.first), u16::try_from(c.count).unwrap_or(OTHER)))
            .collect();
        Group { shape, rows: 0, dense, slots: vec![0; ROWS * shape.columns], signed: [0.0; ROWS], columns }
    }

    /// Takes at most [`ROWS`] rows in place of those of before.
    #[inline(always)]
    pub fn load(&mut self, matrix: &Matrix, rows: Range<usize>) {
        let Shape { width, columns, .. } = self.shape;
        let (numbers, chunks, nothing) = (width - 1, self.shape.chunks(), self.shape.slots() as u32 - 1);
        self.rows = rows.len();
        for (x, row) in self.dense.chunks_exact_mut(chunks).zip(rows.clone()) {
            let stored = &matrix.numeric[row * numbers..][..numbers];
            for (x, &number) in x.as_flattened_mut()[1..].iter_mut().zip(stored) {
                *x = f64::from(number);
            }
        }
        if columns > 0 {
            let codes = matrix.codes[rows.start * columns..rows.end * columns].chunks_exact(columns);
            for (slots, codes) in self.slots.chunks_exact_mut(columns).zip(codes) {
                for ((slot, &code), &(first, count)) in slots.iter_mut().zip(codes).zip(&self.columns) {
                    *slot = if code < count { first + u32::from(code) } else { nothing };
                }
            }
        }
        for (signed, &stored) in self.signed.iter_mut().zip(&matrix.signed[rows]) {
            *signed = f64::from(stored);
        }
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The dense parts of all rows there is room for.
    pub fn dense(&self) -> &[Lanes] {
        &self.dense
    }

    /// The slots that a row hits, one for each category column.
    #[inline(always)]
    pub fn slots(&self, row: usize) -> &[u32] {
        &self.slots[row * self.shape.columns..][..self.shape.columns]
    }

    /// Label times factor of a row.
    #[inline(always)]
    pub fn signed(&self, row: usize) -> f64 {
        self.signed[row]
    }
}
