use super::*;
use discretion_privacy::account::Spend;

const BUDGETS: [Budget; 4] = [
    Budget::Pure { epsilon: 0.7 },
    Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    Budget::Approximate { epsilon: 0.05, delta: 1e-9 },
    Budget::Zcdp { rho: 0.1 },
];

/// The accountant knows nothing of how the plan divided its budget; it prices what will run.
#[test]
fn what_a_plan_runs_costs_what_it_says_and_hardly_less() {
    for budget in BUDGETS {
        for method in [Method::Objective, Method::Output] {
            for dimension in [3, 60] {
                let training = Training { loss: LossKind::Logistic, lambda: Some(0.01), method, budget };
                let plan = training.plan(Facts::of_matrix(20_000, dimension, dimension)).unwrap();
                let spend = Spend::of(&plan.event()).unwrap();
                assert!(spend.is_within(budget), "{budget}, {method:?}: {:?}", spend.price(budget));
                let cost = spend.price(budget).unwrap().amount;
                let given = discretion_privacy::account::amount(budget);
                assert!(cost > 0.95 * given, "{budget}, {method:?}: only {cost} of {given} is used");
            }
        }
    }
}

/// The corners of what `Budget::new` lets through, on the smallest and on large tables.
#[test]
fn every_legal_budget_gets_a_plan_or_a_reason() {
    let corners = [
        (Some(1e-9), None, None),
        (Some(1000.0), None, None),
        (Some(1e-9), Some(1e-100), None),
        (Some(1e-9), Some(0.999), None),
        (Some(1000.0), Some(1e-100), None),
        (Some(1000.0), Some(0.999), None),
        (None, None, Some(1e-15)),
        (None, None, Some(1e5)),
    ];
    for (epsilon, delta, rho) in corners {
        let budget = Budget::new(epsilon, delta, rho).unwrap();
        for (rows, dimension) in [(1, 1), (1000, 20), (1_000_000_000, 20_000)] {
            for method in [Method::Auto, Method::Objective, Method::Output] {
                for lambda in [None, Some(1e-6), Some(1e-3), Some(1e3)] {
                    let training = Training { loss: LossKind::Hinge, lambda, method, budget };
                    if let Ok(plan) = training.plan(Facts::of_matrix(rows, dimension, dimension)) {
                        assert!(plan.chosen.expected_error.is_finite(), "{budget} {method:?} {lambda:?}");
                    }
                }
            }
        }
    }
}

/// The gate hides all of the solver's error and of the noise's rounding.
#[test]
fn a_gate_is_as_wide_as_what_it_hides() {
    for budget in BUDGETS {
        for method in [Method::Objective, Method::Output] {
            let training = Training { loss: LossKind::Hinge, lambda: Some(0.01), method, budget };
            let Candidate { accuracy, gate, .. } =
                training.plan(Facts::of_matrix(20_000, 9, 9)).unwrap().chosen;
            let rounding = match method {
                Method::Objective => 0.1 * accuracy.gradient_error / 0.01,
                _ => 0.1 * accuracy.tolerance,
            };
            assert!(gate.tolerance() >= accuracy.tolerance + rounding, "{budget} {method:?}");
        }
    }
}

#[test]
fn a_budget_that_was_never_checked_is_refused() {
    for budget in [Budget::Pure { epsilon: -5.0 }, Budget::Pure { epsilon: f64::INFINITY }] {
        let training =
            Training { loss: LossKind::Logistic, lambda: Some(0.1), method: Method::Output, budget };
        assert!(matches!(training.plan(Facts::of_matrix(100, 3, 3)), Err(TrainError::Budget(_))));
    }
}

#[test]
fn a_lambda_that_doubles_cannot_solve_for_is_refused() {
    let facts = Facts::of_matrix(1000, 5, 5);
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-25, 1e30] {
        let budget = Budget::Pure { epsilon: 1.0 };
        let training =
            Training { loss: LossKind::Logistic, lambda: Some(lambda), method: Method::Output, budget };
        assert!(training.plan(facts.clone()).is_err(), "{lambda}");
    }
}
