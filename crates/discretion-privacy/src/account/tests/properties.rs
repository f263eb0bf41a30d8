//! Properties of prices over random histories.

use super::*;
use proptest::prelude::*;

/// Prices that come from a search are equal up to this: the search ends before the last digits.
const SEARCH: f64 = 1e-9;

fn pure_event() -> impl Strategy<Value = Event> {
    // A few values come up often, so that groups of equal mechanisms form.
    prop_oneof![
        prop::sample::select(vec![0.01, 0.1, 0.5]).prop_map(pure),
        (-9.0..1.0f64).prop_map(|x| pure(x.exp())),
        (1u64..40, 0.001..0.3f64).prop_map(|(runs, epsilon_each)| Event::SparseVector {
            runs,
            epsilon_each,
            delta: 0.0
        }),
        (1e-3..1.0f64, 1.0..50.0f64).prop_map(|(lambda, scale)| Event::ObjectivePerturbation {
            rows: 1000,
            dimension: 5,
            lambda,
            curvature_bound: 0.25,
            noise: Law::Spherical { scale },
            unit: Unit::Row,
            curvature: Curvature::Bounded,
        }),
    ]
}

fn concentrated_event() -> impl Strategy<Value = Event> {
    let sigma = || prop_oneof![Just(10.0), (0.0..5.0f64).prop_map(f64::exp)];
    prop_oneof![
        pure_event(),
        sigma().prop_map(|sigma| Event::Gaussian { sensitivity: 1.0, sigma }),
        sigma().prop_map(|sigma| Event::DiscreteGaussian { sensitivity: 1.0, sigma }),
        sigma().prop_map(|sigma| Event::ObjectivePerturbation {
            rows: 1000,
            dimension: 5,
            lambda: 0.01,
            curvature_bound: 0.25,
            noise: Law::Gaussian { sigma },
            unit: Unit::Row,
            curvature: Curvature::Bounded,
        }),
    ]
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => concentrated_event(),
        1 => (0.0..0.5f64, -20.0..-17.0f64).prop_map(|(epsilon, ln_delta)| Event::Approximate {
            epsilon,
            delta: ln_delta.exp(),
            what: "test".into()
        }),
    ]
}

fn never_falls(events: &[Event], cap: Budget) -> Result<(), TestCaseError> {
    let mut spend = Spend::new();
    let mut before = 0.0;
    for event in events {
        spend.add(event, 1).unwrap();
        let Ok(price) = spend.price(cap) else {
            // Once the δs are too much they stay too much.
            before = f64::INFINITY;
            continue;
        };
        prop_assert!(price.amount >= before * (1.0 - SEARCH), "{before} then {price:?}");
        before = price.amount;
    }
    Ok(())
}

fn plain_sum(events: &[Event]) -> f64 {
    events
        .iter()
        .map(|event| Spend::of(event).unwrap().price(Budget::Pure { epsilon: 1.0 }).unwrap().amount)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn epsilon_never_falls(events in prop::collection::vec(any_event(), 1..12), delta in -20.0..-8.0f64) {
        never_falls(&events, Budget::Approximate { epsilon: 1.0, delta: delta.exp() })?;
    }

    #[test]
    fn rho_never_falls(events in prop::collection::vec(concentrated_event(), 1..12)) {
        never_falls(&events, Budget::Zcdp { rho: 1.0 })?;
    }

    #[test]
    fn composition_never_costs_more_than_the_plain_sum(
        events in prop::collection::vec(pure_event(), 1..30), delta in -20.0..-8.0f64,
    ) {
        let cap = Budget::Approximate { epsilon: 1.0, delta: delta.exp() };
        let composed = of(&events).price(cap).unwrap().amount;
        prop_assert!(composed <= plain_sum(&events) * (1.0 + 1e-12));
    }

    #[test]
    fn gaussians_cost_no_more_together_than_alone(
        events in prop::collection::vec(concentrated_event(), 1..8), delta in -20.0..-8.0f64,
    ) {
        let cap = Budget::Approximate { epsilon: 1.0, delta: delta.exp() };
        let share = Budget::Approximate { epsilon: 1.0, delta: delta.exp() / events.len() as f64 };
        let alone: f64 = events.iter().map(|event| Spend::of(event).unwrap().price(share).unwrap().amount).sum();
        let together = of(&events).price(cap).unwrap().amount;
        prop_assert!(together <= alone * (1.0 + SEARCH), "{together} {alone}");
    }

    #[test]
    fn order_and_nesting_do_not_matter(events in prop::collection::vec(any_event(), 1..10)) {
        let mut reversed = Spend::new();
        for event in events.iter().rev() {
            reversed.add(event, 1).unwrap();
        }
        prop_assert_eq!(reversed, of(&events));
    }
}
