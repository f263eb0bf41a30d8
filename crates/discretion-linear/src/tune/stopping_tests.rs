use super::*;
use crate::fit::TableFacts;
use crate::loss::LossKind;
use crate::loss::Score;
use crate::train::Method;
use crate::tune::{Family, Tuning, TuningRule};
use discretion_privacy::noise::Seeded;
use discretion_privacy::trusted::released;

const BUDGETS: [Budget; 3] = [
    Budget::Pure { epsilon: 1.0 },
    Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
    Budget::Zcdp { rho: 0.05 },
];

fn found(budget: Budget, score: Score) -> (Found, SplitFacts) {
    let TableFacts::Split(facts) = TableFacts::of_matrix(20_000, 8, 8, Some(0.1)) else {
        unreachable!("a share was given")
    };
    let lambdas = vec![1e-3, 1e-2, 0.1, 1.0];
    let tuning = Tuning {
        score,
        rule: TuningRule::RandomStopping,
        ..Tuning::new(LossKind::Logistic, lambdas, Method::Auto, budget)
    };
    (StoppingPlan::new(&tuning, &facts).unwrap(), facts)
}

/// What is charged names the training of every candidate and the score: leaving one out would
/// charge too little.
#[test]
fn the_event_names_everything_a_run_may_do_to_a_row() {
    for budget in BUDGETS {
        let ((plan, candidates, _), _) = found(budget, Score::Brier);
        let Event::RandomStopping { shape, most, one_of } = plan.event(&candidates) else {
            panic!("another event")
        };
        assert_eq!((shape, most), (plan.law.shape(), plan.law.most()));
        assert_eq!(one_of.len(), candidates.len() + 1, "{budget}");
        for candidate in &candidates {
            assert!(
                one_of.contains(&candidate.training.event()),
                "{budget}: λ = {}",
                candidate.training.lambda()
            );
        }
        assert!(one_of.contains(&plan.score.event()), "{budget}: the score");
    }
}

/// One of m rows goes from the best to the worst g: the lattice point moves by what the noise was
/// made for and hardly less. The noise is the same on both sides and cancels.
#[test]
fn one_validation_row_moves_a_score_by_no_more_than_its_noise_hides() {
    for score in [Score::Brier, Score::Error, Score::Hinge] {
        let ((plan, ..), facts) = found(BUDGETS[0], score);
        let (low, high) = plan.score.bounded.range();
        let m = facts.validation.rows as f64;
        let mut source = Seeded::new(3);
        let mut furthest: f64 = 0.0;
        for seed in 0..200 {
            // Between, anywhere: the rounding to the lattice matters too.
            let worse = -high + (high - low) * (1.0 - 1.0 / m) * source.unit();
            let better = worse + (high - low) / m;
            let at = |score: f64| {
                plan.score.noisy(Sensitive::new(score), &mut Seeded::new(seed)).unwrap()
            };
            let steps: IBig = at(better) - at(worse);
            furthest = furthest.max(steps.to_f64().value());
        }
        let hidden = plan.score.sensitivity;
        assert!(furthest <= hidden && furthest > 0.99 * hidden, "{score:?}: {furthest} {hidden}");
    }
}

/// Two computed scores as far apart as one row and the rounding of two sums can bring them, at
/// every place between lattice points: the noise is for the furthest that rounding then takes them,
/// not for one step more or less.
#[test]
fn a_score_moves_on_its_lattice_by_exactly_what_its_noise_is_for() {
    for score in [Score::Brier, Score::Ramp, Score::Logistic, Score::Hinge, Score::Error] {
        for rows in [2000, 1_000_000_000] {
            let facts = Facts::of_matrix(rows, 8, 8);
            let noisy =
                NoisyScore::new(Bounded::of_margins(score, MARGIN_BOUND), &facts, BUDGETS[0]);
            let (low, high) = noisy.bounded.range();
            let summed = 2.0 * noisy.bounded.summation_error(&facts);
            let moved = (high - low) / rows as f64 + summed;
            let step = f64::from(noisy.exponent).exp2();
            let at = |score: f64| noisy.noisy(Sensitive::new(score), &mut Seeded::new(1)).unwrap();
            let apart = |place: i32| {
                let better = -low - step * (2.0 + f64::from(place) / 1000.0);
                (at(better) - at(better - moved)).to_f64().value()
            };
            let furthest = (0..1000).map(apart).fold(0.0, f64::max);
            assert_eq!(furthest, noisy.sensitivity, "{score:?}, {rows} rows");
            assert!(
                rows == 2000 || summed > 4.0 * step,
                "{summed} cannot be seen at a step of {step}"
            );
        }
    }
}

/// The noise that is drawn is the noise that is charged. By a seed, so this does not fail now and
/// then: the mean of 20,000 squares is within 5 % of theirs.
#[test]
fn the_noise_on_a_score_is_what_its_event_says() {
    for budget in BUDGETS {
        let ((plan, ..), _) = found(budget, Score::Brier);
        let (score, mut source) = (plan.score, Seeded::new(4));
        let centre = score.noisy(Sensitive::new(-0.5), &mut Seeded::new(0)).unwrap()
            - score.noisy(Sensitive::new(0.0), &mut Seeded::new(0)).unwrap();
        let count = 20_000;
        let squares: f64 = (0..count)
            .map(|_| {
                let drawn = score.noisy(Sensitive::new(-0.5), &mut source).unwrap() - &centre;
                drawn.to_f64().value().powi(2)
            })
            .sum();
        let charged = match score.event() {
            Event::Pure { epsilon, .. } => 2f64.sqrt() * score.sensitivity / epsilon,
            Event::DiscreteGaussian { sensitivity, sigma } => {
                assert!(sensitivity >= score.sensitivity);
                sigma
            }
            other => panic!("{other:?}"),
        };
        let found = (squares / f64::from(count)).sqrt();
        assert!((found / charged - 1.0).abs() < 0.05, "{budget}: {found} {charged}");
    }
}

/// Equal scores are told apart by candidate, then by coefficients: only equal outputs tie.
#[test]
fn outputs_are_totally_ordered() {
    use discretion_privacy::noise::Provenance::TestSeed;
    let output = |score: i32, pick: usize, theta: [f64; 2]| {
        (IBig::from(score), pick, released(theta.to_vec(), TestSeed))
    };
    let rising = [
        output(1, 9, [9.0, 9.0]),
        output(2, 0, [5.0, 5.0]),
        output(2, 1, [-1.0, 8.0]),
        output(2, 1, [0.0, -3.0]),
        output(2, 1, [0.0, 2.0]),
    ];
    for (i, a) in rising.iter().enumerate() {
        for (j, b) in rising.iter().enumerate() {
            assert_eq!(is_above(a, b), i > j, "{i} {j}");
        }
    }
}

/// Whatever the law, what runs costs no more than the budget and hardly less.
#[test]
fn any_law_is_priced_within_the_budget() {
    let facts = |rows| Facts::of_matrix(rows, 20, 8);
    let facts = SplitFacts { training: facts(18_000), validation: facts(2000), all: facts(20_000) };
    for budget in [Budget::Pure { epsilon: 1.0 }, Budget::Approximate { epsilon: 1.0, delta: 1e-6 }]
    {
        let tuning = Tuning::new(LossKind::Logistic, vec![1e-3, 0.1], Method::Auto, budget);
        for (shape, most) in [(0.0, 300), (0.5, 100), (1.0, 20)] {
            let law = Stopping::new(shape, most).unwrap();
            let plan = tuning.plan_stopping(facts.clone(), law).unwrap();
            let Family::RandomStopping(stopping) = plan.family() else {
                panic!("it was asked for")
            };
            assert_eq!(stopping.law(), law);
            let spend = Spend::of(&plan.event()).unwrap();
            assert!(spend.is_within(budget), "{budget} {law:?}");
            let cost = spend.price(budget).unwrap().amount;
            assert!(cost > 0.9, "{budget} {law:?}: only {cost} of 1 is used");
        }
    }
}
