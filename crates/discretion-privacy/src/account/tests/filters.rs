//! What filters let pass: their numbers, how they are chosen, and what raising does.

use super::*;
use crate::{Curve, analytic_gaussian_delta, analytic_gaussian_sigma, normal_cdf};

const MILLIONTH: Cap = Cap::Approximate { epsilon: 1.0, delta: 1e-6 };

fn gaussian_run(epsilon: f64, delta: f64) -> Event {
    Event::Gaussian { sensitivity: 1.0, sigma: analytic_gaussian_sigma(1.0, epsilon, delta) }
}

fn approximate(epsilon: f64, delta: f64) -> Event {
    Event::Approximate { epsilon, delta, what: "test".into() }
}

/// How many equal runs an account takes that the first of them opens.
fn runs(cap: Cap, kind: Option<FilterKind>, event: &Event) -> u64 {
    let filter = Filter::opened_by(cap, kind, event);
    filter.more(&Totals::default(), &filter.cost(event).unwrap())
}

/// The figures of the literature's rules: 6 runs by the plain sum, 29 by ρ, 33 by one Gaussian; a tenth of δ less.
#[test]
fn as_many_gaussian_runs_fit_as_each_rule_promises() {
    let cap = Cap::Approximate { epsilon: 3.0, delta: 1e-5 };
    let event = gaussian_run(0.5, 1e-6);
    assert_eq!(runs(cap, Some(FilterKind::PlainSum), &event), 6);
    let renyi = runs(cap, Some(FilterKind::Renyi), &event);
    let gaussian = runs(cap, Some(FilterKind::Gaussian), &event);
    // Half of δ is kept for failing and for the plain sum, which costs two or three of them.
    assert!((26..=29).contains(&renyi), "{renyi}");
    assert!((29..=33).contains(&gaussian), "{gaussian}");
    assert!(runs(cap, None, &event) >= renyi);
}

#[test]
fn a_plain_sum_of_pure_runs_costs_what_it_always_did() {
    for kind in [None, Some(FilterKind::Renyi), Some(FilterKind::Gaussian), Some(FilterKind::PlainSum)] {
        for (epsilon, most) in [(0.1, 10), (0.25, 4), (1.0, 1)] {
            assert!(runs(MILLIONTH, kind, &pure(epsilon)) >= most, "{kind:?} {epsilon}");
        }
        let filter = Filter::opened_by(MILLIONTH, kind, &pure(0.4));
        let cost = filter.cost(&pure(0.4)).unwrap();
        assert!((filter.amount(&cost) - 0.4).abs() < 1e-12, "{kind:?}");
    }
}

/// Whoever sets [spend] to [budget] must be able to run once, whatever the noise.
#[test]
fn one_run_may_take_the_whole_cap() {
    for cap in [MILLIONTH, Cap::Approximate { epsilon: 0.1, delta: 1e-9 }] {
        let (epsilon, delta) = (cap.amount(), cap.delta());
        for event in [gaussian_run(epsilon, delta), approximate(epsilon, delta), pure(epsilon)] {
            assert_eq!(runs(cap, None, &event), 1, "{event:?}");
        }
        assert_eq!(runs(cap, None, &approximate(0.5 * epsilon, 0.5 * delta)), 2);
    }
}

/// A few large runs of different kinds fit if their plain sum does, whatever noise they have.
#[test]
fn large_runs_of_different_kinds_add_up_plainly() {
    let cap = Cap::Approximate { epsilon: 3.0, delta: 1e-5 };
    let objective = Event::RandomStopping {
        shape: 1.0,
        most: 40,
        one_of: vec![Event::Concentrated { rho: 0.01, what: "test".into() }],
    };
    let alone = Spend::of(&objective).unwrap().price(Budget::Approximate { epsilon: 9.0, delta: 1e-6 });
    let runs = [
        pure(0.3),
        objective,
        Event::SparseVector { runs: 8, epsilon_each: 0.1, delta: 5e-7 },
        gaussian_run(2.65 - 0.3 - 0.8 - alone.unwrap().amount, 1e-6),
    ];
    let filter = Filter::opened_by(cap, None, &runs[0]);
    let mut used = Totals::default();
    for run in &runs {
        used = used.and(filter.cost(run).unwrap(), 1);
        assert!(filter.allows(&used), "{run:?}: {used:?}");
    }
    assert!(used.epsilon > 2.6 && used.epsilon < 3.0, "{used:?}");
}

/// A session may be planned by the optimal composition of its parts: then that is what it costs.
#[test]
fn a_session_that_only_optimal_composition_pays_for_may_take_the_whole_cap() {
    let session = Event::SparseVector { runs: 1000, epsilon_each: 0.0035, delta: 5e-7 };
    assert!(Spend::of(&session).unwrap().pure_sum().unwrap() > 3.0);
    let price = Spend::of(&session).unwrap().price(AT_A_MILLIONTH).unwrap().amount;
    let cap = Cap::Approximate { epsilon: price, delta: 1e-6 };
    assert_eq!(runs(cap, None, &session), 1);
    assert_eq!(runs(cap, Some(FilterKind::PlainSum), &session), 1);
}

/// ε from a Rényi divergence of this order, by the formula of `PROOF.md`.
fn converted(divergence: f64, order: f64, delta: f64) -> f64 {
    divergence - (1.0 / (order - 1.0)).ln_1p() - (delta.ln() + order.ln()) / (order - 1.0)
}

/// The limit is exactly what converts to (ε, δ − failures), after a raise too, and the order is the best for Gaussian noise.
#[test]
fn the_limit_of_a_renyi_filter_is_its_conversion() {
    for (epsilon, delta) in [(0.1, 1e-9), (1.0, 1e-6), (3.0, 1e-5), (20.0, 1e-6)] {
        let cap = Cap::Approximate { epsilon, delta };
        for first in [pure(0.01 * epsilon), approximate(0.01 * epsilon, 0.6 * delta)] {
            let filter = Filter::opened_by(cap, Some(FilterKind::Renyi), &first);
            let higher = Cap::Approximate { epsilon: 1.5 * epsilon, delta: 3.0 * delta };
            let Some(Filter::Renyi { plain, order, limit }) = filter.raised(cap, higher) else {
                panic!("it stays a Rényi filter")
            };
            let left = 3.0 * delta - plain.failures - plain.shared;
            let raised = converted(limit, order, left) / (1.5 * epsilon);
            assert!(raised <= 1.0 && raised > 1.0 - 1e-9, "{cap}: {raised}");
            let Filter::Renyi { plain, order, limit } = filter else { panic!("as asked for") };
            let exact = converted(limit, order, delta - plain.failures - plain.shared);
            assert!(exact <= epsilon && exact > epsilon * (1.0 - 1e-9), "{cap}: {exact}");
        }
        // No other order gives more ρ: the best over all is the conversion of ρ itself.
        let Filter::Renyi { plain, order, limit } = Filter::unopened(cap, None) else { panic!() };
        let best = Curve::zcdp(limit / order).at_delta(delta - plain.failures - plain.shared).epsilon;
        assert!(best <= epsilon && best > epsilon * (1.0 - 1e-6), "{cap}: {best}");
    }
}

/// The best of a random number of runs costs much at low orders, which are best for Gaussian noise under a large ε.
#[test]
fn the_first_run_may_have_an_order_of_its_own() {
    let run = Event::Concentrated { rho: 3e-3, what: "test".into() };
    let stopped = Event::RandomStopping { shape: 1.0, most: 40, one_of: vec![run.clone()] };
    let cap = Cap::Approximate { epsilon: 3.0, delta: 1e-5 };
    let order = |first: &Event| match Filter::opened_by(cap, Some(FilterKind::Renyi), first) {
        Filter::Renyi { order, .. } => order,
        other => panic!("{other:?}"),
    };
    assert!(order(&stopped) > order(&run));
    let general = Filter::unopened(cap, Some(FilterKind::Renyi));
    let cost = general.cost(&stopped).unwrap();
    assert!(runs(cap, Some(FilterKind::Renyi), &stopped) > general.more(&Totals::default(), &cost));
}

/// μ-GDP of a pure mechanism: its trade-off curve is nowhere below that of N(0, 1) against N(μ, 1).
#[test]
fn a_pure_run_in_a_gaussian_filter_has_its_mu() {
    let filter = Filter::opened_by(MILLIONTH, Some(FilterKind::Gaussian), &pure(0.1));
    for epsilon in [1e-3, 0.1, 1.0, 5.0] {
        let mu = filter.cost(&pure(epsilon)).unwrap().mu_squared.sqrt();
        // At the corner of the curve both errors are 1/(1 + e^ε), and a convex curve below the corners is below.
        let error = 1.0 / (1.0 + f64::exp(epsilon));
        assert!(normal_cdf(-0.5 * mu) <= error * (1.0 + 1e-12), "{epsilon}");
        // A smaller constant would not do for small ε.
        assert!(epsilon > 1e-2 || normal_cdf(-0.499 * mu) > error);
        // The profile says the same: the exact δ of one such Gaussian is above randomised response's.
        let at = 0.5 * epsilon;
        let response = (epsilon.exp() - at.exp()) / (1.0 + epsilon.exp());
        assert!(analytic_gaussian_delta(mu, 1.0, at) >= response * (1.0 - 1e-9), "{epsilon}");
    }
}

#[test]
fn a_gaussian_filter_splits_delta_and_epsilon_once() {
    let Filter::Gaussian { plain, mu_squared, order, limit } =
        Filter::opened_by(MILLIONTH, Some(FilterKind::Gaussian), &pure(0.1))
    else {
        panic!("asked for")
    };
    assert_eq!(plain.epsilon, 1.0);
    let rest = converted(limit, order, 0.01e-6);
    let left = 1e-6 - plain.failures - plain.shared - 0.01e-6;
    let gaussian = gaussian::exact_epsilon(mu_squared.sqrt(), left);
    assert!(rest + gaussian <= 1.0 && rest + gaussian > 0.999, "{rest} {gaussian}");
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
    let run = Event::Composition { of: vec![gaussian.clone(), mask, pure(epsilon), approximate(0.0, 3e-8)] };
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
    let alone = Spend::of(&run).unwrap().price(Budget::Approximate { epsilon: 1.0, delta: cost.delta });
    assert_eq!(cost.epsilon, alone.unwrap().amount);
    let cost = filter.cost(&gaussian).unwrap();
    assert_eq!((cost.delta, cost.epsilon), (each, gaussian::exact_epsilon(mu.next_up(), each)));
    assert_eq!(filter.cost(&pure(epsilon)).unwrap(), Totals { epsilon, ..Totals::default() });
    let concentrated = Filter::opened_by(Cap::Zcdp { rho: 1.0, delta: 1e-6 }, None, &run);
    let cost = concentrated.cost(&run).unwrap();
    close(cost.curve, 0.5 * mu * mu + rho + epsilon * (0.5 * epsilon).tanh());
}

/// Conversion keeps its digits where ε is tiny and the order large.
#[test]
fn a_tiny_cap_is_not_rounded_up() {
    for epsilon in [1e-5, 1e-7, 1e-9] {
        let cap = Cap::Approximate { epsilon, delta: 1e-6 };
        let Filter::Renyi { plain, order, limit } = Filter::unopened(cap, None) else { panic!() };
        let left = 1e-6 - plain.failures - plain.shared;
        // ln(1 + x) by its series; what is left out is below 1e-18 at such orders.
        let excess = order - 1.0;
        let x = 1.0 / excess;
        let series = x * (1.0 - x * (0.5 - x * (1.0 / 3.0 - x * 0.25)));
        let exact = limit - series - (left.ln() + order.ln()) / excess;
        assert!(exact <= epsilon * (1.0 + 1e-9), "{epsilon}: {exact}");
    }
}

#[test]
fn more_runs_than_can_be_counted_are_refused() {
    let many = Event::SparseVector { runs: u64::MAX, epsilon_each: 5e-20, delta: 0.0 };
    let twice = Event::Composition { of: vec![many.clone(), many] };
    for event in [twice.clone(), Event::Parallel { of: vec![twice] }] {
        assert!(matches!(Spend::of(&event), Err(EventError::Boundless(_))), "{event:?}");
    }
}

/// Whatever the old filter let pass, the new one does.
#[test]
fn raising_a_cap_takes_nothing_away() {
    let higher = Cap::Approximate { epsilon: 2.0, delta: 3e-6 };
    for kind in FilterKind::ALL.map(|(_, kind)| kind) {
        let old = Filter::opened_by(MILLIONTH, Some(kind), &gaussian_run(0.2, 1e-7));
        let new = old.raised(MILLIONTH, higher).unwrap();
        for event in [pure(0.01), pure(0.3), gaussian_run(0.1, 1e-7), approximate(0.1, 1e-8)] {
            let (before, after) = (old.cost(&event).unwrap(), new.cost(&event).unwrap());
            assert_eq!(before, after, "{kind:?}: a raise must not change what runs cost");
            assert!(new.more(&Totals::default(), &after) > old.more(&Totals::default(), &before), "{kind:?}");
        }
        assert_eq!(old.raised(MILLIONTH, Cap::Approximate { epsilon: 2.0, delta: 1e-7 }), None);
        assert_eq!(old.raised(MILLIONTH, Cap::Pure { epsilon: 9.0 }), None);
    }
    let pure_cap = Cap::Pure { epsilon: 0.5 };
    let old = Filter::opened_by(pure_cap, None, &pure(0.1));
    // An order that is chosen after looking would be no filter: only plain sums are left.
    assert!(matches!(old.raised(pure_cap, MILLIONTH), Some(Filter::PlainSum { .. })));
    assert_eq!(old.raised(pure_cap, Cap::Zcdp { rho: 5.0, delta: 0.0 }), None);
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
    };
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        for of in [[&one, &other], [&objective, &other], [&objective, &one]] {
            let dearest = of.iter().map(|event| cost(event, cap)).fold(0.0, f64::max);
            let together = cost(&parallel(&of.map(Clone::clone)), cap);
            assert!(together >= dearest * (1.0 - 1e-9) && together <= dearest * (1.0 + 1e-9), "{cap}");
        }
    }
    // Order by order: the largest divergence of any part, and the largest chance of failing.
    let filter = Filter::unopened(MILLIONTH, None);
    let failing = Event::Composition { of: vec![one, approximate(0.0, 2e-8), approximate(0.0, 3e-8)] };
    let both = filter.cost(&parallel(&[failing.clone(), objective.clone(), approximate(0.0, 4e-8)])).unwrap();
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
        for price in of(&[parallel.clone(), pure(0.001), gaussian_run(0.05, 1e-6)]).prices(cap).unwrap() {
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
    assert!(used.curve >= 1e5 * cost.curve * (1.0 - 1e-12) && used.curve < 1e5 * cost.curve * (1.0 + 1e-9));
}

/// Ledgers hold these texts for ever.
#[test]
fn a_filter_is_written_as_ledgers_have_it() {
    let plain = PlainLimits { epsilon: 1.0, failures: 1e-7, shared: 4e-7, each: 1e-7 };
    let filter = Filter::Renyi { plain, order: 27.5, limit: 0.5 };
    let written = r#"{"filter":"renyi","epsilon":1.0,"failures":1e-7,"shared":4e-7,"each":1e-7,"order":27.5,"limit":0.5}"#;
    assert_eq!(serde_json::to_string(&filter).unwrap(), written);
    assert_eq!(serde_json::from_str::<Filter>(written).unwrap(), filter);
    let event = Event::Parallel { of: vec![pure(0.5)] };
    let written = r#"{"event":"parallel","of":[{"event":"pure","epsilon":0.5,"what":"test"}]}"#;
    assert_eq!(serde_json::to_string(&event).unwrap(), written);
    for (name, kind) in FilterKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), name);
    }
}
