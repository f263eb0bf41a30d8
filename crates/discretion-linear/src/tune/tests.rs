use super::plan::Family;
use super::procedure::{Linear, inside, price_of, radius, stability};
use super::*;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::erm::solver::Start;
use crate::fit::{TableFacts, TableFacts::Split};
use crate::loss::Bounded;
use discretion_choose::Procedure;
use discretion_privacy::account::{Cap, Event, Filter, FilterKind, Spend, Totals};
use discretion_privacy::noise::{Receipt, Seeded, Source};
use std::marker::PhantomData;

const SCORES: [Score; 4] = [Score::Brier, Score::Ramp, Score::Logistic, Score::Hinge];

/// Rows of an intercept and two numbers, none longer than 1.
fn matrix(rows: &[([f32; 2], bool)]) -> Matrix {
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, 0.1, vec![0.7, 0.7], vec![]).unwrap());
    matrix.push(Batch {
        numeric: rows.iter().flat_map(|(x, _)| *x).collect(),
        codes: vec![],
        positive: rows.iter().map(|(_, y)| *y).collect(),
    });
    matrix
}

fn row(source: &mut Seeded) -> ([f32; 2], bool) {
    let mut number =
        || ((source.word().unwrap() >> 40) as f32 / (1 << 24) as f32 * 2.0 - 1.0) * 0.7;
    // Half of all rows are as long as rows can be: they move most.
    let (a, b) = (number(), number());
    let extreme = source.word().unwrap() & 1 == 1;
    let x = if extreme { [0.7f32.copysign(a), 0.7f32.copysign(b)] } else { [a, b] };
    (x, source.word().unwrap() & 1 == 1)
}

fn facts(rows: usize, dimension: usize, validation: f64) -> SplitFacts {
    match TableFacts::of_matrix(rows, dimension, dimension, Some(validation)) {
        Split(facts) => facts,
        _ => unreachable!("a share was given"),
    }
}

/// No computed score moves by more than is declared, under the same noise, and the bound is nearly
/// reached: half of either would fail.
#[test]
fn scores_move_by_no_more_than_declared_and_nearly_as_much() {
    let source = &mut Seeded::new(5);
    let (n, m) = (12, 4);
    let budget = Budget::Pure { epsilon: 8.0 };
    let mut worst = [0.0f64; 2];
    for score in SCORES {
        for method in [Method::Objective, Method::Output] {
            for lambda in [0.3, 1.0, 4.0] {
                for _ in 0..60 {
                    // Often all rows alike: then the minimiser moves most.
                    let (one, same) = (row(source), source.word().unwrap() & 1 == 1);
                    let mut rows: Vec<_> =
                        (0..n + m).map(|_| if same { one } else { row(source) }).collect();
                    let moved = (source.word().unwrap() % (n + m) as u64) as usize;
                    let tables = |rows: &[_]| (matrix(&rows[..n]), matrix(&rows[n..]));
                    let before = tables(&rows);
                    rows[moved] = if source.word().unwrap() & 1 == 1 {
                        (rows[moved].0, !rows[moved].1)
                    } else {
                        row(source)
                    };
                    let after = tables(&rows);

                    let training = crate::train::Training {
                        loss: LossKind::Hinge,
                        lambda: Some(lambda),
                        method,
                        budget,
                    };
                    let plan = training.plan(before.0.all().facts()).unwrap();
                    let all = training.plan(Facts::of_matrix(n + m, 3, 3)).unwrap();
                    let bounded = Bounded::of_margins(score, 3.0);
                    let validation = before.1.all().facts();
                    let declared = stability(&plan, bounded, &validation, m);
                    let candidate = Candidate { training: plan, all };
                    let linear = Linear {
                        candidates: vec![candidate.clone()],
                        scores: vec![bounded],
                        validation: &validation,
                        price: price_of(budget, std::slice::from_ref(&candidate)),
                        table: PhantomData,
                    };
                    let noise =
                        linear.draw(&candidate, Receipt::nobody_remembers().noise()).unwrap();
                    let q = |(training, validation): &(Matrix, Matrix)| {
                        let (training, validation): (&dyn Oracle, &dyn Oracle) =
                            (&training.all(), &validation.all());
                        let model = linear.train(&training, &candidate, &noise).unwrap();
                        linear.score(&model, &validation).unwrap()
                    };
                    let change = (q(&before) - q(&after)).abs();
                    let (part, bound) =
                        if moved < n { (0, declared.training) } else { (1, declared.validation) };
                    assert!(change <= bound, "{score:?} {method:?} {lambda}: {change} > {bound}");
                    worst[part] = worst[part].max(change / bound);
                }
            }
        }
    }
    assert!(worst[0] > 0.6 && worst[1] > 0.6, "bounds that are never nearly reached: {worst:?}");
}

/// Lemma 1's formula, on so many rows that what the solver and rounding add to 2/(nλ) can be seen:
/// each part is there in full, and nothing else.
#[test]
fn stability_counts_the_solver_and_every_rounding_on_both_sides() {
    let unit = 2f64.powi(-53);
    let (rows, m) = (2_000_000_000, 100_000_000);
    let validation = Facts::of_matrix(m, 9, 9);
    for method in [Method::Objective, Method::Output] {
        for lambda in [1e-3, 0.1] {
            for score in SCORES {
                let budget = Budget::Pure { epsilon: 1.0 };
                let training = crate::train::Training {
                    loss: LossKind::Logistic,
                    lambda: Some(lambda),
                    method,
                    budget,
                };
                let plan = training.plan(Facts::of_matrix(rows, 9, 9)).unwrap();
                let bounded = Bounded::of_margins(score, 3.0);
                let declared = stability(&plan, bounded, &validation, m);
                let lipschitz = score.lipschitz().unwrap();
                let solver = plan.chosen().gate().tolerance();
                let (to_doubles, rounding) =
                    (4.0 * unit * radius(&plan), bounded.rounding(&validation, radius(&plan)));
                let ideal = 2.0 / (rows as f64 * lambda);
                let expected = lipschitz * (ideal + 2.0 * (solver + to_doubles)) + 2.0 * rounding;
                let close = |found: f64, expected: f64| {
                    found >= expected && found <= expected * (1.0 + 4e-12)
                };
                assert!(
                    close(declared.training, expected),
                    "{score:?} {method:?}: {} {expected}",
                    declared.training
                );
                for part in [solver, to_doubles, rounding] {
                    assert!(
                        lipschitz * part > 1e-10 * expected,
                        "{part} of {expected} cannot be seen"
                    );
                }
                let (low, high) = bounded.range();
                let expected = (high - low) / m as f64 + 2.0 * rounding;
                assert!(
                    close(declared.validation, expected),
                    "{score:?}: {} {expected}",
                    declared.validation
                );
            }
        }
    }
}

#[test]
fn a_vector_outside_the_ball_is_brought_in() {
    // So little budget that the noise is longer than any minimiser.
    let training = crate::train::Training {
        loss: LossKind::Logistic,
        lambda: Some(1.0),
        method: Method::Output,
        budget: Budget::Pure { epsilon: 1e-3 },
    };
    let table = matrix(&[([0.5, 0.5], true); 4]);
    let plan = training.plan(table.all().facts()).unwrap();
    let reach = radius(&plan);
    for seed in 0..20 {
        let noise = plan.draw(&mut Seeded::new(seed)).unwrap();
        let draw = crate::train::Draw { plan: &plan, noise: &noise, start: Start::Unknown };
        let certified = crate::train::solve_all(&table.all(), &[draw]).unwrap().remove(0);
        let small = inside(certified, 0.01 * reach);
        let length = small.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(length <= 0.01 * reach * (1.0 + 1e-12), "{length} {reach}");
    }
}

fn tuning(budget: Budget, rule: TuningRule) -> Tuning {
    Tuning {
        rule,
        ..Tuning::new(LossKind::Logistic, vec![1e-3, 1e-2, 0.1, 1.0], Method::Auto, budget)
    }
}

#[test]
fn every_plan_costs_its_budget_and_hardly_less() {
    let facts = facts(20_000, 8, 0.1);
    for budget in [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 1.0, delta: 1e-6 },
        Budget::Zcdp { rho: 0.05 },
    ] {
        for rule in [TuningRule::Generalised, TuningRule::Uniform, TuningRule::RandomStopping] {
            let plan = tuning(budget, rule).plan(facts.clone()).unwrap();
            let spend = Spend::of(&plan.event()).unwrap();
            assert!(spend.is_within(budget), "{budget} {rule:?}: {:?}", spend.price(budget));
            let price = spend.price(budget).unwrap().amount;
            let asked = discretion_privacy::account::amount(budget);
            assert!(price > 0.95 * asked, "{budget} {rule:?}: {price}");
        }
    }
}

/// The winner's training is one of the candidates', none of which can fail: an account sets no δ
/// for failing aside, and takes as many such runs as it takes of one candidate and the choice.
#[test]
fn a_chosen_lambda_has_no_chance_of_failing() {
    let budget = Budget::Approximate { epsilon: 0.3, delta: 1e-6 };
    let cap = Cap::Approximate { epsilon: 3.0, delta: 1e-5 };
    for rule in [TuningRule::Generalised, TuningRule::Uniform] {
        let plan = tuning(budget, rule).plan(facts(20_000, 8, 0.1)).unwrap();
        let event = plan.event();
        let filter = Filter::opened_by(cap, Some(FilterKind::Renyi), &event);
        let runs = |event: &Event| {
            let cost = filter.cost(event).unwrap();
            assert_eq!(cost.delta, 0.0, "{event:?}");
            filter.more(&Totals::default(), &cost)
        };
        let Event::Composition { of } = &event else { panic!("a choice and a training") };
        let Event::OneOf { of: candidates } = &of[1] else { panic!("{:?}", of[1]) };
        assert_eq!(candidates.len(), plan.lambdas().len());
        let with =
            |candidate: &Event| Event::Composition { of: vec![of[0].clone(), candidate.clone()] };
        let fewest = candidates.iter().map(|candidate| runs(&with(candidate))).min();
        assert_eq!(Some(runs(&event)), fewest, "{rule:?}");
        assert!(runs(&event) >= 10, "{rule:?}: {}", runs(&event));
    }
}

#[test]
fn the_family_follows_from_public_numbers() {
    let pure = Budget::Pure { epsilon: 1.0 };
    let few = tuning(pure, TuningRule::Auto).plan(facts(20_000, 8, 0.1)).unwrap();
    assert!(matches!(few.family(), Family::RandomStopping(_)), "{}", few.why());
    let many = tuning(pure, TuningRule::Auto).plan(facts(20_000_000, 8, 0.1)).unwrap();
    assert!(matches!(many.family(), Family::Selection { .. }), "{}", many.why());
    let rho =
        tuning(Budget::Zcdp { rho: 0.1 }, TuningRule::Auto).plan(facts(20_000, 8, 0.1)).unwrap();
    assert!(matches!(rho.family(), Family::Selection { .. }), "{}", rho.why());
    let jumping = Tuning { score: Score::Error, ..tuning(pure, TuningRule::Auto) };
    let jumping = jumping.plan(facts(20_000_000, 8, 0.1)).unwrap();
    assert!(matches!(jumping.family(), Family::RandomStopping(_)), "{}", jumping.why());
}

#[test]
fn what_cannot_be_is_refused() {
    let pure = Budget::Pure { epsilon: 1.0 };
    let split = facts(1000, 3, 0.1);
    let refused = |tuning: Tuning| tuning.plan(split.clone()).unwrap_err();
    let jumps = Tuning { score: Score::Error, ..tuning(pure, TuningRule::Uniform) };
    assert_eq!(refused(jumps), TuningError::ScoreJumps);
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        let bad = Tuning { share, ..tuning(pure, TuningRule::Auto) };
        assert!(matches!(refused(bad), TuningError::Share { .. }), "{share}");
        let bad = Tuning { validation: share, ..tuning(pure, TuningRule::Auto) };
        assert!(matches!(refused(bad), TuningError::Share { .. }), "{share}");
    }
    let tiny = tuning(Budget::Pure { epsilon: 1e-9 }, TuningRule::RandomStopping);
    assert!(matches!(refused(tiny), TuningError::TooSmall { .. }));
    let none = Tuning { lambdas: vec![1e-9, 1e-8], ..tuning(pure, TuningRule::Auto) };
    assert!(matches!(refused(none), TuningError::NoneFeasible { count: 2, .. }));
    let twice = Tuning { lambdas: vec![0.1, 1.0, 0.1], ..tuning(pure, TuningRule::Generalised) };
    assert!(matches!(
        refused(twice),
        TuningError::Selection(discretion_choose::Refused::Repeated { .. })
    ));
    let dropping = Tuning { lambdas: vec![1e-9, 0.1], ..tuning(pure, TuningRule::RandomStopping) };
    let plan = dropping.plan(split).unwrap();
    assert_eq!((plan.lambdas(), plan.dropped()[0].lambda), (vec![0.1], 1e-9));
}

/// With budget enough for its noise not to matter, each rule picks the λ that predicts best.
#[test]
fn with_a_large_budget_the_best_lambda_is_found() {
    let source = &mut Seeded::new(9);
    let rows: Vec<_> = (0..4000)
        .map(|_| {
            let (x, _) = row(source);
            let noise = (source.word().unwrap() >> 40) as f32 / (1 << 24) as f32 - 0.5;
            (x, x[0] + noise > 0.0)
        })
        .collect();
    let (training, validation, all) = (matrix(&rows[..3000]), matrix(&rows[3000..]), matrix(&rows));
    let table =
        SplitTable { training: &training.all(), validation: &validation.all(), all: &all.all() };
    for rule in [TuningRule::Generalised, TuningRule::Uniform, TuningRule::RandomStopping] {
        let request = Tuning {
            lambdas: vec![0.02, 3.0, 30.0],
            ..tuning(Budget::Pure { epsilon: 300.0 }, rule)
        };
        let plan = request.plan(table.facts()).unwrap();
        let best = (0..20)
            .filter(|&seed| plan.run(table, &mut Seeded::new(seed)).unwrap().plan.lambda() == 0.02)
            .count();
        // Random stopping draws 0.02 at least once in all but a few of a hundred runs.
        assert!(
            best >= if rule == TuningRule::RandomStopping { 12 } else { 20 },
            "{rule:?}: {best} of 20"
        );
    }
}
