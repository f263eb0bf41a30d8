use super::*;
use crate::joint::clear::open;
use discretion_privacy::account::{Cap, Event, Filter, FilterKind, Spend, amount};

const HELD_OUT: [usize; 3] = [300, 500, 400];

fn plan_of(budget: Budget) -> Plan {
    let source = &mut Seeded::new(3);
    let tables = [rows(600, source), rows(700, source), rows(500, source)];
    let sharing = Sharing::new(3, 1).unwrap();
    let joint = Joint {
        loss: LossKind::Logistic,
        lambda: 0.1,
        weighting: Weighting::BySize,
        sharing,
        budget,
        step: None,
    };
    joint.plan(&holders(&tables)).unwrap().evaluated_on(&HELD_OUT, 2).unwrap()
}

/// Training and counting look at other rows, so both may spend the whole budget, and together they
/// cost it once.
#[test]
fn rows_that_are_held_out_cost_no_budget() {
    for budget in [
        Budget::Pure { epsilon: 3.0 },
        Budget::Zcdp { rho: 0.5 },
        Budget::Approximate { epsilon: 2.0, delta: 1e-6 },
    ] {
        let plan = plan_of(budget);
        assert_eq!(
            (plan.rounds(), plan.training_rounds(), plan.counts().unwrap().rows()),
            (2, 1, 1_200)
        );
        let Event::Parallel { of } = plan.event() else { panic!("two parts of the rows") };
        for event in of.iter().chain([&plan.event()]) {
            let share = Spend::of(event).unwrap().price(budget).unwrap().amount / amount(budget);
            assert!(share <= 1.0 && share > 0.99, "{budget}: {share} of it");
        }
    }
}

/// No filter charges for counts, with a Newton step or without: they have the noise of the rounds
/// before, and of several the sum of what they lose.
#[test]
fn counts_cost_nothing_in_any_account() {
    let step = Step { lambda: None, gradient: 0.3, hessian: 0.2, covariance: 0.1, damping: 0.0 };
    let source = &mut Seeded::new(3);
    let tables = [rows(600, source), rows(700, source), rows(500, source)];
    let approximate = Cap::Approximate { epsilon: 30.0, delta: 1e-4 };
    let accounts = [
        (Cap::Pure { epsilon: 30.0 }, None),
        (Cap::Zcdp { rho: 30.0, delta: 0.0 }, None),
        (approximate, Some(FilterKind::Renyi)),
        (approximate, Some(FilterKind::Gaussian)),
        (approximate, Some(FilterKind::PlainSum)),
    ];
    for budget in [
        Budget::Pure { epsilon: 5.0 },
        Budget::Zcdp { rho: 1.0 },
        Budget::Approximate { epsilon: 4.0, delta: 1e-6 },
    ] {
        for step in [None, Some(step)] {
            let joint = Joint {
                loss: LossKind::Logistic,
                lambda: 0.1,
                weighting: Weighting::BySize,
                sharing: Sharing::new(3, 1).unwrap(),
                budget,
                step,
            };
            let plan = joint.plan(&holders(&tables)).unwrap();
            let alone = plan.event();
            let with = plan.evaluated_on(&HELD_OUT, 1).unwrap().event();
            for (cap, kind) in accounts {
                let filter = Filter::opened_by(cap, kind, &alone);
                assert_eq!(filter.cost(&with), filter.cost(&alone), "{budget} {step:?} {cap}");
            }
        }
    }
}

/// One replaced row of any holder moves the sum by √2, which is the round's sensitivity but for
/// rounding: red with 1, the constant of rows that are added.
#[test]
fn one_row_moves_the_counts_by_their_sensitivity() {
    let plan = plan_of(Budget::Pure { epsilon: 3.0 });
    let counts = plan.counts().unwrap();
    let summed = |changed: Option<usize>| {
        let contribution = |(holder, &held_out): (usize, &usize)| {
            let mut tally = counts.tally((-2.0, 2.0));
            for row in 0..held_out {
                let score = (row % 41) as f64 / 10.0 - 2.0;
                match changed == Some(holder) && row == 7 {
                    true => tally.add(9.0, row % 3 != 0, 1),
                    false => tally.add(score, row % 3 == 0, 0),
                }
            }
            counts.contribute(holder, &tally).unwrap()
        };
        let contributions: Vec<Contribution> =
            HELD_OUT.iter().enumerate().map(contribution).collect();
        open(counts.round(), &contributions, &[]).to_vec()
    };
    let usual = summed(None);
    assert_eq!(usual.iter().sum::<f64>(), 1_200.0, "every row is counted once");
    let sensitivity = counts.round().noise().sensitivity();
    for holder in 0..3 {
        let apart = summed(Some(holder))
            .iter()
            .zip(&usual)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            .sqrt();
        assert!(apart <= sensitivity && apart > 0.999 * sensitivity, "{apart} and {sensitivity}");
    }
    let few = counts.tally((-2.0, 2.0));
    assert!(matches!(counts.contribute(0, &few), Err(JointError::OtherTable { holder: 0, .. })));
}

/// What is released are counts of two classes like those of one holder, and their figures are the
/// rows'.
#[test]
fn what_is_released_are_counts() {
    let plan = plan_of(Budget::Approximate { epsilon: 4.0, delta: 1e-6 });
    let counts = plan.counts().unwrap();
    let source = &mut Seeded::new(5);
    let mut contributions = Vec::new();
    for (holder, &held_out) in HELD_OUT.iter().enumerate() {
        let mut tally = counts.tally((-3.0, 3.0));
        for row in 0..held_out {
            let score = 6.0 * source.unit() - 3.0;
            tally.add(score, source.unit() < 1.0 / (1.0 + (-2.0 * score).exp()), row % 2);
        }
        contributions.push(counts.contribute(holder, &tally).unwrap());
    }
    let noise: Vec<NoiseShare> =
        (0..3).map(|_| counts.round().noise_share(source).unwrap()).collect();
    let released = counts.counts((-3.0, 3.0), &open(counts.round(), &contributions, &noise));
    assert_eq!(released.checked(), Ok(()));
    let figures =
        crate::quality::Figures::of_all(&released, crate::quality::Meaning::LogOdds, 0.95);
    let auc = figures.auc.expect("1,200 rows say something");
    assert!(auc.lower < 0.95 && auc.upper > 0.9 && auc.upper - auc.lower < 0.1, "{auc:?}");
    let few = plan.clone().evaluated_on(&[3, 3, 3], 1);
    assert!(matches!(few, Err(JointError::FewHeldOut { rows: 9, .. })), "{few:?}");
}
