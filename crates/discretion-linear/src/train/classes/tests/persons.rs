//! Persons with 1, 2 and 50 rows of several classes: exact densities with a person's weights, and
//! the program's own sums.

use super::*;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, Rows};
use crate::erm::{AskOracle, Oracle, Order};
use crate::train::not_private;
use discretion_privacy::Unit;
use discretion_privacy::account::classes_trace;
use discretion_privacy::noise::exact;
use discretion_privacy::trusted::Open;

type Person = Vec<Row>;

/// One row, two that agree or do not, and 50 of all kinds, of one kind, or of two.
fn persons_to_try() -> Vec<Person> {
    let fifty = |kinds: &[Row]| kinds.iter().copied().cycle().take(50).collect();
    let mut persons: Vec<Person> = rows_to_try().into_iter().map(|row| vec![row]).collect();
    persons.extend([
        vec![(1.0, 0), (1.0, 1)],
        vec![(1.0, 0), (-1.0, 0)],
        vec![(-1.0, 2), (0.5, 1)],
    ]);
    persons.extend([fifty(&rows_to_try()), fifty(&[(1.0, 2)]), fifty(&[(1.0, 0), (-1.0, 1)])]);
    persons
}

/// b and the Jacobian, with rows that weigh 1 over their number, or 1 each if they are counted as
/// rows.
fn noise_of(
    persons: &[&Person],
    lambda: f64,
    theta: [f64; 2],
    are_averaged: bool,
) -> ([f64; 3], f64) {
    let weight = |person: &Person| if are_averaged { 1.0 / person.len() as f64 } else { 1.0 };
    let rows =
        persons.iter().flat_map(|person| person.iter().map(move |&row| (row, weight(person))));
    weighted_noise_at(rows, persons.len(), lambda, theta)
}

fn law_of(
    n: usize,
    lambda: f64,
    budget: Budget,
    is_wanted: fn(&TrainingLaw) -> bool,
) -> TrainingLaw {
    let training = Training {
        loss: LossKind::Logistic,
        lambda: Some(lambda),
        method: Method::Objective,
        budget,
    };
    let facts = Facts { unit: Unit::Person, ..facts(n, 1.0) };
    let law = training.plan(facts).unwrap().with_law(is_wanted).chosen().law().clone();
    assert!(is_wanted(&law));
    law
}

#[test]
fn densities_of_neighbours_differ_by_epsilon_at_most() {
    let (n, lambda, epsilon) = (3, 0.5, 1.0);
    for is_wanted in [is_spherical, is_shaped] {
        let law = law_of(n, lambda, Budget::Pure { epsilon }, is_wanted);
        for (other, theta) in [vec![(0.0, 0)], vec![(1.0, 1), (-0.5, 2)]]
            .iter()
            .flat_map(|other: &Person| thetas().into_iter().map(move |theta| (other, theta)))
        {
            let at = |person: &Person| {
                let (b, jacobian) = noise_of(&[person, other, other], lambda, theta, true);
                ln_density(&law, b) + jacobian
            };
            let all: Vec<f64> = persons_to_try().iter().map(at).collect();
            let most = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(most - least <= epsilon, "{law:?} {theta:?}: {}", most - least);
        }
    }
}

/// As [`log_ratio_at_the_end`], with 50 rows in the place of one: averaged they move b as far as
/// one row, and counted as rows 50 times as far.
#[test]
fn half_the_noise_is_caught_and_so_are_rows_that_are_not_averaged() {
    let (n, lambda, epsilon) = (20_000, 1e-3, 0.5);
    let law = law_of(n, lambda, Budget::Pure { epsilon }, is_shaped);
    let ratio = |law: &TrainingLaw, are_averaged: bool| {
        let theta = [-4.0 / 2f64.sqrt(), 12.0 / 6f64.sqrt()];
        let other = vec![(-0.1, 0)];
        let at = |row: Row| {
            let person = vec![row; 50];
            let mut persons = vec![&other; n];
            persons[0] = &person;
            let (b, jacobian) = noise_of(&persons, lambda, theta, are_averaged);
            ln_density(law, b) + jacobian
        };
        (at((1.0, 0)) - at((-1.0, 0))).abs()
    };
    assert!(ratio(&law, true) <= epsilon && ratio(&law, true) > 0.85 * epsilon);
    assert!(ratio(&law, false) > 10.0 * epsilon);
    let TrainingLaw::Shaped(ShapedLaw::Groups { columns, group_of, epsilons }) = law else {
        unreachable!()
    };
    let twice = epsilons.iter().map(|epsilon| 2.0 * epsilon).collect();
    assert!(
        ratio(&ShapedLaw::Groups { columns, group_of, epsilons: twice }.into(), true) > epsilon
    );
}

#[test]
fn the_gaussian_curve_holds_for_persons() {
    let (n, lambda, sigma) = (3, 1.0, 4.0);
    let rank = Unit::Person.classes_curvature_rank(3, 1);
    let curvature = curvature_price(rank, n, lambda, classes_trace(3));
    let curve = Curve::of(Term::GaussianClasses { sigma, curvature, classes: 3, joint: None });
    let mut caught = false;
    let five = |row: Row| vec![row; 5];
    let pairs: [(Person, Person); 3] = [
        (five((1.0, 0)), vec![(1.0, 1)]),
        (five((1.0, 0)), vec![(-1.0, 0)]),
        (vec![(1.0, 0), (-1.0, 1)], five((-1.0, 0))),
    ];
    for (old, new) in &pairs {
        let (other, alpha) = (vec![(1.0, 1); 2], 12.0);
        for (p, q) in [(old, new), (new, old)] {
            let of = |sigma: f64| {
                let of_person = |person: &Person, theta: [f64; 2]| {
                    noise_of(&[person, &other, &other], lambda, theta, true)
                };
                renyi_of(
                    &|theta| of_person(p, theta),
                    &|theta| of_person(q, theta),
                    (n, lambda),
                    sigma,
                    alpha,
                )
            };
            assert!(of(sigma) <= curve.epsilon(alpha) + 1e-6, "{old:?} {new:?} α = {alpha}");
            caught |= of(0.5 * sigma) > curve.epsilon(alpha);
        }
    }
    assert!(caught, "half the noise was not caught");
}

/// A constant and a number of the same size: two rows that are at right angles.
fn layout() -> Layout {
    let size = std::f32::consts::FRAC_1_SQRT_2 * (1.0 - 2e-7);
    Layout::new(Norm::Scale, size, vec![size], vec![]).unwrap()
}

/// Persons with these rows.
fn grouped(persons: &[Vec<(f32, u16)>]) -> Rows<'static> {
    let (rows, whose) = rows_of(persons);
    Rows::group(rows, &whose)
}

/// The same rows, and whose each is.
fn rows_of(persons: &[Vec<(f32, u16)>]) -> (Matrix, Vec<u128>) {
    let (mut numeric, mut classes, mut whose) = (vec![], vec![], vec![]);
    for (person, rows) in persons.iter().enumerate() {
        for &(x, class) in rows {
            numeric.push(x);
            classes.push(class);
            whose.push(person as u128);
        }
    }
    let positive = vec![true; classes.len()];
    let matrix = Matrix::of(layout(), Batch { numeric, codes: vec![], positive });
    (matrix.with_classes(classes, 3).unwrap(), whose)
}

/// Rows at right angles bend the objective in twice as many directions as one row does. The price
/// of a row is too little, and that of a person is reached: by the Hessian that the program sums.
#[test]
fn the_price_of_a_row_s_curvature_is_too_little_for_a_person() {
    let (lambda, n) = (0.02, 3.0);
    let person = grouped(&[vec![(1.0, 0), (-1.0, 1)]]);
    let d = person.facts().dimension;
    let sums =
        person.sums(LossKind::Logistic.loss(), &vec![0.0; d], Order::Hessian).unwrap().into_inner();
    let entry = |i: usize, j: usize| sums.hessian[i.max(j) * d + i.min(j)];
    // Beside two persons whose rows do not bend it at all.
    let whole =
        faer::Mat::from_fn(d, d, |i, j| entry(i, j) + if i == j { n * lambda } else { 0.0 });
    let (with, without) = (whole.determinant().ln(), d as f64 * (n * lambda).ln());
    let rank = Unit::Person.classes_curvature_rank(3, 2);
    let price = curvature_price(rank, 3, lambda, classes_trace(3));
    assert!(
        with - without <= price && with - without > 0.999 * price,
        "{} {price}",
        with - without
    );
    assert!(with - without > 1.2 * classes_curvature_price(3, 3, lambda));
}

/// The sums of persons are the means of what each would have alone.
#[test]
fn sums_of_persons_are_means_of_means() {
    let persons: Vec<Vec<(f32, u16)>> = (0..40usize)
        .map(|person| {
            let rows = [1, 2, 3, 50][person % 4];
            (0..rows)
                .map(|row| {
                    (
                        (((person * 7 + row * 3) % 13) as f32 - 6.0) / 9.0,
                        ((person + row) % 3) as u16,
                    )
                })
                .collect()
        })
        .collect();
    let theta = [0.8, -1.1, 0.3, 0.9, -2.0, 0.2];
    let loss = LossKind::Logistic.loss();
    let sums = |table: &Rows<'_>| table.sums(loss, &theta, Order::Hessian).unwrap().into_inner();
    let all = grouped(&persons);
    assert_eq!((all.units(), all.facts().rows, all.facts().unit), (40, 40, Unit::Person));
    let (found, mut expected) = (sums(&all), [0.0; 1 + 6 + 36]);
    for person in &persons {
        // Rows that are nobody's have their mean.
        let own = sums(&rows_of(std::slice::from_ref(person)).0.all());
        let own = [own.value].into_iter().chain(own.gradient).chain(own.hessian);
        expected.iter_mut().zip(own).for_each(|(sum, x)| *sum += x / 40.0);
    }
    let found: Vec<f64> =
        [found.value].into_iter().chain(found.gradient).chain(found.hessian).collect();
    assert!(
        found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12),
        "{found:?} {expected:?}"
    );
    let big: Vec<_> = theta.iter().map(|&t| exact(t).with_precision(200).value()).collect();
    let wide = all.big_gradient(loss, &big, 200).unwrap().into_inner();
    assert!(wide.iter().zip(&found[1..]).all(|(a, b)| (a.to_f64().value() - b).abs() < 1e-14));
}

/// Whatever numbers of rows persons have, all that is public is the same; and a person moves a
/// minimiser by 2√2/(Nλ) at most.
#[test]
fn what_is_public_does_not_tell_rows_and_a_person_moves_little() {
    let table = |rows: usize| grouped(&vec![vec![(0.5, 1); rows]; 30]);
    let training = Training {
        loss: LossKind::Logistic,
        lambda: None,
        method: Method::Auto,
        budget: Budget::Pure { epsilon: 2.0 },
    };
    let [few, many] = [1, 50].map(|rows| training.plan(table(rows).facts()).unwrap());
    assert_eq!((few.event(), &few), (many.event(), &many));
    assert!(serde_json::to_string(&few.event()).unwrap().contains("\"unit\":\"person\""));
    let price = Spend::of(&few.event()).unwrap().price(training.budget).unwrap();
    assert!(price.within(training.budget));

    let lambda = 20.0;
    let at = |first: Vec<(f32, u16)>| {
        let others = vec![vec![(0.1, 2)]; 3];
        let table = grouped(&[vec![first], others].concat());
        not_private(&table, LossKind::Logistic, lambda).unwrap().into_inner()
    };
    for (old, new) in
        [(vec![(0.7, 0); 50], vec![(0.7, 1)]), (vec![(0.7, 0), (-0.7, 1)], vec![(-0.7, 2); 9])]
    {
        let moved: f64 =
            at(old).iter().zip(at(new)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let most = Softmax::new(3).bounds().minimiser_shift(4, lambda);
        assert!(moved <= most && moved > 0.3 * most);
    }
}
