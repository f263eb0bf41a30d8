//! Curves that are stored on a fine grid until it is known where their knots are.

use super::person_rows::PersonRows;
use super::{Batch, Classed, Layout, Matrix, Persons, Store, Stored, Streamed};
use crate::erm::OracleError;
use discretion_privacy::Unit;
use discretion_privacy::noise::Sensitive;
use std::ops::Range;
use std::sync::Arc;

/// Curves that keep some of their knots, the first and the last among them: their places among the
/// stored numbers, and the knots.
pub type KeptKnots = [(usize, Vec<usize>)];

/// What a person counts in the cells of a curve, in all. A person's rows share it as evenly as
/// whole numbers can.
pub const PERSON_COUNTS: u32 = 64;

/// Rows that can be counted in the cells between neighbouring knots of a curve. A value on a knot
/// counts in the cell behind it, one on the last knot in the last cell; a missing one, and a row
/// that is left out, nowhere.
pub trait Cells {
    /// Whether a row counts as 1, or a person as [`PERSON_COUNTS`].
    fn unit(&self) -> Unit;

    /// The counts of the curve at this place among the stored numbers. Another unit in place of one
    /// takes at most what a unit counts from all of them together, and adds at most as much.
    fn cells(&self, place: usize) -> Result<Sensitive<Vec<i64>>, OracleError>;

    /// What the rows of the positive class count, one number. Another unit in place of one moves it
    /// by at most what a unit counts.
    fn positives(&self) -> Result<Sensitive<Vec<i64>>, OracleError>;
}

impl Cells for Matrix {
    fn unit(&self) -> Unit {
        Unit::Row
    }

    fn cells(&self, place: usize) -> Result<Sensitive<Vec<i64>>, OracleError> {
        let mut counts = Vec::new();
        self.add_to_cells(place, 0..self.rows(), |_| 1, &mut counts);
        Ok(Sensitive::new(counts))
    }

    fn positives(&self) -> Result<Sensitive<Vec<i64>>, OracleError> {
        Ok(Sensitive::new(vec![self.positives_among(0..self.rows(), |_| 1)]))
    }
}

impl Cells for Classed {
    fn unit(&self) -> Unit {
        self.in_cells().unit()
    }

    fn cells(&self, place: usize) -> Result<Sensitive<Vec<i64>>, OracleError> {
        self.in_cells().cells(place)
    }

    fn positives(&self) -> Result<Sensitive<Vec<i64>>, OracleError> {
        panic!("several classes have no positive one")
    }
}

impl Cells for Persons {
    fn unit(&self) -> Unit {
        Unit::Person
    }

    fn cells(&self, place: usize) -> Result<Sensitive<Vec<i64>>, OracleError> {
        let mut counts = Vec::new();
        self.each_person(0..self.count(), |matrix, rows, _| {
            matrix.add_to_cells(place, rows.clone(), share_of(&rows), &mut counts);
        })?;
        Ok(Sensitive::new(counts))
    }

    fn positives(&self) -> Result<Sensitive<Vec<i64>>, OracleError> {
        let mut count = 0;
        self.each_person(0..self.count(), |matrix, rows, _| {
            count += matrix.positives_among(rows.clone(), share_of(&rows));
        })?;
        Ok(Sensitive::new(vec![count]))
    }
}

/// What each of a person's rows counts: from 0 to all of it in as many steps as there are rows, so
/// they add up to it exactly.
fn share_of(rows: &Range<usize>) -> impl Fn(usize) -> i64 {
    let (start, len) = (rows.start, rows.len() as i64);
    let before = move |row: usize| i64::from(PERSON_COUNTS) * row as i64 / len;
    move |row: usize| before(row + 1 - start) - before(row - start)
}

impl Cells for Streamed<'_> {
    fn unit(&self) -> Unit {
        Unit::Row
    }

    fn cells(&self, place: usize) -> Result<Sensitive<Vec<i64>>, OracleError> {
        let mut sums: Vec<i64> = Vec::new();
        self.each_piece(|piece| {
            piece.add_to_cells(place, 0..piece.rows(), |_| 1, &mut sums);
        })?;
        Ok(Sensitive::new(sums))
    }

    fn positives(&self) -> Result<Sensitive<Vec<i64>>, OracleError> {
        let mut count = 0;
        self.each_piece(|piece| count += piece.positives_among(0..piece.rows(), |_| 1))?;
        Ok(Sensitive::new(vec![count]))
    }
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
        counts: &mut Vec<i64>,
    ) {
        let Stored::Curve(curve) = self.layout.stored()[place] else { panic!("a curve has cells") };
        counts.resize(curve.knots - 1, 0);
        let width = self.layout.stored().len();
        for row in rows.filter(|&row| !self.is_left_out(row)) {
            let position = self.numeric[row * width + place];
            if position >= 0.0 {
                counts[(position as usize).min(curve.knots - 2)] += count_of(row);
            }
        }
    }

    /// The same rows by fewer knots. Each row obeys the new layout, as in [`Matrix::of`].
    pub fn keeping_knots(&self, layout: Layout, kept: &KeptKnots) -> Matrix {
        let positive = self.signed.iter().map(|signed| *signed > 0.0).collect();
        let mut batch =
            Batch { numeric: self.numeric.to_vec(), codes: self.codes.to_vec(), positive };
        batch.keep_knots(&self.layout, kept);
        assert_eq!(layout.is_weighted(), self.layout.is_weighted(), "rows keep their weights");
        let mut matrix = Matrix::of(layout.labelled_like(&self.layout), batch);
        matrix.classes.copy_from_slice(&self.classes);
        matrix.leave_out(&(0..self.rows()).map(|row| self.is_left_out(row)).collect::<Vec<_>>());
        if self.layout.is_weighted() {
            matrix.weigh(&self.weights);
        }
        matrix
    }
}

impl Persons {
    /// The same persons, whose rows are by fewer knots.
    pub fn keeping_knots(&self, layout: Layout, kept: &KeptKnots) -> Persons {
        let rows = match &self.rows {
            PersonRows::Here(matrix) => {
                PersonRows::Here(Arc::new(matrix.keeping_knots(layout, kept)))
            }
            PersonRows::Stored(store) => {
                let (store, layout) = (store.clone(), layout.labelled_like(store.layout()));
                PersonRows::Stored(Arc::new(Regridded { store, layout, kept: kept.to_vec() }))
            }
        };
        Persons { rows, starts: self.starts.clone() }
    }
}

/// Rows that are kept elsewhere, which every reading finds anew among fewer knots.
struct Regridded {
    store: Arc<dyn Store + Send>,
    layout: Layout,
    kept: Vec<(usize, Vec<usize>)>,
}

impl Store for Regridded {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn rows(&self) -> usize {
        self.store.rows()
    }

    fn read(&self, rows: Range<usize>, into: &mut Matrix) -> Result<(), OracleError> {
        let mut piece = Matrix::new(self.store.layout().clone());
        self.store.read(rows, &mut piece)?;
        into.append(&piece.keeping_knots(self.layout.clone(), &self.kept));
        Ok(())
    }
}

impl Batch {
    /// Moves rows of this layout to fewer knots.
    pub fn keep_knots(&mut self, layout: &Layout, kept: &KeptKnots) {
        let width = layout.stored().len();
        if kept.is_empty() {
            return;
        }
        for row in self.numeric.chunks_exact_mut(width) {
            for (place, knots) in kept {
                row[*place] = among(knots, row[*place]);
            }
        }
    }
}

/// Where a position on the grid lies among the knots that are kept.
fn among(knots: &[usize], position: f32) -> f32 {
    if position < 0.0 {
        return position;
    }
    let next = knots.partition_point(|knot| *knot as f32 <= position).clamp(1, knots.len() - 1);
    let (low, high) = (knots[next - 1] as f32, knots[next] as f32);
    (next - 1) as f32 + ((position - low) / (high - low)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erm::matrix::{Curve, Norm};

    fn layout(knots: usize) -> Layout {
        let curve = Stored::Curve(Curve { knots, missing: true, value: 0.5 });
        Layout::with_curves(Norm::Scale, 0.5, vec![curve], vec![], &[]).unwrap()
    }

    /// Two persons, of three rows and of one: both count the same, and no row of the first counts
    /// much more than another.
    #[test]
    fn a_person_counts_the_same_however_many_rows_there_are() {
        let numeric = vec![0.5, 3.5, 3.5, 7.5, -1.0];
        let batch = Batch { numeric, codes: vec![], positive: vec![true; 5] };
        let persons = Persons::group(Matrix::of(layout(9), batch), &[1, 1, 1, 2, 3]);
        let counts = persons.cells(0).unwrap().not_private().into_inner();
        assert_eq!(counts, [21, 0, 0, 43, 0, 0, 0, 64]);
        assert_eq!((persons.unit(), PERSON_COUNTS), (Unit::Person, 64));
        // A hundred rows of one person: some count nothing, and all together no more.
        let many = Batch { numeric: vec![2.5; 100], codes: vec![], positive: vec![true; 100] };
        let one = Persons::group(Matrix::of(layout(9), many), &[7; 100]);
        assert_eq!(one.cells(0).unwrap().not_private().into_inner(), [0, 0, 64, 0, 0, 0, 0, 0]);
        // A row that is left out leaves its part to the person's others; whoever has no other
        // counts nowhere.
        let batch =
            Batch { numeric: vec![0.5, 3.5, 3.5, 7.5], codes: vec![], positive: vec![true; 4] };
        let mut cohort = Matrix::of(layout(9), batch);
        cohort.leave_out(&[true, false, false, true]);
        let cohort = Persons::group(cohort, &[1, 1, 1, 2]);
        assert_eq!(cohort.cells(0).unwrap().not_private().into_inner(), [0, 0, 0, 64, 0, 0, 0, 0]);
        let moved = persons.keeping_knots(layout(3), &[(0, vec![0, 4, 8])]);
        assert_eq!((moved.count(), &moved.matrix().numeric[..2]), (3, &[0.125, 0.875][..]));
    }

    #[test]
    fn rows_are_counted_between_knots_and_moved_among_those_that_stay() {
        let positions = vec![0.0, 0.5, 1.0, 3.75, 4.0, 8.0, -1.0];
        let positive = vec![true; positions.len()];
        let fine = Matrix::of(layout(9), Batch { numeric: positions, codes: vec![], positive });
        assert_eq!(fine.cells(0).unwrap().not_private().into_inner(), [2, 1, 0, 1, 1, 0, 0, 1]);
        let coarse = fine.keeping_knots(layout(3), &[(0, vec![0, 4, 8])]);
        assert_eq!(coarse.numeric[..], [0.0, 0.125, 0.25, 0.9375, 1.0, 2.0, -1.0]);
        // The same function, straight between knots that stay, has the same margins before and
        // after.
        let at =
            |position: f64| if position < 4.0 { position } else { 4.0 - 3.0 * (position - 4.0) };
        let fine_theta: Vec<f64> =
            [0.3].into_iter().chain((0..9).map(|k| at(f64::from(k)))).chain([7.0]).collect();
        let coarse_theta = [0.3, at(0.0), at(4.0), at(8.0), 7.0];
        let (one, other) =
            (fine.margins(&fine_theta).into_inner(), coarse.margins(&coarse_theta).into_inner());
        for ((one, _), (other, _)) in one.iter().zip(&other) {
            assert!((one - other).abs() < 1e-5, "{one} {other}");
        }
    }

    #[test]
    fn weights_stay_and_rows_that_are_left_out_count_nowhere() {
        let batch = Batch { numeric: vec![0.5, 2.0, 7.5], codes: vec![], positive: vec![true; 3] };
        let mut fine = Matrix::of(layout(9).weighted(), batch);
        fine.weigh(&[0.25, 1.0, 0.5]);
        fine.leave_out(&[false, true, false]);
        assert_eq!(fine.cells(0).unwrap().not_private().into_inner(), [1, 0, 0, 0, 0, 0, 0, 1]);
        let coarse = fine.keeping_knots(layout(3).weighted(), &[(0, vec![0, 4, 8])]);
        assert_eq!(coarse.weights[..], [0.25, 1.0, 0.5]);
        assert_eq!([0, 1, 2].map(|row| coarse.is_left_out(row)), [false, true, false]);
    }
}
