//! What leaves, and what it costs.

use super::*;
use discretion_privacy::account::{Event, Spend, amount};
use discretion_privacy::noise::{IntegerNoise, Receipt};

const BUDGETS: [Budget; 4] = [
    Budget::Pure { epsilon: 1.0 },
    Budget::Zcdp { rho: 0.1 },
    Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    Budget::Approximate { epsilon: 0.5, delta: 0.3 },
];

/// The price of a plan's event is its budget, and hardly less.
#[test]
fn a_plan_costs_its_budget() {
    for budget in BUDGETS {
        let plan = quality(budget).plan(10_000).unwrap();
        let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap();
        let share = price.amount / amount(budget);
        assert!(share <= 1.0 && share > 0.99, "{budget}: {share} of it, {:?}", plan.event());
    }
}

/// Gaussian noise is taken under (ε, δ) where it is smaller, which needs a large δ: two counts that
/// move by 1 are few.
#[test]
fn the_smaller_noise_is_taken() {
    let laplace = |budget| {
        matches!(quality(budget).plan(10_000).unwrap().noise(), IntegerNoise::Laplace { .. })
    };
    assert_eq!(BUDGETS.map(laplace), [true, false, true, false]);
}

/// One replaced row, from anywhere to anywhere, moves both vectors that get noise as far as their
/// noise allows for, whatever the cuts are, and never farther. The exact log-ratio of the two
/// discrete Laplace laws at the farthest neighbours is the distance over the scale, so it is ε in
/// all: this goes red with sensitivity 1, and with 3.
#[test]
fn one_row_moves_the_counts_by_two_and_costs_epsilon() {
    let epsilon = 0.8;
    let wanted = Quality { groups: 3, ..quality(Budget::Pure { epsilon }) };
    let plan = wanted.plan(3_000).unwrap();
    let mut source = Seeded::new(4);
    let rows: Vec<(f64, bool, usize)> = (0..3_000)
        .map(|row| {
            let (score, positive) = STAYS.one(&mut source);
            (score, positive, row % 3)
        })
        .collect();
    let counted = |rows: &[(f64, bool, usize)]| {
        let mut tally = plan.tally();
        rows.iter().for_each(|&(score, positive, group)| tally.add(score, positive, group));
        tally
    };
    let before = counted(&rows);
    let distance =
        |a: Vec<i64>, b: Vec<i64>| -> i64 { a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum() };
    let (mut pooled, mut binned) = (0, 0);
    for trial in 0..300 {
        let mut changed = rows.clone();
        changed[trial * 10] = (20.0 * source.unit() - 10.0, source.unit() < 0.5, trial % 3);
        let after = counted(&changed);
        pooled = pooled.max(distance(before.pooled(), after.pooled()));
        for cuts in [vec![1], vec![5, 6, 20], (1..30).collect()] {
            binned = binned.max(distance(before.between(&cuts), after.between(&cuts)));
        }
    }
    // The scale as the noise has it: the deviation of Laplace noise is √2 of it, or a little more.
    let Event::Composition { of } = plan.event() else { panic!("two releases") };
    let scales = plan.noise.map(|noise| noise.deviation() / std::f64::consts::SQRT_2);
    let costs = [pooled as f64 / scales[0], binned as f64 / scales[1]];
    for (event, cost) in of.iter().zip(costs) {
        let &Event::Pure { epsilon, .. } = event else { panic!("Laplace noise") };
        assert!(
            (cost / epsilon - 1.0).abs() < 1e-9,
            "a row costs {cost}, and {epsilon} is charged"
        );
    }
    assert!(costs[0] + costs[1] <= epsilon && costs[0] + costs[1] > 0.999 * epsilon);
}

/// The noise in released counts is the noise that was planned: its mean square over 4,000 counts at
/// a fixed seed. Of Laplace noise that has a relative deviation of √(5/4000) = 0.035, so a fifth is
/// more than five of them: a false alarm has probability 1e-6. Half the scale makes it a quarter.
#[test]
fn the_noise_is_as_planned() {
    let plan = quality(Budget::Pure { epsilon: 0.5 }).plan(50_000).unwrap();
    let tally = STAYS.tally(&plan, &mut Seeded::new(1));
    let (mut squares, mut counts) = (0.0, 0);
    for seed in 0.. {
        let released = plan.run(&tally, Receipt::seeded(seed).noise()).unwrap();
        let exact = tally.between(&released.cuts);
        let noisy =
            released.groups.iter().flat_map(|group| group.negative.iter().chain(&group.positive));
        for (noisy, exact) in noisy.zip(&exact) {
            squares += ((noisy - exact) as f64).powi(2);
            counts += 1;
        }
        if counts > 4_000 {
            break;
        }
    }
    let planned = plan.noise().deviation().powi(2);
    let found = squares / f64::from(counts);
    assert!((found / planned - 1.0).abs() < 0.2, "{found} where {planned} was planned");
}

#[test]
fn what_is_no_evaluation_is_refused() {
    let pure = quality(Budget::Pure { epsilon: 1.0 });
    assert!(matches!(Quality { groups: 0, ..pure }.plan(1000), Err(QualityError::Groups(0))));
    assert!(matches!(Quality { groups: 22, ..pure }.plan(1000), Err(QualityError::Groups(22))));
    for (low, high) in
        [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1e308)]
    {
        assert!(matches!(
            Quality { low, high, ..pure }.plan(1000),
            Err(QualityError::Range { .. })
        ));
    }
    let Err(QualityError::TooFewRows { needed, .. }) = pure.plan(50) else {
        panic!("50 rows say nothing")
    };
    assert!(pure.plan(needed).is_ok() && needed < 400, "{needed}");
    let plan = pure.plan(1000).unwrap();
    let refusal = plan.run(&plan.tally(), &mut Seeded::new(1)).unwrap_err();
    assert_eq!(refusal, QualityError::OtherTable { planned: 1000, found: 0 });
}

/// A score of exactly 0 is a no, as `predict` has it, and a score beyond the ends is in the
/// outermost cell.
#[test]
fn scores_on_edges_and_beyond_the_ends_have_their_cells() {
    let plan = quality(Budget::Pure { epsilon: 1.0 }).plan(10_000).unwrap();
    let zero = plan.grid.zero().expect("0 is between -6 and 4");
    assert_eq!(plan.grid.edge(zero), 0.0);
    let place = |score: f64| {
        let mut tally = plan.tally();
        tally.add(score, true, 0);
        tally.pooled().iter().position(|&count| count == 1).unwrap()
    };
    assert_eq!((place(0.0), place(1e-300)), (zero - 1, zero));
    assert_eq!((place(-1e9), place(1e9)), (0, plan.grid.cells() - 1));
    let released = plan.run(&STAYS.tally(&plan, &mut Seeded::new(2)), &mut Seeded::new(3)).unwrap();
    assert!(released.edges().contains(&0.0), "{:?}", released.edges());
    assert_eq!(released.checked(), Ok(()));
}
