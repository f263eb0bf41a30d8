//! What a pass sums, against plain loops over rows blown up.

use super::*;
use crate::erm::matrix::block::{AddBlock, PartialSum};
use crate::erm::{AskOracle, Oracle, Order, Point};
use crate::loss::{Logistic, Loss};
use discretion_privacy::noise::{BigFloat, exact};
use discretion_privacy::trusted::Open;
use pulp::{Arch, Scalar, WithSimd};

#[test]
fn sums_from_codes_equal_sums_from_blown_up_rows() {
    for norm in [Norm::Scale, Norm::Row] {
        let matrix = example(norm, 777);
        let d = matrix.layout().dimension();
        let theta: Vec<f64> = (0..d).map(|j| (j as f64 * 0.7).sin()).collect();
        let sums = matrix.all().sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        let rows = dense(&matrix);
        let (mut value, mut gradient, mut hessian) = (0.0, vec![0.0; d], vec![0.0; d * d]);
        for x in &rows {
            let m: f64 = x.iter().zip(&theta).map(|(a, b)| a * b).sum();
            value += Logistic.value(m) / 777.0;
            for i in 0..d {
                gradient[i] += Logistic.slope(m) * x[i] / 777.0;
                for j in 0..=i {
                    hessian[i * d + j] += Logistic.curvature(m) * x[i] * x[j] / 777.0;
                }
            }
        }
        assert!((sums.value - value).abs() < 1e-13);
        assert!(sums.gradient.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-14));
        for i in 0..d {
            for j in 0..=i {
                assert!((sums.hessian[i * d + j] - hessian[i * d + j]).abs() < 1e-14, "{i} {j}");
            }
        }
        let big: Vec<_> = theta.iter().map(|&t| exact(t)).collect();
        let big = matrix.all().big_gradient(&Logistic, &big, 200).unwrap().into_inner();
        assert!(big.iter().zip(&gradient).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-15));
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let matrix = example(Norm::Scale, 20_000);
    let theta: Vec<f64> = (0..matrix.layout().dimension()).map(|j| (j as f64).cos()).collect();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| matrix.all().sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner())
    };
    let one = with(1);
    for threads in [2, 3, 7] {
        let many = with(threads);
        assert_eq!(one.value.to_bits(), many.value.to_bits());
        assert_eq!(one.gradient, many.gradient);
        assert_eq!(one.hessian, many.hessian);
    }
}

/// A view is the matrix of its rows.
#[test]
fn views_sum_what_copies_would() {
    let matrix = example(Norm::Row, 1500);
    let theta: Vec<f64> =
        (0..matrix.layout().dimension()).map(|j| (j as f64 * 0.3).cos()).collect();
    let sums =
        |oracle: &dyn Oracle| oracle.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
    let (view, copy) = (matrix.view(300..1100), matrix.gather(&(300..1100).collect::<Vec<_>>()));
    assert_eq!(view.facts(), copy.all().facts());
    assert_eq!(sums(&view).gradient, sums(&copy.all()).gradient);
    assert_eq!(sums(&view).hessian, sums(&copy.all()).hessian);
}

#[test]
fn one_pass_for_several_points_gives_what_each_would_get_alone() {
    let matrix = example(Norm::Scale, 9000);
    let point = |shift: f64, order| {
        let theta = (0..matrix.layout().dimension()).map(|j| (j as f64 + shift).sin()).collect();
        Point { theta, order }
    };
    let orders = [Order::Hessian, Order::Gradient, Order::Curvature];
    let points: Vec<_> = (0..19).map(|i| point(i as f64, orders[i % 3])).collect();
    // Alone, side by side, and both in one pass.
    for count in [2, 3, 4, 8, 9, 19] {
        let together = matrix.all().sums_at(&Logistic, &points[..count]).unwrap();
        for (point, sums) in points[..count].iter().zip(together) {
            let alone =
                matrix.all().sums(&Logistic, &point.theta, point.order).unwrap().into_inner();
            let sums = sums.into_inner();
            assert_eq!(
                (sums.value, sums.gradient, sums.hessian),
                (alone.value, alone.gradient, alone.hessian)
            );
        }
    }
}

/// The cheaper Hessian is the other one up to the rounding that it promises, at every shape of the
/// dense corner, and the corner is what a plain loop gives.
#[test]
fn curvature_is_the_hessian_to_its_bound_at_every_width() {
    for width in [0, 1, 6, 7, 8, 9, 15, 16, 23, 40] {
        let layout = Layout::new(Norm::Row, 0.7, vec![0.9; width], vec![(3, 0.4)]).unwrap();
        let mut matrix = Matrix::new(layout);
        let rows = 1000 + width;
        let value = |i: usize| ((i * 7919) % 1009) as f32 / 504.5 - 1.0;
        matrix.push(Batch {
            numeric: (0..rows * width).map(value).collect(),
            codes: (0..rows).map(|row| (row % 5) as u16).collect(),
            positive: (0..rows).map(|row| row % 3 == 0).collect(),
        });
        let d = matrix.layout().dimension();
        let theta: Vec<f64> = (0..d).map(|j| (j as f64).cos()).collect();
        let at = |order| matrix.all().sums(&Logistic, &theta, order).unwrap().into_inner();
        let (exact, rounded, gradient) =
            (at(Order::Hessian), at(Order::Curvature), at(Order::Gradient));
        assert_eq!((exact.value, &exact.gradient), (rounded.value, &rounded.gradient));
        assert_eq!((exact.value, &exact.gradient), (gradient.value, &gradient.gradient));
        assert!(gradient.hessian.is_empty());
        let (mut plain, mut absolute) = (vec![0.0; d * d], vec![0.0; d * d]);
        for x in dense(&matrix) {
            let m: f64 = x.iter().zip(&theta).map(|(a, b)| a * b).sum();
            for i in 0..d {
                for j in 0..=i {
                    let term = Logistic.curvature(m) * x[i] * x[j] / rows as f64;
                    plain[i * d + j] += term;
                    absolute[i * d + j] += term.abs();
                }
            }
        }
        for i in 0..d * d {
            assert!((exact.hessian[i] - plain[i]).abs() <= 1e-13 * absolute[i], "{width} {i}");
            let bound = absolute[i] / f64::from(1 << 15);
            assert!((rounded.hessian[i] - plain[i]).abs() <= bound, "{width} {i}");
        }
    }
}

/// What the widest registers compute is what plain code computes, bit for bit.
#[test]
fn every_instruction_set_gives_the_same_bits() {
    let matrix = example(Norm::Row, 250);
    let weights: Vec<f64> = (0..250).map(|row| f64::from(row % 3)).collect();
    let orders = [Order::Hessian, Order::Curvature, Order::Gradient];
    let point = |i: usize| {
        let theta = (0..matrix.layout().dimension()).map(|j| ((i + j) as f64).sin()).collect();
        Point { theta, order: orders[i % 3] }
    };
    let points: Vec<_> = (0..9).map(point).collect();
    for weights in [None, Some(&weights[..])] {
        let sum = || PartialSum::new(matrix.layout(), &Logistic, &points);
        let (mut wide, mut plain) = (sum(), sum());
        let block = |sum| AddBlock { sum, matrix: &matrix, rows: 0..250, weights };
        Arch::new().dispatch(block(&mut wide));
        block(&mut plain).with_simd(Scalar::new());
        let bytes = |sum: PartialSum<'_>| PartAnswer::Sums(sum.sums()).to_bytes().into_inner();
        assert_eq!(bytes(wide), bytes(plain));
    }
}

/// A value or a gradient that meets many others alone is more than its last digits off. Here each
/// of them is lost if it is added on its own, and none if those of a block are added first: so the
/// error counts additions.
#[test]
fn no_number_takes_part_in_more_additions_than_the_facts_say() {
    /// 1 at large margins, nearly half of the last digit of 1 at small ones, 0 at 0; slopes alike.
    struct Lost;
    const SMALL: f64 = 0.4999 * f64::EPSILON;
    impl Loss for Lost {
        fn value(&self, m: f64) -> f64 {
            if m.abs() > 0.5 {
                1.0
            } else if m != 0.0 {
                SMALL
            } else {
                0.0
            }
        }
        fn slope(&self, m: f64) -> f64 {
            -self.value(m)
        }
        fn curvature(&self, _: f64) -> f64 {
            0.0
        }
        fn big_slope(&self, _: &BigFloat) -> BigFloat {
            unreachable!("noise is ordinary")
        }
    }
    // More than a hundred blocks in a part. The first row is the large one, and a small one leads
    // every so many rows.
    let rows = 2_300_000;
    for every in [16, 64, 128, 256] {
        let layout = Layout::new(Norm::Scale, 0.1, vec![0.9], vec![]).unwrap();
        let mut matrix = Matrix::new(layout);
        let value = |row: usize| match row {
            0 => 0.9,
            row if row.is_multiple_of(every) => 0.1,
            _ => 0.0,
        };
        matrix.push(Batch {
            numeric: (0..rows).map(value).collect(),
            codes: vec![],
            positive: vec![true; rows],
        });
        let facts = matrix.all().facts();
        let small = (rows.div_ceil(every) - 1) as f64;
        let sums = matrix.all().sums(&Lost, &[0.0, 1.0], Order::Gradient).unwrap().into_inner();
        let (n, unit) = (rows as f64, f64::EPSILON / 2.0);
        // Sums below 2, so one addition is off by half of the last digit of 1 at most; the means by
        // one rounding more.
        let bound = (facts.summation_depth as f64 + 2.0) * unit * (1.0 + small * SMALL);
        let off = sums.value * n - 1.0 - small * SMALL;
        assert!(
            off.abs() <= bound,
            "{every}: {} units, {} additions",
            off / unit,
            facts.summation_depth
        );
        let slopes = sums.gradient[0] * n / f64::from(0.1f32) + 1.0 + small * SMALL;
        assert!(slopes.abs() <= bound + 4.0 * unit, "{every}: {} units", slopes / unit);
    }
}
