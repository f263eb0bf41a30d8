use super::*;
use crate::erm::Facts;
use crate::erm::Order;
use crate::interval::Intervals;
use crate::joint::step::{gradient_error, gradient_sensitivity, steepest};
use crate::rounding::roundings_in;
use crate::train::not_private;
use discretion_privacy::Unit;
use discretion_privacy::noise::{Provenance, Released};
use discretion_privacy::trusted;

fn with_step(step: Step, lambda: f64, budget: Budget) -> Joint {
    Joint { step: Some(step), ..joint(lambda, budget) }
}

const STEP: Step =
    Step { lambda: None, gradient: 0.25, hessian: 0.25, covariance: 0.25, damping: 0.0 };

fn step_in_the_clear(
    plan: &Plan,
    average: &Released<Vec<f64>>,
    tables: &[Matrix],
) -> Vec<Vec<f64>> {
    let rounds = plan.step(average).unwrap().unwrap();
    let mut sums: Vec<Vec<Contribution>> = rounds.rounds().iter().map(|_| Vec::new()).collect();
    for (j, table) in tables.iter().enumerate() {
        for (sum, one) in sums.iter_mut().zip(rounds.contribute(j, &table.all()).unwrap()) {
            sum.push(one);
        }
    }
    let opened = rounds.rounds().into_iter().zip(sums);
    opened.map(|(round, sum)| clear::open(&round, &sum, &[]).to_vec()).collect()
}

fn released(theta: Vec<f64>) -> Released<Vec<f64>> {
    trusted::released(theta, Provenance::TestSeed)
}

/// All rows in one table.
fn pooled(sizes: &[usize], seed: u64) -> (Vec<Matrix>, Matrix) {
    let total = sizes.iter().sum();
    let all = rows(total, &mut Seeded::new(seed));
    let mut start = 0;
    let parts = sizes.iter().map(|&size| {
        let part = all.gather(&(start..start + size).collect::<Vec<_>>());
        start += size;
        part
    });
    (parts.collect(), all)
}

/// Sums over holders are the sums over all rows in one place, to the fixed point.
#[test]
fn sums_over_holders_are_sums_over_all_rows() {
    let (tables, all) = pooled(&[40, 80, 30], 4);
    let theta = vec![0.3, 2.0, -1.0];
    let plan = with_step(STEP, 0.05, Budget::Zcdp { rho: 0.5 }).plan(&holders(&tables)).unwrap();
    let sums = step_in_the_clear(&plan, &released(theta.clone()), &tables);
    let expected = all
        .all()
        .sums(LossKind::Logistic.loss(), &theta, Order::Hessian)
        .unwrap()
        .not_private()
        .into_inner();
    let rounds = plan.step(&released(theta)).unwrap().unwrap().rounds();
    let error = |i: usize| rounds[i].fixed_point_error() + 1e-14;
    for (found, expected) in sums[0].iter().zip(&expected.gradient) {
        assert!((found - expected).abs() <= error(0), "{found} {expected}");
    }
    let hessian = crate::interval::joint::svec(&expected.hessian, 3);
    for (found, expected) in sums[1].iter().zip(&hessian) {
        assert!((found - expected).abs() <= error(1), "{found} {expected}");
    }
    // The covariance's trace is the mean of f′²‖x‖², which no row exceeds.
    let trace = sums[2][0] + sums[2][2] + sums[2][5];
    assert!(trace > 0.0 && trace < 1.0, "{trace}");
}

/// With hardly any noise the step removes most of the averaging bias.
#[test]
fn a_step_removes_most_of_the_bias() {
    // Holders that differ: sorted by label, so that each has nearly one class.
    let all = rows(900, &mut Seeded::new(8));
    let labels = all.margins(&[0.0; 3]).into_inner();
    // Every third row stays where it is, so that no holder has one class alone.
    let mut others: Vec<usize> = (0..900).filter(|i| i % 3 != 0).collect();
    others.sort_by_key(|&i| (labels[i].1, i));
    let mut others = others.into_iter();
    let order: Vec<usize> =
        (0..900).map(|i| if i % 3 == 0 { i } else { others.next().unwrap() }).collect();
    let tables: Vec<Matrix> = order.chunks(300).map(|chunk| all.gather(chunk)).collect();
    let lambda = 0.05;
    let joint_minimiser = not_private(&all.all(), LossKind::Logistic, lambda).unwrap().into_inner();
    let plan =
        with_step(STEP, lambda, Budget::Pure { epsilon: 1000.0 }).plan(&holders(&tables)).unwrap();
    let average = released(average_in_the_clear(&plan, &tables));
    let rounds = plan.step(&average).unwrap().unwrap();
    let sums = step_in_the_clear(&plan, &average, &tables);
    let stepped = rounds.finish(sums.into_iter().map(released).collect()).unwrap();
    let (before, after) =
        (distance(&average, &joint_minimiser), distance(&stepped.coefficients, &joint_minimiser));
    assert!(after < 0.2 * before && before > 0.05, "{before} → {after}");
    // Another step from there would be smaller still: the method is Newton's.
    let rounds = plan.step(&stepped.coefficients).unwrap().unwrap();
    let sums = step_in_the_clear(&plan, &stepped.coefficients, &tables);
    let again = rounds.finish(sums.into_iter().map(released).collect()).unwrap();
    let again = distance(&again.coefficients, &joint_minimiser);
    assert!(again < 0.1 * after, "{after} → {again}");
}

/// A matrix that is no Hessian, and a gradient that is all noise, give a step that stays in the
/// ball of minimisers.
#[test]
fn a_step_from_noise_alone_is_still_a_model() {
    let (tables, _) = pooled(&[40, 80], 4);
    let damped = Step { damping: 1.0, covariance: 0.0, ..STEP };
    for step in [STEP, damped] {
        let plan =
            with_step(step, 0.05, Budget::Pure { epsilon: 1.0 }).plan(&holders(&tables)).unwrap();
        let rounds = plan.step(&released(vec![0.1, 0.0, 0.0])).unwrap().unwrap();
        let hessian = vec![-3.0, 1.0, 0.2, 5.0, -1.0, -2.0];
        let mut sums = [vec![40.0, -90.0, 3.0], hessian.clone(), hessian].map(released).to_vec();
        sums.truncate(rounds.rounds().len());
        let stepped = rounds.finish(sums).unwrap();
        let longest = (2.0 * 2f64.ln() / 0.05).sqrt();
        assert!(distance(&stepped.coefficients, &[0.0; 3]) <= longest * (1.0 + 1e-9));
        assert_eq!(stepped.evidence.is_some(), step == STEP);
        if let Some(evidence) = stepped.evidence {
            Intervals::new(&evidence, &stepped.coefficients).unwrap().coefficients(0.95).unwrap();
        }
    }
}

/// The deviation of what is added to the gradient, and of the Hessian's noise times the average's,
/// in one coordinate.
fn noise_of_step(plan: &Plan, rounds: &StepRounds<'_>, dimension: f64) -> f64 {
    let [gradient, hessian] = [0, 1].map(|round| rounds.rounds()[round].noise().deviation());
    let both = plan.average().noise().deviation() * hessian * (0.5 * (dimension + 1.0)).sqrt();
    gradient.hypot(both)
}

/// The noise of a symmetric matrix times an independent vector of noise has the variance that
/// intervals add: E and v with entries as those of `svec`, 4,000 draws of 5 numbers. The seed is
/// fixed: it passes always or never.
#[test]
fn noise_times_noise_has_the_variance_that_is_added() {
    let (source, d) = (&mut Seeded::new(8), 5);
    let normal = |source: &mut Seeded| {
        (-2.0 * source.unit().ln()).sqrt() * (std::f64::consts::TAU * source.unit()).cos()
    };
    let (s_h, s_v) = (0.3, 0.7);
    let mut squares = 0.0;
    for _ in 0..4_000 {
        let v: Vec<f64> = (0..d).map(|_| s_v * normal(source)).collect();
        let svec: Vec<f64> = (0..d * (d + 1) / 2).map(|_| s_h * normal(source)).collect();
        let e = crate::interval::Symmetric::from_svec(svec, d);
        let product = (0..d).map(|i| (0..d).map(|j| e.entry(i, j) * v[j]).sum::<f64>());
        squares += product.map(|x| x * x).sum::<f64>();
    }
    let (found, said) =
        (squares / (4_000.0 * d as f64), (s_h * s_v).powi(2) * 0.5 * (d as f64 + 1.0));
    assert!((found / said - 1.0).abs() < 0.15, "{found} {said}");
}

/// U = H̃⁻¹(Σ̃/n + σ²I)H̃⁻¹ for Gaussian noise, written out for one coefficient.
#[test]
fn intervals_have_the_variance_of_the_step() {
    let tables = [labels((0..300).map(|i| i % 3 == 0)), labels((0..500).map(|i| i % 3 == 0))];
    let (n, lambda) = (800.0, 0.02);
    let plan = with_step(STEP, lambda, Budget::Zcdp { rho: 0.5 }).plan(&holders(&tables)).unwrap();
    let rounds = plan.step(&released(vec![-0.5])).unwrap().unwrap();
    let (h, c) = (0.22, 0.3);
    let sums = [vec![0.01], vec![h], vec![c]].map(released).to_vec();
    let stepped = rounds.finish(sums).unwrap();
    let theta = stepped.coefficients[0];
    let sigma = noise_of_step(&plan, &rounds, 1.0);
    let expected = (((c - (lambda * theta).powi(2)) / n + sigma * sigma).sqrt()) / (h + lambda);
    let intervals = Intervals::new(&stepped.evidence.unwrap(), &stepped.coefficients).unwrap();
    let interval = intervals.coefficients(0.95).unwrap()[0];
    let found = interval.half_width() / 1.959_963_984_540_054;
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
}

/// Evidence of spherical noise from several hands survives a file, and has the step's deviation.
#[test]
fn evidence_of_several_hands_is_written_and_read() {
    let (tables, _) = pooled(&[40, 80], 4);
    let plan =
        with_step(STEP, 0.05, Budget::Pure { epsilon: 4.0 }).plan(&holders(&tables)).unwrap();
    let average = released(vec![0.1, 0.0, 0.0]);
    let rounds = plan.step(&average).unwrap().unwrap();
    let sums = step_in_the_clear(&plan, &average, &tables);
    let evidence =
        rounds.finish(sums.into_iter().map(released).collect()).unwrap().evidence.unwrap();
    // Three aggregators, one colluder: two parts of ⌈4/2⌉ degrees are enough, and three are added.
    assert_eq!(evidence.degrees(), 6);
    let text = serde_json::to_string(&*evidence).unwrap();
    let back: crate::interval::Evidence = serde_json::from_str(&text).unwrap();
    assert_eq!(back, *evidence);
    for degrees in ["2", "6000000000"] {
        let damaged = text.replace("\"degrees\":6", &format!("\"degrees\":{degrees}"));
        assert!(serde_json::from_str::<crate::interval::Evidence>(&damaged).is_err(), "{degrees}");
    }
    let discretion_privacy::noise::TrainingLaw::Round(discretion_privacy::noise::Law::Spherical {
        scale,
    }) = *evidence.noise()
    else {
        panic!()
    };
    let deviation = scale * 6f64.sqrt() / 120.0;
    assert!((deviation / noise_of_step(&plan, &rounds, 3.0) - 1.0).abs() < 1e-9);
}

/// The gradient moves by 2/n where slopes are steepest and rows opposite (hinge at 0), and never by
/// more than its noise is for.
#[test]
fn the_gradient_moves_by_its_sensitivity() {
    let table = |first: bool| labels((0..25).map(move |i| if i == 0 { first } else { i % 2 == 0 }));
    let joint =
        Joint { loss: LossKind::Hinge, ..with_step(STEP, 0.5, Budget::Pure { epsilon: 1.0 }) };
    let tables = |first: bool| [table(first), labels((0..15).map(|i| i % 2 == 0))];
    let plan = joint.plan(&holders(&tables(true))).unwrap();
    let theta = released(vec![0.0]);
    let sums = [true, false].map(|first| step_in_the_clear(&plan, &theta, &tables(first))[0][0]);
    let sensitivity = plan.step(&theta).unwrap().unwrap().rounds()[0].noise().sensitivity();
    let moved = (sums[0] - sums[1]).abs();
    assert!(moved <= sensitivity && moved > 0.999 * sensitivity, "{moved} {sensitivity}");
    assert!(gradient_sensitivity(1.0, 40) < sensitivity);
    assert!(gradient_error(1.0, &tables(true)[0].all().facts()) < 1e-12);
}

/// Logistic loss, random rows at random coefficients: 2S(‖θ‖)/n is never exceeded, and S is the
/// largest slope there is.
#[test]
fn the_logistic_gradient_stays_within_its_sensitivity() {
    let source = &mut Seeded::new(6);
    for _ in 0..200 {
        let (first, second) = (rows(1, source), rows(1, source));
        let theta: Vec<f64> = (0..3).map(|_| 8.0 * (source.unit() - 0.5)).collect();
        let steepest = steepest(LossKind::Logistic, distance(&theta, &[0.0; 3]));
        let gradient = |table: &Matrix| {
            let sums =
                table.all().sums(LossKind::Logistic.loss(), &theta, Order::Gradient).unwrap();
            sums.not_private().into_inner().gradient
        };
        let (a, b) = (gradient(&first), gradient(&second));
        assert!(distance(&a, &[0.0; 3]) <= steepest);
        assert!(distance(&a, &b) <= gradient_sensitivity(steepest, 1));
    }
    let worst = labels(std::iter::once(false))
        .all()
        .sums(LossKind::Logistic.loss(), &[3.0], Order::Gradient)
        .unwrap();
    let worst = worst.not_private().into_inner().gradient[0];
    let bound = steepest(LossKind::Logistic, 3.0);
    assert!(worst <= bound && worst > bound * (1.0 - 4e-6));
}

/// The error of a gradient: k counts the additions, and 8 roundings more. Four of those happen: two
/// products, a third where an entry is not a constant, and the division. The others are spare.
#[test]
fn the_error_of_a_gradient_counts_every_rounding() {
    let layout = Layout::new(Norm::Scale, 0.5, vec![0.5], vec![(3, 0.5)]).unwrap();
    // A block of 256, the blocks of a part, the parts; persons have two roundings for weights.
    let additions = [
        (Unit::Row, 40, 256 + 1 + 1),
        (Unit::Row, 600, 256 + 3 + 1),
        (Unit::Row, 10_000_000, 256 + 611 + 64),
        (Unit::Person, 1, 256 + 17 + 16 + 1 + 2),
    ];
    for (unit, count, additions) in additions {
        let facts = Facts::of_units(unit, count, &layout);
        for steepest in [1.0, 0.625] {
            let counted = roundings_in(gradient_error(steepest, &facts) / (1.01 * steepest));
            let expected = f64::from(additions + 8);
            assert!((counted - expected).abs() < 1e-6, "{unit:?} {count}: {counted} {expected}");
        }
    }
}
