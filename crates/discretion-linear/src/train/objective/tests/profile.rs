//! The exact δ at an ε, integrated over exact densities, against the price of Theorem 3.

use super::*;

fn price(sigma: f64, curvature: f64, epsilon: f64) -> f64 {
    let term = Term::GaussianObjective { sigma, curvature };
    Losses::default().and_training(&term).unwrap().delta(epsilon)
}

/// ∫ (p − e^ε q)₊ over θ, by the midpoint rule on a grid that holds all but a sliver of P.
fn delta(
    p: &[Row],
    q: &[Row],
    kind: LossKind,
    lambda: f64,
    sigma: f64,
    epsilon: f64,
    dimension: usize,
) -> f64 {
    let (law, n) = (Law::Gaussian { sigma }, p.len() as f64);
    let (reach, points) = if dimension == 1 { (9.0, 3_000) } else { (7.0, 160) };
    // b is within n of −nλθ.
    let reach = (reach * sigma + n) / (n * lambda);
    let step = 2.0 * reach / f64::from(points);
    let cell = (step / ((2.0 * std::f64::consts::PI).sqrt() * sigma)).powi(dimension as i32);
    let at = |k: i32| -reach + step * (f64::from(k) + 0.5);
    let mut sum = 0.0;
    for i in 0..points {
        for j in 0..if dimension == 1 { 1 } else { points } {
            let theta = [at(i), if dimension == 1 { 0.0 } else { at(j) }];
            let ln_density_of = |rows: &[Row]| {
                let (b, ln_jacobian) = noise_at(rows, kind.loss(), lambda, dimension, theta);
                ln_density(law, b) + ln_jacobian
            };
            let (ln_p, ln_q) = (ln_density_of(p), ln_density_of(q));
            sum += (ln_p.exp() - (epsilon + ln_q).exp()).max(0.0) * cell;
        }
    }
    sum
}

/// Two tables that differ in their first row.
fn neighbours(old: Row, new: Row, other: Row, n: usize) -> (Vec<Row>, Vec<Row>) {
    let (mut p, mut q) = (vec![other; n], vec![other; n]);
    (p[0], q[0]) = (old, new);
    (p, q)
}

#[test]
fn the_exact_delta_stays_under_its_price_in_one_dimension() {
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        for (n, lambda) in [(1, 0.5), (2, 3.0), (10, 0.2), (4, 100.0)] {
            let curvature = curvature_price(1, n, lambda, kind.of_margin().bounds().curvature);
            for (sigma, noise) in [(2.0, 3.0), (6.0, 1.0), (30.0, 0.15)] {
                for (old, new) in [(1.0, -1.0), (1.0, 0.3), (1.0, 0.0), (0.8, -1.0)] {
                    for other in [0.0, 1.0] {
                        let (p, q) = neighbours([old, 0.0], [new, 0.0], [other, 0.0], n);
                        for (p, q) in [(&p, &q), (&q, &p)] {
                            let epsilon = curvature + noise;
                            let (exact, claimed) = (
                                delta(p, q, kind, lambda, sigma, epsilon, 1),
                                price(sigma, curvature, epsilon),
                            );
                            assert!(
                                exact <= claimed * (1.0 + 1e-6),
                                "{kind:?} n={n} λ={lambda} σ={sigma} {old}→{new}: {exact:e} > {claimed:e}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// λ so large that both slopes of opposite rows stay 1: b moves by 2, and the price is nearly
/// reached.
#[test]
fn three_percent_less_noise_is_caught() {
    let (n, lambda) = (2, 300.0);
    let curvature = curvature_price(1, n, lambda, LossKind::Hinge.of_margin().bounds().curvature);
    let (p, q) = neighbours([1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], n);
    for (epsilon, sigma) in [(1.0, 5.0), (1.0, 8.0), (0.2, 20.0)] {
        let exact = |noise: f64| delta(&p, &q, LossKind::Hinge, lambda, noise * sigma, epsilon, 1);
        let claimed = price(sigma, curvature, epsilon);
        assert!(exact(1.0) <= claimed, "ε={epsilon} σ={sigma}: {:e} {claimed:e}", exact(1.0));
        assert!(exact(0.97) > claimed, "ε={epsilon} σ={sigma}: {:e} {claimed:e}", exact(0.97));
    }
}

/// So little λ that curvature is most of the loss.
#[test]
fn a_forgotten_price_of_curvature_is_caught() {
    let (n, lambda, sigma) = (1, 0.5, 30.0);
    let curvature = curvature_price(1, n, lambda, LossKind::Hinge.of_margin().bounds().curvature);
    let (p, q) = neighbours([1.0, 0.0], [0.0, 0.0], [0.0, 0.0], n);
    let exact = delta(&p, &q, LossKind::Hinge, lambda, sigma, 0.7 * curvature, 1);
    assert!(exact <= price(sigma, curvature, 0.7 * curvature));
    assert!(exact > price(sigma, 0.0, 0.7 * curvature), "{exact:e}");
    assert!(exact > price(sigma, 0.5 * curvature, 0.7 * curvature), "{exact:e}");
}

/// Rows at every angle: the price is that of opposite rows, and no other pair costs more.
#[test]
fn the_exact_delta_stays_under_its_price_in_two_dimensions() {
    let (n, lambda, sigma) = (2, 100.0, 5.0);
    let curvature = curvature_price(1, n, lambda, LossKind::Hinge.of_margin().bounds().curvature);
    for epsilon in [0.1, 0.5, 1.0] {
        let claimed = price(sigma, curvature, epsilon);
        let mut largest = 0.0f64;
        for (angle, length) in
            [(1.0, 1.0), (0.95, 1.0), (0.8, 1.0), (0.5, 1.0), (0.8, 0.7), (0.2, 1.0)]
        {
            let angle = angle * std::f64::consts::PI;
            let new = [length * angle.cos(), length * angle.sin()];
            let (p, q) = neighbours([1.0, 0.0], new, [0.0, 0.0], n);
            let exact = delta(&p, &q, LossKind::Hinge, lambda, sigma, epsilon, 2);
            assert!(exact <= claimed, "ε={epsilon} {new:?}: {exact:e} > {claimed:e}");
            largest = largest.max(exact);
        }
        assert!(largest > 0.6 * claimed, "ε={epsilon}: {largest:e} {claimed:e}");
    }
}
