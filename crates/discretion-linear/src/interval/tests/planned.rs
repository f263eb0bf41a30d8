//! A plan stays within its budget by the accountant's price, and uses it up.

use crate::erm::Facts;
use crate::erm::matrix::{Layout, Norm};
use crate::interval::{Matrices, MatrixNoise, Plan, Split};
use crate::loss::LossKind;
use crate::train::{Method, Training};
use discretion_privacy::account::{Spend, amount};
use discretion_privacy::{Approximate, Budget, Zcdp};

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

/// Adding up three shares of (ε, δ) would waste much of it: the accountant's price lets every share
/// grow.
#[test]
fn shares_of_an_approximate_budget_are_stretched_and_pure_ones_are_not() {
    let facts = Facts::of_matrix(1_000_000, 40, 40);
    let stretch = |budget: Budget| {
        let plan =
            Plan::new(&training(budget, Method::Objective), Split::DEFAULT, facts.clone()).unwrap();
        amount(plan.training().budget()) / (Split::DEFAULT.training() * amount(budget))
    };
    let approximate = stretch(Budget::Approximate { epsilon: 1.0, delta: 1e-6 });
    assert!(approximate > 1.1 && approximate < 2.0, "{approximate}");
    assert_eq!(stretch(Budget::Pure { epsilon: 1.0 }), 1.0);
}

/// Where rows have a shape, their moments beside Gaussian training have a share of ρ: of ε it would
/// be a share of the root of ρ, and their noise several times larger. The whole still costs what it
/// may, and λ is the one from which on curvature costs nothing.
#[test]
fn moments_have_a_share_of_what_gaussian_noise_costs() {
    let size = 1.0 / 14f32.sqrt() * 0.999;
    let categories = [8, 16, 7, 14, 6, 5, 2, 41].map(|values| (values, size)).to_vec();
    let layout = Layout::new(Norm::Scale, size, vec![size; 5], categories).unwrap();
    let facts = Facts::of_layout(32_561, &layout);
    let budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
    let training = Training { lambda: None, ..training(budget, Method::Auto) };
    let plan = Plan::new(&training, Split::WITH_ROWS, facts).unwrap();
    let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap().amount;
    assert!(price <= 1.0 && price > 0.98, "{price}");
    let lambda = plan.training().lambda() * 32_561.0 * amount(plan.training().budget());
    assert!((lambda / 2.0 - 1.0).abs() < 0.01, "{lambda}");
    let whole = Zcdp::within(Approximate { epsilon: 1.0, delta: 1e-6 }).rho;
    let Matrices::OfRows(MatrixNoise::Gaussian { rho }) = plan.matrices() else {
        panic!("{:?}", plan.matrices())
    };
    assert!((rho / whole - 0.12).abs() < 1e-6, "{rho} of {whole}");
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
        for (rows, dimension, lambda) in
            [(1, 1, None), (1000, 20, None), (1000, 20, Some(1e-3)), (1_000_000_000, 900, None)]
        {
            let training = Training { lambda, ..training(budget, Method::Auto) };
            let facts = Facts::of_matrix(rows, dimension, dimension);
            if let Ok(plan) = Plan::new(&training, Split::DEFAULT, facts) {
                let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap().amount;
                assert!(price <= amount(budget), "{budget}: {price}");
            }
        }
    }
}
