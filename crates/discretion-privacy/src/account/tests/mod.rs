//! Tests of prices: published values here, properties and exact comparisons in their own files.

mod adversary;
mod choices;
mod exact;
mod filter_costs;
mod filters;
mod joint;
mod properties;
mod shaped;
mod shares;
mod stopped;

use super::*;
use crate::account::{Column, Columns, ShapedLaw};
use crate::{Budget, Unit, analytic_gaussian_sigma};

fn pure(epsilon: f64) -> Event {
    Event::Pure { epsilon, what: "test".into() }
}

fn times(event: &Event, count: u64) -> Spend {
    let mut spend = Spend::new();
    spend.add(event, count).unwrap();
    spend
}

fn of(events: &[Event]) -> Spend {
    Spend::of(&Event::Composition { of: events.to_vec() }).unwrap()
}

const AT_A_MILLIONTH: Budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };

const MILLIONTH: Cap = Cap::Approximate { epsilon: 1.0, delta: 1e-6 };

fn gaussian_run(epsilon: f64, delta: f64) -> Event {
    Event::Gaussian { sensitivity: 1.0, sigma: analytic_gaussian_sigma(1.0, epsilon, delta) }
}

fn approximate(epsilon: f64, delta: f64) -> Event {
    Event::Approximate { epsilon, delta, what: "test".into() }
}

#[test]
fn a_hundred_gaussians_cost_what_is_published() {
    for (sigma, published) in [(20.0, 2.254), (10.0, 4.887)] {
        let price =
            times(&Event::Gaussian { sensitivity: 1.0, sigma }, 100).price(AT_A_MILLIONTH).unwrap();
        assert_eq!(price.rule, Rule::ExactGaussian);
        assert!((price.amount - published).abs() < 5e-4, "σ {sigma}: {price:?}");
    }
}

#[test]
fn nothing_costs_nothing() {
    for cap in [Budget::Pure { epsilon: 1.0 }, AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        assert_eq!(Spend::new().price(cap).unwrap().amount, 0.0);
    }
}

#[test]
fn a_cap_can_be_spent_in_decimal_parts() {
    let cap = Budget::Pure { epsilon: 0.3 };
    assert!(times(&pure(0.1), 3).is_within(cap));
    assert!(!times(&pure(0.1), 3).and(&pure(1e-8)).unwrap().is_within(cap));
    let delta = |delta| Event::Approximate { epsilon: 0.0, delta, what: "test".into() };
    assert!(times(&delta(1e-7), 10).is_within(AT_A_MILLIONTH));
    assert!(!times(&delta(1e-7), 11).is_within(AT_A_MILLIONTH));
}

#[test]
fn each_currency_takes_only_what_it_can_price() {
    let gaussian = Event::Gaussian { sensitivity: 1.0, sigma: 5.0 };
    let approximate = Event::Approximate { epsilon: 0.1, delta: 1e-9, what: "test".into() };
    let (pure_cap, rho_cap) = (Budget::Pure { epsilon: 9.0 }, Budget::Zcdp { rho: 9.0 });
    assert_eq!(of(std::slice::from_ref(&gaussian)).price(pure_cap), Err(NotPriced::NotPure));
    assert_eq!(of(std::slice::from_ref(&approximate)).price(pure_cap), Err(NotPriced::NotPure));
    assert_eq!(
        of(std::slice::from_ref(&approximate)).price(rho_cap),
        Err(NotPriced::NotConcentrated)
    );
    assert!(of(&[gaussian.clone(), pure(0.1)]).price(rho_cap).is_ok());
    assert!(of(&[gaussian, pure(0.1), approximate]).price(AT_A_MILLIONTH).is_ok());
    let too_much = Event::Approximate { epsilon: 0.1, delta: 2e-6, what: "test".into() };
    assert!(matches!(of(&[too_much]).price(AT_A_MILLIONTH), Err(NotPriced::Delta { .. })));
}

#[test]
fn prices_are_those_of_the_formulas() {
    let objective = |noise| Event::ObjectivePerturbation {
        rows: 1000,
        dimension: 3,
        lambda: 0.01,
        curvature_bound: 0.25,
        noise,
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    };
    let output =
        |noise| Event::OutputPerturbation { rows: 1000, dimension: 3, lambda: 0.01, noise };
    let pure_cap = Budget::Pure { epsilon: 1.0 };
    let cost = |event: &Event, cap| Spend::of(event).unwrap().price(cap).unwrap().amount;
    let close = |a: f64, b: f64| assert!(a >= b && a <= b * (1.0 + 1e-11), "{a} {b}");
    close(cost(&objective(Law::Spherical { scale: 4.0 }), pure_cap), 0.5 + 0.025f64.ln_1p());
    close(cost(&output(Law::Spherical { scale: 0.4 }), pure_cap), 0.5);
    close(cost(&output(Law::Gaussian { sigma: 2.0 }), Budget::Zcdp { rho: 1.0 }), 0.005);
    close(cost(&Event::Selection { candidates: 7, epsilon: 0.5 }, pure_cap), 0.5);
    let sparse = Event::SparseVector { runs: 4, epsilon_each: 0.25, delta: 0.0 };
    close(cost(&sparse, pure_cap), 1.0);
    let laplace = Event::Mask { noise: MaskNoise::Laplace { epsilon: 0.5 } };
    close(cost(&Event::Composition { of: vec![laplace.clone(), laplace] }, pure_cap), 1.0);
    let gaussian = Event::Mask { noise: MaskNoise::Gaussian { rho: 0.5 } };
    close(cost(&gaussian, Budget::Zcdp { rho: 1.0 }), 0.5);
    close(
        cost(&Event::DiscreteGaussian { sensitivity: 2.0, sigma: 2.0 }, Budget::Zcdp { rho: 1.0 }),
        0.5,
    );
    // Not ε²/2, which is 8.
    close(cost(&pure(4.0), Budget::Zcdp { rho: 9.0 }), 4.0 * 2f64.tanh());
}

/// A vote that moves takes 1 from one count and adds 1 to another, so its length is √2 and a query
/// costs 1/σ²; it moves the weights of two labels against each other, which costs η²/2; and it
/// changes a sum of scores by 1.
#[test]
fn answers_to_every_query_cost_what_one_vote_moves() {
    let exact = [
        (Event::NoisyMaximum { queries: 3, sigma: 2.0 }, 0.75),
        (Event::ExponentialVotes { queries: 3, eta: 0.5 }, 0.375),
        (Event::NoisySums { queries: 3, sigma: 2.0 }, 0.375),
    ];
    let is_wrong = |(event, exact): &&(Event, f64)| {
        let cost = Spend::of(event).unwrap().price(Budget::Zcdp { rho: 1.0 }).unwrap().amount;
        !(*exact..=exact * (1.0 + 1e-11)).contains(&cost)
    };
    let wrong: Vec<_> = exact.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A person's part of the Hessian has rank d, so its curvature costs d·ln(1 + t/(dNλ)), more than a
/// row's and less than t/(Nλ).
#[test]
fn the_curvature_of_a_person_costs_more_than_that_of_a_row() {
    let cost = |event: &Event| {
        Spend::of(event).unwrap().price(Budget::Pure { epsilon: 9.0 }).unwrap().amount
    };
    let price = |unit| {
        let noise = Law::Spherical { scale: 4.0 };
        cost(&Event::ObjectivePerturbation {
            rows: 10,
            dimension: 3,
            lambda: 0.01,
            curvature_bound: 0.25,
            noise,
            unit,
            curvature: Curvature::Bounded,
        })
    };
    let close = |a: f64, b: f64| assert!(a >= b && a <= b * (1.0 + 1e-11), "{a} {b}");
    close(price(Unit::Row), 0.5 + 2.5f64.ln_1p());
    close(price(Unit::Person), 0.5 + 3.0 * (2.5f64 / 3.0).ln_1p());
    let column = |coefficients| Column { coefficients, size: 0.5 };
    let columns = Columns::new(vec![column(1), column(2)]).unwrap();
    let noise = ShapedLaw::RowNorm { columns, epsilon: 0.5 };
    let shaped = |unit| Event::ShapedObjectivePerturbation {
        rows: 10,
        lambda: 0.01,
        curvature_bound: 0.25,
        noise: noise.clone(),
        unit,
        curvature: Curvature::Bounded,
    };
    assert_eq!(
        [Unit::Row, Unit::Person].map(|unit| cost(&shaped(unit))),
        [Unit::Row, Unit::Person].map(price)
    );
}

/// Ledgers of before there were persons do not name a unit, and a program of then refuses an event
/// that does.
#[test]
fn an_event_about_rows_is_written_as_ever() {
    let written = r#"{"event":"objective-perturbation","rows":10,"dimension":3,"lambda":0.01,"curvature_bound":0.25,"noise":{"law":"spherical","scale":4.0}}"#;
    let event: Event = serde_json::from_str(written).unwrap();
    assert!(matches!(event, Event::ObjectivePerturbation { unit: Unit::Row, .. }));
    assert_eq!(serde_json::to_string(&event).unwrap(), written);
    let of_persons = written.replace("\"noise\"", "\"unit\":\"person\",\"noise\"");
    let event: Event = serde_json::from_str(&of_persons).unwrap();
    assert!(matches!(event, Event::ObjectivePerturbation { unit: Unit::Person, .. }));
    assert_eq!(
        serde_json::from_str::<Event>(&serde_json::to_string(&event).unwrap()).unwrap(),
        event
    );
}

#[test]
fn refuses_events_that_cannot_have_happened() {
    let bad = [
        pure(f64::NAN),
        pure(-1.0),
        Event::Gaussian { sensitivity: 1.0, sigma: 0.0 },
        Event::Gaussian { sensitivity: 1e200, sigma: 1e-200 },
        Event::Approximate { epsilon: 1.0, delta: 1.0, what: "test".into() },
        Event::SparseVector { runs: 0, epsilon_each: 1.0, delta: 0.0 },
        Event::OutputPerturbation {
            rows: 0,
            dimension: 1,
            lambda: 1.0,
            noise: Law::Spherical { scale: 1.0 },
        },
        Event::Composition { of: vec![pure(1.0), pure(f64::INFINITY)] },
    ];
    for event in bad {
        assert!(Spend::of(&event).is_err(), "{event:?}");
    }
}

#[test]
fn finds_what_still_fits() {
    let room = |cap: Cap, runs: u64| {
        let filter = Filter::opened_by(cap, None, &pure(0.1));
        let used = Totals::default().and(filter.cost(&pure(0.1)).unwrap(), runs);
        filter.largest(&used, cap.amount(), pure)
    };
    assert_eq!(room(Cap::Pure { epsilon: 1.0 }, 7), Some(0.3));
    assert_eq!(room(Cap::Pure { epsilon: 0.7 }, 7).filter(|&room| room > 1e-6), None);
    assert_eq!(room(AT_A_MILLIONTH.into(), 0), Some(1.0));
    assert_eq!(room(AT_A_MILLIONTH.into(), 7), Some(0.3));
}
