use super::*;
use crate::{Stopping, analytic_gaussian_delta};

#[test]
fn a_pure_mechanism_never_costs_more_than_epsilon_or_its_square() {
    for epsilon in [0.01, 0.5, 2.0, 8.0] {
        for alpha in [1.0001, 1.5, 3.0, 100.0, 1e6] {
            let price = Term::Pure { epsilon }.epsilon(alpha);
            assert!(price <= epsilon * (1.0 + 1e-9), "{epsilon} {alpha} {price}");
            assert!(
                price <= 0.5 * epsilon * epsilon * alpha * (1.0 + 1e-6),
                "{epsilon} {alpha} {price}"
            );
        }
    }
}

#[test]
fn both_forms_of_a_pure_curve_agree() {
    for epsilon in [0.01, 0.5, 2.0, 8.0] {
        let alpha = 100.0 / epsilon;
        let (below, above) = (alpha * (1.0 - 1e-12), alpha * (1.0 + 1e-12));
        let (small, large) =
            (Term::Pure { epsilon }.epsilon(below), Term::Pure { epsilon }.epsilon(above));
        assert!((small / large - 1.0).abs() < 1e-11, "{epsilon}: {small} {large}");
    }
}

#[test]
fn converting_a_gaussian_is_valid_and_close_to_exact() {
    let (sigma, delta) = (4.0, 1e-6);
    let epsilon = Curve::zcdp(0.5 / (sigma * sigma)).at_delta(delta).epsilon;
    assert!(analytic_gaussian_delta(1.0, sigma, epsilon) <= delta);
    assert!(analytic_gaussian_delta(1.0, sigma, epsilon * 0.9) > delta);
}

#[test]
fn the_zcdp_certificate_bounds_the_curve_between_grid_points_too() {
    for (term, slope) in [
        (Term::GaussianObjective { sigma: 8.0, curvature: 0.01 }, 2.0 / 64.0),
        (
            Term::GaussianClasses { sigma: 8.0, curvature: 0.01, classes: 5, joint: None },
            4.0 / 64.0,
        ),
        (Term::GaussianResiduals { sigma: 8.0, curvature: 0.01 }, 2.0 / 64.0),
    ] {
        let curve = Curve::of(term);
        let rho = curve.as_zcdp().rho;
        // From the largest order down: a divergence is at most that of every larger order.
        let (mut alpha, mut least) = (1e9, f64::INFINITY);
        while alpha > 1.000_01 {
            least = curve.epsilon(alpha).min(least);
            assert!(least <= rho * alpha);
            alpha /= 1.001_7;
        }
        assert!(rho < 1.01 * (curve.epsilon(1.000_01).max(slope)), "{rho}");
    }
}

/// The largest quotient of all cells, one after the other.
fn of_all_cells(epsilon: impl Fn(f64) -> f64, beyond: f64) -> f64 {
    let (mut alpha, mut most) = (1.0, beyond);
    while alpha < 1e7 {
        let next = alpha * 1.002;
        most = f64::max(most, epsilon(next) / alpha);
        alpha = next;
    }
    most
}

/// What is passed over would not have changed the certificate.
#[test]
fn the_zcdp_certificate_is_the_largest_of_all_cells() {
    let stopping = Stopping::new(1.0, 40).unwrap();
    let terms = [
        Term::Pure { epsilon: 0.3 },
        Term::GaussianObjective { sigma: 8.0, curvature: 1e-4 },
        Term::GaussianObjective { sigma: 8.0, curvature: 0.5 },
        Term::GaussianClasses { sigma: 2.0, curvature: 0.01, classes: 5, joint: None },
        Term::GaussianResiduals { sigma: 300.0, curvature: 1e-3 },
        Term::Stopped(Arc::new(Stopped::new(stopping, vec![Curve::zcdp(0.01)]))),
    ];
    for term in terms {
        let curve = Curve::of(term).and(Term::Pure { epsilon: 0.01 });
        let most = of_all_cells(|alpha| curve.epsilon(alpha), curve.slope_beyond(1e7));
        let rho = curve.as_zcdp().rho;
        assert!((rho / most - 1.0).abs() < 1e-12, "{curve:?}: {rho} and {most}");
    }
}

/// The curves above are steepest at their beginning; these are steepest where they jump.
#[test]
fn a_jump_of_a_curve_is_found_wherever_it_is() {
    for k in 0..100 {
        let jump = 1.01 * 1.17_f64.powi(k);
        let epsilon = |alpha: f64| if alpha < jump { 1e-3 } else { 1.0 };
        let beyond = |last: f64| if last < jump { 1.0 / jump } else { 1.0 / last };
        let most = of_all_cells(epsilon, beyond(1e7));
        assert_eq!(steepest(epsilon, beyond), most, "a jump at {jump}");
    }
}

/// E exp(k(|Z| + 1)) by quadrature, k = 2(α − 1)/σ²; and slopes of either sign cost more than those
/// of one.
#[test]
fn the_two_sided_moment_is_what_an_integral_says() {
    for (sigma, alpha) in [(0.7, 1.5), (3.0, 1.001), (3.0, 4.0), (40.0, 30.0)] {
        let k = 2.0 * (alpha - 1.0) / (sigma * sigma);
        let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        // Up to where e^{kσz} leaves nothing of the density.
        let (steps, end) = (200_000, 40.0 + k * sigma);
        let step = end / f64::from(steps);
        let at = |i: i32| (f64::from(i) + 0.5) * step;
        let integral: f64 = (0..steps)
            .map(|i| 2.0 * step * density(at(i)) * (k * (sigma * at(i) + 1.0)).exp())
            .sum();
        let found = ln_two_sided_moment(sigma, alpha);
        assert!(
            (found - integral.ln()).abs() < 1e-7 * (1.0 + found.abs()),
            "{sigma} {alpha}: {found}"
        );
        assert!(found > ln_moment(sigma, alpha));
        let priced = Term::GaussianResiduals { sigma, curvature: 0.1 }.epsilon(alpha);
        assert!(((priced - 0.1) * (alpha - 1.0) - found).abs() < 1e-9 * (1.0 + found), "{priced}");
    }
}

/// Two classes with noise √2 as large are one margin.
#[test]
fn the_curve_of_two_classes_is_that_of_one_margin() {
    for alpha in [1.01, 1.5, 3.0, 30.0, 1e4] {
        for sigma in [0.5, 3.0, 50.0] {
            let one = Term::GaussianObjective { sigma, curvature: 0.1 }.epsilon(alpha);
            let of = |classes| {
                let sigma = sigma * std::f64::consts::SQRT_2;
                Term::GaussianClasses { sigma, curvature: 0.1, classes, joint: None }.epsilon(alpha)
            };
            assert!((of(2) / one - 1.0).abs() < 1e-9, "{alpha} {sigma}: {} {one}", of(2));
            assert!(of(2) < of(3) && of(3) < of(23), "{alpha} {sigma}");
        }
    }
}

/// ln E exp(k(Z + 1)₊), k = 2(α − 1)/σ² small, by quadrature of e^x − 1: to 10⁻⁹ of itself.
fn exact_moment(sigma: f64, excess: f64) -> f64 {
    let k = 2.0 * excess / (sigma * sigma);
    let (steps, low, high) = (20_000, -1.0 / sigma, 40.0);
    let step = (high - low) / f64::from(steps);
    let density = |z: f64| (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    let at = |i: i32| low + step * f64::from(i);
    // Simpson's rule.
    let weight = |i: i32| match i {
        0 => 1.0,
        i if i == steps => 1.0,
        i => f64::from(2 + 2 * (i % 2)),
    };
    let term = |i: i32| weight(i) * density(at(i)) * (k * (sigma * at(i) + 1.0)).exp_m1();
    ((0..=steps).map(term).sum::<f64>() * step / 3.0).ln_1p()
}

/// Near α = 1 the logarithm of a number next to 1 has lost its digits; what is added for that keeps
/// the curve above the truth, and is what PROOF.md says ("Rounding"): 2·10⁻¹⁵, of K classes K times
/// that.
#[test]
fn curves_are_not_rounded_below_the_truth_near_one() {
    for i in 0..60 {
        let sigma = 0.8 * 1.13_f64.powi(i);
        for excess in [1e-9, 1e-7, 1e-5] {
            let alpha = 1.0 + excess;
            let excess = alpha - 1.0;
            let truth = exact_moment(sigma, excess) / excess;
            let found = Term::GaussianObjective { sigma, curvature: 0.0 }.epsilon(alpha);
            assert!(found >= truth * (1.0 - 1e-8), "{sigma} {alpha}: {found} for {truth}");
        }
    }
    // Where the moment is small and the order is not, what was added can be seen.
    let (sigma, alpha) = (1e7, 1.0 + 1.0 / 64.0);
    let added = |term: Term, moment: f64| term.epsilon(alpha) * (alpha - 1.0) - moment;
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 0.2, "{a:e} for {b:e}");
    let curvature = 0.0;
    close(added(Term::GaussianObjective { sigma, curvature }, ln_moment(sigma, alpha)), 2e-15);
    let two_sided = ln_two_sided_moment(sigma, alpha);
    close(added(Term::GaussianResiduals { sigma, curvature }, two_sided), 2e-15);
    for classes in [2, 7] {
        let one = ln_moment(sigma / std::f64::consts::SQRT_2, alpha);
        let all = ((classes as f64 - 1.0) * one.exp_m1()).ln_1p();
        close(
            added(Term::GaussianClasses { sigma, curvature, classes, joint: None }, all),
            2e-15 * classes as f64,
        );
    }
}

/// ln(1 + (K − 1)(e^x − 1)) in both forms, and where e^x is no number any more.
#[test]
fn both_forms_of_the_curve_of_classes_agree() {
    for classes in [2, 5, 40] {
        for sigma in [0.5, 2.0, 9.0] {
            // At 28.8 and σ = 2 e^x is no number any more, and x is below 1,000.
            for alpha in [1.5, 4.0, 12.0, 28.8, 40.0] {
                let one = ln_moment(sigma / std::f64::consts::SQRT_2, alpha);
                let found = Term::GaussianClasses { sigma, curvature: 0.0, classes, joint: None }
                    .epsilon(alpha);
                assert!(found.is_finite(), "{sigma} {alpha}");
                if one < 600.0 {
                    let direct = ((classes as f64 - 1.0) * one.exp_m1()).ln_1p() / (alpha - 1.0);
                    assert!((found / direct - 1.0).abs() < 1e-12, "{classes} {one}: {found}");
                }
            }
            let far =
                Term::GaussianClasses { sigma, curvature: 0.0, classes, joint: None }.epsilon(1e6);
            assert!(far.is_finite() && far >= 4.0 / (sigma * sigma) * 1e6 * (1.0 - 1e-9));
        }
    }
}

/// Past an order L a curve is at most its straight line and (κ + ln 2·L/(L − 1)/L)/L, of classes
/// (κ + 2 ln(1 + K)/L)/L: the bound is above that, and not far.
#[test]
fn the_bound_on_large_orders_is_that_of_the_proof() {
    for (sigma, curvature) in [(0.7, 0.0), (3.0, 0.2), (80.0, 1e-3)] {
        for last in [4.0, 10.0, 1e3] {
            let straight = 2.0 / (sigma * sigma);
            let beyond = std::f64::consts::LN_2 / (last - 1.0);
            for term in [
                Term::GaussianObjective { sigma, curvature },
                Term::GaussianResiduals { sigma, curvature },
            ] {
                let more = (term.slope_beyond(last) - straight) * last - curvature;
                assert!(more >= beyond * (1.0 - 1e-9) || more >= beyond - 1e-12, "{last}: {more}");
                assert!(more < 1.6 * beyond, "{last}: {more} for {beyond}");
                let at_four = last > 4.0 || more < 1.09 * beyond;
                assert!(at_four, "{more} for {beyond}");
            }
            for classes in [2, 5, 300] {
                let term = Term::GaussianClasses { sigma, curvature, classes, joint: None };
                let k = classes as f64;
                let bound = 2.0 * straight + (curvature + 2.0 * (1.0 + k).ln() / last) / last;
                assert!((term.slope_beyond(last) / bound - 1.0).abs() < 1e-12);
                assert!(2.0 * (1.0 + k).ln() / last >= (2.0 * (k - 1.0)).ln() / (last - 1.0));
                for factor in [1.0, 1.5, 10.0, 1e4] {
                    let alpha = factor * last;
                    assert!(term.epsilon(alpha) <= bound * alpha * (1.0 + 1e-12));
                }
            }
        }
    }
}

/// Past an order L a pure mechanism is at most ε/L steep, and a stopped one as its runs and the
/// largest excess over one run, which is that at order 2, divided by L. Where L is large, ε(L) is
/// nearly as much.
#[test]
fn the_bounds_of_pure_and_stopped_runs_on_large_orders_are_close() {
    for last in [4.0, 1e3, 1e7] {
        for epsilon in [0.01, 0.5, 2.0, 8.0] {
            let term = Term::Pure { epsilon };
            let slope = term.slope_beyond(last);
            for factor in [1.0, 1.5, 10.0, 1e4] {
                let alpha = factor * last;
                assert!(slope * alpha >= term.epsilon(alpha) * (1.0 - 1e-12), "{epsilon} {alpha}");
            }
            // The divergence is ε − ln(1 + e^−ε)/(α − 1), or nearly.
            let below = (-epsilon).exp().ln_1p() / (last - 1.0);
            assert!(slope * last <= term.epsilon(last) + below + 1e-9, "{epsilon} {last}");
        }
        let rho = 0.01;
        let stopping = Stopping::new(1.0, 40).unwrap();
        let term = Term::Stopped(Arc::new(Stopped::new(stopping, vec![Curve::zcdp(rho)])));
        let slope = term.slope_beyond(last);
        for factor in [1.0, 1.5, 10.0, 1e4] {
            let alpha = factor * last;
            assert!(slope * alpha >= term.epsilon(alpha) * (1.0 - 1e-12), "{alpha}");
        }
        let most = term.epsilon(2.0) - 2.0 * rho;
        let found = (slope - rho) * last;
        assert!(most > 0.0 && (found / most - 1.0).abs() < 1e-6, "{last}: {found} {most}");
    }
}
