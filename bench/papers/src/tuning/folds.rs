//! Rows in folds, as the paper cuts them: one fold tests, the next validates, the others train.

use discretion::erm::matrix::{Matrix, Rows};
use discretion::noise::Seeded;

/// One round of a cross-validation.
pub struct Fold {
    /// T.
    pub training: Rows<'static>,
    /// V.
    pub validation: Matrix,
    /// T ∪ V.
    pub both: Rows<'static>,
    /// W.
    pub test: Matrix,
}

impl Fold {
    /// Round `round` of `folds` over rows in this order.
    pub fn new(table: &Matrix, order: &[usize], folds: usize, round: usize) -> Fold {
        let of = |fold: usize| order.len() * fold / folds..order.len() * (fold + 1) / folds;
        let next = (round + 1) % folds;
        let rest = (0..folds).filter(|&fold| fold != round && fold != next);
        let training: Vec<usize> = rest.flat_map(|fold| &order[of(fold)]).copied().collect();
        let validation = &order[of(next)];
        let both = [&training, validation].concat();
        Fold {
            training: table.gather(&training).into(),
            validation: table.gather(validation),
            both: table.gather(&both).into(),
            test: table.gather(&order[of(round)]),
        }
    }
}

/// The positions 0, 1, … in an order of this seed's own.
pub fn shuffled(rows: usize, seed: u64) -> Vec<usize> {
    let mut source = Seeded::new(seed);
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        let other = (source.unit() * (last + 1) as f64) as usize;
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::made_up;

    #[test]
    fn every_row_tests_once_and_no_part_shares_a_row() {
        let order = shuffled(103, 7);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..103).collect::<Vec<_>>());
        assert_ne!(order, sorted);
        let table = made_up::census(103, 1);
        let mut tested = 0;
        for round in 0..10 {
            let fold = Fold::new(&table, &order, 10, round);
            let rows = [fold.training.units(), fold.validation.rows(), fold.test.rows()];
            assert_eq!(rows.iter().sum::<usize>(), 103);
            assert_eq!(fold.both.units(), rows[0] + rows[1]);
            tested += rows[2];
        }
        assert_eq!(tested, 103);
    }
}
