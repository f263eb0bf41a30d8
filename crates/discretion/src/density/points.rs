//! The rows of a density, as positions in [0, 1) and codes: 4 bytes for a number, 2 for a category.

use super::axis::bin;
use super::{Axis, DensityError, Scale, Value};
use crate::tune::split::is_validation;

/// Rows, column by column.
pub struct Points {
    axes: Vec<Axis>,
    columns: Vec<Column>,
    rows: usize,
}

enum Column {
    Positions(Vec<f32>),
    Codes(Vec<u16>),
}

impl Points {
    /// No rows yet.
    pub fn new(axes: Vec<Axis>) -> Result<Points, DensityError> {
        if axes.is_empty() {
            return Err(DensityError::NoAxes);
        }
        axes.iter().try_for_each(Axis::check)?;
        let empty = |axis: &Axis| match axis.scale {
            Scale::Interval { .. } => Column::Positions(Vec::new()),
            Scale::Categories { .. } => Column::Codes(Vec::new()),
        };
        let columns = axes.iter().map(empty).collect();
        Ok(Points { axes, columns, rows: 0 })
    }

    /// Adds a row: one value for each column, a number or a code as the column has it.
    pub fn push(&mut self, row: &[Value]) {
        assert_eq!(row.len(), self.axes.len(), "one value for each column");
        for ((axis, column), &value) in self.axes.iter().zip(&mut self.columns).zip(row) {
            match (column, value) {
                (Column::Positions(positions), Value::Number(number)) => {
                    positions.push(axis.position(number))
                }
                (Column::Codes(codes), Value::Code(code)) => codes.push(axis.code(code)),
                _ => panic!("column {} was given a value of the other kind", axis.name),
            }
        }
        self.rows += 1;
    }

    /// The columns.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The public number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Training rows and validation rows, by position.
    pub fn split(&self, validation_share: f64) -> (Points, Points) {
        let mask: Vec<bool> = (0..self.rows).map(|row| is_validation(row, validation_share)).collect();
        (self.keep(|row| !mask[row]), self.keep(|row| mask[row]))
    }

    fn keep(&self, wanted: impl Fn(usize) -> bool) -> Points {
        let rows: Vec<usize> = (0..self.rows).filter(|&row| wanted(row)).collect();
        let pick = |column: &Column| match column {
            Column::Positions(positions) => {
                Column::Positions(rows.iter().map(|&row| positions[row]).collect())
            }
            Column::Codes(codes) => Column::Codes(rows.iter().map(|&row| codes[row]).collect()),
        };
        let columns = self.columns.iter().map(pick).collect();
        Points { axes: self.axes.clone(), columns, rows: rows.len() }
    }

    /// How many rows are in each cell; the last column varies fastest.
    pub(super) fn counts(&self, bins: &[usize]) -> Vec<i64> {
        let mut cells = vec![0usize; self.rows];
        for (column, &bins) in self.columns.iter().zip(bins) {
            match column {
                Column::Positions(positions) => {
                    for (cell, &position) in cells.iter_mut().zip(positions) {
                        *cell = *cell * bins + bin(position, bins);
                    }
                }
                Column::Codes(codes) => {
                    for (cell, &code) in cells.iter_mut().zip(codes) {
                        *cell = *cell * bins + usize::from(code);
                    }
                }
            }
        }
        let mut counts = vec![0; bins.iter().product()];
        for cell in cells {
            counts[cell] += 1;
        }
        counts
    }
}
