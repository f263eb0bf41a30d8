//! What filters let pass: their numbers, how they are chosen, and what raising does.

use super::*;
use crate::Curve;

/// How many equal runs an account takes that the first of them opens.
fn runs(cap: Cap, kind: Option<FilterKind>, event: &Event) -> u64 {
    let filter = Filter::opened_by(cap, kind, event);
    filter.more(&Totals::default(), &filter.cost(event).unwrap())
}

/// The figures of the literature's rules: 6 runs by the plain sum, 29 by ρ, 33 by one Gaussian; a
/// tenth of δ less.
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
    for kind in
        [None, Some(FilterKind::Renyi), Some(FilterKind::Gaussian), Some(FilterKind::PlainSum)]
    {
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
    let alone =
        Spend::of(&objective).unwrap().price(Budget::Approximate { epsilon: 9.0, delta: 1e-6 });
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

/// The limit is exactly what converts to (ε, δ − failures), after a raise too, and the order is the
/// best for Gaussian noise.
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
        let best =
            Curve::zcdp(limit / order).at_delta(delta - plain.failures - plain.shared).epsilon;
        assert!(best <= epsilon && best > epsilon * (1.0 - 1e-6), "{cap}: {best}");
    }
}

/// The best of a random number of runs costs much at low orders, which are best for Gaussian noise
/// under a large ε.
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
            assert!(
                new.more(&Totals::default(), &after) > old.more(&Totals::default(), &before),
                "{kind:?}"
            );
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

/// What is guaranteed is a cap times 1 + 10⁻⁹, and no more passes.
#[test]
fn a_cap_is_passed_by_a_billionth_at_most() {
    let filter = Filter::Pure { epsilon: 2.0 };
    let used = |epsilon| Totals { epsilon, ..Totals::default() };
    assert!(filter.allows(&used(2.0 * (1.0 + 0.9e-9))));
    assert!(!filter.allows(&used(2.0 * (1.0 + 1.1e-9))));
    let cap = Budget::Pure { epsilon: 2.0 };
    let price = |amount| Price { rule: Rule::PlainSum, amount, delta: 0.0 };
    assert!(price(2.0 * (1.0 + 0.9e-9)).within(cap) && !price(2.0 * (1.0 + 1.1e-9)).within(cap));
}
