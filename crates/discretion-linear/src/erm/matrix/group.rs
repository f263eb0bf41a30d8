//! Some rows in double precision, in the nearest cache: what all sums over them are made from.

use super::aligned::Aligned;
use super::blend::Mixed;
use super::{Layout, Matrix, OTHER};
use std::ops::Range;

/// Numbers that are computed side by side. Every machine adds them up in the same order, whatever
/// its registers hold.
pub(super) const LANES: usize = 8;

/// Rows that are worked on together: few enough to stay in the nearest cache.
pub(super) const ROWS: usize = 64;

/// Where coefficients are kept during a pass: the dense ones (numbers, then the intercept) in whole
/// lanes, filled up with zeros, and one slot for every other coefficient, with a last slot for
/// "none is hit".
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Numbers and intercept.
    pub width: usize,
    /// The same, filled up.
    pub padded: usize,
    /// Category columns, and pairs of them.
    pub columns: usize,
    /// Whether rows have entries at slots that are not constants.
    pub is_mixed: bool,
    /// d.
    pub dimension: usize,
}

impl Shape {
    pub fn of(layout: &Layout) -> Shape {
        let width = layout.numeric().len() + 1;
        let padded = width.next_multiple_of(LANES);
        let columns = layout.categories().len() + layout.pairs().len();
        let is_mixed = !layout.mixed().is_empty();
        Shape { width, padded, columns, is_mixed, dimension: layout.dimension() }
    }

    /// Slots of categories, the last of which nobody looks at.
    pub fn slots(self) -> usize {
        self.dimension - self.width + 1
    }

    /// The coefficient at a dense place: the intercept is the last place and coefficient 0.
    pub fn coefficient(self, place: usize) -> usize {
        (place + 1) % self.width
    }
}

pub(super) struct Group {
    pub shape: Shape,
    /// How many rows there are at the moment; behind them are zeros, or rows of before.
    pub rows: usize,
    /// The dense parts, row by row.
    pub dense: Aligned<f64>,
    /// For every category column and pair of them, the slot that each row hits.
    pub slots: Vec<[u32; ROWS]>,
    /// For every entry of curves and slopes, in the order of their slots, where and what it is.
    pub mixed: Vec<MixedHits>,
    /// Label times factor of every row.
    pub signed: [f64; ROWS],
    /// The first slot and the number of categories of every category column.
    columns: Vec<(u32, u16)>,
}

/// One entry of each row.
#[derive(Clone)]
pub(super) struct MixedHits {
    pub slots: [u32; ROWS],
    pub entries: [f64; ROWS],
}

impl Group {
    pub fn new(layout: &Layout) -> Group {
        let shape = Shape::of(layout);
        let mut dense = Aligned::new(0.0, ROWS * shape.padded);
        dense
            .iter_mut()
            .skip(shape.width - 1)
            .step_by(shape.padded)
            .for_each(|x| *x = layout.intercept());
        let slot = |first: usize| {
            u32::try_from(first - shape.width).expect("a layout has fewer coefficients")
        };
        let columns = layout
            .categories()
            .iter()
            .map(|c| (slot(c.first), u16::try_from(c.count).unwrap_or(OTHER)))
            .collect();
        let hits = MixedHits { slots: [0; ROWS], entries: [0.0; ROWS] };
        let mixed = vec![hits; layout.mixed().iter().map(Mixed::entries).sum()];
        let slots = vec![[0; ROWS]; shape.columns];
        Group { shape, rows: 0, dense, slots, mixed, signed: [0.0; ROWS], columns }
    }

    /// Takes at most [`ROWS`] rows in place of those of before.
    #[inline(always)]
    pub fn load(&mut self, matrix: &Matrix, rows: Range<usize>) {
        let Shape { width, padded, .. } = self.shape;
        let columns = self.columns.len();
        self.rows = rows.len();
        let numbers = width - 1;
        let stored = matrix.layout.stored().len();
        if numbers > 0 && numbers < stored {
            let stored =
                matrix.numeric[rows.start * stored..rows.end * stored].chunks_exact(stored);
            for (x, stored) in self.dense.chunks_exact_mut(padded).zip(stored) {
                for (x, &place) in x.iter_mut().zip(matrix.layout.places()) {
                    *x = f64::from(stored[place]);
                }
            }
        } else if numbers > 0 {
            let stored =
                matrix.numeric[rows.start * numbers..rows.end * numbers].chunks_exact(numbers);
            for (x, stored) in self.dense.chunks_exact_mut(padded).zip(stored) {
                let (x, last) = x[..numbers].as_chunks_mut::<LANES>();
                let (stored, rest) = stored.as_chunks::<LANES>();
                for (x, stored) in x.iter_mut().zip(stored) {
                    *x = stored.map(f64::from);
                }
                for (x, &stored) in last.iter_mut().zip(rest) {
                    *x = f64::from(stored);
                }
            }
        }
        let nothing = self.shape.slots() as u32 - 1;
        for (column, (slots, &(first, count))) in
            self.slots.iter_mut().zip(&self.columns).enumerate()
        {
            let codes =
                matrix.codes[rows.start * columns..rows.end * columns].chunks_exact(columns);
            for (slot, codes) in slots.iter_mut().zip(codes) {
                *slot =
                    if codes[column] < count { first + u32::from(codes[column]) } else { nothing };
            }
        }
        if self.shape.columns > columns || self.shape.is_mixed {
            self.load_blends(matrix, rows.clone());
        }
        for (signed, &stored) in self.signed.iter_mut().zip(&matrix.signed[rows]) {
            *signed = f64::from(stored);
        }
    }

    /// Where pairs of categories, curves and slopes have their entries.
    #[inline(always)]
    fn load_blends(&mut self, matrix: &Matrix, rows: Range<usize>) {
        let layout = &matrix.layout;
        let (width, columns) = (layout.stored().len(), self.columns.len());
        let (first, nothing) = (self.shape.width, self.shape.slots() as u32 - 1);
        let codes = |row: usize| &matrix.codes[row * columns..][..columns];
        for (slots, pair) in self.slots[columns..].iter_mut().zip(layout.pairs()) {
            for (slot, row) in slots.iter_mut().zip(rows.clone()) {
                *slot = pair.hit(codes(row)).map_or(nothing, |hit| (hit - first) as u32);
            }
        }
        let mut hits = self.mixed.iter_mut();
        for mixed in layout.mixed() {
            let mut of_column = [(); 2].map(|()| None);
            of_column
                .iter_mut()
                .zip(0..mixed.entries())
                .for_each(|(place, _)| *place = hits.next());
            for (at, row) in rows.clone().enumerate() {
                let hit = mixed.hit(&matrix.numeric[row * width..][..width], codes(row));
                let (slot, entries) =
                    hit.map_or((nothing, [0.0; 2]), |(hit, x)| ((hit - first) as u32, x));
                for (offset, (hits, entry)) in
                    of_column.iter_mut().flatten().zip(entries).enumerate()
                {
                    // A second entry of 0 may be that of a coefficient of another column, or of
                    // none.
                    let slot = if entry == 0.0 { nothing } else { slot + offset as u32 };
                    (hits.slots[at], hits.entries[at]) = (slot, entry);
                }
            }
        }
    }
}
