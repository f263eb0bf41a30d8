use super::*;
use crate::quality::Estimate;
use discretion_privacy::account::{Spend, amount};
use discretion_privacy::noise::{Receipt, Seeded};

const BUDGETS: [Budget; 4] = [
    Budget::Pure { epsilon: 1.0 },
    Budget::Zcdp { rho: 0.1 },
    Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    Budget::Approximate { epsilon: 0.5, delta: 0.3 },
];

fn wanted(budget: Budget, groups: usize) -> ClassQuality {
    ClassQuality { budget, groups, ranges: vec![(-5.0, 4.0); 3] }
}

/// The price of a plan's event is its budget, and hardly less.
#[test]
fn a_plan_costs_its_budget() {
    for budget in BUDGETS {
        let plan = wanted(budget, 2).plan(20_000).unwrap();
        let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap();
        let share = price.amount / amount(budget);
        assert!(share <= 1.0 && share > 0.99, "{budget}: {share} of it");
    }
}

/// A row of three classes: log-odds of each against the others, what it is called, and what it is.
fn row(source: &mut Seeded) -> (Vec<f64>, usize, usize) {
    let normal = |source: &mut Seeded| {
        let radius = (-2.0 * source.unit().max(1e-300).ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * source.unit()).cos()
    };
    let weights = [0.5, 0.0, -0.5].map(|middle: f64| (middle + 1.2 * normal(source)).exp());
    let all: f64 = weights.iter().sum();
    let scores: Vec<f64> = weights.iter().map(|weight| (weight / (all - weight)).ln()).collect();
    let called = (0..3).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap();
    let at = all * source.unit();
    let class = if at < weights[0] {
        0
    } else if at < weights[0] + weights[1] {
        1
    } else {
        2
    };
    (scores, called, class)
}

/// One replaced row moves every vector that gets noise by 2, whatever the cuts are, and the exact
/// log-ratios of their discrete Laplace laws add up to ε: this goes red with sensitivity 1, and if
/// each class had the whole budget.
#[test]
fn one_row_costs_epsilon_over_all_classes() {
    let epsilon = 0.8;
    let plan = wanted(Budget::Pure { epsilon }, 2).plan(6_000).unwrap();
    let mut source = Seeded::new(4);
    let rows: Vec<_> = (0..6_000).map(|_| row(&mut source)).collect();
    let counted = |changed: Option<usize>| {
        let mut tally = plan.tally();
        for (place, (scores, called, class)) in rows.iter().enumerate() {
            match changed == Some(place) {
                // From the lowest score to the highest of each class, another class, another call,
                // another group.
                true => tally.add(
                    &scores.iter().map(|s| -50.0 * s).collect::<Vec<_>>(),
                    (called + 1) % 3,
                    (class + 1) % 3,
                    1,
                ),
                false => tally.add(scores, *called, *class, 0),
            }
        }
        tally
    };
    let before = counted(None);
    let distance =
        |a: &[i64], b: &[i64]| -> i64 { a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum() };
    let mut moved = [0; 7];
    for place in (0..6_000).step_by(97) {
        let after = counted(Some(place));
        moved[0] = moved[0].max(distance(&before.calls, &after.calls));
        for class in 0..3 {
            let [one, other] = [&before.each[class], &after.each[class]];
            moved[1 + 2 * class] =
                moved[1 + 2 * class].max(distance(&one.pooled(), &other.pooled()));
            let bins = distance(&one.between(&[5, 9, 20]), &other.between(&[5, 9, 20]));
            moved[2 + 2 * class] = moved[2 + 2 * class].max(bins);
        }
    }
    let noises = [plan.calls].into_iter().chain(plan.each.iter().flat_map(|each| each.noise));
    let scale = |noise: IntegerNoise| noise.deviation() / std::f64::consts::SQRT_2;
    let cost: f64 =
        moved.iter().zip(noises).map(|(&moved, noise)| moved as f64 / scale(noise)).sum();
    assert!(
        cost <= epsilon && cost > 0.999 * epsilon,
        "a row costs {cost}, and {epsilon} is charged"
    );
}

/// Truth from a large sample; 60 repetitions with a fixed seed, of which at least 50 hold. Fewer
/// have probability 2e-4 if each holds with 0.95, so the seed is one where none has.
#[test]
fn intervals_hold() {
    let mut source = Seeded::new(7);
    let large: Vec<_> = (0..100_000).map(|_| row(&mut source)).collect();
    let share = |wanted: &dyn Fn(usize, usize) -> bool| {
        large.iter().filter(|(_, called, class)| wanted(*called, *class)).count() as f64
            / large.len() as f64
    };
    let accuracy = share(&|called, class| called == class);
    let recall = share(&|called, class| called == 1 && class == 1) / share(&|_, class| class == 1);
    let precision =
        share(&|called, class| called == 2 && class == 2) / share(&|called, _| called == 2);
    let auc = area(large.iter().map(|(scores, _, class)| (scores[0], *class == 0)).collect());
    let plan = wanted(Budget::Pure { epsilon: 2.0 }, 1).plan(3_000).unwrap();
    let mut held = [0; 4];
    for _ in 0..60 {
        let mut tally = plan.tally();
        for _ in 0..3_000 {
            let (scores, called, class) = row(&mut source);
            tally.add(&scores, called, class, 0);
        }
        let counts = plan.run(&tally, &mut source).unwrap();
        let figures = ClassFigures::of_all(&counts, 0.95);
        assert!(figures.mean_auc.is_some_and(|auc| auc.value > 0.7));
        let found = [
            figures.accuracy,
            figures.classes[1].recall,
            figures.classes[2].precision,
            figures.classes[0].scores.auc.unwrap(),
        ];
        let within = |estimate: Estimate, truth: f64| {
            usize::from(estimate.lower <= truth && truth <= estimate.upper)
        };
        let truths = [accuracy, recall, precision, auc];
        held.iter_mut()
            .zip(found)
            .zip(truths)
            .for_each(|((held, found), truth)| *held += within(found, truth));
    }
    assert!(
        held.iter().all(|&held| held >= 50),
        "accuracy, recall, precision, AUC: {held:?} of 60"
    );
}

/// By its ranks.
fn area(mut scored: Vec<(f64, bool)>) -> f64 {
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut negative, mut pairs, mut positive) = (0.0, 0.0, 0.0);
    for (_, is_positive) in scored {
        if is_positive {
            positive += 1.0;
            pairs += negative;
        } else {
            negative += 1.0;
        }
    }
    pairs / (positive * negative)
}

/// Groups have figures of their own, and one without rows says that it has none.
#[test]
fn groups_and_damage() {
    let plan = wanted(Budget::Pure { epsilon: 4.0 }, 2).plan(4_000).unwrap();
    let mut tally = plan.tally();
    let mut source = Seeded::new(1);
    for _ in 0..4_000 {
        let (scores, called, class) = row(&mut source);
        tally.add(&scores, called, class, 0);
    }
    let counts = plan.run(&tally, Receipt::seeded(1).noise()).unwrap();
    assert_eq!(counts.checked(), Ok(()));
    let [full, empty] = [0, 1].map(|group| GroupFigures::of(&counts, group, 0.95));
    assert!(full.say_something() && !empty.say_something());
    let mut damaged = (*counts).clone();
    damaged.calls[1].pop();
    assert!(damaged.checked().is_err());
    assert!(matches!(
        ClassQuality { ranges: vec![(0.0, 1.0)], ..wanted(BUDGETS[0], 1) }.plan(1000),
        Err(QualityError::Classes(1))
    ));
}
