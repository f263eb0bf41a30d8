use super::*;
use discretion_privacy::account::{Spend, amount};

const STEP: Step =
    Step { lambda: None, gradient: 0.3, hessian: 0.2, covariance: 0.1, damping: 0.0 };

/// A plan costs what it says and wastes little of it.
#[test]
fn a_plan_costs_its_budget() {
    let holders = Holders::new(&[100, 200, 400], 12, 5).unwrap();
    for budget in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Zcdp { rho: 0.1 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    ] {
        for step in [None, Some(STEP), Some(Step { covariance: 0.0, lambda: Some(0.01), ..STEP })] {
            let plan = Joint { step, ..joint(0.1, budget) }.plan(&holders).unwrap();
            let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap().amount;
            let share = price / amount(budget);
            assert!(share <= 1.0 + 1e-9 && share > 0.97, "{budget} {step:?}: {share}");
        }
    }
}

/// More colluders cost more noise; none cost nothing against one holder with all rows, but for
/// degrees rounded up.
#[test]
fn colluders_are_paid_for() {
    let holders = Holders::new(&[500, 500], 29, 5).unwrap();
    for budget in [Budget::Pure { epsilon: 1.0 }, Budget::Approximate { epsilon: 1.0, delta: 1e-6 }]
    {
        let deviation = |aggregators, colluders| {
            let sharing = Sharing::new(aggregators, colluders).unwrap();
            let plan = Joint { sharing, ..joint(0.1, budget) }.plan(&holders).unwrap();
            plan.average().noise().deviation()
        };
        let alone = deviation(1, 0);
        for (aggregators, colluders) in [(2, 0), (5, 0), (2, 1), (6, 1), (5, 4)] {
            let honest = (aggregators - colluders) as f64;
            let expected = alone * (aggregators as f64 / honest).sqrt();
            let found = deviation(aggregators, colluders);
            assert!(
                (found / expected - 1.0).abs() < 0.02,
                "{budget} {aggregators} {colluders}: {found} {expected}"
            );
        }
    }
}

#[test]
fn what_cannot_be_is_refused_in_whole_sentences() {
    assert_eq!(Holders::new(&[], 3, 3), Err(JointError::NoHolders));
    assert_eq!(Holders::new(&[3, 0], 3, 3), Err(JointError::EmptyHolder { holder: 1 }));
    assert_eq!(Holders::new(&[3], 0, 3), Err(JointError::NoCoefficients));
    assert_eq!(Sharing::new(2, 2), Err(JointError::Sharing { aggregators: 2, colluders: 2 }));
    assert!(Sharing::new(0, 0).is_err());
    let holders = Holders::new(&[100, 200], 3, 3).unwrap();
    let pure = Budget::Pure { epsilon: 1.0 };
    for lambda in [0.0, -1.0, f64::NAN, 1e-13, 1e9] {
        assert!(
            matches!(joint(lambda, pure).plan(&holders), Err(JointError::Train(_))),
            "{lambda}"
        );
    }
    assert!(joint(0.1, Budget::Pure { epsilon: -1.0 }).plan(&holders).is_err());
    for step in [
        Step { gradient: 0.0, ..STEP },
        Step { hessian: 0.8, ..STEP },
        Step { covariance: f64::NAN, ..STEP },
        Step { covariance: -0.1, ..STEP },
    ] {
        let refused = Joint { step: Some(step), ..joint(0.1, pure) }.plan(&holders);
        assert!(matches!(refused, Err(JointError::Step { .. })), "{step:?}");
    }
    let damped = Joint { step: Some(Step { damping: -1.0, ..STEP }), ..joint(0.1, pure) };
    assert_eq!(damped.plan(&holders), Err(JointError::Damping(-1.0)));
    for step in [Step { damping: 0.5, ..STEP }, Step { lambda: Some(0.01), ..STEP }] {
        let refused = Joint { step: Some(step), ..joint(0.1, pure) }.plan(&holders);
        assert_eq!(refused, Err(JointError::IntervalsOfAnotherStep), "{step:?}");
        let without = Step { covariance: 0.0, ..step };
        assert!(Joint { step: Some(without), ..joint(0.1, pure) }.plan(&holders).is_ok());
    }
    let wide = Holders::new(&[100, 200], 1001, 3).unwrap();
    let refused = Joint { step: Some(STEP), ..joint(0.1, pure) }.plan(&wide);
    assert!(matches!(refused, Err(JointError::TooWide { dimension: 1001, .. })));
    let plan = joint(0.1, pure).plan(&holders).unwrap();
    let other = rows(99, &mut Seeded::new(1));
    let Err(refused) = plan.contribute(0, &other.all()) else { panic!("another table was taken") };
    assert!(refused.to_string().contains("99 rows of 3 coefficients"), "{refused}");
}

/// 106 coefficients and 32,561 rows at ε = 1: δ resolves the Hessian, a pure budget does not. From
/// public numbers alone.
#[test]
fn a_drowned_hessian_is_foretold() {
    let holders = Holders::new(&[6512, 6512, 6512, 6512, 6513], 106, 15).unwrap();
    let noise = |budget| {
        let step =
            Step { lambda: Some(3e-4), gradient: 0.5, hessian: 0.3, covariance: 0.0, damping: 0.0 };
        Joint { step: Some(step), ..joint(0.01, budget) }
            .plan(&holders)
            .unwrap()
            .hessian_noise()
            .unwrap()
    };
    let approximate = noise(Budget::Approximate { epsilon: 1.0, delta: 1e-6 }).unwrap();
    let pure = noise(Budget::Pure { epsilon: 1.0 }).unwrap();
    assert!(approximate < 1.0 && pure > 5.0, "{approximate} {pure}");
    assert_eq!(
        joint(0.01, Budget::Pure { epsilon: 1.0 }).plan(&holders).unwrap().hessian_noise(),
        Ok(None)
    );
}
