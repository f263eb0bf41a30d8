//! Curves and crosses: sums are those of a dense table, and no column's part of a row is larger
//! than it says.

use super::*;
use crate::erm::{AskOracle, Oracle, Order, Point};
use crate::loss::{Logistic, Loss};
use dashu_ratio::RBig;
use discretion_privacy::noise::exact;
use discretion_privacy::trusted::Open;

const C: f32 = 0.3;

fn layout(norm: Norm) -> Layout {
    let curve = |knots, missing| Stored::Curve(Curve { knots, missing, value: C });
    let stored = vec![Stored::Number(C), curve(5, false), Stored::Number(0.2), curve(2, true)];
    let crosses = [
        Cross::Slopes { category: 1, number: 2 },
        Cross::Pair { categories: [0, 1], value: C },
        Cross::Slopes { category: 0, number: 0 },
    ];
    Layout::with_curves(norm, C, stored, vec![(4, C), (3, 0.2)], &crosses).unwrap()
}

/// Numbers in seven places from 0 to 1, by a fixed rule.
fn uniforms() -> impl FnMut() -> f32 {
    let mut state = 7u64;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32
    }
}

fn batch(rows: usize) -> Batch {
    let (mut next, mut batch) = (uniforms(), Batch::default());
    for row in 0..rows {
        // Some on knots, some outside, some missing.
        let position = match row % 7 {
            0 => (next() * 6.0).floor() - 1.0,
            1 => f32::NAN,
            2 => 1e-30,
            _ => next() * 4.0,
        };
        batch.numeric.extend([
            0.8 * next() - 0.4,
            position,
            0.5 * next() - 0.25,
            1.3 * next() - 0.2,
        ]);
        batch.codes.extend([(next() * 5.0) as u16, (next() * 4.0) as u16]);
        batch.positive.push(next() < 0.5);
    }
    batch
}

/// The columns of one row as formulas say, without anything that the kernels use: intercept,
/// numbers, categories, the pair, the two curves, slopes by the second category, slopes by the
/// first.
fn by_hand(batch: &Batch, row: usize) -> Vec<Vec<f64>> {
    let numbers = &batch.numeric[row * 4..][..4];
    let codes = &batch.codes[row * 2..][..2];
    let c = f64::from(C);
    let number = |at: usize, bound: f32| f64::from(numbers[at].clamp(-bound, bound));
    let one_of = |count: u16, code: u16, value: f64| {
        (0..count).map(|k| f64::from(k == code) * value).collect()
    };
    let hat = |knots: usize, p: f32| -> Vec<f64> {
        let p = f64::from(if p.is_nan() { 0.0 } else { p.clamp(0.0, (knots - 1) as f32) });
        (0..knots).map(|k| (1.0 - (p - k as f64).abs()).max(0.0) * c).collect()
    };
    let both = if codes[0] < 4 && codes[1] < 3 { codes[0] * 3 + codes[1] } else { OTHER };
    let second =
        if numbers[3] < 0.0 { vec![0.0, 0.0, c] } else { [hat(2, numbers[3]), vec![0.0]].concat() };
    let (first_number, second_number) = (number(0, C), number(2, 0.2));
    vec![
        vec![c],
        vec![first_number],
        vec![second_number],
        one_of(4, codes[0], c),
        one_of(3, codes[1], f64::from(0.2f32)),
        one_of(12, both, c),
        hat(5, numbers[1]),
        second,
        one_of(3, codes[1], second_number),
        one_of(4, codes[0], first_number),
    ]
}

/// Mean value, gradient and lower Hessian, by plain loops over dense rows with weights.
fn dense_sums(rows: &[Vec<f64>], weights: &[f64], theta: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
    let d = theta.len();
    let (mut value, mut gradient, mut hessian) = (0.0, vec![0.0; d], vec![0.0; d * d]);
    for (x, weight) in rows.iter().zip(weights) {
        let m: f64 = x.iter().zip(theta).map(|(a, b)| a * b).sum();
        value += weight * Logistic.value(m);
        for i in 0..d {
            gradient[i] += weight * Logistic.slope(m) * x[i];
            for j in 0..=i {
                hessian[i * d + j] += weight * Logistic.curvature(m) * x[i] * x[j];
            }
        }
    }
    (value, gradient, hessian)
}

fn signed_rows(norm: Norm, batch: &Batch) -> Vec<Vec<f64>> {
    let row = |row: usize| {
        let columns = by_hand(batch, row);
        let lengths = columns.iter().map(|part| part.iter().map(|x| x.abs()).sum::<f64>());
        let length = lengths.map(|x| x * x).sum::<f64>().sqrt();
        let factor = if norm == Norm::Row { (1.0 - 2f64.powi(-20)) / length } else { 1.0 };
        let sign = if batch.positive[row] { factor } else { -factor };
        columns.concat().iter().map(|x| sign * x).collect()
    };
    (0..batch.positive.len()).map(row).collect()
}

#[test]
fn sums_are_those_of_a_dense_table() {
    let (n, batch) = (1500, batch(1500));
    for norm in [Norm::Scale, Norm::Row] {
        let rows = signed_rows(norm, &batch);
        let matrix = Matrix::of(layout(norm), batch.clone());
        let d = matrix.layout().dimension();
        assert_eq!(d, 1 + 2 + 7 + 12 + 5 + 3 + 3 + 4);
        // u has 20 bits, and a factor 24.
        let close = |ours: &[f64], theirs: &[f64]| {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 3e-6)
        };
        let point =
            |k: usize| (0..d).map(|j| ((j + 5 * k) as f64 * 0.7).sin()).collect::<Vec<f64>>();
        let check = |sums: &crate::erm::Sums, weights: &[f64], theta: &[f64]| {
            let (value, gradient, hessian) = dense_sums(&rows, weights, theta);
            assert!((sums.value - value).abs() < 3e-6, "{norm:?}");
            assert!(close(&sums.gradient, &gradient), "{norm:?}");
            let lower = (0..d).flat_map(|i| (0..=i).map(move |j| i * d + j));
            let pick = |of: &[f64]| lower.clone().map(|at| of[at]).collect::<Vec<f64>>();
            assert!(close(&pick(&sums.hessian), &pick(&hessian)), "{norm:?}");
        };
        let all_alike = vec![1.0 / n as f64; n];
        // One point after the other, and eight side by side.
        for k in 0..2 {
            let sums =
                matrix.all().sums(&Logistic, &point(k), Order::Hessian).unwrap().into_inner();
            check(&sums, &all_alike, &point(k));
        }
        let points: Vec<_> =
            (0..8).map(|k| Point { theta: point(k), order: Order::Hessian }).collect();
        for (k, sums) in matrix.all().sums_at(&Logistic, &points).unwrap().into_iter().enumerate() {
            check(&sums.into_inner(), &all_alike, &point(k));
        }
        let big: Vec<_> = point(0).iter().map(|&x| exact(x)).collect();
        let big = matrix.all().big_gradient(&Logistic, &big, 200).unwrap().into_inner();
        let ours =
            matrix.all().sums(&Logistic, &point(0), Order::Gradient).unwrap().into_inner().gradient;
        assert!(big.iter().zip(&ours).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-15));

        let back = Matrix::from_bytes(layout(norm), &matrix.to_bytes().into_inner()).unwrap();
        let again =
            back.all().sums(&Logistic, &point(0), Order::Gradient).unwrap().into_inner().gradient;
        assert_eq!(again, ours, "rows that travelled");
        let margins = margins(matrix.layout(), batch.clone(), &point(0));
        let expected = rows.iter().zip(&batch.positive).map(|(x, &positive)| {
            x.iter().zip(point(0)).map(|(x, t)| x * t).sum::<f64>()
                * if positive { 1.0 } else { -1.0 }
        });
        assert!(close(&margins, &expected.collect::<Vec<f64>>()));

        // Persons of one to four rows each.
        let identifiers: Vec<u128> = (0..n as u128).map(|row| row % 600).collect();
        let own = |row: usize| identifiers.iter().filter(|&&id| id == identifiers[row]).count();
        let weights: Vec<f64> = (0..n).map(|row| 1.0 / (600 * own(row)) as f64).collect();
        let persons = Rows::group(Matrix::of(layout(norm), batch.clone()), &identifiers);
        let sums = persons.sums(&Logistic, &point(1), Order::Hessian).unwrap().into_inner();
        check(&sums, &weights, &point(1));
    }
}

/// What the noise relies on, exactly: ‖x_j‖₁ ≤ size in every column, and √Σ‖x_j‖₁² ≤ 1.
#[test]
fn every_column_is_as_large_as_it_says_and_no_larger() {
    let rows = batch(4000);
    for norm in [Norm::Scale, Norm::Row] {
        let matrix = Matrix::of(layout(norm), rows.clone());
        let columns = matrix.layout().columns();
        assert_eq!(columns.dimension(), matrix.layout().dimension());
        assert_eq!(matrix.all().facts().columns.as_ref(), Some(&columns));
        use crate::erm::Entries::{Constant, Neighbours, One};
        let curves = [Neighbours(5), Neighbours(2), One, One];
        assert_eq!(matrix.all().facts().entries, [&[Constant; 6][..], &curves].concat());
        let mut largest = vec![RBig::ZERO; columns.count()];
        for row in 0..matrix.rows() {
            let terms = matrix.terms(row);
            assert!(terms.len() <= matrix.layout().row_terms());
            let factor = RBig::try_from(matrix.signed[row]).unwrap();
            let part = |range: Range<usize>| {
                let of_column = terms.iter().filter(|(j, _)| range.contains(j));
                let entries = of_column.map(|&(_, x)| RBig::try_from(x.abs()).unwrap());
                entries.fold(RBig::ZERO, |sum, x| sum + x)
            };
            let lengths: Vec<RBig> = columns.ranges().map(part).collect();
            let squares = lengths.iter().fold(RBig::ZERO, |sum, x| sum + x.clone().sqr());
            assert!(squares * factor.sqr() <= RBig::ONE, "{norm:?} row {row}");
            for (largest, length) in largest.iter_mut().zip(lengths) {
                *largest = (&*largest).max(&length).clone();
            }
        }
        if norm == Norm::Scale {
            let sizes = columns.iter().map(|column| RBig::try_from(column.size).unwrap());
            for (column, (size, largest)) in sizes.zip(&largest).enumerate() {
                assert!(*largest <= size, "column {column}");
                // Of everything but slopes it is reached.
                assert!(column > 7 || *largest == size, "column {column} says more than it needs");
            }
        }
    }
}

#[test]
fn entries_of_a_curve_add_up_to_its_constant_exactly() {
    let mut next = uniforms();
    for value in [C, 0.1, 1.0, 0.999_999_9, 1.0 / 3.0] {
        let curve = Curve { knots: 12, missing: true, value };
        for k in 0..2000 {
            // Some so small that 1 − u would have to be rounded.
            let position = if k % 3 == 0 { 1e-9 * next() } else { 13.0 * next() - 1.0 };
            let (place, [a, b]) = curve.entries(curve.enforce(position));
            assert!(place <= 12 && (b == 0.0 || place + 1 < 12) && a >= 0.0 && b >= 0.0);
            let sum = RBig::try_from(a).unwrap() + RBig::try_from(b).unwrap();
            assert_eq!(sum, RBig::try_from(value).unwrap());
        }
        assert_eq!(curve.entries(11.0), (10, [0.0, f64::from(value)]));
        assert_eq!(curve.entries(curve.enforce(f32::NAN)), (12, [f64::from(value), 0.0]));
    }
}

#[test]
fn layouts_that_cannot_be_are_refused() {
    let curve = |knots| Stored::Curve(Curve { knots, missing: false, value: 0.1 });
    let made = |stored, crosses: &[Cross]| {
        Layout::with_curves(Norm::Scale, 0.5, stored, vec![(3, 0.5)], crosses)
            .map(|layout| layout.dimension())
    };
    assert_eq!(made(vec![curve(1)], &[]), Err(LayoutError::Knots(1)));
    assert_eq!(made(vec![curve(9)], &[]), Ok(13));
    assert_eq!(
        made(vec![curve(9)], &[Cross::Slopes { category: 0, number: 0 }]),
        Err(LayoutError::Cross)
    );
    assert_eq!(
        made(vec![], &[Cross::Pair { categories: [0, 1], value: 0.1 }]),
        Err(LayoutError::Cross)
    );
    // A cross takes its place in the length of a row.
    let slopes = [Cross::Slopes { category: 0, number: 0 }];
    assert_eq!(made(vec![Stored::Number(0.5)], &slopes), Ok(1 + 1 + 3 + 3));
    assert!(matches!(made(vec![Stored::Number(0.6)], &slopes), Err(LayoutError::TooLong(_))));
    let [a, b] = [curve(4), curve(5)].map(|stored| {
        Layout::with_curves(Norm::Row, 1.0, vec![stored], vec![], &[]).unwrap().fingerprint()
    });
    assert_ne!(a, b);
}
