//! The Gaussian variant: its Rényi divergence, integrated over exact densities.

use super::*;

/// D_α(P‖Q) by the trapezoidal rule over b ~ P, in one dimension.
fn renyi_1d(p: &[Row], q: &[Row], loss: &dyn Loss, lambda: f64, sigma: f64, alpha: f64) -> f64 {
    let law = Law::Gaussian { sigma };
    let n = p.len() as f64;
    let reach = (14.0 * sigma * alpha.sqrt() + 4.0 * alpha + n) / (n * lambda);
    let points = 2_000;
    let step = 2.0 * reach / f64::from(points);
    let normaliser = (2.0 * std::f64::consts::PI).sqrt() * sigma;
    let mut integral = 0.0;
    for k in 0..=points {
        let theta = [-reach + step * f64::from(k), 0.0];
        let (b_p, jacobian_p) = noise_at(p, loss, lambda, 1, theta);
        let (b_q, jacobian_q) = noise_at(q, loss, lambda, 1, theta);
        let ln_p = ln_density(law, b_p) + jacobian_p;
        let ln_q = ln_density(law, b_q) + jacobian_q;
        integral += (alpha * ln_p + (1.0 - alpha) * ln_q).exp() * step / normaliser;
    }
    integral.ln() / (alpha - 1.0)
}

/// The same in two dimensions, on a grid of θ that holds all but a sliver of the integrand.
fn renyi_2d(p: &[Row], q: &[Row], loss: &dyn Loss, lambda: f64, sigma: f64, alpha: f64) -> f64 {
    let law = Law::Gaussian { sigma };
    let n = p.len() as f64;
    let reach = (8.0 * sigma + 4.0 * alpha + n) / (n * lambda);
    let points = 300;
    let step = 2.0 * reach / f64::from(points);
    let normaliser = 2.0 * std::f64::consts::PI * sigma * sigma;
    let mut integral = 0.0;
    for i in 0..=points {
        for j in 0..=points {
            let theta = [-reach + step * f64::from(i), -reach + step * f64::from(j)];
            let (b_p, jacobian_p) = noise_at(p, loss, lambda, 2, theta);
            let (b_q, jacobian_q) = noise_at(q, loss, lambda, 2, theta);
            let ln_p = ln_density(law, b_p) + jacobian_p;
            let ln_q = ln_density(law, b_q) + jacobian_q;
            integral += (alpha * ln_p + (1.0 - alpha) * ln_q).exp() * step * step / normaliser;
        }
    }
    integral.ln() / (alpha - 1.0)
}

#[test]
fn the_gaussian_variant_s_divergence_stays_under_its_curve_and_half_the_noise_exceeds_it() {
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        let loss = kind.loss();
        // Logistic slopes of opposite rows sum to 1, so one dimension has a factor 2 to spare.
        let too_little = if kind == LossKind::Hinge { 0.5 } else { 0.4 };
        let mut caught = false;
        for (n, lambda) in [(2, 3.0), (10, 1.0), (10, 0.2), (50, 2.0)] {
            let curvature = curvature_price(1, n, lambda, kind.of_margin().bounds().curvature);
            for sigma in [2.0, 6.0] {
                let curve = Curve::of(Term::GaussianObjective { sigma, curvature });
                for alpha in [1.1, 2.0, 8.0, 20.0] {
                    for (old, new) in
                        [(1.0, -1.0), (1.0, 0.3), (1.0, 0.0), (0.0, -1.0), (0.8, -1.0)]
                    {
                        for other in [0.0, 1.0, -1.0] {
                            let mut p = vec![[other, 0.0]; n];
                            let mut q = p.clone();
                            (p[0], q[0]) = ([old, 0.0], [new, 0.0]);
                            for (p, q) in [(&p, &q), (&q, &p)] {
                                let divergence = renyi_1d(p, q, loss, lambda, sigma, alpha);
                                let bound = curve.epsilon(alpha);
                                assert!(
                                    divergence <= bound + 1e-9,
                                    "{kind:?} n={n} λ={lambda} σ={sigma} α={alpha} {old}→{new}: {divergence} > {bound}"
                                );
                                caught |=
                                    renyi_1d(p, q, loss, lambda, too_little * sigma, alpha) > bound;
                            }
                        }
                    }
                }
            }
        }
        assert!(caught, "{kind:?}: {too_little} of the noise was not caught");
    }
}

#[test]
fn the_gaussian_variant_s_divergence_stays_under_its_curve_in_two_dimensions() {
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        let loss = kind.loss();
        let (n, lambda, sigma) = (6, 0.5, 3.0);
        let curvature = curvature_price(1, n, lambda, kind.of_margin().bounds().curvature);
        let curve = Curve::of(Term::GaussianObjective { sigma, curvature });
        let too_little = if kind == LossKind::Hinge { 0.5 } else { 0.4 };
        let mut caught = false;
        for (old, new) in
            [([1.0, 0.0], [-0.96, 0.28]), ([0.6, 0.8], [0.6, -0.8]), ([0.0, 0.0], [0.8, 0.6])]
        {
            let mut p = vec![[-0.8, 0.6]; n];
            let mut q = p.clone();
            (p[0], q[0]) = (old, new);
            for alpha in [1.5, 4.0, 12.0] {
                for (p, q) in [(&p, &q), (&q, &p)] {
                    let divergence = renyi_2d(p, q, loss, lambda, sigma, alpha);
                    assert!(
                        divergence <= curve.epsilon(alpha) + 1e-6,
                        "{kind:?} α={alpha}: {divergence}"
                    );
                    caught |= renyi_2d(p, q, loss, lambda, too_little * sigma, alpha)
                        > curve.epsilon(alpha);
                }
            }
        }
        assert!(caught, "{kind:?}: {too_little} of the noise was not caught");
    }
}

/// Where Gaussian noise starts to beat spherical noise at δ = 1e-6. By Rényi curves alone it was at
/// 16, 21 and 31.
#[test]
fn gaussian_noise_wins_from_the_stated_dimensions_on() {
    for (epsilon, stated) in [(0.1, 13.2), (1.0, 17.9), (8.0, 27.5)] {
        let curvature = curvature_price(1, 1_000_000_000, 1.0, 0.25);
        let Some(Law::Gaussian { sigma }) =
            gaussian_within(curvature, Approximate { epsilon, delta: 1e-6 }, Zcdp { rho: 0.0 })
        else {
            panic!("feasible")
        };
        // Mean length 2d/ε against σ√d.
        let crossing = (0.5 * sigma * epsilon).powi(2);
        assert!((crossing - stated).abs() <= 1.0, "ε = {epsilon}: {crossing}, stated {stated}");
    }
}
