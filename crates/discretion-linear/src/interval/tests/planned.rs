//! A plan stays within its budget by the accountant's price, and uses it up.

use crate::erm::Facts;
use crate::interval::{Plan, Split};
use crate::loss::LossKind;
use crate::train::{Method, Training};
use discretion_privacy::Budget;
use discretion_privacy::account::{Spend, amount};

fn training(budget: Budget, method: Method) -> Training {
    Training { loss: LossKind::Logistic, lambda: Some(0.01), method, budget }
}

#[test]
fn what_a_plan_runs_costs_what_it_says_and_hardly_less() {
    let budgets = [
        Budget::Pure { epsilon: 0.7 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Approximate { epsilon: 0.2, delta: 1e-9 },
        Budget::Zcdp { rho: 0.1 },
    ];
    for budget in budgets {
        for method in [Method::Objective, Method::Output] {
            for dimension in [2, 25] {
                for split in [Split::DEFAULT, Split::new(0.8, 0.15, 0.05).unwrap()] {
                    let facts = Facts::of_matrix(1_000_000, dimension, dimension);
                    let plan = Plan::new(&training(budget, method), split, facts).unwrap();
                    let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap().amount;
                    let given = amount(budget);
                    assert!(price <= given, "{budget} {method:?}: {price} is more than {given}");
                    assert!(
                        price > 0.98 * given,
                        "{budget} {method:?} d={dimension}: only {price} of {given}"
                    );
                }
            }
        }
    }
}

/// Adding up three shares of (ε, δ) would waste much of it: the accountant's price lets every share grow.
#[test]
fn shares_of_an_approximate_budget_are_stretched_and_pure_ones_are_not() {
    let facts = Facts::of_matrix(1_000_000, 40, 40);
    let stretch = |budget: Budget| {
        let plan = Plan::new(&training(budget, Method::Objective), Split::DEFAULT, facts.clone()).unwrap();
        amount(plan.training().budget()) / (Split::DEFAULT.training() * amount(budget))
    };
    let approximate = stretch(Budget::Approximate { epsilon: 1.0, delta: 1e-6 });
    assert!(approximate > 1.1 && approximate < 2.0, "{approximate}");
    assert_eq!(stretch(Budget::Pure { epsilon: 1.0 }), 1.0);
}

/// The corners of what a budget can be give a plan or a reason, never a panic.
#[test]
fn every_legal_budget_gets_a_plan_or_a_reason() {
    for (epsilon, delta, rho) in [
        (Some(1e-9), None, None),
        (Some(1000.0), None, None),
        (Some(1e-9), Some(1e-100), None),
        (Some(1000.0), Some(0.999), None),
        (None, None, Some(1e-15)),
        (None, None, Some(1e5)),
    ] {
        let budget = Budget::new(epsilon, delta, rho).unwrap();
        for (rows, dimension) in [(1, 1), (1000, 20), (1_000_000_000, 900)] {
            for lambda in [None, Some(1e-3)] {
                let training = Training { lambda, ..training(budget, Method::Auto) };
                if let Ok(plan) =
                    Plan::new(&training, Split::DEFAULT, Facts::of_matrix(rows, dimension, dimension))
                {
                    let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap().amount;
                    assert!(price <= amount(budget), "{budget}: {price}");
                }
            }
        }
    }
}
