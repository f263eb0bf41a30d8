//! The rows of a density, as positions in [0, 1) and codes: 4 bytes for a number, 2 for a category.

use super::cuts::Cuts;
use super::tally::{Part, Tally};
use super::{Axis, DensityError, Scale, Value};
use discretion_choose::split::is_validation;

/// Rows, column by column; or, where others hold the rows, how many are in each cell.
pub struct Points {
    axes: Vec<Axis>,
    storage: PointStorage,
    rows: usize,
}

enum PointStorage {
    Columns(Vec<Column>),
    Counts(Tally, Part),
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
            Scale::Interval { .. } | Scale::Integers { .. } => Column::Positions(Vec::new()),
            Scale::Categories { .. } => Column::Codes(Vec::new()),
        };
        let columns = axes.iter().map(empty).collect();
        Ok(Points { axes, storage: PointStorage::Columns(columns), rows: 0 })
    }

    /// Rows that were counted elsewhere.
    pub fn counted(axes: Vec<Axis>, tally: Tally) -> Result<Points, DensityError> {
        let Points { axes, .. } = Points::new(axes)?;
        let rows = tally.rows(Part::All);
        Ok(Points { axes, storage: PointStorage::Counts(tally, Part::All), rows })
    }

    /// Adds a row: one value for each column, a number or a code as the column has it.
    pub fn push(&mut self, row: &[Value]) {
        assert_eq!(row.len(), self.axes.len(), "one value for each column");
        let PointStorage::Columns(columns) = &mut self.storage else {
            panic!("rows that were counted are all there")
        };
        for ((axis, column), &value) in self.axes.iter().zip(columns).zip(row) {
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
        match &self.storage {
            PointStorage::Columns(columns) => self.split_from(columns, 0, validation_share),
            PointStorage::Counts(tally, _) => {
                assert_eq!(tally.share(), validation_share, "counted as the plan splits them");
                let part = |part| Points {
                    axes: self.axes.clone(),
                    storage: PointStorage::Counts(tally.clone(), part),
                    rows: tally.rows(part),
                };
                (part(Part::Training), part(Part::Validation))
            }
        }
    }

    /// The same for rows that are those from position `first` on of a longer table.
    pub(super) fn split_at(&self, first: usize, validation_share: f64) -> (Points, Points) {
        let PointStorage::Columns(columns) = &self.storage else { panic!("rows are counted once") };
        self.split_from(columns, first, validation_share)
    }

    fn split_from(
        &self,
        columns: &[Column],
        first: usize,
        validation_share: f64,
    ) -> (Points, Points) {
        let mask: Vec<bool> =
            (0..self.rows).map(|row| is_validation(first + row, validation_share)).collect();
        (self.keep(columns, |row| !mask[row]), self.keep(columns, |row| mask[row]))
    }

    fn keep(&self, columns: &[Column], wanted: impl Fn(usize) -> bool) -> Points {
        let rows: Vec<usize> = (0..self.rows).filter(|&row| wanted(row)).collect();
        let pick = |column: &Column| match column {
            Column::Positions(positions) => {
                Column::Positions(rows.iter().map(|&row| positions[row]).collect())
            }
            Column::Codes(codes) => Column::Codes(rows.iter().map(|&row| codes[row]).collect()),
        };
        let storage = PointStorage::Columns(columns.iter().map(pick).collect());
        Points { axes: self.axes.clone(), storage, rows: rows.len() }
    }

    /// How many rows are in each cell; the last column varies fastest.
    pub(super) fn counts(&self, bins: &[usize]) -> Vec<i64> {
        let columns = match &self.storage {
            PointStorage::Columns(columns) => columns,
            PointStorage::Counts(tally, part) => return tally.counts(bins, *part),
        };
        let mut cells = vec![0usize; self.rows];
        for ((column, axis), &bins) in columns.iter().zip(&self.axes).zip(bins) {
            match column {
                Column::Positions(positions) => {
                    let cuts = Cuts::of(axis, bins);
                    for (cell, &position) in cells.iter_mut().zip(positions) {
                        *cell = *cell * bins + cuts.cell(position);
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
