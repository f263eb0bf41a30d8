//! Rows that are left out count as the vector 0, in n and in nothing else. Rows with weights count
//! as much as those say.

use super::*;
use crate::erm::{AskOracle, Facts, Oracle, Order};
use crate::loss::{Logistic, Loss, LossKind, Weight, Weighted};
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
        assert_eq!(matrix.all().facts(), whole.all().facts());
        let theta: Vec<f64> =
            (0..matrix.layout().dimension()).map(|j| (j as f64 * 0.7).sin()).collect();
        let sums =
            |rows: &dyn Oracle| rows.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        let (found, expected) = (sums(&matrix.all()), sums(&alone.all()));
        let share = others.len() as f64 / 700.0;
        let close =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - share * b).abs() < 1e-14);
        assert!(
            close(&found.gradient, &expected.gradient) && close(&found.hessian, &expected.hessian)
        );
        // As bytes too.
        let again =
            Matrix::from_bytes(matrix.layout().clone(), &matrix.to_bytes().into_inner()).unwrap();
        assert_eq!(sums(&again.all()).gradient, found.gradient);
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
    let alone = Rows::group(
        example(Norm::Scale, 300).gather(&inside),
        &inside.iter().map(|&row| identifiers[row]).collect::<Vec<_>>(),
    );
    let persons = Rows::group(matrix, &identifiers);
    assert_eq!((persons.units(), alone.units()), (60, 50));
    let theta: Vec<f64> =
        (0..persons.layout().dimension()).map(|j| (j as f64 * 0.7).sin()).collect();
    let gradient = |persons: &Rows<'_>| {
        persons.sums(&Logistic, &theta, Order::Gradient).unwrap().into_inner().gradient
    };
    let (found, expected) = (gradient(&persons), gradient(&alone));
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b * 50.0 / 60.0).abs() < 1e-14));
}

fn weighted(norm: Norm, rows: usize) -> (Matrix, Vec<f32>) {
    let plain = example(norm, rows);
    let mut matrix = Matrix::new(plain.layout().clone().weighted());
    let (width, columns) = (plain.layout().stored().len(), plain.layout().categories().len());
    matrix.push(Batch {
        numeric: plain.numeric[..rows * width].to_vec(),
        codes: plain.codes[..rows * columns].to_vec(),
        positive: plain.signed.iter().map(|&signed| signed > 0.0).collect(),
    });
    let weights: Vec<f32> = (0..rows).map(|row| (row % 11) as f32 / 10.0).collect();
    matrix.weigh(&weights);
    (matrix, weights)
}

/// Every sum by plain loops: values, gradients and Hessians once by the weight, second moments of
/// gradients by its square.
#[test]
fn a_row_counts_as_much_as_it_weighs() {
    // Several groups of rows, and few: big floats are slow.
    const ROWS: usize = 150;
    for norm in [Norm::Scale, Norm::Row] {
        let (matrix, weights) = weighted(norm, ROWS);
        let (rows, d) = (dense(&matrix), matrix.layout().dimension());
        let theta: Vec<f64> = (0..d).map(|j| (j as f64 * 0.7).sin()).collect();
        let squared = Weighted::new(LossKind::Logistic, Weight::SquaredSlope, 1.0);
        let (mut value, mut gradient, mut hessian, mut moments) =
            (0.0, vec![0.0; d], vec![0.0; d * d], vec![0.0; d * d]);
        for (x, &weight) in rows.iter().zip(&weights) {
            let (m, weight): (f64, f64) =
                (x.iter().zip(&theta).map(|(a, b)| a * b).sum(), weight.into());
            value += weight * Logistic.value(m) / ROWS as f64;
            for i in 0..d {
                gradient[i] += weight * Logistic.slope(m) * x[i] / ROWS as f64;
                for j in 0..=i {
                    hessian[i * d + j] +=
                        weight * Logistic.curvature(m) * x[i] * x[j] / ROWS as f64;
                    moments[i * d + j] +=
                        weight * weight * Logistic.slope(m).powi(2) * x[i] * x[j] / ROWS as f64;
                }
            }
        }
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
        let again =
            Matrix::from_bytes(matrix.layout().clone(), &matrix.to_bytes().into_inner()).unwrap();
        for rows in [&matrix, &again, &matrix.gather(&(0..ROWS).collect::<Vec<_>>())] {
            let sums = rows.all().sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
            assert!(close(&sums.gradient, &gradient) && close(&sums.hessian, &hessian));
            assert!((sums.value - value).abs() < 1e-13, "{} {value}", sums.value);
            let second = rows.all().sums(&squared, &theta, Order::Hessian).unwrap().into_inner();
            assert!(close(&second.hessian, &moments));
        }
        let big: Vec<_> = theta.iter().map(|&t| discretion_privacy::noise::exact(t)).collect();
        let big = matrix.all().big_gradient(&Logistic, &big, 200).unwrap().into_inner();
        assert!(big.iter().zip(&gradient).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-15));
        // Rounding of a product counts.
        assert_eq!(
            matrix.all().facts().summation_depth,
            example(norm, ROWS).all().facts().summation_depth + 2
        );
    }
}

/// Weights of a person's rows are divided among them, and no table of weights makes a person count
/// more than once.
#[test]
fn a_person_with_weights_counts_once_at_most() {
    let identifiers: Vec<u128> = (0..300).map(|row| row % 60).collect();
    let (mut matrix, _) = weighted(Norm::Scale, 300);
    let theta: Vec<f64> =
        (0..matrix.layout().dimension()).map(|j| (j as f64 * 0.7).sin()).collect();
    let gradient = |persons: &Rows<'_>| {
        persons.sums(&Logistic, &theta, Order::Gradient).unwrap().into_inner().gradient
    };
    matrix.weigh(&[f32::INFINITY; 300]);
    let most = gradient(&Rows::group(matrix, &identifiers));
    assert_eq!(most, gradient(&Rows::group(example(Norm::Scale, 300), &identifiers)));
    let (mut matrix, _) = weighted(Norm::Scale, 300);
    matrix.weigh(&[0.5; 300]);
    let half = gradient(&Rows::group(matrix, &identifiers));
    assert!(half.iter().zip(&most).all(|(half, whole)| (2.0 * half - whole).abs() < 1e-14));
    let (mut matrix, _) = weighted(Norm::Scale, 300);
    matrix.weigh(&[f32::NAN; 300]);
    assert!(gradient(&Rows::group(matrix, &identifiers)).iter().all(|&entry| entry == 0.0));
}

/// Rows of three classes by plain loops: values, gradients and Hessians once by the weight. A row
/// that is left out adds its weight times ln 3 to the value, and nothing to the rest.
#[test]
fn a_row_of_several_classes_counts_as_much_as_it_weighs() {
    const ROWS: usize = 150;
    for norm in [Norm::Scale, Norm::Row] {
        let (plain, d) = (example(norm, ROWS), 308);
        let classes: Vec<u16> = (0..ROWS).map(|row| (row * 5 % 17 % 3) as u16).collect();
        let layout = plain.layout().clone().weighted().of_classes(3);
        let mut matrix = Matrix::labelled(layout, plain.to_batch().into_inner(), &classes);
        let weights: Vec<f32> = (0..ROWS).map(|row| (row % 11) as f32 / 10.0).collect();
        matrix.weigh(&weights);
        matrix.leave_out(&(0..ROWS).map(|row| row % 7 == 3).collect::<Vec<_>>());
        let theta: Vec<f64> = (0..3 * d).map(|j| (j as f64 * 0.7).sin()).collect();
        let (mut value, mut gradient) = (0.0, vec![0.0; 3 * d]);
        let (mut hessian, mut blocks) = (vec![0.0; 9 * d * d], vec![0.0; 3 * d * d]);
        for ((row, x), &class) in dense(&matrix).iter().enumerate().zip(&classes) {
            let weight = f64::from(weights[row]) / ROWS as f64;
            let score = |k: usize| theta[k * d..].iter().zip(x).map(|(t, x)| t * x).sum::<f64>();
            let powers = [0, 1, 2].map(|k| score(k).exp());
            let sum: f64 = powers.iter().sum();
            let p = powers.map(|power| power / sum);
            let loss = -p[usize::from(class)].ln();
            assert!(row % 7 != 3 || (loss - 3f64.ln()).abs() < 1e-15);
            value += weight * loss;
            let hit: Vec<usize> = (0..d).filter(|&j| x[j] != 0.0).collect();
            for k in 0..3 {
                let own = if usize::from(class) == k { 1.0 } else { 0.0 };
                for &i in &hit {
                    gradient[k * d + i] += weight * (p[k] - own) * x[i];
                    for (&j, l) in hit.iter().flat_map(|j| [(j, 0), (j, 1), (j, 2)]) {
                        let same = if k == l { 1.0 } else { 0.0 };
                        let entry = weight * p[k] * (same - p[l]) * x[i] * x[j];
                        if l * d + j <= k * d + i {
                            hessian[(k * d + i) * 3 * d + l * d + j] += entry;
                        }
                        if k == l && j <= i {
                            blocks[(k * d + i) * d + j] += entry;
                        }
                    }
                }
            }
        }
        let close = |a: &[f64], b: &[f64], by: f64| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < by)
        };
        let rows = matrix.all();
        let sums = rows.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        assert!((sums.value - value).abs() < 1e-13, "{} {value}", sums.value);
        assert!(close(&sums.gradient, &gradient, 1e-14));
        // Entries above the diagonal are nobody's.
        for row in 0..3 * d {
            let lower = row * 3 * d..row * 3 * d + row + 1;
            assert!(close(&sums.hessian[lower.clone()], &hessian[lower], 1e-14), "{row}");
        }
        // What says next to nothing about a class is left out of its block.
        let own = rows.class_blocks(&theta).unwrap().into_inner();
        assert!(close(&own, &blocks, 1e-8));
        let big: Vec<_> = theta.iter().map(|&t| discretion_privacy::noise::exact(t)).collect();
        let big = rows.big_gradient(&Logistic, &big, 200).unwrap().into_inner();
        assert!(big.iter().zip(&gradient).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-15));
        // Rounding of a product counts.
        let without = Facts::of_layout(ROWS, plain.layout()).of_classes(3);
        assert_eq!(rows.facts().summation_depth, without.summation_depth + 2);
    }
}
