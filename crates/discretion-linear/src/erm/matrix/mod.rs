//! Rows in memory, compactly: numbers as f32, categories as codes, never as one-hot columns.
//!
//! A row is x = (c₀, numbers…, one c_k at each category hit), times its own 1/‖x‖ under
//! [`Norm::Row`]. The order of coefficients is: intercept, numeric columns, one block per category
//! column. Curves and crossed columns (`blend.rs`) come behind them; what they add to a row follows
//! from the numbers and codes that are stored.

mod aligned;
mod blend;
mod block;
mod bytes;
mod cells;
mod class_blocks;
mod class_sums;
mod cut;
mod exact;
mod group;
mod hessian;
mod labels;
mod layout;
mod numbers;
mod parts;
mod person_deal;
mod person_order;
mod points;
mod products;
mod regrid;
mod row;
mod row_weights;
mod rows;
mod scores;
mod store;
mod tiles;
mod typical;

pub use blend::{Cross, Curve, Stored};
pub use bytes::BytesError;
pub use cells::PERSON_COUNTS;
pub use cut::Cut;
pub use labels::LabelledBatch;
pub use layout::{Layout, LayoutError, Norm};
pub(crate) use parts::PartAnswer;
pub use person_deal::DealtRows;
pub use regrid::KeptKnots;
pub use rows::{Grouping, RowRecords, Rows};
pub use store::Store;

use discretion_privacy::noise::{NotPrivate, Sensitive};
use numbers::Numbers;
use std::ops::Range;

/// The code of a category that is not declared, or missing: no coefficient is hit.
pub const OTHER: u16 = u16::MAX;

/// Encoded rows on their way into a [`Matrix`], row-major.
#[derive(Clone, Default)]
pub struct Batch {
    /// One value per numeric column and row: of a curve, the position among its knots.
    pub numeric: Vec<f32>,
    /// One code per category column and row, or [`OTHER`].
    pub codes: Vec<u16>,
    /// Whether the row's label is +1.
    pub positive: Vec<bool>,
}

impl Batch {
    /// Copies one of `rows` rows of another batch behind the last row here, or over the row that is
    /// at this place.
    pub fn copy_row(&mut self, place: Option<usize>, from: &Batch, row: usize, rows: usize) {
        fn copy<T: Copy>(
            into: &mut Vec<T>,
            place: Option<usize>,
            from: &[T],
            row: usize,
            rows: usize,
        ) {
            let width = from.len() / rows;
            let entries = &from[row * width..][..width];
            match place {
                None => into.extend_from_slice(entries),
                Some(place) => into[place * width..][..width].copy_from_slice(entries),
            }
        }
        copy(&mut self.numeric, place, &from.numeric, row, rows);
        copy(&mut self.codes, place, &from.codes, row, rows);
        copy(&mut self.positive, place, &from.positive, row, rows);
    }
}

/// A table of encoded rows with ‖x‖₂ ≤ 1. Nothing outside the oracle's sums can look into it, but
/// for what leaves as [`NotPrivate`] by name.
pub struct Matrix {
    layout: Layout,
    numeric: Numbers<f32>,
    codes: Numbers<u16>,
    /// Label times row factor: y under [`Norm::Scale`], y/‖x‖ under [`Norm::Row`]. Of a row that is
    /// left out, 0: it counts as the vector 0, which no θ tells from another.
    signed: Numbers<f32>,
    /// How much each row counts, from 0 to 1; empty unless the layout says that rows have weights.
    weights: Numbers<f32>,
    /// The class of each row; empty unless the layout says that there are several. Signs are +1
    /// then.
    classes: Numbers<u16>,
}

impl Matrix {
    /// An empty matrix.
    pub fn new(layout: Layout) -> Matrix {
        Matrix::of(layout, Batch::default())
    }

    /// A matrix of these rows, in the memory that they are in. Whatever they hold, each ends up
    /// with ‖x‖₂ ≤ 1: values are clipped to their column's bound, NaN becomes 0, codes out of range
    /// become [`OTHER`].
    pub fn of(layout: Layout, batch: Batch) -> Matrix {
        let rows = batch.positive.len();
        assert_eq!(
            batch.numeric.len(),
            rows * layout.stored().len(),
            "one number per numeric column"
        );
        assert_eq!(
            batch.codes.len(),
            rows * layout.categories().len(),
            "one code per category column"
        );
        let (numeric, codes) = (batch.numeric.into(), batch.codes.into());
        let (signed, weights, classes) = (Vec::new().into(), Vec::new().into(), Vec::new().into());
        let mut matrix = Matrix { layout, numeric, codes, signed, weights, classes };
        matrix.admit(0, batch.positive.into_iter());
        matrix
    }

    /// Makes room for so many rows altogether. Room for many rows costs no memory before they are
    /// there.
    pub fn reserve(&mut self, rows: usize) {
        self.numeric.reserve(rows.saturating_mul(self.layout.stored().len()));
        self.codes.reserve(rows.saturating_mul(self.layout.categories().len()));
        self.signed.reserve(rows);
        self.weights.reserve(rows * self.layout.weights());
        self.classes.reserve(rows * self.layout.labels());
    }

    /// Appends rows, as [`Matrix::of`] takes them.
    pub fn push(&mut self, batch: Batch) {
        self.append(&Matrix::of(self.layout.clone(), batch));
    }

    /// Appends the rows of a matrix of the same layout.
    pub fn append(&mut self, rows: &Matrix) {
        self.append_range(rows, 0..rows.rows());
    }

    /// Appends some neighbouring rows of a matrix of the same layout.
    pub fn append_range(&mut self, rows: &Matrix, range: Range<usize>) {
        assert_eq!(rows.layout, self.layout, "rows of one layout");
        let (width, columns) = (self.layout.stored().len(), self.layout.categories().len());
        let each = |width: usize| range.start * width..range.end * width;
        self.numeric.extend_from_slice(&rows.numeric[each(width)]);
        self.codes.extend_from_slice(&rows.codes[each(columns)]);
        self.signed.extend_from_slice(&rows.signed[range.clone()]);
        self.weights.extend_from_slice(&rows.weights[each(self.layout.weights())]);
        self.classes.extend_from_slice(&rows.classes[each(self.layout.labels())]);
    }

    /// Appends the rows at these positions of a matrix of the same layout, in this order.
    fn append_at(&mut self, rows: &Matrix, positions: &[usize]) {
        let (width, columns) = (self.layout.stored().len(), self.layout.categories().len());
        self.numeric.extend_at(&rows.numeric, width, positions);
        self.codes.extend_at(&rows.codes, columns, positions);
        self.signed.extend_at(&rows.signed, 1, positions);
        self.weights.extend_at(&rows.weights, self.layout.weights(), positions);
        self.classes.extend_at(&rows.classes, self.layout.labels(), positions);
    }

    /// The rows as they came, but within the layout's bounds: for whoever applies a released model
    /// to them.
    pub fn to_batch(&self) -> NotPrivate<Batch> {
        Sensitive::new(self.batch_of(0..self.rows())).not_private()
    }

    /// Some of the rows as they came, which have neither weights of their own nor are left out.
    fn batch_of(&self, rows: Range<usize>) -> Batch {
        let (width, columns) = (self.layout.stored().len(), self.layout.categories().len());
        assert!(
            self.weights.is_empty() && !rows.clone().any(|row| self.is_left_out(row)),
            "a batch says neither how much a row counts nor whether it does"
        );
        Batch {
            numeric: self.numeric[rows.start * width..rows.end * width].to_vec(),
            codes: self.codes[rows.start * columns..rows.end * columns].to_vec(),
            positive: self.signed[rows].iter().map(|&signed| signed > 0.0).collect(),
        }
    }

    /// The memory of rows that are needed no more, empty, for the next ones.
    pub fn into_memory(self) -> Batch {
        let (numeric, codes) = (self.numeric.into_memory(), self.codes.into_memory());
        Batch { numeric, codes, positive: Vec::new() }
    }

    /// Makes the rows from `first` on, whose numbers and codes are stored, obey the layout, and
    /// stores their labels.
    fn admit(&mut self, first: usize, positive: impl ExactSizeIterator<Item = bool>) {
        let (width, columns) = (self.layout.stored().len(), self.layout.categories().len());
        let (numeric, codes) =
            (&mut self.numeric[first * width..], &mut self.codes[first * columns..]);
        self.layout.enforce(numeric, codes);
        let factor = |row: usize| {
            self.layout.factor(&numeric[row * width..][..width], &codes[row * columns..][..columns])
        };
        let signed = |(row, positive)| if positive { factor(row) } else { -factor(row) };
        self.signed.extend(positive.enumerate().map(signed));
        let rows = self.signed.len();
        self.weights
            .extend(std::iter::repeat_n(1.0, rows * self.layout.weights() - self.weights.len()));
        self.classes
            .extend(std::iter::repeat_n(0, rows * self.layout.labels() - self.classes.len()));
    }

    /// Leaves rows out, where this says so of each row. They stay in n, and count as the vector 0.
    /// Nothing said leaves all in.
    pub fn leave_out(&mut self, left_out: &[bool]) {
        assert!(left_out.is_empty() || left_out.len() == self.rows(), "one for each row");
        for (signed, _) in self.signed.iter_mut().zip(left_out).filter(|(_, left_out)| **left_out) {
            *signed = 0.0;
        }
    }

    /// Gives every row its weight, if the layout has weights: what is below 0 or no number is 0,
    /// what is above 1 is 1.
    pub fn weigh(&mut self, weights: &[f32]) {
        assert!(self.layout.is_weighted() && weights.len() == self.rows(), "one for each row");
        for (own, &weight) in self.weights.iter_mut().zip(weights) {
            *own = if weight > 0.0 { weight.min(1.0) } else { 0.0 };
        }
    }

    /// A row's label times its factor.
    fn signed(&self, row: usize) -> f64 {
        f64::from(self.signed[row])
    }

    /// How much a row counts.
    fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).map_or(1.0, |&weight| weight.into())
    }

    /// Whether a row counts as the vector 0.
    #[inline]
    fn is_left_out(&self, row: usize) -> bool {
        self.signed[row] == 0.0
    }

    /// Takes all rows out, and keeps the memory for others.
    pub fn clear(&mut self) {
        self.numeric.clear();
        self.codes.clear();
        self.signed.clear();
        self.weights.clear();
        self.classes.clear();
    }

    /// A matrix of the rows at these positions, in this order.
    pub fn gather(&self, positions: &[usize]) -> Matrix {
        let (width, columns) = (self.layout.stored().len(), self.layout.categories().len());
        Matrix {
            layout: self.layout.clone(),
            numeric: self.numeric.gather(width, positions),
            codes: self.codes.gather(columns, positions),
            signed: self.signed.gather(1, positions),
            weights: self.weights.gather(self.layout.weights(), positions),
            classes: self.classes.gather(self.layout.labels(), positions),
        }
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.signed.len()
    }

    /// θ·x and whether the label is +1, row by row: for experiments on tables that are public
    /// anyway.
    pub fn margins(&self, theta: &[f64]) -> NotPrivate<Vec<(f64, bool)>> {
        let margin = |row: usize| {
            let signed = f64::from(self.signed[row]);
            (signed.abs() * self.layout.dot(&self.numeric, &self.codes, row, theta), signed > 0.0)
        };
        Sensitive::new((0..self.rows()).map(margin).collect()).not_private()
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// θ·x of rows without labels, under published coefficients.
pub fn margins(layout: &Layout, batch: Batch, theta: &[f64]) -> Vec<f64> {
    assert_eq!(theta.len(), layout.dimension(), "one coefficient per dimension");
    all_margins(layout, batch, theta).into_iter().flatten().collect()
}

/// The same of several vectors of coefficients, which come one after the other: for each row one
/// number of each of them.
pub fn all_margins(layout: &Layout, mut batch: Batch, thetas: &[f64]) -> Vec<Vec<f64>> {
    let rows = layout.rows_of(&batch);
    layout.enforce(&mut batch.numeric, &mut batch.codes);
    let (width, columns) = (layout.stored().len(), layout.categories().len());
    let of_row = |row: usize| {
        let (numbers, codes) =
            (&batch.numeric[row * width..][..width], &batch.codes[row * columns..][..columns]);
        let factor = f64::from(layout.factor(numbers, codes));
        let each = thetas.chunks_exact(layout.dimension());
        each.map(|theta| factor * layout.dot(&batch.numeric, &batch.codes, row, theta)).collect()
    };
    (0..rows).map(of_row).collect()
}

#[cfg(test)]
pub(crate) mod tests;
