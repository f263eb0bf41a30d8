//! Runs on parts of a table, one of several events, and what fits beside a run.

use super::*;

const FILTERS: [(Cap, Option<FilterKind>); 6] = [
    (Cap::Pure { epsilon: 9.0 }, None),
    (Cap::Zcdp { rho: 9.0, delta: 0.0 }, None),
    (Cap::Zcdp { rho: 9.0, delta: 1e-6 }, None),
    (MILLIONTH, Some(FilterKind::Renyi)),
    (MILLIONTH, Some(FilterKind::Gaussian)),
    (MILLIONTH, Some(FilterKind::PlainSum)),
];

fn filters() -> impl Iterator<Item = Filter> {
    FILTERS.into_iter().map(|(cap, kind)| Filter::opened_by(cap, kind, &pure(0.1)))
}

fn parallel(of: &[&Event]) -> Event {
    Event::Parallel { of: of.iter().map(|&event| event.clone()).collect() }
}

fn both(of: &[&Event]) -> Event {
    Event::Composition { of: of.iter().map(|&event| event.clone()).collect() }
}

fn one_of(of: &[&Event]) -> Event {
    Event::OneOf { of: of.iter().map(|&event| event.clone()).collect() }
}

fn gaussian(mu: f64) -> Event {
    Event::Gaussian { sensitivity: mu, sigma: 1.0 }
}

fn lattice(rho: f64) -> Event {
    Event::LatticeGaussian { rho, what: "test".into() }
}

fn objective(sigma: f64) -> Event {
    Event::ObjectivePerturbation {
        rows: 1000,
        dimension: 5,
        lambda: 0.01,
        curvature_bound: 0.25,
        noise: Law::Gaussian { sigma },
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    }
}

fn largest(costs: &[Totals]) -> Totals {
    costs.iter().copied().fold(Totals::default(), Totals::or)
}

/// A run on parts of a table costs the largest of every sum over what it can be for a pair of
/// neighbours: each part in turn, each choice of several, and parts of parts.
#[test]
fn each_part_is_put_in_the_place_of_all() {
    let (a, b, c) = (both(&[&pure(0.1), &pure(0.2)]), gaussian(0.03), lattice(1e-3));
    let (d, e) = (objective(60.0), both(&[&pure(0.01), &objective(90.0)]));
    for filter in filters().skip(1) {
        let cost = |event: &Event| filter.cost(event).unwrap();
        let choices = |of: &[&[&Event]]| {
            let costs: Vec<Totals> = of.iter().map(|list| cost(&both(list))).collect();
            largest(&costs)
        };
        let is = |event: &Event, of: &[&[&Event]]| {
            let (found, largest) = (cost(event), choices(of));
            // A Gaussian filter may leave Gaussian noise to another part's divergence, and what is
            // pure may take the δ that another part needs.
            let epsilon = found.epsilon;
            let all = Totals { mu_squared: found.mu_squared, epsilon, ..largest };
            assert!(epsilon <= largest.epsilon && epsilon >= largest.epsilon * (1.0 - 1e-4));
            assert_eq!(found, all, "{event:?} {filter:?}");
            assert!(found.mu_squared <= largest.mu_squared);
        };
        is(&parallel(&[&a, &b]), &[&[&a], &[&b]]);
        is(&both(&[&c, &parallel(&[&a, &d])]), &[&[&c, &a], &[&c, &d]]);
        let two = both(&[&parallel(&[&a, &b]), &parallel(&[&c, &d])]);
        is(&two, &[&[&a, &c], &[&a, &d], &[&b, &c], &[&b, &d]]);
        is(&parallel(&[&both(&[&e, &parallel(&[&b, &c])]), &d]), &[&[&e, &b], &[&e, &c], &[&d]]);
        // Twice, and each time another part may be the one.
        let once = parallel(&[&a, &d]);
        is(&both(&[&once, &once]), &[&[&a, &a], &[&a, &d], &[&d, &d]]);
    }
    let filter = filters().next().unwrap();
    let cost = |event: &Event| filter.cost(event).unwrap().epsilon;
    assert_eq!(cost(&parallel(&[&a, &pure(0.25)])), cost(&a));
    assert_eq!(
        cost(&both(&[&pure(0.1), &parallel(&[&a, &pure(0.4)])])),
        cost(&both(&[&pure(0.1), &pure(0.4)]))
    );
}

/// The price within one run is that of the dearest choice, whatever stands beside.
#[test]
fn a_price_is_that_of_the_dearest_choice() {
    let (a, b, knots) = (objective(60.0), gaussian(0.03), pure(0.05));
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        let price = |event: &Event| Spend::of(event).unwrap().price(cap).unwrap().amount;
        let dearest = price(&both(&[&knots, &a])).max(price(&both(&[&knots, &b])));
        assert_eq!(price(&both(&[&knots, &parallel(&[&a, &b])])), dearest, "{cap}");
    }
}

/// With too many choices the largest divergence of each part is taken, which is no less.
#[test]
fn too_many_choices_cost_no_less() {
    let run = |times: u64| {
        let mut spend = Spend::new();
        spend.add(&parallel(&[&gaussian(0.03), &objective(200.0)]), times).unwrap();
        spend
    };
    assert!(run(63).choices().is_some() && run(64).choices().is_none());
    for filter in filters().skip(1) {
        let [few, many] = [63, 64].map(|times| filter.cost_of(&run(times)).unwrap());
        assert!(many.curve >= few.curve && many.epsilon >= few.epsilon, "{filter:?}");
        assert_ne!(many, few);
    }
    for cap in [AT_A_MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        let [few, many] = [63, 64].map(|times| run(times).price(cap).unwrap().amount);
        assert!(many > few, "{cap}");
    }
}

/// One of several events costs the largest divergence of any, and no chance of failing.
#[test]
fn one_of_several_events_costs_the_largest() {
    let (a, b) = (objective(60.0), both(&[&gaussian(0.02), &lattice(1e-6)]));
    for filter in filters().skip(1) {
        let cost = |event: &Event| filter.cost(event).unwrap();
        let found = cost(&one_of(&[&a, &b]));
        let each = [cost(&a), cost(&b)];
        let all = largest(&each);
        assert_eq!((found.delta, found.plain_delta), (all.delta, all.plain_delta), "{filter:?}");
        for (found, all) in [
            (found.curve, all.curve),
            (found.epsilon, all.epsilon),
            (found.mu_squared, all.mu_squared),
        ] {
            assert!(found >= all && found <= all * (1.0 + 1e-9), "{filter:?}: {found} {all}");
        }
    }
    let with = |choice: &Event| {
        Spend::of(&both(&[&pure(0.1), choice])).unwrap().price(AT_A_MILLIONTH).unwrap().amount
    };
    // Which one depends on what was released: prices of whole lists do not hold.
    assert!(with(&one_of(&[&a, &b])) >= with(&a).max(with(&b)));
    let alone = Spend::of(&a).unwrap().price(AT_A_MILLIONTH).unwrap().amount;
    assert!(with(&one_of(&[&a, &b])) <= 0.1 + alone + 1e-12);
}

/// Ledgers hold this text for ever; what earlier versions wrote of a chosen candidate keeps its
/// price.
#[test]
fn the_event_is_written_as_ledgers_have_it() {
    let written = r#"{"event":"one-of","of":[{"event":"pure","epsilon":0.1,"what":"test"},{"event":"gaussian","sensitivity":1.0,"sigma":20.0}]}"#;
    let event = one_of(&[&pure(0.1), &Event::Gaussian { sensitivity: 1.0, sigma: 20.0 }]);
    assert_eq!(serde_json::to_string(&event).unwrap(), written);
    assert_eq!(serde_json::from_str::<Event>(written).unwrap(), event);
    let earlier = r#"{"event":"approximate","epsilon":0.3,"delta":1e-6,"what":"training with a chosen lambda"}"#;
    let earlier: Event = serde_json::from_str(earlier).unwrap();
    let filter = Filter::opened_by(Cap::Approximate { epsilon: 3.0, delta: 1e-5 }, None, &earlier);
    let cost = filter.cost(&earlier).unwrap();
    assert_eq!((cost.epsilon, cost.delta, cost.plain_delta), (0.3, 1e-6, 0.0));
    assert!(Spend::of(&one_of(&[])).is_err());
}

/// What may be spent beside a run makes it no dearer anywhere, and a little more would, somewhere:
/// with 2 % more ρ, or 2 % more ε.
#[test]
fn what_fits_beside_a_run_costs_nothing() {
    let classes = |sigma| Event::ClassesObjectivePerturbation {
        classes: 4,
        rows: 1000,
        dimension: 5,
        lambda: 100.0,
        noise: Law::Gaussian { sigma }.into(),
        unit: Unit::Row,
        curvature: Curvature::Bounded,
    };
    let residuals = |sigma| Event::ResidualObjectivePerturbation {
        rows: 1000,
        dimension: 5,
        lambda: 100.0,
        curvature_bound: 1.0,
        noise: Law::Gaussian { sigma }.into(),
        unit: Unit::Row,
    };
    let free = |sigma| match objective(sigma) {
        Event::ObjectivePerturbation { rows, dimension, curvature_bound, noise, unit, .. } => {
            Event::ObjectivePerturbation {
                rows,
                dimension,
                lambda: 1e9,
                curvature_bound,
                noise,
                unit,
                curvature: Curvature::Bounded,
            }
        }
        _ => unreachable!("it was made here"),
    };
    let stopped =
        |run: &Event| Event::RandomStopping { shape: 1.0, most: 20, one_of: vec![run.clone()] };
    let (mask, knots) = (lattice(1e-6), pure(0.02));
    let fits = [
        pure(0.1),
        both(&[&pure(0.2), &pure(0.1)]),
        stopped(&pure(0.1)),
        parallel(&[&both(&[&pure(0.1), &pure(0.1)]), &both(&[&pure(0.15), &pure(0.01)])]),
        both(&[&gaussian(0.05), &mask]),
        both(&[&objective(60.0), &mask]),
        both(&[&free(60.0), &mask]),
        both(&[&classes(60.0), &mask]),
        both(&[&residuals(60.0), &mask]),
        both(&[&knots, &objective(60.0), &mask]),
        both(&[&knots, &one_of(&[&both(&[&free(60.0), &mask]), &both(&[&gaussian(0.02), &mask])])]),
        stopped(&both(&[&free(90.0), &mask])),
        parallel(&[&both(&[&classes(60.0), &mask]), &both(&[&classes(61.0), &mask])]),
        both(&[&lattice(1e-3), &lattice(2e-3)]),
        both(&[&pure(0.2), &mask]),
        both(&[&pure(0.2), &pure(0.2), &lattice(1e-16)]),
        parallel(&[&both(&[&pure(0.2), &mask]), &gaussian(0.3)]),
        both(&[&mask, &one_of(&[&both(&[&pure(0.2), &mask]), &gaussian(0.02)])]),
    ];
    // As counts take it: in two parts, or in one.
    let beside = |fit: &Event, times: f64, shares: &[f64]| {
        let run = |budget: Budget| {
            let part = |&share: &f64| match budget {
                Budget::Pure { epsilon } => pure(share * times * epsilon * (1.0 - 1e-12)),
                Budget::Zcdp { rho } => gaussian((2.0 * share * times * rho).sqrt()),
                Budget::Approximate { .. } => unreachable!("it is a pure ε or ρ"),
            };
            Event::Composition { of: shares.iter().map(part).collect() }
        };
        Spend::of(fit).unwrap().beside().into_iter().map(run).collect::<Vec<_>>()
    };
    for fit in &fits {
        for filter in filters() {
            let Ok(cost) = filter.cost(fit) else { continue };
            for other in beside(fit, 1.0, &[0.15, 0.85]).iter().chain(&beside(fit, 1.0, &[1.0])) {
                let with = filter.cost(&parallel(&[fit, other]));
                assert_eq!(with, Ok(cost), "{fit:?} {other:?} {filter:?}");
            }
        }
    }
    // Where the rules know nothing else of a run, nothing more would be free.
    for fit in [&fits[0], &fits[4], &fits[6], &fits[7], &fits[8], &fits[13], &fits[14]] {
        let other = &beside(fit, 1.02, &[1.0])[0];
        let is_dearer = |filter: Filter| {
            let cost = filter.cost(fit);
            cost.is_ok() && filter.cost(&parallel(&[fit, other])) != cost
        };
        assert!(filters().any(is_dearer), "{fit:?} {other:?}");
    }
    // Every pure run has one budget beside it, every other one that of its pure part too.
    let kinds = fits.map(|fit| {
        let is_pure = |budget: &Budget| matches!(budget, Budget::Pure { .. });
        Spend::of(&fit).unwrap().beside().iter().map(is_pure).collect::<Vec<_>>()
    });
    let (alone, neither, both) = (vec![true], vec![false], vec![true, false]);
    for (index, kind) in kinds.into_iter().enumerate() {
        let expected = match index {
            0..4 => &alone,
            9 | 10 | 14.. => &both,
            _ => &neither,
        };
        assert_eq!(&kind, expected, "{index}");
    }
}

/// A mask so small that a δ pays for it and for a little of the pure part beside it: then its price
/// is below the ε that is free beside it.
#[test]
fn pure_noise_beside_a_mixed_run_takes_the_delta_that_is_paid() {
    let mask = lattice(1e-16);
    let fit = both(&[&pure(0.2), &mask]);
    let beside = parallel(&[&fit, &pure(0.2)]);
    for filter in filters().skip(3) {
        let cost = filter.cost(&fit).unwrap();
        assert!(cost.epsilon < 0.2, "{cost:?}");
        assert_eq!(filter.cost(&beside), Ok(cost), "{filter:?}");
        // By itself it takes none.
        assert_eq!(filter.cost(&pure(0.2)).unwrap().epsilon, 0.2);
    }
}
