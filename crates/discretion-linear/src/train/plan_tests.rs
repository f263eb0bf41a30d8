use super::*;
use crate::erm::matrix::{Layout, Norm};
use dashu_ratio::RBig;
use discretion_privacy::account::Spend;
use discretion_privacy::noise::{Law, ShapedLaw};

const BUDGETS: [Budget; 4] = [
    Budget::Pure { epsilon: 0.7 },
    Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    Budget::Approximate { epsilon: 0.05, delta: 1e-9 },
    Budget::Zcdp { rho: 0.1 },
];

/// Two tables of whose shape nothing is known, and two with numbers and categories: 8 and 65
/// coefficients.
fn tables(rows: usize) -> Vec<Facts> {
    let constant = 0.3;
    let layout = |norm, categories: &[usize]| {
        let categories = categories.iter().map(|&count| (count, constant)).collect();
        Layout::new(norm, constant, vec![constant; 4], categories).unwrap()
    };
    vec![
        Facts::of_matrix(rows, 3, 3),
        Facts::of_matrix(rows, 60, 60),
        Facts::of_layout(rows, &layout(Norm::Scale, &[3])),
        Facts::of_layout(rows, &layout(Norm::Scale, &[2, 7, 1, 50])),
        Facts::of_layout(rows, &layout(Norm::Row, &[2, 7, 1, 50])),
    ]
}

/// Every candidate of every plan, taken or not.
#[test]
fn what_a_plan_did_not_take_costs_no_more_either() {
    for budget in BUDGETS {
        for facts in tables(20_000) {
            let training = Training {
                loss: LossKind::Hinge,
                lambda: Some(0.02),
                method: Method::Auto,
                budget,
            };
            let plan = training.plan(facts).unwrap();
            for rejected in plan.rejected() {
                let other = Plan { chosen: rejected.clone(), ..plan.clone() };
                let spend = Spend::of(&other.event()).unwrap();
                assert!(
                    spend.is_within(budget),
                    "{budget} {rejected:?}: {:?}",
                    spend.price(budget)
                );
            }
        }
    }
}

/// Categories make the shape of a row worth knowing, and divided rows leave one law that knows it.
#[test]
fn noise_takes_the_shape_of_the_rows() {
    let taken = |facts: Facts, budget: Budget| {
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(0.01),
            method: Method::Objective,
            budget,
        };
        training.plan(facts).unwrap().chosen.law
    };
    let [_, round, _, scaled, divided] = tables(20_000).try_into().unwrap();
    let pure = Budget::Pure { epsilon: 1.0 };
    assert!(matches!(taken(round, pure), TrainingLaw::Round(Law::Spherical { .. })));
    assert!(matches!(taken(scaled.clone(), pure), TrainingLaw::Shaped(ShapedLaw::Groups { .. })));
    assert!(matches!(taken(divided, pure), TrainingLaw::Shaped(ShapedLaw::RowNorm { .. })));
    let approximate = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
    assert!(matches!(taken(scaled, approximate), TrainingLaw::Shaped(_)));
}

/// A column of 1,000 codes has hardly more noise per code than one of 10, whatever else is in the
/// table.
#[test]
fn many_codes_cost_a_code_little() {
    let deviation = |codes: usize| {
        let layout = Layout::new(Norm::Scale, 0.4, vec![0.4; 4], vec![(codes, 0.4)]).unwrap();
        let budget = Budget::Pure { epsilon: 1.0 };
        let training =
            Training { loss: LossKind::Logistic, lambda: None, method: Method::Auto, budget };
        let plan = training.plan(Facts::of_layout(100_000, &layout)).unwrap();
        let TrainingLaw::Shaped(law) = &plan.chosen.law else { panic!("{:?}", plan.chosen.law) };
        law.variances().last().unwrap().sqrt()
    };
    let (few, many) = (deviation(10), deviation(1000));
    assert!(many < 1.5 * few, "{many} for each of 1,000 codes, {few} for each of 10");
}

/// The accountant knows nothing of how the plan divided its budget; it prices what will run.
#[test]
fn what_a_plan_runs_costs_what_it_says_and_hardly_less() {
    for budget in BUDGETS {
        for method in [Method::Objective, Method::Output] {
            for facts in tables(20_000) {
                let training =
                    Training { loss: LossKind::Logistic, lambda: Some(0.01), method, budget };
                let plan = training.plan(facts).unwrap();
                let spend = Spend::of(&plan.event()).unwrap();
                assert!(spend.is_within(budget), "{budget}, {method:?}: {:?}", spend.price(budget));
                let cost = spend.price(budget).unwrap().amount;
                let given = discretion_privacy::account::amount(budget);
                assert!(
                    cost > 0.95 * given,
                    "{budget}, {method:?}: only {cost} of {given} is used"
                );
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
                for lambda in [None, Some(1e-6), Some(1e3)] {
                    let training = Training { loss: LossKind::Hinge, lambda, method, budget };
                    let layout =
                        Layout::new(Norm::Row, 1.0, vec![1.0], vec![(dimension, 1.0)]).unwrap();
                    let facts = [
                        Facts::of_matrix(rows, dimension, dimension),
                        Facts::of_layout(rows, &layout),
                    ];
                    for plan in facts.into_iter().filter_map(|facts| training.plan(facts).ok()) {
                        assert!(
                            plan.chosen.expected_error.is_finite(),
                            "{budget} {method:?} {lambda:?}"
                        );
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

/// A centre moves b by at most the nλ·most that accuracy is planned for, however products are
/// rounded: three parts in 2⁵³, and a part in 10¹² is added.
#[test]
fn a_centre_is_planned_for_with_its_rounding() {
    let rational = |x: f64| RBig::try_from(x).unwrap();
    for (rows, lambda, most) in [(1_000_000, 0.01, 3.0), (300_001, 0.3, 0.7), (999_983, 0.07, 5.1)]
    {
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(lambda),
            method: Method::Objective,
            budget: Budget::Pure { epsilon: 1.0 },
        };
        let plan = training.plan(Facts::of_matrix(rows, 3, 3)).unwrap();
        let moved = plan.around_at_most(most).unwrap();
        let shift = rational(moved.chosen.accuracy.ordinary_noise)
            - rational(plan.chosen.accuracy.ordinary_noise);
        let exact = RBig::from(rows) * rational(lambda) * rational(most);
        assert!(shift >= &exact * (RBig::ONE + rational(3.0 * 0.5f64.powi(53))), "{lambda} {most}");
        let more = (&shift / &exact - RBig::ONE).to_f64().value();
        assert!((0.99e-12..1.01e-12).contains(&more), "{lambda} {most}: {more}");
    }
}

#[test]
fn a_budget_that_was_never_checked_is_refused() {
    for budget in [Budget::Pure { epsilon: -5.0 }, Budget::Pure { epsilon: f64::INFINITY }] {
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(0.1),
            method: Method::Output,
            budget,
        };
        assert!(matches!(training.plan(Facts::of_matrix(100, 3, 3)), Err(TrainError::Budget(_))));
    }
}

#[test]
fn a_lambda_that_doubles_cannot_solve_for_is_refused() {
    let facts = Facts::of_matrix(1000, 5, 5);
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-25, 1e30] {
        let budget = Budget::Pure { epsilon: 1.0 };
        let training = Training {
            loss: LossKind::Logistic,
            lambda: Some(lambda),
            method: Method::Output,
            budget,
        };
        assert!(training.plan(facts.clone()).is_err(), "{lambda}");
    }
}
