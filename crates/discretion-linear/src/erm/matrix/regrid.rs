//! Curves that are stored on a fine grid until it is known where their knots are.

use super::{Batch, Layout, Matrix, Stored};
use discretion_privacy::noise::Sensitive;

impl Matrix {
    /// How many rows lie in each cell between neighbouring knots of the curve at this place among the stored numbers. A value on a
    /// knot counts in the cell behind it, one on the last knot in the last cell; a missing one, and a row that is left out, nowhere.
    ///
    /// Another row in place of one takes 1 from at most one count and adds 1 to at most one.
    pub fn cells(&self, place: usize) -> Sensitive<Vec<i64>> {
        let Stored::Curve(curve) = self.layout.stored()[place] else { panic!("a curve has cells") };
        let mut counts = vec![0; curve.knots - 1];
        for (row, signed) in self.numeric.chunks_exact(self.layout.stored().len()).zip(self.signed.iter()) {
            let position = row[place];
            if position >= 0.0 && *signed != 0.0 {
                counts[(position as usize).min(curve.knots - 2)] += 1;
            }
        }
        Sensitive::new(counts)
    }

    /// The same rows, of which the curves at these places keep only these of their knots, the first and the last among them. Each
    /// row obeys the new layout, as in [`Matrix::of`].
    pub fn keeping_knots(&self, layout: Layout, kept: &[(usize, Vec<usize>)]) -> Matrix {
        let (mut numeric, width) = (self.numeric.to_vec(), self.layout.stored().len());
        for row in numeric.chunks_exact_mut(width) {
            for (place, knots) in kept {
                row[*place] = among(knots, row[*place]);
            }
        }
        assert_eq!(layout.is_weighted(), self.layout.is_weighted(), "rows keep their weights");
        let positive = self.signed.iter().map(|signed| *signed > 0.0).collect();
        let mut matrix = Matrix::of(layout, Batch { numeric, codes: self.codes.to_vec(), positive });
        matrix.leave_out(&(0..self.rows()).map(|row| self.is_left_out(row)).collect::<Vec<_>>());
        if self.layout.is_weighted() {
            matrix.weigh(&self.weights);
        }
        matrix
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

    #[test]
    fn rows_are_counted_between_knots_and_moved_among_those_that_stay() {
        let positions = vec![0.0, 0.5, 1.0, 3.75, 4.0, 8.0, -1.0];
        let positive = vec![true; positions.len()];
        let fine = Matrix::of(layout(9), Batch { numeric: positions, codes: vec![], positive });
        assert_eq!(fine.cells(0).not_private().into_inner(), [2, 1, 0, 1, 1, 0, 0, 1]);
        let coarse = fine.keeping_knots(layout(3), &[(0, vec![0, 4, 8])]);
        assert_eq!(coarse.numeric[..], [0.0, 0.125, 0.25, 0.9375, 1.0, 2.0, -1.0]);
        // The same function, straight between knots that stay, has the same margins before and after.
        let at = |position: f64| if position < 4.0 { position } else { 4.0 - 3.0 * (position - 4.0) };
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
        assert_eq!(fine.cells(0).not_private().into_inner(), [1, 0, 0, 0, 0, 0, 0, 1]);
        let coarse = fine.keeping_knots(layout(3).weighted(), &[(0, vec![0, 4, 8])]);
        assert_eq!(coarse.weights[..], [0.25, 1.0, 0.5]);
        assert_eq!([0, 1, 2].map(|row| coarse.is_left_out(row)), [false, true, false]);
    }
}
