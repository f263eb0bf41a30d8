//! The bounds √2·t/n and √2·S²/n, against the program's own sums.

use super::{rows_of_length_one, signed_unit};
use crate::erm::matrix::{Layout, Matrix, Norm};
use crate::erm::{AskOracle, Facts, Oracle, Order};
use crate::interval::matrices::{
    computed_movement, computed_sensitivity, sensitivity, sum_error, svec,
};
use crate::loss::{Loss, LossKind};
use crate::loss::{Weight, Weighted};
use crate::rounding::roundings_in;
use discretion_privacy::Unit;
use discretion_privacy::noise::{BigFloat, Seeded, exact};
use discretion_privacy::trusted::Open;
use std::sync::Mutex;

const N: usize = 7;
const WEIGHTS: [Weight; 2] = [Weight::Curvature, Weight::SquaredSlope];
const LOSSES: [LossKind; 2] = [LossKind::Logistic, LossKind::Hinge];

/// How far the computed coordinates move when the first of N rows is replaced, as a share of the
/// bound.
fn share(
    kind: LossKind,
    weight: Weight,
    theta: &[f64],
    old: &[f32],
    new: &[f32],
    labels: [bool; 2],
) -> f64 {
    let length = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let most = weight.most(kind, length);
    let coordinates = |x: &[f32], label: bool| {
        let mut rows = vec![(vec![0.6, -0.3, 0.2], true); N];
        rows[0] = (x.to_vec(), label);
        let matrix = rows_of_length_one(&rows);
        let sums =
            matrix.all().sums(&Weighted::new(kind, weight, most), theta, Order::Hessian).unwrap();
        svec(&sums.into_inner().hessian, theta.len())
    };
    let (before, after) = (coordinates(old, labels[0]), coordinates(new, labels[1]));
    let moved = before.iter().zip(&after).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let facts = rows_of_length_one(&[(vec![1.0, 0.0, 0.0], true)]).all().facts();
    // The statement is about exact sums; what the program computes may be off by its own bound.
    (moved - 2.0 * sum_error(most, &facts)) / sensitivity(most, N)
}

#[test]
fn random_neighbours_never_exceed_the_bound() {
    let mut source = Seeded::new(11);
    for _ in 0..3000 {
        let mut row = || -> Vec<f32> { (0..3).map(|_| signed_unit(&mut source) as f32).collect() };
        let (old, new) = (row(), row());
        let size = 10f64.powf(2.0 * signed_unit(&mut source));
        let theta: Vec<f64> = (0..4).map(|_| size * signed_unit(&mut source)).collect();
        let labels = [signed_unit(&mut source) > 0.0, signed_unit(&mut source) > 0.0];
        for kind in LOSSES {
            for weight in WEIGHTS {
                let found = share(kind, weight, &theta, &old, &new, labels);
                assert!(
                    found <= 1.0,
                    "{kind:?} {weight:?} {theta:?} {old:?} {new:?}: {found} of the bound"
                );
            }
        }
    }
}

/// Orthogonal rows of full length and full weight: there the constant √2 is reached, and a smaller
/// one is wrong.
#[test]
fn adversarial_neighbours_reach_the_bound() {
    let (east, north) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    for kind in LOSSES {
        for weight in WEIGHTS {
            let theta = match (kind, weight) {
                // f″ is largest at margin 1, and both rows have it.
                (LossKind::Hinge, Weight::Curvature) => [0.0, 1.0, 1.0, 0.0],
                // Margin 0: f″ = 1/4 and f′² = S(0)² = 1/4, or a slope of −1.
                _ => [0.0; 4],
            };
            let found = share(kind, weight, &theta, &east, &north, [true, true]);
            assert!(
                found > 0.98 && found <= 1.0,
                "{kind:?} {weight:?}: only {found} of the bound is reached"
            );
        }
    }
}

/// S(‖θ‖)² and not S(0)²: a row against θ has the slope S(‖θ‖).
#[test]
fn long_coefficients_have_steeper_slopes() {
    let theta = [0.0, 3.0, 0.0, 0.0];
    let found = share(
        LossKind::Logistic,
        Weight::SquaredSlope,
        &theta,
        &[-1.0, 0.0, 0.0],
        &[0.0, 1.0, 0.0],
        [true, true],
    );
    // √(S(3)⁴ + S(0)⁴) of √2·S(3)².
    let steep = 1.0 / (1.0 + (-3f64).exp());
    let expected = (0.5 * (1.0 + 1.0 / (16.0 * steep.powi(4)))).sqrt();
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

/// Doubles against the same sums in 200-bit arithmetic: the error is within its bound on tables
/// that are all rounding.
#[test]
fn computed_sums_are_within_their_error_bound() {
    let mut source = Seeded::new(5);
    let theta = [0.3, 2.0, -1.0, 0.7];
    let rows: Vec<(Vec<f32>, bool)> = (0..600)
        .map(|i| ((0..3).map(|_| signed_unit(&mut source) as f32).collect(), i % 3 == 0))
        .collect();
    let matrix = rows_of_length_one(&rows);
    for kind in LOSSES {
        for weight in WEIGHTS {
            let most = weight.most(kind, 3.0);
            let weighted = Weighted::new(kind, weight, most);
            let computed = svec(
                &matrix.all().sums(&weighted, &theta, Order::Hessian).unwrap().into_inner().hessian,
                4,
            );
            // Every row alone has the weight it has in company; a table of one row gives it.
            let big = |x: f64| exact(x).with_precision(200).value();
            let root = big(2.0).sqrt();
            let mut total = vec![big(0.0); computed.len()];
            for row in &rows {
                let x = unit_row(&row.0);
                let alone = rows_of_length_one(std::slice::from_ref(row));
                let margin = margin_of(&alone, &theta);
                let [mut slope, mut weight] = [[0.0]; 2];
                weighted.evaluate(&[margin], &mut slope, &mut weight);
                let w = big(weight[0]);
                let mut k = 0;
                for i in 0..4 {
                    for j in 0..=i {
                        let term = &w * &x[i] * &x[j];
                        total[k] += if i == j { term } else { term * &root };
                        k += 1;
                    }
                }
            }
            let n = big(rows.len() as f64);
            let apart: BigFloat = total.iter().zip(&computed).fold(big(0.0), |sum, (t, &c)| {
                let gap = t / &n - big(c);
                sum + &gap * &gap
            });
            let apart = apart.sqrt().to_f64().value();
            let bound = sum_error(most, &matrix.all().facts());
            assert!(apart > 0.0 && apart <= bound, "{kind:?} {weight:?}: {apart} > {bound}");
        }
    }
}

/// Lemma 2: k counts the additions of an entry and 12 roundings more. Seven of those happen: four
/// products (with the row's own weight, with the square of its factor, with each of two entries),
/// the division by n, the product with √2 and the rounding of √2. The other five are spare.
#[test]
fn the_error_of_a_matrix_counts_every_rounding() {
    let layout = Layout::new(Norm::Scale, 0.5, vec![0.5], vec![(3, 0.5)]).unwrap();
    // Rows: n, a block of 256, the blocks of a part, the parts. Persons of 2¹⁶ rows, which are 256
    // blocks: 17 blocks in each of 16 sections, one part, and two roundings for weights.
    let additions = [
        (Unit::Row, 7, 7 + 256 + 1 + 1),
        (Unit::Row, 600, 600 + 256 + 3 + 1),
        (Unit::Row, 10_000_000, 10_000_000 + 256 + 611 + 64),
        (Unit::Person, 1, 17 * 256 + 16 + 1 + 2),
    ];
    for (unit, count, additions) in additions {
        let facts = Facts::of_units(unit, count, &layout);
        for most in [1.0, 0.25, 0.3] {
            let error = sum_error(most, &facts);
            let counted = roundings_in(error / (1.01 * most));
            let expected = f64::from(additions + 12);
            assert!((counted - expected).abs() < 1e-6, "{unit:?} {count}: {counted} {expected}");
            // Neighbours: what exact sums move by, and the error of either.
            let n = count as f64;
            for (found, exact) in [
                (computed_sensitivity(most, &facts), 2f64.sqrt() * most / n + 2.0 * error),
                (computed_movement(most, &facts), 2.0 * most / n + 2.0 * error),
            ] {
                let share = found / exact;
                assert!((1.0..1.0 + 1e-11).contains(&share), "{unit:?} {count}: {share}");
            }
        }
    }
}

/// The stored row, exactly: its numbers times its factor.
fn unit_row(numbers: &[f32]) -> Vec<BigFloat> {
    let all = || std::iter::once(1e-6f32).chain(numbers.iter().copied());
    let squared: f64 = all().map(|x| f64::from(x) * f64::from(x)).sum();
    let factor = ((1.0 - 1.0 / f64::from(1u32 << 20)) / squared.sqrt()) as f32;
    all().map(|x| exact(f64::from(x) * f64::from(factor)).with_precision(200).value()).collect()
}

/// The margin that the oracle computes for the only row of a table.
fn margin_of(alone: &Matrix, theta: &[f64]) -> f64 {
    struct Ear(Mutex<f64>);
    impl Loss for Ear {
        fn value(&self, margin: f64) -> f64 {
            *self.0.lock().unwrap() = margin;
            0.0
        }
        fn slope(&self, _: f64) -> f64 {
            0.0
        }
        fn curvature(&self, _: f64) -> f64 {
            0.0
        }
        fn big_slope(&self, margin: &BigFloat) -> BigFloat {
            margin.clone()
        }
    }
    let ear = Ear(Mutex::new(f64::NAN));
    let _ = alone.all().sums(&ear, theta, Order::Gradient).unwrap();
    ear.0.into_inner().unwrap()
}
