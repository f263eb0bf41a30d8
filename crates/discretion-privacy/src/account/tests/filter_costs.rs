//! What runs cost under filters: the formulas, parts of a table, and sums that never fall behind.

use super::*;
use crate::{analytic_gaussian_delta, normal_cdf};

/// μ-GDP of a pure mechanism: its trade-off curve is nowhere below that of N(0, 1) against N(μ, 1).
#[test]
fn a_pure_run_in_a_gaussian_filter_has_its_mu() {
    let filter = Filter::opened_by(MILLIONTH, Some(FilterKind::Gaussian), &pure(0.1));
    for epsilon in [1e-3, 0.1, 1.0, 5.0] {
        let mu = filter.cost(&pure(epsilon)).unwrap().mu_squared.sqrt();
        // At the corner of the curve both errors are 1/(1 + e^ε), and a convex curve below the
        // corners is below.
        let error = 1.0 / (1.0 + f64::exp(epsilon));
        assert!(normal_cdf(-0.5 * mu) <= error * (1.0 + 1e-12), "{epsilon}");
        // A smaller constant would not do for small ε.
        assert!(epsilon > 1e-2 || normal_cdf(-0.499 * mu) > error);
        // The profile says the same: the exact δ of one such Gaussian is above randomised
        // response's.
        let at = 0.5 * epsilon;
        let response = (epsilon.exp() - at.exp()) / (1.0 + epsilon.exp());
        assert!(analytic_gaussian_delta(mu, 1.0, at) >= response * (1.0 - 1e-9), "{epsilon}");
    }
}

#[test]
fn rho_accounts_take_what_may_fail_only_with_a_delta() {
    let session = Event::GaussianTests { tests: 10, sigma: 50.0, delta: 1e-7 };
    let without = Filter::opened_by(Cap::Zcdp { rho: 0.1, delta: 0.0 }, None, &session);
    assert_eq!(without.cost(&session), Err(CostError::NotPriced(NotPriced::NotConcentrated)));
    let with = Filter::opened_by(Cap::Zcdp { rho: 0.1, delta: 1e-6 }, None, &session);
    let cost = with.cost(&session).unwrap();
    assert!((cost.curve - 10.0 * 0.5 / 2500.0).abs() < 1e-12 && cost.delta == 1e-7);
    assert_eq!(with.more(&Totals::default(), &cost), 10, "δ is used up first");
}

/// What every shape of part costs under every filter, to the last digits.
#[test]
fn costs_are_those_of_the_formulas() {
    let close = |found: f64, exact: f64| {
        assert!(found >= exact && found <= exact * (1.0 + 1e-11), "{found} for {exact}");
    };
    let (mu, rho, epsilon): (f64, f64, f64) = (0.04, 3e-4, 0.02);
    let gaussian = Event::Gaussian { sensitivity: mu, sigma: 1.0 };
    let mask = Event::Concentrated { rho, what: "test".into() };
    let run = Event::Composition {
        of: vec![gaussian.clone(), mask, pure(epsilon), approximate(0.0, 3e-8)],
    };
    let opened = |kind| Filter::opened_by(MILLIONTH, Some(kind), &pure(0.1));
    let pure_at = |alpha: f64| crate::Term::Pure { epsilon }.epsilon(alpha);
    let filter = opened(FilterKind::Renyi);
    let Filter::Renyi { order, .. } = filter else { panic!() };
    let cost = filter.cost(&run).unwrap();
    close(cost.curve, order * (0.5 * mu * mu + rho) + pure_at(order));
    assert_eq!((cost.delta, cost.plain_delta, cost.mu_squared), (3e-8, 1e-7, 0.0));
    let alone = Spend::of(&run).unwrap().price(Budget::Approximate { epsilon: 1.0, delta: 1.3e-7 });
    close(cost.epsilon, alone.unwrap().amount * (1.0 - 5e-12));
    let filter = opened(FilterKind::Gaussian);
    let Filter::Gaussian { order, .. } = filter else { panic!() };
    let cost = filter.cost(&run).unwrap();
    close(cost.mu_squared, mu * mu + epsilon * epsilon * std::f64::consts::FRAC_PI_2);
    close(cost.curve, order * rho);
    assert_eq!((cost.delta, cost.plain_delta), (3e-8, 1e-7));
    let filter = opened(FilterKind::PlainSum);
    let Filter::PlainSum { each, .. } = filter else { panic!() };
    let cost = filter.cost(&run).unwrap();
    close(cost.delta, each + 3e-8);
    let alone =
        Spend::of(&run).unwrap().price(Budget::Approximate { epsilon: 1.0, delta: cost.delta });
    assert_eq!(cost.epsilon, alone.unwrap().amount);
    let cost = filter.cost(&gaussian).unwrap();
    assert_eq!((cost.delta, cost.epsilon), (each, gaussian::exact_epsilon(mu.next_up(), each)));
    assert_eq!(filter.cost(&pure(epsilon)).unwrap(), Totals { epsilon, ..Totals::default() });
    let concentrated = Filter::opened_by(Cap::Zcdp { rho: 1.0, delta: 1e-6 }, None, &run);
    let cost = concentrated.cost(&run).unwrap();
    close(cost.curve, 0.5 * mu * mu + rho + epsilon * (0.5 * epsilon).tanh());
}

#[test]
fn more_runs_than_can_be_counted_are_refused() {
    let many = Event::SparseVector { runs: u64::MAX, epsilon_each: 5e-20, delta: 0.0 };
    let twice = Event::Composition { of: vec![many.clone(), many] };
    for event in [twice.clone(), Event::Parallel { of: vec![twice] }] {
        assert!(matches!(Spend::of(&event), Err(EventError::Boundless(_))), "{event:?}");
    }
}

#[test]
fn separate_parts_of_a_table_cost_the_dearest() {
    let parallel = |of: &[Event]| Event::Parallel { of: of.to_vec() };
    let cost = |event: &Event, cap: Budget| Spend::of(event).unwrap().price(cap).unwrap().amount;
    let pure_cap = Budget::Pure { epsilon: 9.0 };
    assert_eq!(cost(&parallel(&[pure(0.1), pure(0.3), pure(0.2)]), pure_cap), 0.3);
    let both = Event::Composition { of: vec![pure(0.2), pure(0.2)] };
    assert!((cost(&parallel(&[both, pure(0.3)]), pure_cap) - 0.4).abs() < 1e-12);
    let (one, other) = (gaussian_run(0.5, 1e-6), gaussian_run(0.8, 1e-6));
    let objective = Event::ObjectivePerturbation {
        rows: 1000,
        dimension: 5,
        lambda: 0.01,
        curvature_bound: 0.25,
        noise: Law::Gaussian { sigma: 12.0 },
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    };
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        for of in [[&one, &other], [&objective, &other], [&objective, &one]] {
            let dearest = of.iter().map(|event| cost(event, cap)).fold(0.0, f64::max);
            let together = cost(&parallel(&of.map(Clone::clone)), cap);
            assert!(
                together >= dearest * (1.0 - 1e-9) && together <= dearest * (1.0 + 1e-9),
                "{cap}"
            );
        }
    }
    // Order by order: the largest divergence of any part, and the largest chance of failing.
    let filter = Filter::unopened(MILLIONTH, None);
    let failing =
        Event::Composition { of: vec![one, approximate(0.0, 2e-8), approximate(0.0, 3e-8)] };
    let both = filter
        .cost(&parallel(&[failing.clone(), objective.clone(), approximate(0.0, 4e-8)]))
        .unwrap();
    let alone = [&failing, &objective].map(|event| filter.cost(event).unwrap());
    assert!((both.curve / alone[0].curve.max(alone[1].curve) - 1.0).abs() < 1e-9);
    assert!((both.delta - 5e-8).abs() < 1e-20 && both.plain_delta == 1e-7);
    assert!(Spend::of(&parallel(&[])).is_err());
}

/// A part beside others is not forgotten by any rule.
#[test]
fn every_rule_prices_a_parallel_part_beside_others() {
    let parallel = Event::Parallel { of: vec![gaussian_run(0.5, 1e-6), pure(0.05)] };
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        let alone = of(std::slice::from_ref(&parallel)).price(cap).unwrap().amount;
        for price in
            of(&[parallel.clone(), pure(0.001), gaussian_run(0.05, 1e-6)]).prices(cap).unwrap()
        {
            assert!(price.amount > alone, "{cap} {price:?}: less than {alone}");
        }
    }
}

/// A hundred thousand charges are a hundred thousand additions, and none is lost to rounding.
#[test]
fn sums_never_fall_behind() {
    let filter = Filter::unopened(MILLIONTH, None);
    let cost = filter.cost(&pure(1e-7)).unwrap();
    let mut used = Totals::default();
    for _ in 0..100_000 {
        used = used.and(cost, 1);
    }
    assert!(used.epsilon >= 0.01 && used.epsilon < 0.01 * (1.0 + 1e-9), "{}", used.epsilon);
    assert!(
        used.curve >= 1e5 * cost.curve * (1.0 - 1e-12)
            && used.curve < 1e5 * cost.curve * (1.0 + 1e-9)
    );
}
