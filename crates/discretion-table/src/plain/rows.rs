//! Rows as they are, within their declared ranges.

use crate::encode::Encoder;
use crate::schema::{Kind, Schema};
use discretion::erm::matrix::Batch;

/// Rows in their own units: numbers clipped to their column's [min, max] and rounded to `f32`, NaN
/// where there is none; categories as positions among the declared values,
/// [`OTHER`](discretion::erm::matrix::OTHER) where there is none or an undeclared one; and, of rows
/// to learn from, the class. Both kinds of columns are in the order of their declaration.
///
/// They depend on the table and cannot be printed.
#[derive(Clone)]
pub struct PlainRows {
    /// Columns of numbers, and of categories.
    widths: (usize, usize),
    count: usize,
    numbers: Vec<f32>,
    codes: Vec<u16>,
    /// One for each row, or none at all.
    classes: Vec<u16>,
}

impl PlainRows {
    /// No rows so far, of a table of this schema.
    pub fn new(schema: &Schema) -> Self {
        let of_kind = |is: fn(&Kind) -> bool| {
            schema.columns().iter().filter(|column| is(&column.kind)).count()
        };
        let numbers = of_kind(Kind::is_numeric);
        let categories = of_kind(|kind| matches!(kind, Kind::Category { .. }));
        Self::with_widths((numbers, categories))
    }

    fn with_widths(widths: (usize, usize)) -> Self {
        Self { widths, count: 0, numbers: Vec::new(), codes: Vec::new(), classes: Vec::new() }
    }

    /// Appends rows, row-major. Panics if the lengths do not fit, or if some rows have a class and
    /// others none.
    pub fn append(&mut self, mut numbers: Vec<f32>, mut codes: Vec<u16>, mut classes: Vec<u16>) {
        // A schema has at least one column that is used.
        let rows =
            numbers.len().checked_div(self.widths.0).unwrap_or_else(|| codes.len() / self.widths.1);
        assert_eq!(numbers.len(), rows * self.widths.0, "one number per numeric column");
        assert_eq!(codes.len(), rows * self.widths.1, "one code per category column");
        self.count += rows;
        self.numbers.append(&mut numbers);
        self.codes.append(&mut codes);
        self.classes.append(&mut classes);
        assert!(
            self.classes.is_empty() || self.classes.len() == self.count,
            "either all rows have a class or none"
        );
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The numbers of a row, one per numeric column.
    pub fn numbers(&self, row: usize) -> &[f32] {
        &self.numbers[row * self.widths.0..][..self.widths.0]
    }

    /// The codes of a row, one per category column.
    pub fn codes(&self, row: usize) -> &[u16] {
        &self.codes[row * self.widths.1..][..self.widths.1]
    }

    /// The class of each row, or nothing where rows have none.
    pub fn classes(&self) -> &[u16] {
        &self.classes
    }

    /// The rows at these positions, in this order.
    pub fn gather(&self, positions: impl IntoIterator<Item = usize>) -> Self {
        let mut picked = Self::with_widths(self.widths);
        for row in positions {
            picked.numbers.extend_from_slice(self.numbers(row));
            picked.codes.extend_from_slice(self.codes(row));
            picked.classes.extend(self.classes.get(row));
            picked.count += 1;
        }
        picked
    }

    /// The same rows without their classes: what may be asked about, of a table whose labels are
    /// protected.
    #[must_use]
    pub fn without_classes(self) -> Self {
        Self { classes: Vec::new(), ..self }
    }
}

impl Encoder {
    /// Plain rows as bounded, encoded ones, with labels that say whether a row is of class
    /// `positive`.
    ///
    /// They are what the reader makes of the same file, but for the rounding of each value to `f32`
    /// before it is laid out: a number `v` of a column [min, max] may end up 2⁻²³·|v|/(max − min)
    /// of the axis away, which is nothing for ages and amounts, and visible where a narrow range
    /// lies far from 0 (seconds since 1970 over one day).
    pub fn batch(&self, rows: &PlainRows, positive: u16) -> Batch {
        let encode_row = |row: usize| {
            self.numbers
                .iter()
                .zip(rows.numbers(row))
                .map(|(column, &value)| column.encode_plain(value))
        };
        Batch {
            numeric: (0..rows.count()).flat_map(encode_row).collect(),
            codes: rows.codes.clone(),
            positive: rows.classes.iter().map(|&class| class == positive).collect(),
        }
    }
}
