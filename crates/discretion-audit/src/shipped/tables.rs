//! Neighbouring tables of labels alone.

use discretion_linear::erm::matrix::{Batch, Layout, Matrix, Norm};

/// A matrix of one coefficient: every row is an intercept of length 1 and its label.
pub(super) fn labels(positive: impl Iterator<Item = bool>) -> Matrix {
    let layout = Layout::new(Norm::Scale, 1.0, vec![], vec![]).expect("a row of length 1");
    let mut matrix = Matrix::new(layout);
    matrix.push(Batch { positive: positive.collect(), ..Batch::default() });
    matrix
}

/// Labels that balance but for one row, and the same with that row's label turned over. Under the
/// hinge loss and with nλ ≥ 2 the minimiser stays where every slope is −1, so it moves by 2/(nλ)
/// exactly.
pub(super) fn balanced(rows: usize) -> [Matrix; 2] {
    // With an even number of rows the minimisers are 0 and 2/(nλ) instead of ±1/(nλ).
    let positive = rows.div_ceil(2);
    [labels((0..rows).map(|i| i < positive)), labels((0..rows).map(|i| i + 1 < positive))]
}
