use crate::design::{Design, Gaussian, Sparse};
use crate::{Demand, DemandError, distance};
use discretion_privacy::account::Spend;
use discretion_privacy::{Approximate, Budget};

pub(super) fn demand(epsilon: f64, delta: f64, queries: u64, unstable: u64) -> Demand {
    Demand { budget: Approximate { epsilon, delta }, queries, unstable, miss: 0.05, scores: false }
}

#[test]
fn needs_far_fewer_chunks_than_the_printed_formula() {
    for (epsilon, unstable, printed, most) in
        [(1.0, 50, 95_317, 3_700), (1.0, 3, 20_824, 385), (3.0, 50, 31_772, 1_235)]
    {
        let demand = demand(epsilon, 1e-6, 1000, unstable);
        assert_eq!(demand.printed_chunks(), printed);
        let chunks = demand.plan().chunks(5.0 / 6.0).unwrap();
        assert!(chunks <= most, "ε = {epsilon}, T = {unstable}: {chunks}");
    }
}

#[test]
fn every_design_keeps_its_budget_and_hardly_leaves_any() {
    for (epsilon, delta, queries, unstable) in
        [(1.0, 1e-6, 1000, 50), (0.1, 1e-9, 10, 1), (8.0, 1e-3, 100_000, 5_000), (1.0, 1e-6, 1, 1)]
    {
        for scores in [false, true] {
            let demand = Demand { scores, ..demand(epsilon, delta, queries, unstable) };
            for planned in demand.checked().unwrap().designs() {
                let event = planned.design.event();
                let cap = Budget::Approximate { epsilon, delta };
                let price = Spend::of(&event).unwrap().price(cap).unwrap();
                assert!(price.amount <= epsilon, "{planned:?}: {price:?}");
                assert!(price.amount >= 0.95 * epsilon, "{planned:?}: {price:?}");
                assert_eq!(planned.design.paid(), Some(unstable));
            }
        }
    }
}

#[test]
fn a_few_unstable_queries_want_one_threshold_and_many_want_gaussian_noise() {
    assert!(matches!(
        demand(1.0, 1e-6, 1000, 50).plan().design,
        Design::Sparse(Sparse { thresholds: 1, .. })
    ));
    assert!(matches!(
        demand(1.0, 1e-6, 1000, 200).plan().design,
        Design::Gaussian(Gaussian { .. })
    ));
}

#[test]
fn chunks_and_agreement_are_inverse_to_each_other() {
    let planned = demand(1.0, 1e-6, 1000, 50).plan();
    for agreement in [0.6, 0.75, 5.0 / 6.0, 0.95, 1.0] {
        let chunks = planned.chunks(agreement).unwrap();
        assert!(distance(chunks, agreement) >= planned.needs);
        assert!(distance(chunks - 3, agreement) < planned.needs);
        let back = planned.agreement(chunks).unwrap();
        assert!(
            back <= agreement + 1.0 / chunks as f64 && back > agreement - 3.0 / chunks as f64,
            "{agreement}: {back}"
        );
    }
    assert_eq!(planned.chunks(0.5), None);
    assert_eq!(planned.agreement(planned.needs), None);
}

#[test]
fn what_a_number_of_chunks_can_serve() {
    let demand = demand(1.0, 1e-6, 1000, 50);
    let chunks = demand.plan().chunks(5.0 / 6.0).unwrap();
    let unstable = demand.most_unstable(chunks, 5.0 / 6.0).unwrap();
    assert!((50..=52).contains(&unstable), "{unstable}");
    let queries = demand.most_queries(chunks, 5.0 / 6.0).unwrap();
    assert!((1000..=1100).contains(&queries), "{queries}");
    assert_eq!(demand.most_unstable(10, 5.0 / 6.0), None);
    assert_eq!(demand.most_queries(100, 5.0 / 6.0), None);
}

#[test]
fn senseless_demands_are_refused() {
    let refused = |demand: Demand| demand.checked().unwrap_err();
    assert!(matches!(refused(demand(0.0, 1e-6, 10, 1)), DemandError::Budget { .. }));
    assert!(matches!(refused(demand(1.0, 0.0, 10, 1)), DemandError::Budget { .. }));
    assert!(matches!(refused(demand(1.0, 1e-6, 10, 11)), DemandError::Counts { .. }));
    assert!(matches!(refused(demand(1.0, 1e-6, 0, 0)), DemandError::Counts { .. }));
    assert!(matches!(
        refused(Demand { miss: 1.0, ..demand(1.0, 1e-6, 10, 1) }),
        DemandError::Miss(_)
    ));
    // Scores take two tests each.
    assert!(Demand { scores: true, ..demand(1.0, 1e-6, 10, 11) }.checked().is_ok());
}
