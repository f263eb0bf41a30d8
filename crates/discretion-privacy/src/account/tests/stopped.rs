//! The best of a random number of runs, as an account sees it.

use super::*;

fn stopping(one_of: &[Event]) -> Event {
    Event::RandomStopping { shape: 1.0, most: 40, one_of: one_of.to_vec() }
}

fn gaussian(sigma: f64) -> Event {
    Event::DiscreteGaussian { sensitivity: 1.0, sigma }
}

/// A run does one of several things to a row, so the worst of them counts, wherever it stands in
/// the list.
#[test]
fn the_worst_of_what_a_run_may_do_is_what_it_costs() {
    let pure_cap = Budget::Pure { epsilon: 9.0 };
    for (one_of, worst, cap) in [
        ([pure(0.1), pure(0.3), pure(0.2)], pure(0.3), pure_cap),
        ([gaussian(40.0), gaussian(20.0), gaussian(80.0)], gaussian(20.0), AT_A_MILLIONTH),
        ([pure(0.01), gaussian(20.0), gaussian(30.0)], gaussian(20.0), AT_A_MILLIONTH),
    ] {
        let price = |one_of: &[Event]| of(&[stopping(one_of)]).price(cap).unwrap().amount;
        let expected = price(&[worst]);
        for turn in 0..one_of.len() {
            let mut turned = one_of.to_vec();
            turned.rotate_left(turn);
            assert!((price(&turned) / expected - 1.0).abs() < 1e-9, "{turned:?}");
        }
    }
}

/// A pure run keeps a pure price, 2 + η times its own; any other run's price is above one run's.
#[test]
fn stopping_costs_more_than_a_run() {
    let price = |event: &Event, cap| Spend::of(event).unwrap().price(cap).unwrap().amount;
    let three = price(&stopping(&[pure(0.1)]), Budget::Pure { epsilon: 1.0 });
    assert!((three - 0.3).abs() < 1e-10, "{three}");
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        let (one, best) = (price(&gaussian(20.0), cap), price(&stopping(&[gaussian(20.0)]), cap));
        assert!(best > 1.2 * one, "{cap}: {best} {one}");
    }
}

/// No rule forgets a stopped part that stands beside others.
#[test]
fn every_rule_prices_a_stopped_part_beside_others() {
    let stopped = stopping(&[gaussian(20.0), pure(0.05)]);
    let others = [Event::Gaussian { sensitivity: 1.0, sigma: 200.0 }, pure(0.001), pure(0.002)];
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        let alone = of(std::slice::from_ref(&stopped)).price(cap).unwrap().amount;
        let together: Vec<Event> = others.iter().cloned().chain([stopped.clone()]).collect();
        let prices = of(&together).prices(cap).unwrap();
        assert!(prices.len() > 1);
        for price in prices {
            assert!(price.amount > alone, "{cap} {price:?}: less than {alone}");
        }
    }
}

#[test]
fn what_random_stopping_cannot_price_is_refused() {
    let approximate = Event::Approximate { epsilon: 0.1, delta: 1e-9, what: "test".into() };
    let sparse = Event::SparseVector { runs: 2, epsilon_each: 0.1, delta: 1e-9 };
    for run in [approximate, sparse] {
        let inside = Event::Composition { of: vec![pure(0.1), run.clone()] };
        for run in [run, inside] {
            let refused = Spend::of(&stopping(&[pure(0.1), run])).unwrap_err();
            assert_eq!(refused, EventError::RunWithDelta("random-stopping"));
        }
    }
    assert!(Spend::of(&stopping(&[])).is_err());
    let law = Event::RandomStopping { shape: 2.0, most: 40, one_of: vec![pure(0.1)] };
    assert!(matches!(Spend::of(&law), Err(EventError::Stopping(_))));
    assert_eq!(
        of(&[stopping(&[gaussian(20.0)])]).price(Budget::Pure { epsilon: 9.0 }),
        Err(NotPriced::NotPure)
    );
}

/// Ledgers hold this text for ever.
#[test]
fn the_event_is_written_as_ledgers_have_it() {
    let written = r#"{"event":"random-stopping","shape":1.0,"most":40,"one_of":[{"event":"discrete-gaussian","sensitivity":1.0,"sigma":20.0}]}"#;
    let event = stopping(&[gaussian(20.0)]);
    assert_eq!(serde_json::to_string(&event).unwrap(), written);
    assert_eq!(serde_json::from_str::<Event>(written).unwrap(), event);
}
