//! A person's rows together count as one, and how many there are changes nothing public.

use super::parts::ByteStore;
use super::*;
use crate::erm::matrix::rows::weight;
use crate::erm::{AskOracle, Facts, Oracle, Order, Point};
use crate::loss::{Logistic, Loss};
use dashu_ratio::RBig;
use discretion_privacy::Unit;
use discretion_privacy::noise::exact;
use discretion_privacy::trusted::Open;

/// Identifiers of persons with so many rows each, their rows far apart in the table.
fn dealt(sizes: &[usize]) -> Vec<u128> {
    let most = sizes.iter().copied().max().unwrap_or(0);
    (0..most)
        .flat_map(|round| (0..sizes.len()).filter(move |&p| round < sizes[p]))
        .map(|person| (person as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
        .collect()
}

/// A mean over persons of each one's mean, by plain loops.
#[test]
fn sums_are_means_over_persons_of_their_means_over_rows() {
    let sizes = [1, 2, 50, 3, 7, 300, 1, 600];
    let identifiers = dealt(&sizes);
    for norm in [Norm::Scale, Norm::Row] {
        let matrix = example(norm, identifiers.len());
        let (rows, d) = (dense(&matrix), matrix.layout().dimension());
        let theta: Vec<f64> = (0..d).map(|j| (j as f64 * 0.7).sin()).collect();
        let (mut value, mut gradient, mut hessian) = (0.0, vec![0.0; d], vec![0.0; d * d]);
        for (x, identifier) in rows.iter().zip(&identifiers) {
            let own = identifiers.iter().filter(|other| *other == identifier).count();
            let weight = 1.0 / (own * sizes.len()) as f64;
            let m: f64 = x.iter().zip(&theta).map(|(a, b)| a * b).sum();
            value += weight * Logistic.value(m);
            for i in 0..d {
                gradient[i] += weight * Logistic.slope(m) * x[i];
                for j in 0..=i {
                    hessian[i * d + j] += weight * Logistic.curvature(m) * x[i] * x[j];
                }
            }
        }
        let persons = Rows::group(matrix, &identifiers);
        let sums = persons.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
        assert!((sums.value - value).abs() < 1e-13);
        assert!(sums.gradient.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-14));
        let lower = (0..d).flat_map(|i| (0..=i).map(move |j| i * d + j));
        assert!(lower.into_iter().all(|at| (sums.hessian[at] - hessian[at]).abs() < 1e-14));
        let big: Vec<_> = theta.iter().map(|&t| exact(t)).collect();
        let big = persons.big_gradient(&Logistic, &big, 200).unwrap().into_inner();
        assert!(big.iter().zip(&gradient).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-15));
    }
}

/// Products of each person's mean gradient, by plain loops; slopes beyond the most are cut off.
#[test]
fn products_are_those_of_mean_gradients() {
    let sizes = [1, 2, 50, 3, 7, 300];
    let identifiers = dealt(&sizes);
    for norm in [Norm::Scale, Norm::Row] {
        let matrix = example(norm, identifiers.len());
        let (rows, d) = (dense(&matrix), matrix.layout().dimension());
        let theta: Vec<f64> = (0..d).map(|j| (j as f64 * 0.7).sin()).collect();
        let persons = Rows::group(matrix, &identifiers);
        for most in [1.0, 0.4] {
            let mut expected = vec![0.0; d * d];
            let mut known = identifiers.clone();
            known.sort_unstable();
            known.dedup();
            for person in known {
                let own: Vec<_> = rows
                    .iter()
                    .zip(&identifiers)
                    .filter(|row| *row.1 == person)
                    .map(|row| row.0)
                    .collect();
                let mut gradient = vec![0.0; d];
                for x in &own {
                    let m: f64 = x.iter().zip(&theta).map(|(a, b)| a * b).sum();
                    let slope = Logistic.slope(m).max(-most) / own.len() as f64;
                    gradient.iter_mut().zip(x.iter()).for_each(|(g, x)| *g += slope * x);
                }
                for i in 0..d {
                    (0..=i).for_each(|j| {
                        expected[i * d + j] += gradient[i] * gradient[j] / sizes.len() as f64
                    });
                }
            }
            let found = persons.products(&Logistic, &theta, most).unwrap().into_inner();
            assert!(
                found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14),
                "{norm:?} {most}"
            );
        }
    }
    assert!(
        example(Norm::Scale, 5).all().products(&Logistic, &[0.0; 9], 1.0).is_err(),
        "rows are not persons"
    );
}

#[test]
fn persons_of_one_row_each_are_rows() {
    let matrix = example(Norm::Scale, 3000);
    let theta: Vec<f64> = (0..matrix.layout().dimension()).map(|j| (j as f64).cos()).collect();
    let as_rows = matrix.all().sums(&Logistic, &theta, Order::Gradient).unwrap().into_inner();
    let persons = Rows::group(matrix, &(0..3000).collect::<Vec<u128>>());
    let as_persons = persons.sums(&Logistic, &theta, Order::Gradient).unwrap().into_inner();
    assert!(as_rows.gradient.iter().zip(&as_persons.gradient).all(|(a, b)| (a - b).abs() < 1e-15));
}

/// The weights of a person's rows never add up to more than 1, in exact arithmetic, and hardly to
/// less.
#[test]
fn the_weights_of_a_person_s_rows_add_up_to_one_at_most() {
    let rational = |x: f64| RBig::try_from(x).unwrap();
    for rows in (1..3000).chain([4095, 49_999, 65_535, Grouping::MOST_ROWS]) {
        let weight = weight(rows);
        assert!(rational(weight) * RBig::from(rows) <= RBig::ONE, "{rows}");
        assert!(rational(weight.next_up()) * RBig::from(rows) > RBig::ONE, "{rows}");
        assert!(
            rational(weight) * RBig::from(rows) >= RBig::ONE - rational(f64::EPSILON),
            "{rows}"
        );
    }
}

/// A product with the weight is one rounding. What a person's weights fall short of 1 by is up to two
/// units, which neighbours differ by once, and one more rounding is counted on the side of each.
#[test]
fn a_weight_counts_as_two_roundings() {
    // The additions of one person's 2¹⁶ rows: a block of 256, and 256 blocks in 16 sections of 17.
    let of_gradient = 256 + 17 + 16 + 1;
    let of_matrix = 17 * 256 + 16 + 1;
    let facts = Facts::of_persons(1, 3, 3);
    let counted =
        [facts.summation_depth - of_gradient, facts.matrix_depth() - of_matrix].map(RBig::from);
    let rational = |x: f64| RBig::try_from(x).unwrap();
    let short = |rows: usize| RBig::ONE - rational(weight(rows)) * RBig::from(rows);
    let most = (1..=Grouping::MOST_ROWS).map(short).max().unwrap() / rational(0.5f64.powi(53));
    assert!(most > rational(1.9) && most <= RBig::from(2), "{most}");
    for counted in counted {
        let sides = (counted - RBig::ONE) * RBig::from(2);
        assert!(most <= sides, "{sides} units for {most}");
        assert!(sides == RBig::from(2), "one rounding would be enough, {sides}");
    }
}

#[test]
fn what_is_public_follows_from_the_number_of_persons() {
    let facts = |sizes: &[usize]| {
        let identifiers = dealt(sizes);
        let persons = Rows::group(example(Norm::Scale, identifiers.len()), &identifiers);
        assert_eq!(persons.units(), sizes.len());
        (persons.facts(), persons.view(1..sizes.len()).facts(), persons.layout().clone())
    };
    let (all, some, layout) = facts(&[1; 40]);
    assert_eq!(facts(&[9; 40]), (all.clone(), some.clone(), layout.clone()));
    assert_eq!(
        (&all, all.rows, all.unit),
        (&Facts::of_units(Unit::Person, 40, &layout), 40, Unit::Person)
    );
    assert_eq!(some, Facts::of_units(Unit::Person, 39, &layout));
    assert_eq!(Facts::of_units(Unit::Row, 40, &layout), Facts::of_layout(40, &layout));
}

#[test]
fn rows_beyond_the_most_that_a_person_may_have_are_left_out_by_position() {
    let most = Grouping::MOST_ROWS;
    let layout = Layout::new(Norm::Scale, 0.5, vec![0.5], vec![]).unwrap();
    let numbers = |further: f32| {
        let numeric = (0..most + 100).map(|row| if row < most { 0.2 } else { further }).collect();
        let matrix = Matrix::of(
            layout.clone(),
            Batch { numeric, codes: vec![], positive: vec![true; most + 100] },
        );
        let persons = Rows::group(matrix, &vec![7; most + 100]);
        persons.sums(&Logistic, &[0.3, 0.4], Order::Gradient).unwrap().into_inner().gradient
    };
    assert_eq!(numbers(0.5), numbers(-0.5));
}

/// Where persons stand follows from their identifiers, so replacing one's rows moves nobody else.
#[test]
fn the_order_of_rows_decides_nothing_but_the_order_within_a_person() {
    let identifiers = dealt(&[4, 1, 9, 2, 2]);
    let matrix = example(Norm::Scale, identifiers.len());
    let turned: Vec<usize> = (0..identifiers.len()).rev().collect();
    let other =
        Rows::group(matrix.gather(&turned), &identifiers.iter().rev().copied().collect::<Vec<_>>());
    let persons = Rows::group(matrix, &identifiers);
    let theta: Vec<f64> = (0..persons.layout().dimension()).map(|j| (j as f64).cos()).collect();
    for person in 0..5 {
        let [a, b] = [&persons, &other].map(|table| {
            let view = table.view(person..person + 1);
            view.sums(&Logistic, &theta, Order::Gradient).unwrap().into_inner().value
        });
        assert!((a - b).abs() < 1e-15, "{person}");
    }
}

#[test]
fn any_number_of_threads_sums_persons_to_the_same_bits() {
    let sizes: Vec<usize> = (0..2000).map(|person| 1 + person % 13).collect();
    let identifiers = dealt(&sizes);
    let persons = Rows::group(example(Norm::Scale, identifiers.len()), &identifiers);
    let theta: Vec<f64> = (0..persons.layout().dimension()).map(|j| (j as f64).cos()).collect();
    let points = vec![Point { theta, order: Order::Hessian }];
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| persons.sums_at(&Logistic, &points).unwrap().remove(0).into_inner())
    };
    let one = with(1);
    for threads in [2, 3] {
        let many = with(threads);
        assert_eq!((one.value.to_bits(), &one.gradient), (many.value.to_bits(), &many.gradient));
        assert_eq!(one.hessian, many.hessian);
    }
}

/// Every answer about rows that are kept elsewhere is that about rows in memory, bit for bit, of
/// all persons and of some.
#[test]
fn persons_whose_rows_are_elsewhere_answer_the_same_bits() {
    let sizes: Vec<usize> =
        (0..900).map(|person| if person == 700 { 9000 } else { 1 + person % 13 }).collect();
    let identifiers = dealt(&sizes);
    for is_weighted in [false, true] {
        let grouped = || {
            let plain = example(Norm::Row, identifiers.len());
            let mut matrix = plain;
            if is_weighted {
                let layout = matrix.layout().clone().weighted();
                matrix = Matrix::of(layout, matrix.to_batch().into_inner());
                matrix.weigh(
                    &(0..identifiers.len()).map(|row| (row % 7) as f32 / 5.0).collect::<Vec<_>>(),
                );
                matrix.leave_out(
                    &(0..identifiers.len()).map(|row| row % 11 == 0).collect::<Vec<_>>(),
                );
            }
            Rows::group(matrix, &identifiers)
        };
        let here = grouped();
        let (bytes, starts) = here.records().unwrap().into_inner();
        let elsewhere = Rows::of_persons(ByteStore(here.layout().clone(), bytes, 0.into()), starts);
        assert_eq!(here.facts(), elsewhere.facts());
        let theta: Vec<f64> = (0..here.layout().dimension()).map(|j| (j as f64).cos()).collect();
        let answers = |persons: &Rows<'_>| {
            let sums = persons.sums(&Logistic, &theta, Order::Hessian).unwrap().into_inner();
            let products = persons.products(&Logistic, &theta, 0.8).unwrap().into_inner();
            (sums.value.to_bits(), sums.gradient, sums.hessian, products)
        };
        for range in [0..900, 3..800] {
            assert_eq!(answers(&here.view(range.clone())), answers(&elsewhere.view(range)));
        }
        let big: Vec<_> = theta.iter().map(|&t| exact(t)).collect();
        let [one, other] = [&here, &elsewhere].map(|persons| {
            persons.view(5..9).big_gradient(&Logistic, &big, 120).unwrap().into_inner()
        });
        assert_eq!(one, other);
        // The others begin where the first end.
        let expected = answers(&here.view(200..900));
        for persons in [here, elsewhere] {
            let others = persons.view(200..900);
            assert_eq!(others.units(), 700);
            assert_eq!(answers(&others.view(0..700)), expected);
        }
    }
}
