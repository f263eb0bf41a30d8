//! What is decided from public numbers.

use super::*;
use discretion_privacy::account::{Spend, amount};
use discretion_privacy::noise::{Column, Columns};

fn wanted(budget: Budget, step: Stepping) -> Wanted {
    let sharing = Sharing::new(2, 1).unwrap();
    Wanted { loss: LossKind::Logistic, lambda: None, sharing, budget, step }
}

/// Adult's training split, five holders.
fn adult() -> Holders {
    Holders::new(&[6_512, 6_512, 6_512, 6_512, 6_513], 105, 14).unwrap()
}

const PURE: Budget = Budget::Pure { epsilon: 1.0 };
const APPROXIMATE: Budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };

#[test]
fn an_average_alone_has_noise_of_two_fifths() {
    for budget in [PURE, APPROXIMATE, Budget::Zcdp { rho: 0.5 }] {
        let joint = wanted(budget, Stepping::Never).joint(&adult()).unwrap();
        let deviation = joint.plan(&adult()).unwrap().average().noise().deviation();
        assert!((deviation - 0.4).abs() < 1e-3, "{budget}: {deviation}");
    }
}

/// docs/parties.md.
#[test]
fn the_rule_gives_the_documented_values() {
    let lambda = |budget| wanted(budget, Stepping::Never).joint(&adult()).unwrap().lambda;
    assert!((lambda(PURE) / 2.24e-3 - 1.0).abs() < 0.01, "{}", lambda(PURE));
    assert!((lambda(APPROXIMATE) / 9.18e-4 - 1.0).abs() < 0.01, "{}", lambda(APPROXIMATE));
}

#[test]
fn a_step_is_taken_where_the_hessian_can_be_seen() {
    let step =
        |budget, holders: &Holders| wanted(budget, Stepping::Auto).joint(holders).unwrap().step;
    assert!(step(PURE, &adult()).is_none() && step(APPROXIMATE, &adult()).is_some());
    let few = Holders::new(&[500, 500], 105, 14).unwrap();
    assert!(step(APPROXIMATE, &few).is_none());
    let narrow = Holders::new(&[100_000, 100_000], 5, 5).unwrap();
    assert!(step(PURE, &narrow).is_some());
    let wide = Holders::new(&[100_000_000], MOST_FOR_STEP + 1, 14).unwrap();
    assert!(step(APPROXIMATE, &wide).is_none(), "too wide for a step, not for a study");
}

#[test]
fn what_was_said_is_not_decided() {
    let said = Wanted { lambda: Some(0.3), ..wanted(APPROXIMATE, Stepping::Auto) };
    let joint = said.joint(&adult()).unwrap();
    assert_eq!(joint.lambda, 0.3);
    assert!(joint.step.is_some_and(|step| step.lambda.is_none()), "{joint:?}");
    let step =
        Step { lambda: Some(0.01), gradient: 0.1, hessian: 0.1, covariance: 0.0, damping: 1.0 };
    let joint = wanted(PURE, Stepping::As(step)).joint(&adult()).unwrap();
    assert_eq!(joint.step, Some(step));
}

#[test]
fn intervals_get_a_step_that_they_accept() {
    for budget in [PURE, APPROXIMATE] {
        let joint = wanted(budget, Stepping::ForIntervals).joint(&adult()).unwrap();
        let plan = joint.plan(&adult()).unwrap();
        assert_eq!(plan.lambda(), joint.lambda);
        assert!(joint.step.unwrap().covariance > 0.0);
        assert!((plan.average().noise().deviation() - 0.2).abs() < 1e-2);
    }
}

/// Where columns are known, moments are summed, λ is that of one holder, and the budget is spent.
#[test]
fn intervals_of_known_columns_come_from_moments() {
    let size = (1.0f64 / 15.0).sqrt();
    let counts = [1, 1, 1, 1, 1, 1, 1, 9, 16, 7, 15, 6, 5, 2, 38];
    let columns = counts.map(|coefficients| Column { coefficients, size });
    let holders = adult().of_columns(&Columns::new(columns.to_vec()).unwrap(), &[]);
    for budget in [PURE, APPROXIMATE, Budget::Zcdp { rho: 0.1 }] {
        let joint = wanted(budget, Stepping::ForIntervals).joint(&holders).unwrap();
        let plan = joint.plan(&holders).unwrap();
        assert!(plan.sums_moments() && plan.rounds() == 3);
        assert!((plan.average().noise().deviation() - 0.45).abs() < 1e-2);
        let step = joint.step.unwrap();
        assert!(step.lambda.unwrap() < joint.lambda);
        let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap().amount;
        assert!(price <= amount(budget) * (1.0 + 1e-9) && price > 0.97 * amount(budget));
        // Said by the study, λ is that of both.
        let said = Wanted { lambda: Some(0.01), ..wanted(budget, Stepping::ForIntervals) };
        assert_eq!(said.joint(&holders).unwrap().plan(&holders).unwrap().lambda(), 0.01);
    }
    // Another loss, and several classes, keep what they have.
    let hinge = Joint { loss: LossKind::Hinge, ..joint(0.1, APPROXIMATE) };
    assert!(!Joint { step: Some(INTERVALS), ..hinge }.plan(&holders).unwrap().sums_moments());
}

const INTERVALS: Step =
    Step { lambda: None, gradient: 0.5, hessian: 0.2, covariance: 0.1, damping: 0.0 };
