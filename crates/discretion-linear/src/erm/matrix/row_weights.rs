//! What rows weigh, some at a time, where it is said of persons.

use super::rows::PIECE;

/// As many weights are written at once. Most persons have fewer rows, and then there is nothing to
/// decide.
const FEW: usize = 4;

/// The weights of persons' rows, one after the other.
pub(super) struct RowWeights<I> {
    persons: I,
    /// Rows of the last person that are left, and what each weighs.
    left: (usize, f64),
    weights: Vec<f64>,
}

impl<I: Iterator<Item = (usize, f64)>> RowWeights<I> {
    /// Weights of the rows of these persons: how many each has, and what each of them weighs. There
    /// are so many rows altogether.
    pub fn new(persons: I, rows: usize) -> RowWeights<I> {
        RowWeights { persons, left: (0, 0.0), weights: vec![0.0; rows.min(PIECE) + FEW] }
    }

    /// The weights of the next rows, of which there are so many, and not more than a piece has.
    pub fn next(&mut self, rows: usize) -> &mut [f64] {
        let (mut filled, (mut left, mut weight)) = (0, self.left);
        while filled < rows {
            if left == 0 {
                (left, weight) = self.persons.next().expect("every row is somebody's");
            }
            let more = left.min(rows - filled);
            *self.weights[filled..].first_chunk_mut::<FEW>().expect("there is room") =
                [weight; FEW];
            if more > FEW {
                self.weights[filled + FEW..filled + more].fill(weight);
            }
            filled += more;
            left -= more;
        }
        self.left = (left, weight);
        &mut self.weights[..rows]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_person_s_weight_wherever_pieces_end() {
        let sizes = [1, 3, 4, 5, 9, 1, 2, 6000, 1, 1, 4];
        let persons: Vec<(usize, f64)> =
            (0u8..).zip(sizes).map(|(person, size)| (size, f64::from(person))).collect();
        let expected: Vec<f64> =
            persons.iter().flat_map(|&(rows, weight)| vec![weight; rows]).collect();
        for piece in [1, 2, 7, 256, PIECE] {
            let mut of_rows = RowWeights::new(persons.iter().cloned(), expected.len());
            let found: Vec<f64> = expected
                .chunks(piece)
                .flat_map(|piece| of_rows.next(piece.len()).to_vec())
                .collect();
            assert_eq!(found, expected, "{piece}");
        }
    }
}
