//! The closed form against integrals, against the exact profile of one Gaussian, and against Rényi
//! curves.

use super::*;
use crate::{Approximate, Curve, analytic_gaussian_delta};

const TARGETS: [(f64, f64); 5] = [(0.1, 1e-6), (1.0, 1e-6), (1.0, 1e-9), (4.0, 1e-5), (8.0, 1e-5)];

fn margin(sigma: f64, curvature: f64) -> Losses {
    Losses::default().and_training(&Term::GaussianObjective { sigma, curvature }).unwrap()
}

/// The smallest noise for which `losses` is (ε, δ).
fn smallest(losses: impl Fn(f64) -> Losses, (epsilon, delta): (f64, f64)) -> f64 {
    smallest_enough(1.0, 1e6, 1e-9, |sigma| losses(sigma).delta(epsilon) <= delta).unwrap()
}

/// E(1 − e^{ε − W})₊ for the loss W = κ + (2/σ²)(Z + 1)₊ + V by the trapezoidal rule, V normal with
/// ν².
fn integral(sigma: f64, curvature: f64, squares: f64, epsilon: f64, two_sided: bool) -> f64 {
    let (step, reach) = (0.02, 12.0);
    let points = (2.0 * reach / step) as i32;
    let at = |k: i32| -reach + step * f64::from(k);
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * PI).sqrt() * step;
    let mut sum = 0.0;
    for i in 0..=points {
        let z = sigma * at(i);
        let training =
            2.0 / (sigma * sigma) * if two_sided { z.abs() + 1.0 } else { (z + 1.0).max(0.0) };
        for j in 0..=if squares > 0.0 { points } else { 0 } {
            let (other, weight) = match squares {
                0.0 => (0.0, 1.0),
                _ => (0.5 * squares + squares.sqrt() * at(j), density(at(j))),
            };
            let loss = curvature + training + other;
            sum += density(at(i)) * weight * (1.0 - (epsilon - loss).exp()).max(0.0);
        }
    }
    sum
}

#[test]
fn the_closed_form_is_above_the_integral_and_hardly() {
    for (epsilon, delta) in TARGETS {
        for (curvature, squares) in [(0.0, 0.0), (0.1, 0.0), (0.0, 1e-3), (0.02, 0.01)] {
            let (curvature, squares) = (curvature * epsilon, squares * epsilon * epsilon);
            let residuals = |sigma| {
                Losses::default()
                    .and_training(&Term::GaussianResiduals { sigma, curvature })
                    .unwrap()
            };
            let one = |sigma| margin(sigma, curvature).and_gaussian(squares);
            let two = |sigma| residuals(sigma).and_gaussian(squares);
            for (sigma, two_sided) in
                [(smallest(one, (epsilon, delta)), false), (smallest(two, (epsilon, delta)), true)]
            {
                let exact = integral(sigma, curvature, squares, epsilon, two_sided);
                assert!(exact <= delta, "({epsilon}, {delta:e}) σ={sigma}: {exact:e}");
                assert!(exact >= 0.75 * delta, "({epsilon}, {delta:e}) σ={sigma}: {exact:e}");
            }
        }
    }
}

/// Where training says next to nothing its loss is often none, which is more than a normal one
/// would be.
#[test]
fn a_loss_of_training_is_never_negative() {
    let (sigma, squares, epsilon) = (100.0, 0.04, 1.0);
    let exact = integral(sigma, 0.0, squares, epsilon, false);
    let claimed = margin(sigma, 0.0).and_gaussian(squares).delta(epsilon);
    assert!(exact <= claimed && exact > 0.5 * claimed, "{exact:e} {claimed:e}");
}

/// Opposite rows whose slopes are both 1 move b by 2: then training is the Gaussian mechanism, and
/// nothing below its profile holds.
#[test]
fn training_costs_what_gaussian_noise_of_sensitivity_two_does() {
    for (epsilon, delta) in TARGETS {
        let sigma = smallest(|sigma| margin(sigma, 0.0), (epsilon, delta));
        assert!(analytic_gaussian_delta(2.0, sigma, epsilon) <= delta);
        assert!(
            analytic_gaussian_delta(2.0, 0.99 * sigma, epsilon) > delta,
            "({epsilon}, {delta:e}): {sigma}"
        );
    }
}

/// docs/noise.md has this table. `cargo test -p discretion-privacy --lib losses -- --nocapture`
/// prints it.
#[test]
#[allow(clippy::print_stdout)]
fn less_noise_than_by_renyi_curves() {
    println!("| (ε, δ) | alone: Rényi | now | | beside ρ of a fifth: Rényi | now | |");
    for (epsilon, delta) in TARGETS {
        let mut line = format!("| ({epsilon}, {delta:e}) |");
        for share in [0.001, 0.2] {
            let rho = share * Zcdp::within(Approximate { epsilon, delta }).rho;
            let term = |sigma| Term::GaussianObjective { sigma, curvature: 0.0 };
            let enough = |sigma: f64| {
                Curve::of(term(sigma)).and(Term::Zcdp { rho }).at_delta(delta).epsilon <= epsilon
            };
            let before = smallest_enough(1.0, 1e6, 1e-6, enough).unwrap();
            let now =
                smallest(|sigma| margin(sigma, 0.0).and_gaussian(2.0 * rho), (epsilon, delta));
            line += &format!(" {before:.3} | {now:.3} | −{:.1} % |", 100.0 * (1.0 - now / before));
            assert!(now < 0.97 * before, "({epsilon}, {delta:e}) {share}: {now} {before}");
        }
        println!("{line}");
    }
}

#[test]
fn what_is_pure_costs_its_randomised_response_and_a_constant_more() {
    let (epsilon, e) = (1.0, 0.1f64);
    let truth = e.exp() / (1.0 + e.exp());
    let response = vec![(e, truth), (-e, 1.0 - truth)];
    let (without, with, most) = (
        margin(9.0, 0.0).delta(epsilon),
        margin(9.0, 0.0).and_responses(response).delta(epsilon),
        margin(9.0, 0.0).and_at_most(e).delta(epsilon),
    );
    let mixture = truth * margin(9.0, 0.0).delta(epsilon - e)
        + (1.0 - truth) * margin(9.0, 0.0).delta(epsilon + e);
    assert!(without < with && with < most, "{without:e} {with:e} {most:e}");
    assert!((with / mixture - 1.0).abs() < 0.05, "{with:e} {mixture:e}");
}

#[test]
fn epsilon_is_the_smallest_and_extremes_are_no_accidents() {
    for (epsilon, delta) in TARGETS {
        let losses = margin(smallest(|sigma| margin(sigma, 0.01), (epsilon, delta)), 0.01);
        assert!((losses.epsilon(delta) / epsilon - 1.0).abs() < 1e-6);
        assert!(losses.delta(losses.epsilon(delta)) <= delta);
    }
    assert_eq!(margin(1e-4, 0.0).delta(1.0), 1.0);
    assert!(margin(1e9, 2.0).delta(1.0) > 0.3);
    assert!(margin(1e9, 0.5).delta(1.0) < 1e-100);
    assert!(margin(1e9, 0.0).and_training(&Term::Zcdp { rho: 1.0 }).is_none());
}

/// Discrete Gaussian noise, summed over its lattice, beside the normal loss that stands for it.
/// Without smoothing it would be too small.
#[test]
fn discrete_noise_is_below_its_normal_loss_and_above_one_that_is_not_smoothed() {
    let mut caught = false;
    for sigma in [3.5f64, 5.0, 12.0] {
        for moved in [1.0, 3.0, 8.0] {
            let weight = |k: f64| (-0.5 * (k / sigma).powi(2)).exp();
            let lattice = || (-400..=400).map(f64::from);
            let total: f64 = lattice().map(weight).sum();
            let rho = 0.5 * (moved / sigma).powi(2);
            let (m, stands) = ((2.0 * rho).sqrt(), Tail::of(lattice_square(rho, sigma).unwrap()));
            for step in 0..240 {
                let room = 0.5 * m * m + 0.025 * f64::from(step) * m;
                let beyond =
                    |k: f64| ((k * moved + 0.5 * moved * moved) / (sigma * sigma) - room).max(0.0);
                let exact = lattice().map(|k| weight(k) / total * beyond(k)).sum::<f64>();
                assert!(exact <= stands.beyond(room), "σ={sigma} Δ={moved} s={room}: {exact:e}");
                caught |= exact > 1.01 * Tail::of(2.0 * rho).beyond(room);
            }
        }
    }
    assert!(caught, "noise that is not smoothed was not caught");
    assert_eq!(lattice_square(0.1, 3.0), None);
}

/// A mask may hide a single step: of ρ = 1/25 it then has σ² = 12.5, which is just fine enough, and
/// costs 3/12.5 more than normal noise would. Noise of a query hides 2²⁰ steps, and costs nothing
/// more.
#[test]
fn a_mask_that_hides_one_step_is_no_finer_than_it_is() {
    let masked = |rho: f64| Losses::default().and_mask(Zcdp { rho });
    let found = masked(0.04).unwrap().squares;
    assert!((found / (0.08 * (1.0 + 3.0 / 12.5)) - 1.0).abs() < 1e-6, "{found}");
    assert!(masked(0.042).is_none(), "σ² = 11.9");
    let query = lattice_square(0.04, in_steps(0.04, QUERY_STEPS)).unwrap();
    assert!((query / 0.08 - 1.0).abs() < 1e-6, "{query}");
}

/// What δ is enlarged by pays for what it is there for (account/PROOF.md, "The laws" and "The
/// closed form"): the density of smoothed discrete noise in 10⁹ coordinates of 64 lattices, where
/// the noise is as coarse as is compared, and 10⁻¹⁰ of a normal tail, at each of two places.
#[test]
fn delta_is_enlarged_by_what_rounding_and_discrete_noise_cost() {
    let (fine, tau) = (FINE, SMOOTHING);
    let square = fine * tau / (fine + tau);
    let density = 3.0 * (-2.0 * PI * PI * square).exp();
    let needed = 64.0 * 1e9 * density + 2e-10;
    let losses = Losses::default().and_gaussian(0.04);
    for epsilon in [0.3, 1.0] {
        let tail = Tail::of(losses.squares);
        let y = tail.mean_excess(epsilon);
        let plain = tail.beyond(epsilon - (y - y.ln_1p())) / (1.0 + y);
        let slack = losses.delta(epsilon) / plain - 1.0;
        assert!(slack >= 2.0 * needed && slack < 4.0 * needed, "{slack:e} for {needed:e}");
    }
}

/// A mask hides one lattice step at least, so its σ is 1/√(2ρ) steps, and smoothing makes its
/// variance larger by 3/σ² = 6ρ of itself; a query's is 2²⁰ times as fine.
#[test]
fn masks_and_queries_cost_what_their_lattices_say() {
    use crate::account::{Event, MaskNoise, Spend};
    let delta = 1e-6;
    for rho in [1e-4, 1e-3, 1e-2] {
        let price = |event: &Event| {
            let cap = crate::Budget::Approximate { epsilon: 1.0, delta };
            let prices = Spend::of(event).unwrap().prices(cap).unwrap();
            let is = |rule| rule == crate::account::Rule::ConvexOrder;
            prices.into_iter().find(|price| is(price.rule)).unwrap().amount
        };
        let mask = price(&Event::Mask { noise: MaskNoise::Gaussian { rho } });
        let query = price(&Event::LatticeGaussian { rho, what: String::new() });
        let exact = |square: f64| Losses::default().and_gaussian(square).epsilon(delta);
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-8, "ρ {rho}: {a} for {b}");
        close(mask, exact(2.0 * rho * (1.0 + 6.0 * rho)));
        close(query, exact(2.0 * rho * (1.0 + 6.0 * rho * (-40f64).exp2())));
        assert!(mask > query * (1.0 + 1e-5));
        let losses = Losses::default().and_mask(Zcdp { rho }).unwrap();
        close(losses.epsilon(delta), mask);
    }
}
