use super::*;

/// Choosing λ, training and both matrices together stay within the budget by the accountant's own
/// price, however far their shares were stretched; and what composition saves is not left lying
/// about.
#[test]
fn a_whole_job_costs_its_budget_and_hardly_less() {
    let facts = TableFacts::of_matrix(200_000, 6, 6, Some(0.1));
    for budget in [
        Budget::Pure { epsilon: 2.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.1 },
    ] {
        for rule in [TuningRule::Generalised, TuningRule::RandomStopping] {
            for intervals in [None, Some(Split::DEFAULT)] {
                let request = Request {
                    loss: LossKind::Logistic,
                    lambda: Lambda::Chosen(Choosing {
                        lambdas: vec![1e-3, 1e-2, 0.1],
                        share: Tuning::SHARE,
                        validation: 0.1,
                        score: Tuning::SCORE,
                        rule,
                    }),
                    method: Method::Auto,
                    budget,
                    intervals,
                };
                let plan = request.plan(facts.clone()).unwrap();
                let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap().amount;
                let given = amount(budget);
                assert!(
                    price <= given,
                    "{budget} {rule:?} {intervals:?}: {price} is more than {given}"
                );
                assert!(
                    price > 0.9 * given,
                    "{budget} {rule:?} {intervals:?}: only {price} of {given}"
                );
                assert_eq!(plan.matrices().is_some(), intervals.is_some());
                if let (Event::Composition { of }, Some(matrices)) = (plan.event(), plan.matrices())
                {
                    assert!(of.contains(&matrices.event()), "the matrices are charged");
                }
            }
        }
    }
}

/// Beside intervals every candidate pays for slope and curvature together, and only there.
#[test]
fn candidates_beside_intervals_have_the_joint_price() {
    let facts = TableFacts::of_matrix(200_000, 6, 6, Some(0.1));
    for rule in [TuningRule::Generalised, TuningRule::RandomStopping] {
        for intervals in [None, Some(Split::DEFAULT)] {
            let lambda = Lambda::Chosen(Choosing {
                lambdas: vec![1e-5, 1e-2],
                share: Tuning::SHARE,
                validation: 0.1,
                score: Tuning::SCORE,
                rule,
            });
            let budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
            let (loss, method) = (LossKind::Logistic, Method::Objective);
            let plan = Request { loss, lambda, method, budget, intervals }.plan(facts.clone());
            let written = serde_json::to_string(&plan.unwrap().event()).unwrap();
            let is_joint = written.contains(r#""curvature":"logistic""#);
            assert_eq!(is_joint, intervals.is_some(), "{written}");
        }
    }
}
