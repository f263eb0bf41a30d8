//! δ is spent once: what each group of parts is given of it adds up to the whole.
//!
//! Every price that divides δ is compared with the best of all divisions, by formulas of this
//! file's own. A price below that has spent some of δ twice.

use super::*;
use crate::account::optimal::RandomisedResponses;
use crate::analytic_gaussian_delta;

const DELTA: f64 = 1e-6;
const MU: f64 = 0.4;
const RHO: f64 = 0.03;

fn gaussian() -> Event {
    Event::Gaussian { sensitivity: MU, sigma: 1.0 }
}

fn concentrated() -> Event {
    Event::Concentrated { rho: RHO, what: "test".into() }
}

/// ε of a Gaussian at δ, by halving.
fn gaussian_epsilon(delta: f64) -> f64 {
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if analytic_gaussian_delta(MU, 1.0, middle) > delta { low = middle } else { high = middle }
    }
    high
}

/// ε of ρ at δ: ρα + ln((α − 1)/α) − ln(αδ)/(α − 1) at the best order, on a fine grid around that
/// of the simpler formula.
fn concentrated_epsilon(delta: f64) -> f64 {
    let about = (-delta.ln() / RHO).sqrt();
    (1..=4000)
        .map(|i| {
            let excess = about * 1e-3 * f64::from(i);
            let alpha = 1.0 + excess;
            RHO * alpha + (excess / alpha).ln() - (alpha * delta).ln() / excess
        })
        .fold(f64::INFINITY, f64::min)
}

/// Shares from 10⁻⁵ to 1 − 10⁻⁵.
fn divisions() -> impl Iterator<Item = f64> {
    (-110..=110).map(|i| 1.0 / (1.0 + (-0.1047 * f64::from(i)).exp()))
}

fn price_by(rule: Rule, events: &[Event], delta: f64) -> f64 {
    let prices = of(events).prices(Budget::Approximate { epsilon: 1.0, delta }).unwrap();
    prices.iter().find(|price| price.rule == rule).unwrap().amount
}

/// The shares that are tried are few, so the best of all divisions may be a little better; none is
/// much better.
fn is_the_best_division(price: f64, best: f64) -> bool {
    price >= best * (1.0 - 1e-5) && price <= best * 1.01
}

#[test]
fn a_curve_and_an_exact_gaussian_share_delta() {
    let price = price_by(Rule::ExactGaussian, &[gaussian(), concentrated()], DELTA);
    let best = divisions()
        .map(|share| concentrated_epsilon(share * DELTA) + gaussian_epsilon((1.0 - share) * DELTA))
        .fold(f64::INFINITY, f64::min);
    assert!(is_the_best_division(price, best), "{price} {best}");
    // What spending all of δ on both would have cost is far enough below to be told apart.
    assert!(concentrated_epsilon(DELTA) + gaussian_epsilon(DELTA) < 0.99 * best);
}

#[test]
fn a_curve_a_gaussian_and_pure_mechanisms_share_delta() {
    let events: Vec<Event> =
        [gaussian(), concentrated()].into_iter().chain(vec![pure(0.1); 60]).collect();
    let price = price_by(Rule::OptimalComposition, &events, DELTA);
    let responses = RandomisedResponses::new(&[(0.1, 60)]).unwrap();
    let curve: Vec<(f64, f64)> =
        divisions().map(|share| (1.0 - share, concentrated_epsilon(share * DELTA))).collect();
    let rest: Vec<(f64, f64)> =
        divisions().map(|share| (share, gaussian_epsilon(share * DELTA))).collect();
    let mut best = f64::INFINITY;
    for &(left, curve) in curve.iter().step_by(4) {
        for &(share, gaussian) in rest.iter().step_by(4).filter(|(share, _)| *share < left) {
            best = best.min(curve + gaussian + responses.epsilon((left - share) * DELTA).unwrap());
        }
    }
    // The grid of divisions is coarser here.
    assert!(price >= best * (1.0 - 1e-3) && price <= best * 1.01, "{price} {best}");
    for twice in [
        // All of δ to the curve, or to the Gaussian, and again to the others.
        concentrated_epsilon(DELTA)
            + gaussian_epsilon(0.5 * DELTA)
            + responses.epsilon(0.5 * DELTA).unwrap(),
        gaussian_epsilon(DELTA)
            + concentrated_epsilon(0.5 * DELTA)
            + responses.epsilon(0.5 * DELTA).unwrap(),
    ] {
        assert!(twice < 0.997 * best, "{twice} {best}");
    }
}

#[test]
fn equal_shares_add_up() {
    let events = [gaussian(), gaussian(), concentrated(), pure(0.2)];
    let third = DELTA / 3.0;
    let expected = 2.0 * gaussian_epsilon(third) + concentrated_epsilon(third) + 0.2;
    let price = price_by(Rule::EqualShares, &events, DELTA);
    assert!((price / expected - 1.0).abs() < 1e-5, "{price} {expected}");
}

/// Convex order has room for one training. Two are never dearer together than each alone by its own
/// losses.
#[test]
fn two_trainings_cost_no_more_than_each_alone() {
    let training = |sigma| Event::ObjectivePerturbation {
        rows: 1000,
        dimension: 5,
        lambda: 0.01,
        curvature_bound: 0.25,
        noise: Law::Gaussian { sigma },
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    };
    let events = [training(1.0), training(24.1)];
    let (whole, half) = [(-8f64).exp(), 0.5 * (-8f64).exp()]
        .map(|delta| Budget::Approximate { epsilon: 1.0, delta })
        .into();
    let alone: f64 = events
        .iter()
        .map(|event| of(std::slice::from_ref(event)).price(half).unwrap().amount)
        .sum();
    let together = of(&events).price(whole).unwrap();
    assert!(together.amount <= alone * (1.0 + 1e-9), "{together:?} {alone}");
    assert_eq!(together.rule, Rule::EqualShares);
}

/// What a failure takes of δ is not there for any other part, by any rule.
#[test]
fn a_failure_leaves_less_of_delta() {
    let failure = Event::Approximate { epsilon: 0.0, delta: 0.75 * DELTA, what: "test".into() };
    let events = [gaussian(), concentrated(), pure(0.1), pure(0.1)];
    let with: Vec<Event> = events.iter().cloned().chain([failure]).collect();
    for rule in [
        Rule::EqualShares,
        Rule::Renyi,
        Rule::SumOfRho,
        Rule::ExactGaussian,
        Rule::OptimalComposition,
    ] {
        let (price, expected) =
            (price_by(rule, &with, DELTA), price_by(rule, &events, 0.25 * DELTA));
        assert!((price / expected - 1.0).abs() < 1e-9, "{rule:?}: {price} {expected}");
        assert!(price > 1.01 * price_by(rule, &events, DELTA), "{rule:?}");
    }
}

/// The plain sum of an account has room for four runs that are not pure, and no fifth, however
/// little they are: each takes a quarter of the δ that is for them.
#[test]
fn four_runs_that_are_not_pure_share_a_part_of_delta_and_no_fifth_does() {
    let cap = Cap::Approximate { epsilon: 3.0, delta: DELTA };
    for kind in [FilterKind::Renyi, FilterKind::Gaussian] {
        let filter = Filter::unopened(cap, Some(kind));
        let (Filter::Renyi { plain, .. } | Filter::Gaussian { plain, .. }) = filter else {
            panic!("{filter:?}")
        };
        assert!(plain.shared > 0.0 && plain.failures + plain.shared < DELTA, "{plain:?}");
        // What the other rule would let pass is out of the way.
        let mut run = filter.cost(&concentrated()).unwrap();
        assert_eq!(run.plain_delta, plain.each);
        (run.epsilon, run.curve, run.mu_squared) = (1e-3, f64::INFINITY, f64::INFINITY);
        assert!(filter.allows(&Totals::default().and(run, 4)), "{kind:?}");
        assert!(!filter.allows(&Totals::default().and(run, 5)), "{kind:?}");
    }
}
