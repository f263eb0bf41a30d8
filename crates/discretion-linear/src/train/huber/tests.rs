//! Exact densities in one dimension: θ ↦ b is a bijection, so the density of θ̃ is that of b times
//! a Jacobian. Then the program's own sums and outputs.

mod persons;

use super::*;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::erm::{AskOracle, Order};
use crate::loss::{Huber, Loss};
use crate::train::{Method, Training};
use discretion_privacy::account::{Event, Law, Spend};
use discretion_privacy::noise::Seeded;
use discretion_privacy::noise::TrainingLaw;
use discretion_privacy::trusted::Open;
use discretion_privacy::{Budget, Curve, Term};

/// x and y.
type Row = (f64, f64);

fn loss() -> &'static dyn Loss {
    LossKind::Huber.loss()
}

/// b(θ) = −Σf′(θx − y)x − nλθ, and ln|b′|.
fn noise_at(rows: &[Row], lambda: f64, theta: f64) -> (f64, f64) {
    let n = rows.len() as f64;
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        rows.iter().map(|&(x, y)| of(x, theta * x - y)).sum()
    };
    let b = -sum(&|x, r| loss().slope(r) * x) - n * lambda * theta;
    (b, (sum(&|x, r| loss().curvature(r) * x * x) + n * lambda).ln())
}

fn ln_density(law: &TrainingLaw, b: f64) -> f64 {
    match *law {
        TrainingLaw::Round(Law::Spherical { scale }) => -b.abs() / scale,
        TrainingLaw::Round(Law::Gaussian { sigma }) => -0.5 * b * b / (sigma * sigma),
        TrainingLaw::Shaped(_) => unreachable!("no such law here"),
    }
}

fn rows_to_try() -> Vec<Row> {
    let xs = [-1.0, -0.5, 0.0, 1.0];
    xs.into_iter().flat_map(|x| [-1.0, -0.2, 0.0, 0.7, 1.0].map(move |y| (x, y))).collect()
}

fn with_first(first: Row, other: Row, n: usize) -> Vec<Row> {
    let mut rows = vec![other; n];
    rows[0] = first;
    rows
}

/// The largest log-ratio of densities over neighbours, surroundings and θ.
fn worst_log_ratio(law: &TrainingLaw, n: usize, lambda: f64) -> f64 {
    let mut worst = f64::NEG_INFINITY;
    for other in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-0.5, 0.3)] {
        for theta in (-60..=60).map(|i| 0.05 * f64::from(i) + 0.001) {
            let at = |row: Row| {
                let (b, jacobian) = noise_at(&with_first(row, other, n), lambda, theta);
                ln_density(law, b) + jacobian
            };
            let each: Vec<f64> = rows_to_try().into_iter().map(at).collect();
            let most = each.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let least = each.iter().copied().fold(f64::INFINITY, f64::min);
            worst = worst.max(most - least);
        }
    }
    worst
}

fn plan(rows: usize, lambda: f64, budget: Budget) -> Plan {
    let training =
        Training { loss: LossKind::Huber, lambda: Some(lambda), method: Method::Objective, budget };
    let facts = Facts { columns: None, ..Facts::of_matrix(rows, 1, 2) };
    training.plan(facts).unwrap()
}

#[test]
fn densities_of_neighbours_differ_by_epsilon_at_most_and_half_the_noise_is_caught() {
    for (n, lambda, epsilon) in [(3, 4.0, 1.0), (10, 1.0, 0.7), (4, 2.0, 3.0)] {
        let plan = plan(n, lambda, Budget::Pure { epsilon });
        let law = plan.chosen().law().clone();
        let worst = worst_log_ratio(&law, n, lambda);
        assert!(worst <= epsilon, "{worst} {epsilon}");
        let TrainingLaw::Round(Law::Spherical { scale }) = law else { panic!("one dimension") };
        let half = TrainingLaw::Round(Law::Spherical { scale: 0.5 * scale });
        assert!(worst_log_ratio(&half, n, lambda) > epsilon);
        // All of ε for the noise, nothing for the curvature.
        let free = TrainingLaw::Round(Law::Spherical { scale: 2.0 / epsilon });
        assert!(
            worst_log_ratio(&free, n, lambda) > epsilon,
            "{}",
            worst_log_ratio(&free, n, lambda)
        );
    }
}

/// D_α of the two laws of θ̃, by quadrature.
fn renyi(p: &[Row], q: &[Row], lambda: f64, sigma: f64, alpha: f64) -> f64 {
    let law = TrainingLaw::Round(Law::Gaussian { sigma });
    let reach = (12.0 * sigma + p.len() as f64) / (p.len() as f64 * lambda);
    let (steps, mut sum) = (20_000, 0.0);
    let step = 2.0 * reach / f64::from(steps);
    for i in 0..steps {
        let theta = -reach + (f64::from(i) + 0.5) * step;
        let ln = |rows: &[Row]| {
            let (b, jacobian) = noise_at(rows, lambda, theta);
            ln_density(&law, b) + jacobian - (sigma * std::f64::consts::TAU.sqrt()).ln()
        };
        sum += step * (alpha * ln(p) + (1.0 - alpha) * ln(q)).exp();
    }
    sum.ln() / (alpha - 1.0)
}

#[test]
fn divergences_stay_under_the_curve_and_half_the_noise_exceeds_it() {
    let (n, lambda, sigma) = (5, 1.0, 3.0);
    let t = LossKind::Huber.of_margin().bounds().curvature;
    let curvature = crate::train::objective::curvature_price(1, n, lambda, t);
    let mut caught = false;
    for other in [(1.0, 0.0), (1.0, 1.0), (0.0, 0.0)] {
        for (one, two) in
            [((1.0, 1.0), (1.0, -1.0)), ((1.0, 0.5), (-1.0, 0.5)), ((1.0, 0.0), (0.0, 0.0))]
        {
            for alpha in [1.2, 2.0, 8.0] {
                let (p, q) = (with_first(one, other, n), with_first(two, other, n));
                let claimed =
                    Curve::of(Term::GaussianResiduals { sigma, curvature }).epsilon(alpha);
                for (p, q) in [(&p, &q), (&q, &p)] {
                    assert!(renyi(p, q, lambda, sigma, alpha) <= claimed);
                    caught |= renyi(p, q, lambda, 0.5 * sigma, alpha) > claimed;
                }
            }
        }
    }
    assert!(caught, "half the noise was not caught");
}

#[test]
fn slopes_of_either_sign_take_a_little_more_noise() {
    let sigma = |loss| {
        let budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
        let training = Training { loss, lambda: Some(100.0), method: Method::Objective, budget };
        let plan = training.plan(Facts::of_matrix(1_000_000, 40, 40)).unwrap();
        let plan = plan.with_law(|law| matches!(law, TrainingLaw::Round(Law::Gaussian { .. })));
        let TrainingLaw::Round(Law::Gaussian { sigma }) = *plan.chosen().law() else { panic!() };
        sigma
    };
    let ratio = sigma(LossKind::Huber) / sigma(LossKind::Logistic);
    assert!((1.02..1.05).contains(&ratio), "{ratio}");
}

#[test]
fn a_plan_s_event_costs_what_the_plan_says() {
    let layout = layout();
    let budgets = [
        Budget::Pure { epsilon: 1.0 },
        Budget::Approximate { epsilon: 0.8, delta: 1e-6 },
        Budget::Zcdp { rho: 0.05 },
    ];
    for budget in budgets {
        for method in [Method::Objective, Method::Output] {
            let training = Training { loss: LossKind::Huber, lambda: None, method, budget };
            let plan = training.plan(facts(Facts::of_layout(5000, &layout), 2).unwrap()).unwrap();
            let candidates = 1 + plan.rejected().len();
            for index in 0..candidates {
                let law = std::iter::once(plan.chosen()).chain(plan.rejected()).nth(index).unwrap();
                let law = law.law().clone();
                let plan = plan.clone().with_law(|other| *other == law);
                let price = Spend::of(&plan.event()).unwrap().price(budget).unwrap();
                assert!(price.within(budget), "{budget} {:?}", plan.event());
                let text = serde_json::to_string(&plan.event()).unwrap();
                assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), plan.event());
            }
        }
    }
}

/// A constant, a number, the outcome and a category.
fn layout() -> Layout {
    Layout::new(Norm::Scale, 0.5, vec![0.5, 0.4], vec![(3, 0.5)]).unwrap()
}

fn table(rows: usize) -> Matrix {
    let mut matrix = Matrix::new(layout());
    let numeric = (0..rows).flat_map(|i| {
        let x = ((i * 37) % 101) as f32 / 50.0 - 1.0;
        let y = (0.6 * x + 0.3 * (((i * 53) % 89) as f32 / 44.0 - 1.0)).clamp(-1.0, 1.0);
        [0.5 * x, 0.4 * y]
    });
    let codes = (0..rows).map(|i| (i % 4) as u16).collect();
    matrix.push(Batch { numeric: numeric.collect(), codes, positive: vec![false; rows] });
    matrix
}

#[test]
fn sums_are_those_of_residuals() {
    let (rows, theta) = (table(300), [0.3, -0.8, 0.2, -0.1, 0.4]);
    let all = rows.all();
    let residuals = Residuals::new(&all, 2);
    assert_eq!(residuals.facts(), facts(Facts::of_layout(300, &layout()), 2).unwrap());
    assert_eq!(residuals.facts().dimension, theta.len());
    let value = |theta: &[f64]| {
        let sums = residuals.sums(loss(), theta, Order::Gradient).unwrap().into_inner();
        (sums.value, sums.gradient)
    };
    // By hand.
    let expected: f64 = (0..300)
        .map(|i| {
            let x = ((i * 37) % 101) as f32 / 50.0 - 1.0;
            let y = (0.6 * x + 0.3 * (((i * 53) % 89) as f32 / 44.0 - 1.0)).clamp(-1.0, 1.0);
            let category = [0.2, -0.1, 0.4, 0.0][i % 4];
            Huber::default().value(0.5 * (0.3 - 0.8 * f64::from(x) + category) - f64::from(y))
        })
        .sum::<f64>()
        / 300.0;
    let (found, gradient) = value(&theta);
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    let sums = residuals.sums(loss(), &theta, Order::Hessian).unwrap().into_inner();
    for j in 0..theta.len() {
        let (mut up, mut down) = (theta, theta);
        (up[j], down[j]) = (theta[j] + 1e-6, theta[j] - 1e-6);
        let ((above, slopes_above), (below, slopes_below)) = (value(&up), value(&down));
        assert!((gradient[j] - (above - below) / 2e-6).abs() < 1e-6);
        for i in j..theta.len() {
            // One row at its corner would change this by t/(2n).
            let secant = (slopes_above[i] - slopes_below[i]) / 2e-6;
            assert!((sums.hessian[i * theta.len() + j] - secant).abs() < 0.02, "{i} {j}");
        }
    }
}

/// 1,500 runs of the program: b, taken back from what was released, has its law. Kolmogorov's
/// distance exceeds 0.07 with a probability below 1e-6.
#[test]
fn what_leaves_has_the_law_that_is_stated() {
    const RUNS: usize = 1500;
    let layout = Layout::new(Norm::Scale, 0.99, vec![0.125], vec![]).unwrap();
    let rows: Vec<Row> =
        (0..6).map(|i| (f64::from(0.99f32), [1.0, -1.0, 0.5, 0.25, -0.125, 0.0][i])).collect();
    let mut matrix = Matrix::new(layout.clone());
    let numeric = rows.iter().map(|&(_, y)| 0.125 * y as f32).collect();
    matrix.push(Batch { numeric, codes: vec![], positive: vec![false; 6] });
    let lambda = 2.0;
    let budget = Budget::Pure { epsilon: 1.0 };
    let training =
        Training { loss: LossKind::Huber, lambda: Some(lambda), method: Method::Objective, budget };
    let plan = training.plan(facts(Facts::of_layout(6, &layout), 1).unwrap()).unwrap();
    let plan = plan.with_law(|law| matches!(law, TrainingLaw::Round(Law::Spherical { .. })));
    let TrainingLaw::Round(Law::Spherical { scale }) = *plan.chosen().law() else { panic!() };
    let mut source = Seeded::new(7);
    let mut found: Vec<f64> = (0..RUNS)
        .map(|_| {
            noise_at(&rows, lambda, plan.fit_outcome(&matrix.all(), 1, &mut source).unwrap()[0]).0
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let cdf =
        |b: f64| if b < 0.0 { 0.5 * (b / scale).exp() } else { 1.0 - 0.5 * (-b / scale).exp() };
    let distance = found
        .iter()
        .enumerate()
        .map(|(i, &b)| {
            (cdf(b) - i as f64 / RUNS as f64)
                .abs()
                .max((cdf(b) - (i + 1) as f64 / RUNS as f64).abs())
        })
        .fold(0.0, f64::max);
    assert!(distance < 0.07, "{distance}");
}
