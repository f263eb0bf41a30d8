//! Hard figures are those of statsmodels 0.15.0 on the same table: `Logit` and `OLS` with
//! `cov_type="HC0"`, `GLM` and `WLS` with weights 1/rows and `cov_type="cluster"` without
//! correction. R's `glm` and `lm` with the same sandwich agree.

use super::*;
use crate::erm::Residuals;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, OTHER, Rows};
use crate::interval::Intervals;

const ROWS: usize = 400;
const ENTRY: f32 = 0.5;

struct Row {
    age: f64,
    ward: usize,
    yes: bool,
    days: f64,
}

fn row(i: usize) -> Row {
    let (age, ward) = ((i * 37 % 101) as f64, (i * i + i / 7) % 3);
    let of_ward = |of: [f64; 3]| of[ward];
    let yes = ((i * 53 + i / 5 * 17) % 97) as f64;
    Row {
        age,
        ward,
        yes: yes < 20.0 + 0.4 * age + of_ward([0.0, 15.0, -10.0]),
        days: 10.0
            + 0.3 * age
            + of_ward([0.0, 5.0, -4.0])
            + (i * 29 % 41) as f64 / 4.0 * (0.5 + age / 100.0),
    }
}

/// An age from 0 to 100 and a ward of `values` declared ones, as rows for a classifier; with the
/// days, from 0 to 100, among their columns.
fn table(values: usize, with_days: bool, change: impl Fn(usize, Row) -> Row) -> Matrix {
    let numbers = vec![ENTRY; if with_days { 2 } else { 1 }];
    let layout = Layout::new(Norm::Scale, ENTRY, numbers, vec![(values, ENTRY)]).unwrap();
    let rows: Vec<Row> = (0..ROWS).map(|i| change(i, row(i))).collect();
    let place = |x: f64| ENTRY * (x / 50.0 - 1.0) as f32;
    let numbers = |row: &Row| match with_days {
        true => vec![place(row.age), place(row.days)],
        false => vec![place(row.age)],
    };
    let code = |row: &Row| if row.ward < values { row.ward as u16 } else { OTHER };
    let batch = Batch {
        numeric: rows.iter().flat_map(numbers).collect(),
        codes: rows.iter().map(code).collect(),
        positive: rows.iter().map(|row| row.yes && !with_days).collect(),
    };
    Matrix::of(layout, batch)
}

fn as_it_is(_: usize, row: Row) -> Row {
    row
}

fn persons(matrix: Matrix) -> Rows<'static> {
    Rows::group(matrix, &(0..ROWS).map(|i| (i / 3) as u128).collect::<Vec<_>>())
}

const PARTS: [Part; 3] = [Part::Single, Part::Single, Part::Values(3)];

fn fitted(rows: &dyn Oracle, loss: PlainLoss) -> PlainFit {
    fit(rows, loss, &PARTS, 1.0).unwrap().into_inner()
}

/// Estimates and deviations, each `(weights, unit)` being a coefficient of a peer.
fn assert_is(fit: &PlainFit, unit: f64, asked: &[&[f64]], expected: &[[f64; 2]]) {
    let intervals = Intervals::new(&fit.evidence, &fit.theta).unwrap();
    for (weights, [estimate, deviation]) in asked.iter().zip(expected) {
        let found = intervals.combination(weights, 0.95).unwrap();
        for (ours, theirs) in
            [(unit * found.estimate, estimate), (unit * found.sampling_deviation, deviation)]
        {
            assert!((ours / theirs - 1.0).abs() < 1e-5, "{weights:?}: {ours} {theirs}");
        }
    }
}

const C: f64 = ENTRY as f64;
/// Age per year, and wards beside the first; an intercept at age 0.
const ASKED: [&[f64]; 4] = [
    &[C, -C, 0.0, 0.0, 0.0],
    &[0.0, C / 50.0, 0.0, 0.0, 0.0],
    &[0.0, 0.0, -C, C, 0.0],
    &[0.0, 0.0, -C, 0.0, C],
];

#[test]
fn two_classes_are_those_of_an_ordinary_logistic_regression() {
    let fit = fitted(&table(3, false, as_it_is).all(), PlainLoss::Logistic);
    assert_eq!((&fit.references[..], fit.theta[2]), (&[2][..], 0.0));
    let expected = [
        [-1.522538272, 0.2699513594],
        [0.01815570293, 0.003760866741],
        [0.8731270275, 0.2628440375],
        [-0.1292054606, 0.2574607112],
    ];
    assert_is(&fit, 1.0, &ASKED, &expected);
}

#[test]
fn what_is_not_declared_is_the_reference_where_there_is_some() {
    let rows = table(2, false, as_it_is);
    let parts = [Part::Single, Part::Single, Part::Values(2)];
    let fit = fit(&rows.all(), PlainLoss::Logistic, &parts, 1.0).unwrap().into_inner();
    assert!(fit.references.is_empty());
    let asked: [&[f64]; 4] =
        [&[C, -C, 0.0, 0.0], &[0.0, C / 50.0, 0.0, 0.0], &[0.0, 0.0, C, 0.0], &[0.0, 0.0, 0.0, C]];
    let expected = [
        [-1.651743732, 0.275542507],
        [0.01815570293, 0.003760866741],
        [0.1292054606, 0.2574607112],
        [1.002332488, 0.2710639501],
    ];
    assert_is(&fit, 1.0, &asked, &expected);
}

#[test]
fn persons_have_clustered_errors() {
    let fit = fitted(&persons(table(3, false, as_it_is)), PlainLoss::Logistic);
    let expected = [
        [-1.549243785, 0.2708143397],
        [0.01839665512, 0.003759311841],
        [0.8881649227, 0.2216542244],
        [-0.1156707946, 0.248642982],
    ];
    assert_is(&fit, 1.0, &ASKED, &expected);
}

#[test]
fn a_number_has_ordinary_least_squares() {
    let rows = table(3, true, as_it_is);
    let fit = fitted(&Residuals::new(&rows.all(), 2), PlainLoss::Squares);
    // Days are from 0 to 100, so the intercept is 50 more.
    let expected = [
        [12.35124306 - 50.0, 0.2997194184],
        [0.3617740314, 0.005359904523],
        [4.436111586, 0.3854985948],
        [-4.538539162, 0.3517247056],
    ];
    assert_is(&fit, 50.0, &ASKED, &expected);
    let persons = persons(rows);
    let fit = fitted(&Residuals::new(&persons, 2), PlainLoss::Squares);
    let expected = [
        [12.30910522 - 50.0, 0.300451116],
        [0.3621321053, 0.00541826357],
        [4.460235798, 0.3974892976],
        [-4.514173093, 0.3876428237],
    ];
    assert_is(&fit, 50.0, &ASKED, &expected);
}

fn refused(rows: &dyn Oracle) -> PlainError {
    fit(rows, PlainLoss::Logistic, &PARTS, 1.0).err().unwrap()
}

/// Whole or partial separation, by a number, by a value, by the first value, by all of them.
#[test]
fn separated_rows_have_no_fit_and_the_columns_are_named() {
    let by = |yes: fn(&Row) -> bool| {
        refused(&table(3, false, |_, row| Row { yes: yes(&row), ..row }).all())
    };
    assert_eq!(by(|row| row.age > 40.0), PlainError::Separated(vec![1]));
    assert_eq!(by(|row| row.yes || row.ward == 1), PlainError::Separated(vec![3]));
    assert_eq!(by(|row| row.yes && row.ward != 0), PlainError::Separated(vec![2]));
    assert_eq!(by(|row| row.ward == 2), PlainError::Separated(vec![4]));
    assert_eq!(by(|_| true), PlainError::Separated(vec![]));
    // Quasi-separation by one row that is equal in the number.
    assert_eq!(
        refused(
            &table(3, false, |i, row| {
                let equal = Row { age: 40.0, ..row };
                match i {
                    0 => Row { yes: true, ..equal },
                    1 => Row { yes: false, ..equal },
                    _ => Row { yes: row.age > 40.0, age: row.age, ..equal },
                }
            })
            .all()
        ),
        PlainError::Separated(vec![1])
    );
}

/// One row that contradicts is enough for a finite estimate.
#[test]
fn nearly_separated_rows_have_a_fit() {
    let rows = table(3, false, |i, row| Row { yes: row.age > 40.0 || i == 101, ..row });
    assert_eq!(row(101).age, 0.0);
    let found = fitted(&rows.all(), PlainLoss::Logistic);
    assert!(found.theta.iter().all(|theta| theta.abs() < 100.0), "{found:?}");
    let of_ward = |i: usize, row: Row| Row { yes: (row.yes || row.ward == 1) && i != 1, ..row };
    assert_eq!(row(1).ward, 1);
    let found = fitted(&table(3, false, of_ward).all(), PlainLoss::Logistic);
    assert!((5.0..20.0).contains(&(found.theta[3] * C)), "{found:?}");
}

#[test]
fn what_says_the_same_is_named() {
    let empty = table(4, false, as_it_is);
    let parts = [Part::Single, Part::Single, Part::Values(4)];
    let error = fit(&empty.all(), PlainLoss::Logistic, &parts, 1.0).err().unwrap();
    assert_eq!(error, PlainError::Empty(vec![5]));
    let constant = table(3, false, |_, row| Row { age: 30.0, ..row });
    assert_eq!(refused(&constant.all()), PlainError::Alias { one: 1, others: vec![0] });
    let same =
        table(3, false, |_, row| Row { age: if row.ward == 1 { 70.0 } else { 20.0 }, ..row });
    assert_eq!(refused(&same.all()), PlainError::Alias { one: 3, others: vec![0, 1] });
}

/// Crosses lose what their columns lose.
#[test]
fn crosses_have_references_where_their_columns_have() {
    let cells = Part::Cells { parts: [1, 2], values: [2, 3] };
    let slopes = Part::Slopes { part: 2, values: 3 };
    let parts = [Part::Single, Part::Values(2), Part::Values(3), cells, slopes];
    let references = |complete: [bool; 2]| {
        shape::references(&parts, &[false, complete[0], complete[1], false, false])
    };
    assert_eq!(references([false, false]), [0; 0]);
    assert_eq!(references([true, false]), [1, 6, 7, 8]);
    assert_eq!(references([false, true]), [3, 6, 9, 12]);
    assert_eq!(references([true, true]), [1, 3, 6, 7, 8, 9, 12]);
}
