//! Persons with 1, 2 and 50 rows: exact densities, with the weights that a person's rows have.

use super::*;
use discretion_privacy::Unit;

/// A person's rows, each y·x.
type Person = Vec<Row>;

/// b(θ) and ln |det ∂b/∂θ|, with a person's rows weighted by 1 over their number.
fn noise_of(
    persons: &[&Person],
    loss: &dyn Loss,
    lambda: f64,
    dimension: usize,
    theta: Row,
) -> (Row, f64) {
    let n = persons.len() as f64;
    let mut b = [-n * lambda * theta[0], -n * lambda * theta[1]];
    let mut h = [n * lambda, 0.0, n * lambda];
    for person in persons {
        let weight = 1.0 / person.len() as f64;
        for w in *person {
            let m = w[0] * theta[0] + w[1] * theta[1];
            let (slope, curvature) = (weight * loss.slope(m), weight * loss.curvature(m));
            b[0] -= slope * w[0];
            b[1] -= slope * w[1];
            h[0] += curvature * w[0] * w[0];
            h[1] += curvature * w[0] * w[1];
            h[2] += curvature * w[1] * w[1];
        }
    }
    let determinant = if dimension == 1 { h[0] } else { h[0] * h[2] - h[1] * h[1] };
    (b, determinant.ln())
}

/// One row, two rows that turn any way, and 50 all around or to one side.
fn persons_to_try(dimension: usize) -> Vec<Person> {
    let row = |angle: f64| {
        if dimension == 1 { [angle.cos().signum(), 0.0] } else { [angle.cos(), angle.sin()] }
    };
    let step = std::f64::consts::PI / 4.0;
    let one = (0..8).map(|k| vec![row(f64::from(k) * step + 0.05)]);
    let two = (0..8).flat_map(|k| {
        [1.0, 2.0]
            .map(|turn| (0..2).map(|i| row(step * (f64::from(k) + turn * f64::from(i)))).collect())
    });
    let fifty = [0.04, 0.12].map(|turn| (0..50).map(|i| row(turn * f64::from(i))).collect());
    one.chain(two).chain(fifty).chain([vec![[0.0, 0.0]]]).collect()
}

/// The largest log-ratio of densities over neighbours, surroundings and θ.
fn worst_ratio(law: Law, loss: &dyn Loss, n: usize, lambda: f64, dimension: usize) -> f64 {
    let (choices, grid) = (persons_to_try(dimension), thetas(dimension));
    let mut worst = f64::NEG_INFINITY;
    for other in [&choices[0], &choices[choices.len() - 1]] {
        let at: Vec<Vec<f64>> = choices
            .iter()
            .map(|person| {
                let mut persons = vec![other; n];
                persons[0] = person;
                let ln = |&theta: &Row| {
                    let (b, ln_jacobian) = noise_of(&persons, loss, lambda, dimension, theta);
                    ln_density(law, b) + ln_jacobian
                };
                grid.iter().map(ln).collect()
            })
            .collect();
        for (p, q) in at.iter().flat_map(|p| at.iter().map(move |q| (p, q))) {
            worst = p.iter().zip(q).map(|(p, q)| p - q).fold(worst, f64::max);
        }
    }
    worst
}

#[test]
fn noise_for_persons_keeps_every_density_ratio_within_epsilon_and_half_of_it_does_not() {
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        let (loss, mut half_is_caught) = (kind.loss(), false);
        let t = kind.of_margin().bounds().curvature;
        for dimension in [1, 2] {
            let rank = Unit::Person.curvature_rank(dimension);
            for (n, lambda) in [(1, 2.0), (3, 0.5), (10, 0.05)] {
                for epsilon in [0.3, 1.0, 4.0] {
                    let curvature = curvature_price(rank, n, lambda, t);
                    let Some(law) = spherical(curvature, Pure { epsilon }) else {
                        assert!(lambda <= smallest_lambda(rank, n, t, Pure { epsilon }));
                        continue;
                    };
                    let worst = worst_ratio(law, loss, n, lambda, dimension);
                    assert!(
                        worst <= epsilon,
                        "{kind:?} d={dimension} n={n} λ={lambda} ε={epsilon}: {worst}"
                    );
                    let Law::Spherical { scale } = law else {
                        unreachable!("spherical() is spherical")
                    };
                    let half = Law::Spherical { scale: 0.5 * scale };
                    half_is_caught |= worst_ratio(half, loss, n, lambda, dimension) > epsilon;
                }
            }
        }
        assert!(half_is_caught, "{kind:?}: half of the noise was not caught");
    }
}

/// Two rows at right angles bend the objective in two directions: what a row pays for its curvature
/// is too little, and what a person pays is reached. At θ = 0 the logistic slopes of opposite pairs
/// cancel, so the Jacobian stands alone.
#[test]
fn the_price_of_a_row_s_curvature_is_too_little_for_a_person() {
    let (n, lambda, loss) = (3, 0.02, LossKind::Logistic.loss());
    let (nobody, person) =
        (vec![[0.0, 0.0]], vec![[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]);
    let at = |first: &Person| noise_of(&[first, &nobody, &nobody], loss, lambda, 2, [0.0, 0.0]);
    let ((b, with), (c, without)) = (at(&person), at(&nobody));
    assert_eq!((b, c), ([0.0; 2], [0.0; 2]));
    let t = LossKind::Logistic.of_margin().bounds().curvature;
    let price = |unit: Unit| curvature_price(unit.curvature_rank(2), n, lambda, t);
    assert!(with - without > 1.2 * price(Unit::Row), "{} {}", with - without, price(Unit::Row));
    assert!(with - without <= price(Unit::Person));
    assert!(with - without > 0.999 * price(Unit::Person));
}

/// The curve of Gaussian noise holds for persons, by the integral over exact densities in one
/// dimension.
#[test]
fn the_gaussian_curve_holds_for_persons() {
    let (n, lambda, sigma) = (4, 0.3, 2.0);
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        let loss = kind.loss();
        let curvature = curvature_price(1, n, lambda, kind.of_margin().bounds().curvature);
        let curve = Curve::of(Term::GaussianObjective { sigma, curvature });
        let person = |size: u32, share: f64| -> Person {
            (0..size)
                .map(|i| [if f64::from(i) < share * f64::from(size) { 1.0 } else { -1.0 }, 0.0])
                .collect()
        };
        let mut caught = false;
        for (old, new) in [
            (person(1, 1.0), person(50, 0.0)),
            (person(2, 0.5), person(50, 1.0)),
            (person(50, 0.3), person(1, 0.0)),
        ] {
            let rest = person(1, 1.0);
            for alpha in [1.5, 4.0, 16.0] {
                for (p, q) in [(&old, &new), (&new, &old)] {
                    let divergence = |sigma: f64| {
                        renyi(
                            [p, &rest, &rest, &rest],
                            [q, &rest, &rest, &rest],
                            loss,
                            lambda,
                            sigma,
                            alpha,
                        )
                    };
                    assert!(divergence(sigma) <= curve.epsilon(alpha) + 1e-9, "{kind:?} α={alpha}");
                    caught |= divergence(0.4 * sigma) > curve.epsilon(alpha);
                }
            }
        }
        assert!(caught, "{kind:?}: 0.4 of the noise was not caught");
    }
}

fn renyi(
    p: [&Person; 4],
    q: [&Person; 4],
    loss: &dyn Loss,
    lambda: f64,
    sigma: f64,
    alpha: f64,
) -> f64 {
    let law = Law::Gaussian { sigma };
    let n = p.len() as f64;
    let reach = (14.0 * sigma * alpha.sqrt() + 4.0 * alpha + n) / (n * lambda);
    let points = 2_000;
    let step = 2.0 * reach / f64::from(points);
    let normaliser = (2.0 * std::f64::consts::PI).sqrt() * sigma;
    let term = |k: i32| {
        let ln = |persons: &[&Person]| {
            let (b, jacobian) =
                noise_of(persons, loss, lambda, 1, [-reach + step * f64::from(k), 0.0]);
            ln_density(law, b) + jacobian
        };
        (alpha * ln(&p) + (1.0 - alpha) * ln(&q)).exp() * step / normaliser
    };
    (0..=points).map(term).sum::<f64>().ln() / (alpha - 1.0)
}
