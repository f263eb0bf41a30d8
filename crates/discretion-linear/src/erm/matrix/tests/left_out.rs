//! Rows that are left out count as the vector 0, in n and in nothing else.

use super::*;
use crate::erm::{AskOracle, Oracle, Order};
use crate::loss::Logistic;
use discretion_privacy::trusted::Open;

#[test]
fn a_row_that_is_left_out_is_zero_in_every_sum_and_stays_in_n() {
    for norm in [Norm::Scale, Norm::Row] {
        let (mut matrix, whole) = (example(norm, 700), example(norm, 700));
        let left_out: Vec<bool> = (0..700).map(|row| row % 3 == 0).collect();
        matrix.leave_out(&left_out);
        matrix.leave_out(&[]);
        let others: Vec<usize> = (0..700).filter(|row| row % 3 != 0).collect();
        let alone = whole.gather(&others);
        assert_eq!(matrix.facts(), whole.facts());
        let theta: Vec<f64> = (0..matrix.layout().dimension()).map(|j| (j as f64 * 0.7).sin()).collect();
        let sums = |rows: &dyn Oracle| rows.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        let (found, expected) = (sums(&matrix), sums(&alone));
        let share = others.len() as f64 / 700.0;
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - share * b).abs() < 1e-14);
        assert!(close(&found.gradient, &expected.gradient) && close(&found.hessian, &expected.hessian));
        // As bytes too.
        let again = Matrix::from_bytes(matrix.layout().clone(), &matrix.to_bytes().into_inner()).unwrap();
        assert_eq!(sums(&again).gradient, found.gradient);
    }
}

/// A person's weight is shared by the rows that count.
#[test]
fn rows_that_are_left_out_are_not_among_a_person_s() {
    let identifiers: Vec<u128> = (0..300).map(|row| row % 60).collect();
    // Of person p, the first p mod 6 rows of five are left out: of some none, of some all.
    let left_out: Vec<bool> = (0..300).map(|row| row / 60 < row % 60 % 6).collect();
    let mut matrix = example(Norm::Scale, 300);
    matrix.leave_out(&left_out);
    let inside: Vec<usize> = (0..300).filter(|&row| !left_out[row]).collect();
    let alone = Persons::group(
        example(Norm::Scale, 300).gather(&inside),
        &inside.iter().map(|&row| identifiers[row]).collect::<Vec<_>>(),
    );
    let persons = Persons::group(matrix, &identifiers);
    assert_eq!((persons.count(), alone.count()), (60, 50));
    let theta: Vec<f64> = (0..persons.layout().dimension()).map(|j| (j as f64 * 0.7).sin()).collect();
    let gradient =
        |persons: &Persons| persons.sums(&Logistic, &theta, Order::Gradient).unwrap().into_inner().gradient;
    let (found, expected) = (gradient(&persons), gradient(&alone));
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b * 50.0 / 60.0).abs() < 1e-14));
}
