//! Classes that count the same.

use crate::learner::{ChunkFailure, Learner, PreparedQueries};
use discretion_table::PlainRows;
use std::io;

/// A row is repeated so often at most, so that a chunk with a single row of a class stays small.
const MOST_COPIES: usize = 100;

/// Trains with the rows of rarer classes repeated, so that all classes of a chunk have about as
/// many. That is a function of the chunk's own rows: nothing is balanced across chunks. Scores are
/// then no longer probabilities; they rank.
pub struct Balanced(pub Box<dyn Learner>);

impl Learner for Balanced {
    fn train(&self, rows: &PlainRows, seed: u64) -> Result<Vec<u8>, ChunkFailure> {
        self.0.train(&rows.gather(copies(rows.classes())), seed)
    }

    fn prepare<'a>(&'a self, queries: &'a PlainRows) -> io::Result<Box<dyn PreparedQueries + 'a>> {
        self.0.prepare(queries)
    }
}

/// The positions of rows, those of rarer classes more than once.
fn copies(classes: &[u16]) -> Vec<usize> {
    let mut counts = vec![0_usize; classes.iter().max().map_or(0, |most| usize::from(*most) + 1)];
    classes.iter().for_each(|&class| counts[usize::from(class)] += 1);
    let most = counts.iter().copied().max().unwrap_or(0);
    let times = |class: u16| {
        let count = counts[usize::from(class)];
        ((most + count / 2) / count).clamp(1, MOST_COPIES)
    };
    let repeated = |(row, &class): (usize, &u16)| std::iter::repeat_n(row, times(class));
    classes.iter().enumerate().flat_map(repeated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_classes_are_repeated_until_they_are_as_many() {
        assert_eq!(copies(&[]), [] as [usize; 0]);
        assert_eq!(copies(&[1, 1]), [0, 1]);
        assert_eq!(copies(&[0, 0, 1, 0, 0, 1]), [0, 1, 2, 2, 3, 4, 5, 5]);
        assert_eq!(copies(&[0, 2, 2, 2]), [0, 0, 0, 1, 2, 3]);
        let mut one_of_many = vec![0; 1_000];
        one_of_many[7] = 1;
        assert_eq!(copies(&one_of_many).len(), 999 + MOST_COPIES);
    }
}
