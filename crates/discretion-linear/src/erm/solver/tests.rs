//! The solver on tables made to hurt it. A result is judged by its gradient in big floats, which
//! bounds its distance to the exact minimiser by strong convexity, whatever the solver itself
//! believes.

mod warm;

use super::*;
use crate::erm::Facts;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm, OTHER, Rows};
use crate::loss::{Logistic, LossKind};
use discretion_privacy::Unit;
use discretion_privacy::noise::Law;
use discretion_privacy::trusted::Open;
use proptest::prelude::*;

fn outcomes() -> [&'static dyn Outcome; 2] {
    [LossKind::Logistic.of_margin(), LossKind::Hinge.of_margin()]
}

/// Two numbers and an intercept per row; the label is +1 where `positive`.
fn table(rows: &[([f32; 2], bool)]) -> Rows<'static> {
    let layout = Layout::new(Norm::Scale, 0.1, vec![0.7, 0.7], vec![]).unwrap();
    let mut matrix = Matrix::new(layout);
    matrix.push(Batch {
        numeric: rows.iter().flat_map(|(x, _)| *x).collect(),
        codes: vec![],
        positive: rows.iter().map(|(_, positive)| *positive).collect(),
    });
    matrix.into()
}

fn adversarial() -> Vec<(&'static str, Rows<'static>)> {
    let separable = |i: usize| {
        let positive = i.is_multiple_of(2);
        let side = if positive { 0.7 } else { -0.7 };
        ([side, (i % 7) as f32 * 0.1], positive)
    };
    vec![
        ("separable", table(&(0..60).map(separable).collect::<Vec<_>>())),
        ("duplicated", table(&vec![([0.5, -0.5], true); 100])),
        (
            "contradictory duplicates",
            table(&(0..100usize).map(|i| ([0.5, 0.5], i.is_multiple_of(2))).collect::<Vec<_>>()),
        ),
        ("one row", table(&[([0.7, 0.7], false)])),
        ("zero rows", table(&vec![([0.0, 0.0], true); 50])),
        (
            "nearly collinear",
            table(
                &(0..100usize)
                    .map(|i| ([0.5, 0.5 + 1e-7 * i as f32], i.is_multiple_of(3)))
                    .collect::<Vec<_>>(),
            ),
        ),
        (
            "tiny numbers",
            table(
                &(0..100usize).map(|i| ([1e-30, 1e-38], i.is_multiple_of(2))).collect::<Vec<_>>(),
            ),
        ),
    ]
}

/// ‖∇(J + b·θ/n)‖/λ at θ, in arithmetic wide enough for any of these tests.
fn exact_distance_bound(
    oracle: &dyn Oracle,
    outcome: &dyn Outcome,
    lambda: f64,
    b: &[BigFloat],
    theta: &[BigFloat],
) -> f64 {
    const PRECISION: usize = 900;
    let n = BigFloat::from(oracle.facts().rows).with_precision(PRECISION).value();
    let sums = oracle.big_gradient(outcome.loss(), theta, PRECISION).unwrap().into_inner();
    let gradient: Vec<BigFloat> = sums
        .into_iter()
        .zip(theta)
        .zip(b)
        .map(|((g, t), b)| g + t * exact(lambda) + b.clone().with_precision(PRECISION).value() / &n)
        .collect();
    norm(&gradient, PRECISION).to_f64().value() / lambda
}

#[test]
fn adversarial_tables_are_solved_to_the_public_tolerance() {
    for (name, matrix) in adversarial() {
        let n = matrix.units() as f64;
        for outcome in outcomes() {
            // Down to the smallest λ that objective perturbation allows at ε = 3.
            for lambda in [1.0, 1e-3, outcome.bounds().curvature / (n * 3f64.exp_m1())] {
                for reach in [0.0, 0.3, 1.0] {
                    let law = Law::Spherical { scale: 2.0 };
                    let problem = Problem::new(&matrix, outcome, lambda, law.ordinary_length(3));
                    let length = reach * law.ordinary_length(3) * 0.99;
                    let b = [0.6 * length, -0.8 * length, 0.0];
                    let fast = newton::minimise(&problem, &b).unwrap();
                    assert!(
                        fast.is_some(),
                        "{name}, λ = {lambda}: Newton did not reach its certificate"
                    );
                    let big: Vec<BigFloat> = b.iter().map(|&x| exact(x)).collect();
                    let theta: Vec<BigFloat> = fast.unwrap().into_iter().map(exact).collect();
                    let distance = exact_distance_bound(&matrix, outcome, lambda, &big, &theta);
                    let tolerance = problem.accuracy().tolerance;
                    assert!(
                        distance <= tolerance,
                        "{name}, λ = {lambda}: {distance} > {tolerance}"
                    );
                }
            }
        }
    }
}

#[test]
fn gradient_descent_alone_reaches_the_tolerance() {
    for (name, matrix) in adversarial() {
        for outcome in outcomes() {
            for lambda in [1.0, 0.02] {
                let problem = Problem::new(&matrix, outcome, lambda, 30.0);
                let b = [20.0, -20.0, 5.0];
                let slow = gradient_descent::minimise(&problem, &b, |_| Ok(None)).unwrap();
                let fast = newton::minimise(&problem, &b).unwrap().unwrap();
                let distance = length(&moved(&slow, -1.0, &fast));
                assert!(
                    distance <= 2.0 * problem.accuracy().tolerance,
                    "{name}, λ = {lambda}: {distance}"
                );
            }
        }
    }
}

#[test]
fn noise_far_out_in_its_tail_is_solved_to_the_same_tolerance() {
    for (name, matrix) in adversarial() {
        for outcome in outcomes() {
            let lambda = 0.5;
            let ordinary = Law::Spherical { scale: 2.0 }.ordinary_length(3);
            let problem = Problem::new(&matrix, outcome, lambda, ordinary);
            for factor in [1.5, 1e4, 1e17, 1e120] {
                // Nearly orthogonal to the rows: their margins are small differences of huge
                // products.
                let b = [1.0, 3.0, -3.0].map(|x| exact(x) * exact(ordinary) * exact(factor));
                let noise = NoiseVector::fixed(b.to_vec());
                let theta = problem.minimise(Some(&noise)).unwrap().into_inner();
                let distance = exact_distance_bound(&matrix, outcome, lambda, &b, &theta);
                let tolerance = problem.accuracy().tolerance;
                assert!(
                    distance <= tolerance,
                    "{name}, {factor} times ordinary: {distance} > {tolerance}"
                );
            }
        }
    }
}

#[test]
fn wide_problems_take_quasi_newton_and_agree_with_newton() {
    let categories = 1200;
    let layout = Layout::new(Norm::Scale, 0.5, vec![0.5], vec![(categories, 0.7)]).unwrap();
    let mut matrix = Matrix::new(layout);
    let mut batch = Batch::default();
    for i in 0..4000usize {
        batch.numeric.push(((i * 37) % 100) as f32 / 200.0);
        batch.codes.push(if i.is_multiple_of(11) { OTHER } else { ((i * i) % categories) as u16 });
        batch.positive.push((i * 7919) % 5 < 2);
    }
    matrix.push(batch);
    let matrix = Rows::from(matrix);
    for (outcome, lambda) in [(outcomes()[0], 1e-3), (outcomes()[1], 1e-3), (outcomes()[0], 1e-6)] {
        let problem = Problem::new(&matrix, outcome, lambda, 10.0);
        let b: Vec<f64> = (0..categories + 2).map(|j| 0.2 * (j as f64).sin()).collect();
        let quasi = lbfgs::minimise_from(&problem, &b, vec![0.0; b.len()])
            .unwrap()
            .expect("L-BFGS reaches its certificate");
        let newton =
            newton::minimise(&problem, &b).unwrap().expect("Newton reaches its certificate");
        let distance = length(&moved(&quasi, -1.0, &newton));
        assert!(distance <= 2.0 * problem.accuracy().tolerance, "{distance}");
    }
}

/// The bound of PROOF.md's Lemma 2, written out once more with its own arithmetic.
#[test]
fn the_public_accuracy_is_the_one_that_was_proved() {
    let facts = Facts {
        unit: Unit::Row,
        rows: 10_000,
        dimension: 50,
        classes: None,
        row_terms: 12,
        summation_depth: 300,
        columns: None,
        entries: Vec::new(),
    };
    let (lambda, noise, u) = (1e-3, 40.0, 2f64.powi(-53));
    let accuracy = Accuracy::new(&facts, &Logistic.bounds(), lambda, noise);
    let push: f64 = noise / 10_000.0;
    let bound = (push + (push * push + 2.0 * lambda * 2f64.ln()).sqrt()) / lambda;
    assert!((accuracy.radius / (3.0 * bound) - 1.0).abs() < 1e-12);
    let proved = 0.25 * 15.0 * u * accuracy.radius
        + 16.0 * u
        + 304.0 * u
        + 6.0 * u * (1.0 + lambda * accuracy.radius + push);
    assert!(accuracy.gradient_error >= proved && accuracy.gradient_error < 1.02 * proved);
    let step_error = 4.0 * u * accuracy.radius * (lambda + 0.25);
    assert!(accuracy.target >= 7.99 * (proved + step_error));
    assert!(accuracy.tolerance * lambda >= accuracy.target + accuracy.gradient_error);
    assert!(
        accuracy.descent_steps as f64 >= 251.0 * (bound * lambda / accuracy.gradient_error).ln()
    );
}

#[test]
fn a_small_gradient_outside_the_ball_is_no_certificate() {
    let matrix = table(&[([0.1, 0.2], true)]);
    let problem = Problem::new(&matrix, &Logistic, 0.1, 1.0);
    let far = vec![2.0 * problem.accuracy().radius, 0.0, 0.0];
    assert!(!problem.is_certified(&far, &[0.0; 3]));
    assert!(problem.is_certified(&[0.0; 3], &[0.0; 3]));
}

/// A long b at a small λ: many bits are needed below the point as well as above it.
#[test]
fn noise_in_its_tail_at_a_small_lambda_is_solved_too() {
    let rows: Vec<_> =
        (0..50usize).map(|i| ([0.01 * i as f32, -0.3], i.is_multiple_of(2))).collect();
    let matrix = table(&rows);
    let lambda = 1e-6;
    let problem = Problem::new(&matrix, &Logistic, lambda, 100.0);
    let b = [1.0, 3.0, -3.0].map(|x| exact(x) * exact(1e5));
    let noise = NoiseVector::fixed(b.to_vec());
    let theta = problem.minimise(Some(&noise)).unwrap().into_inner();
    let distance = exact_distance_bound(&matrix, &Logistic, lambda, &b, &theta);
    assert!(distance <= problem.accuracy().tolerance, "{distance}");
}

#[test]
fn a_mask_that_uses_this_tolerance_stays_far_below_the_noise() {
    // Adult's size, λ = 1e-3, ε = 1: mask scale √d·2τ/ε_mask against noise 2√d/(nλε) per
    // coefficient.
    let facts = Facts::of_matrix(32_561, 105, 14);
    let accuracy = Accuracy::new(
        &facts,
        &Logistic.bounds(),
        1e-3,
        Law::Spherical { scale: 2.0 }.ordinary_length(105),
    );
    let mask = 105f64.sqrt() * 2.0 * accuracy.tolerance / 1e-3;
    let noise = 2.0 * 105f64.sqrt() / (32_561.0 * 1e-3);
    assert!(mask < 1e-3 * noise, "mask {mask}, noise {noise}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The fast method reaches its certificate on random small tables at any λ in use.
    #[test]
    fn random_tables_are_solved(
        rows in prop::collection::vec((prop::array::uniform2(-0.7f32..0.7), any::<bool>()), 1..40),
        log_lambda in -7.0f64..1.0,
        b in prop::array::uniform3(-60.0f64..60.0),
        hinge in any::<bool>(),
    ) {
        let matrix = table(&rows);
        let outcome = outcomes()[usize::from(hinge)];
        let lambda = 10f64.powf(log_lambda);
        let problem = Problem::new(&matrix, outcome, lambda, 110.0);
        let theta = newton::minimise(&problem, &b).unwrap();
        prop_assert!(theta.is_some());
        let theta: Vec<BigFloat> = theta.unwrap().into_iter().map(exact).collect();
        let b = b.map(exact);
        let distance = exact_distance_bound(&matrix, outcome, lambda, &b, &theta);
        prop_assert!(distance <= problem.accuracy().tolerance);
    }
}

/// Solving side by side, from wherever, ends at certified minimisers; from the usual start, at the
/// very same bits.
#[test]
fn problems_solved_together_are_solved_as_if_alone() {
    for (name, table) in adversarial() {
        for outcome in outcomes() {
            let lambdas = [1e-4, 1e-2, 0.3, 2.0];
            let noise = NoiseVector::fixed(vec![exact(0.5), exact(-1.0), exact(3.0)]);
            let job =
                |lambda, start| Job { lambda, ordinary_noise: 10.0, noise: Some(&noise), start };
            let warm = Warm::starts(&table, outcome, &lambdas).unwrap();
            let jobs: Vec<Job<'_>> = lambdas
                .into_iter()
                .zip(&warm)
                .flat_map(|(lambda, warm)| {
                    [Start::Unknown, Start::Warm(warm)].map(|start| job(lambda, start))
                })
                .collect();
            let together = minimise_all(&table, outcome, &jobs).unwrap();
            for (job, theta) in jobs.iter().zip(together) {
                let theta = theta.into_inner();
                let alone = Problem::new(&table, outcome, job.lambda, 10.0);
                if matches!(job.start, Start::Unknown) {
                    assert!(theta == alone.minimise(Some(&noise)).unwrap().into_inner(), "{name}");
                }
                let bound =
                    exact_distance_bound(&table, outcome, job.lambda, noise.coordinates(), &theta);
                assert!(bound <= alone.accuracy().tolerance, "{name}: {bound}");
            }
        }
    }
}

/// What broke: every worker of rayon's in a `fit`, each waiting for a thread whose sums needed a
/// worker. A table of several segments is needed for that; if it breaks again, this test does not
/// end.
#[test]
fn solving_on_all_of_rayons_workers_at_once_comes_to_an_end() {
    use rayon::prelude::*;
    let rows: Vec<([f32; 2], bool)> = (0..10_000u16)
        .map(|i| ([f32::from(i % 7) / 10.0, f32::from(i % 11) / 20.0], i % 3 == 0))
        .collect();
    let table = table(&rows);
    let job = |lambda| Job { lambda, ordinary_noise: 10.0, noise: None, start: Start::Unknown };
    let jobs = [job(1e-2), job(0.1)];
    let alone = minimise_all(&table, &Logistic, &jobs).unwrap();
    let alone: Vec<Vec<BigFloat>> = alone.into_iter().map(Sensitive::into_inner).collect();
    (0..4 * rayon::current_num_threads()).into_par_iter().for_each(|_| {
        let found = minimise_all(&table, &Logistic, &jobs).unwrap();
        assert!(found.into_iter().map(Sensitive::into_inner).eq(alone.iter().cloned()));
    });
}
