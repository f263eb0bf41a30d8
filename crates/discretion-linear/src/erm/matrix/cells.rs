//! Counts of rows in the cells between a curve's knots, and of rows of the positive class: whole
//! numbers, unit by unit.

use super::{Matrix, Rows, Stored};
use crate::erm::OracleError;
use discretion_privacy::Unit;
use std::ops::Range;

/// What a person counts in all. A person's rows share it as evenly as whole numbers can.
pub const PERSON_COUNTS: u32 = 64;

impl Rows<'_> {
    pub(super) fn cell_counts(
        &self,
        units: Range<usize>,
        place: usize,
    ) -> Result<Vec<i64>, OracleError> {
        let cells = self.layout().cells(place).ok_or_else(OracleError::no_cells)?;
        let (mut counts, unit) = (vec![0; cells], self.unit());
        self.each_unit(units, |matrix, rows, _| {
            matrix.add_to_cells(place, rows.clone(), share_of(unit, &rows), &mut counts);
        })?;
        Ok(counts)
    }

    pub(super) fn positive_counts(&self, units: Range<usize>) -> Result<Vec<i64>, OracleError> {
        let (mut count, unit) = (0, self.unit());
        self.each_unit(units, |matrix, rows, _| {
            count += matrix.positives_among(rows.clone(), share_of(unit, &rows));
        })?;
        Ok(vec![count])
    }
}

/// What each of a unit's rows counts: a person's from 0 to all of it in as many steps as there are
/// rows, so they add up to it exactly.
fn share_of(unit: Unit, rows: &Range<usize>) -> impl Fn(usize) -> i64 {
    let all = match unit {
        Unit::Row => 1,
        Unit::Person => i64::from(PERSON_COUNTS),
    };
    let (start, len) = (rows.start, rows.len() as i64);
    let before = move |row: usize| all * row as i64 / len;
    move |row: usize| before(row + 1 - start) - before(row - start)
}

impl Matrix {
    /// What some rows of the positive class count.
    fn positives_among(&self, rows: Range<usize>, count_of: impl Fn(usize) -> i64) -> i64 {
        rows.filter(|&row| self.signed[row] > 0.0).map(count_of).sum()
    }

    /// Adds what some rows count to the cells they are in.
    fn add_to_cells(
        &self,
        place: usize,
        rows: Range<usize>,
        count_of: impl Fn(usize) -> i64,
        counts: &mut [i64],
    ) {
        let width = self.layout.stored().len();
        for row in rows.filter(|&row| !self.is_left_out(row)) {
            let position = self.numeric[row * width + place];
            if position >= 0.0 {
                counts[(position as usize).min(counts.len() - 1)] += count_of(row);
            }
        }
    }
}

impl super::Layout {
    /// Returns the number of cells of the curve at this place among the stored numbers.
    pub(crate) fn cells(&self, place: usize) -> Option<usize> {
        match self.stored().get(place) {
            Some(Stored::Curve(curve)) => Some(curve.knots - 1),
            _ => None,
        }
    }
}
