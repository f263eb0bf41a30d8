//! Curves that are stored on a fine grid until it is known where their knots are.

use super::{Batch, Layout, Matrix, Store};
use crate::erm::OracleError;
use std::ops::Range;
use std::sync::Arc;

/// Curves that keep some of their knots, the first and the last among them: their places among the
/// stored numbers, and the knots.
pub type KeptKnots = [(usize, Vec<usize>)];

impl Matrix {
    /// Returns these rows by fewer knots. Each obeys the new layout, as in [`Matrix::of`].
    pub fn keeping_knots(&self, kept: &KeptKnots) -> Matrix {
        self.some_keeping_knots(0..self.rows(), kept)
    }

    fn some_keeping_knots(&self, rows: Range<usize>, kept: &KeptKnots) -> Matrix {
        let (width, columns) = (self.layout.stored().len(), self.layout.categories().len());
        let each = |width: usize| rows.start * width..rows.end * width;
        let mut batch = Batch {
            numeric: self.numeric[each(width)].to_vec(),
            codes: self.codes[each(columns)].to_vec(),
            positive: self.signed[rows.clone()].iter().map(|signed| *signed > 0.0).collect(),
        };
        batch.keep_knots(&self.layout, kept);
        let mut matrix = Matrix::of(self.layout.keeping_knots(kept), batch);
        matrix.classes.copy_from_slice(&self.classes[each(self.layout.labels())]);
        matrix.leave_out(&rows.clone().map(|row| self.is_left_out(row)).collect::<Vec<_>>());
        if self.layout.is_weighted() {
            matrix.weigh(&self.weights[rows]);
        }
        matrix
    }
}

/// Returns the rows of a store by fewer knots: those in memory at once, others at every reading.
pub(super) fn keeping_knots<'s>(
    store: &Arc<dyn Store + 's>,
    kept: &KeptKnots,
) -> Arc<dyn Store + 's> {
    match store.in_memory() {
        Some(rows) => Arc::new(rows.keeping_knots(kept)),
        None => {
            let layout = store.layout().keeping_knots(kept);
            Arc::new(Regridded { store: store.clone(), layout, kept: kept.to_vec() })
        }
    }
}

/// Rows that are kept elsewhere, which every reading finds anew among fewer knots.
struct Regridded<'s> {
    store: Arc<dyn Store + 's>,
    layout: Layout,
    kept: Vec<(usize, Vec<usize>)>,
}

impl Store for Regridded<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn rows(&self) -> usize {
        self.store.rows()
    }

    fn with(
        &self,
        rows: Range<usize>,
        work: &mut dyn FnMut(&Matrix, usize),
    ) -> Result<(), OracleError> {
        self.store.with(rows.clone(), &mut |matrix, at| {
            let rows = at..at + rows.len();
            work(&matrix.some_keeping_knots(rows, &self.kept), 0);
        })
    }

    fn permuted(&self, order: &[usize]) -> Result<Arc<dyn Store>, OracleError> {
        Ok(keeping_knots(&self.store.permuted(order)?, &self.kept))
    }
}

impl Batch {
    /// Moves rows of this layout to fewer knots.
    fn keep_knots(&mut self, layout: &Layout, kept: &KeptKnots) {
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
    use crate::erm::AskOracle;
    use crate::erm::matrix::{Curve, Norm, PERSON_COUNTS, Rows, Stored};
    use discretion_privacy::Unit;

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
        let persons = Rows::group(Matrix::of(layout(9), batch), &[1, 1, 1, 2, 3]);
        let counts = persons.cells(0).unwrap().not_private().into_inner();
        assert_eq!(counts, [21, 0, 0, 43, 0, 0, 0, 64]);
        assert_eq!((persons.unit(), PERSON_COUNTS), (Unit::Person, 64));
        // A hundred rows of one person: some count nothing, and all together no more.
        let many = Batch { numeric: vec![2.5; 100], codes: vec![], positive: vec![true; 100] };
        let one = Rows::group(Matrix::of(layout(9), many), &[7; 100]);
        assert_eq!(one.cells(0).unwrap().not_private().into_inner(), [0, 0, 64, 0, 0, 0, 0, 0]);
        // A row that is left out leaves its part to the person's others; whoever has no other
        // counts nowhere.
        let batch =
            Batch { numeric: vec![0.5, 3.5, 3.5, 7.5], codes: vec![], positive: vec![true; 4] };
        let mut cohort = Matrix::of(layout(9), batch);
        cohort.leave_out(&[true, false, false, true]);
        let cohort = Rows::group(cohort, &[1, 1, 1, 2]);
        assert_eq!(cohort.cells(0).unwrap().not_private().into_inner(), [0, 0, 0, 64, 0, 0, 0, 0]);
        let moved = persons.keeping_knots(&[(0, vec![0, 4, 8])]);
        assert_eq!(
            (moved.units(), &moved.in_memory().unwrap().numeric[..2]),
            (3, &[0.125, 0.875][..])
        );
    }

    #[test]
    fn rows_are_counted_between_knots_and_moved_among_those_that_stay() {
        let positions = vec![0.0, 0.5, 1.0, 3.75, 4.0, 8.0, -1.0];
        let positive = vec![true; positions.len()];
        let fine = Matrix::of(layout(9), Batch { numeric: positions, codes: vec![], positive });
        assert_eq!(
            fine.all().cells(0).unwrap().not_private().into_inner(),
            [2, 1, 0, 1, 1, 0, 0, 1]
        );
        let coarse = fine.keeping_knots(&[(0, vec![0, 4, 8])]);
        assert_eq!(*coarse.layout(), layout(3));
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
        assert_eq!(
            fine.all().cells(0).unwrap().not_private().into_inner(),
            [1, 0, 0, 0, 0, 0, 0, 1]
        );
        let coarse = fine.keeping_knots(&[(0, vec![0, 4, 8])]);
        assert_eq!(coarse.weights[..], [0.25, 1.0, 0.5]);
        assert_eq!([0, 1, 2].map(|row| coarse.is_left_out(row)), [false, true, false]);
    }
}
