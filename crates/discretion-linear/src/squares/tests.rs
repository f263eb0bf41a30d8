//! Sensitivity, the law of what is released, exact solutions, coverage, bad input.

mod coverage;
mod exact;
mod persons;
mod release;
mod remote;
mod several;

use crate::erm::matrix::{Batch, Layout, Matrix, Norm, OTHER};
use crate::interval::tests::signed_unit;
use discretion_privacy::noise::{Seeded, Source};
use std::ops::Range;

/// A constant, two numbers of which the second is the outcome, and categories of three and two
/// values.
const SIZES: [f32; 5] = [0.4, 0.3, 0.5, 0.45, 0.52];

/// Which column the outcome is.
const OUTCOME: Range<usize> = 2..3;

#[derive(Clone, Copy, Debug)]
struct Row {
    numbers: [f32; 2],
    codes: [u16; 2],
}

fn table(rows: &[Row]) -> Matrix {
    let [constant, one, other, three, two] = SIZES;
    let layout =
        Layout::new(Norm::Scale, constant, vec![one, other], vec![(3, three), (2, two)]).unwrap();
    let batch = Batch {
        numeric: rows
            .iter()
            .flat_map(|row| [row.numbers[0] * one, row.numbers[1] * other])
            .collect(),
        codes: rows.iter().flat_map(|row| row.codes).collect(),
        positive: vec![false; rows.len()],
    };
    Matrix::of(layout, batch)
}

fn random_row(source: &mut Seeded) -> Row {
    let numbers = [signed_unit(source) as f32, signed_unit(source) as f32];
    let mut code = |values: u64| match source.word().unwrap() % (values + 1) {
        code if code == values => OTHER,
        code => code as u16,
    };
    Row { numbers, codes: [code(3), code(2)] }
}
