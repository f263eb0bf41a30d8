//! Exact densities on a grid. θ ↦ b is a bijection, so the density of θ̃ is that of b times a
//! Jacobian, and both can be written down in one and two dimensions. No sampling, except in the
//! last test.

mod gaussian;
mod joint;
mod persons;
mod profile;
mod shaped;

use super::*;
use crate::erm::Oracle;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::loss::{Loss, LossKind};
use crate::train::{Method, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::Receipt;

/// A row y·x; in one dimension the second entry is 0.
type Row = [f64; 2];

/// b(θ) = −Σ f′(w·θ) w − nλθ and ln |det ∂b/∂θ|.
fn noise_at(
    rows: &[Row],
    loss: &dyn Loss,
    lambda: f64,
    dimension: usize,
    theta: Row,
) -> (Row, f64) {
    let n = rows.len() as f64;
    let mut b = [-n * lambda * theta[0], -n * lambda * theta[1]];
    let mut h = [n * lambda, 0.0, n * lambda];
    for w in rows {
        let m = w[0] * theta[0] + w[1] * theta[1];
        let (slope, curvature) = (loss.slope(m), loss.curvature(m));
        b[0] -= slope * w[0];
        b[1] -= slope * w[1];
        h[0] += curvature * w[0] * w[0];
        h[1] += curvature * w[0] * w[1];
        h[2] += curvature * w[1] * w[1];
    }
    let determinant = if dimension == 1 { h[0] } else { h[0] * h[2] - h[1] * h[1] };
    (b, determinant.ln())
}

fn ln_density(law: Law, b: Row) -> f64 {
    match law {
        Law::Spherical { scale } => -b[0].hypot(b[1]) / scale,
        Law::Gaussian { sigma } => -0.5 * (b[0] * b[0] + b[1] * b[1]) / (sigma * sigma),
    }
}

/// Rows in the unit ball: on a line, on circles, or with a fixed intercept as first entry.
fn rows_to_try(dimension: usize, intercept: bool) -> Vec<Row> {
    match (dimension, intercept) {
        // The encoder's intercept with a label, alone.
        (1, true) => vec![[1.0, 0.0], [-1.0, 0.0]],
        (1, false) => (-10..=10).map(|k| [f64::from(k) / 10.0, 0.0]).collect(),
        (_, true) => {
            let c: f64 = 0.25;
            let rest = (1.0 - c * c).sqrt();
            [-1.0, -0.3, 0.0, 0.3, 1.0]
                .iter()
                .flat_map(|v| [[c, v * rest], [-c, -v * rest]])
                .collect()
        }
        (_, false) => {
            let circle = |radius: f64| {
                (0..24).map(move |k| {
                    let angle = f64::from(k) * std::f64::consts::PI / 12.0 + 0.05;
                    [radius * angle.cos(), radius * angle.sin()]
                })
            };
            circle(1.0).chain(circle(0.6)).collect()
        }
    }
}

fn thetas(dimension: usize) -> Vec<Row> {
    let line: Vec<f64> = [0.0, 0.2, 0.45, 0.7, 1.0, 1.5, 2.5, 4.0, 7.0, 12.0, 30.0, 100.0]
        .iter()
        .flat_map(|&t| [t, -t])
        .collect();
    if dimension == 1 {
        (-400..=400)
            .map(|k| [f64::from(k) * 0.025, 0.0])
            .chain(line.into_iter().map(|t| [t, 0.0]))
            .collect()
    } else {
        line.iter().flat_map(|&a| line.iter().map(move |&b| [a, b])).collect()
    }
}

/// The largest log-ratio of densities over neighbours, surroundings and θ.
fn worst_log_ratio(
    law: Law,
    loss: &dyn Loss,
    n: usize,
    lambda: f64,
    dimension: usize,
    intercept: bool,
) -> f64 {
    let choices = rows_to_try(dimension, intercept);
    let grid = thetas(dimension);
    let mut worst = f64::NEG_INFINITY;
    // The other n − 1 rows: nothing (zero rows), or all alike, which lines b up with the change.
    let mut surroundings = vec![[0.0, 0.0]];
    surroundings.extend(choices.iter().step_by(choices.len().div_ceil(8)));
    for other in surroundings {
        // b and the Jacobian of every single replaced row, once.
        let at: Vec<Vec<f64>> = choices
            .iter()
            .map(|&row| {
                let mut rows = vec![other; n];
                rows[0] = row;
                grid.iter()
                    .map(|&theta| {
                        let (b, ln_jacobian) = noise_at(&rows, loss, lambda, dimension, theta);
                        ln_density(law, b) + ln_jacobian
                    })
                    .collect()
            })
            .collect();
        for p in &at {
            for q in &at {
                for (p, q) in p.iter().zip(q) {
                    worst = worst.max(p - q);
                }
            }
        }
    }
    worst
}

#[test]
fn spherical_noise_keeps_every_density_ratio_within_epsilon_and_half_of_it_does_not() {
    for kind in [LossKind::Logistic, LossKind::Hinge] {
        let loss = kind.loss();
        let t = kind.of_margin().bounds().curvature;
        for (dimension, intercept) in [(1, false), (1, true), (2, false), (2, true)] {
            let mut half_noise_caught = false;
            for (n, lambda) in [(1, 2.0), (3, 0.5), (10, 0.05), (20, 5.0)] {
                for epsilon in [0.3, 1.0, 4.0] {
                    let Some(law) = spherical(curvature_price(1, n, lambda, t), Pure { epsilon })
                    else {
                        assert!(lambda <= smallest_lambda(1, n, t, Pure { epsilon }));
                        continue;
                    };
                    let Law::Spherical { scale } = law else {
                        unreachable!("spherical() is spherical")
                    };
                    let worst = worst_log_ratio(law, loss, n, lambda, dimension, intercept);
                    assert!(
                        worst <= epsilon,
                        "{kind:?} d={dimension} n={n} λ={lambda} ε={epsilon}: {worst}"
                    );
                    let half = Law::Spherical { scale: 0.5 * scale };
                    half_noise_caught |=
                        worst_log_ratio(half, loss, n, lambda, dimension, intercept) > epsilon;
                }
            }
            // With the intercept alone, logistic rows ±1 have slopes that sum to 1, not 2: the
            // bound has a factor 2 to spare there and half the noise is in fact enough.
            let spare = kind == LossKind::Logistic && dimension == 1 && intercept;
            assert!(
                half_noise_caught || spare,
                "{kind:?} d={dimension} intercept={intercept}: not caught"
            );
        }
    }
}

/// Without the curvature term the ratio exceeds ε; with it, it does not.
#[test]
fn forgetting_the_curvature_is_caught() {
    let (n, lambda, epsilon) = (3, 0.2, 2.0);
    let (kind, loss) = (LossKind::Hinge, LossKind::Hinge.loss());
    let curvature = curvature_price(1, n, lambda, kind.of_margin().bounds().curvature);
    let law = spherical(curvature, Pure { epsilon }).unwrap();
    assert!(worst_log_ratio(law, loss, n, lambda, 2, false) <= epsilon);
    let forgetful = Law::Spherical { scale: SENSITIVITY / epsilon };
    assert!(worst_log_ratio(forgetful, loss, n, lambda, 2, false) > epsilon);
}

/// The program itself, noise from the operating system through solver and gate, against the exact
/// law of θ̃. False-alarm rate 1e-6 per case (Dvoretzky–Kiefer–Wolfowitz; the mask adds 0.1 % of
/// the noise at most).
#[test]
fn the_program_s_output_has_the_density_that_the_proof_is_about() {
    for (kind, n, positives, lambda, epsilon) in
        [(LossKind::Logistic, 12, 9, 0.3, 1.0), (LossKind::Hinge, 5, 1, 1.5, 2.0)]
    {
        let mut matrix = Matrix::new(Layout::new(Norm::Scale, 1.0, vec![], vec![]).unwrap());
        matrix
            .push(Batch { positive: (0..n).map(|i| i < positives).collect(), ..Batch::default() });
        let rows: Vec<Row> =
            (0..n).map(|i| [if i < positives { 1.0 } else { -1.0 }, 0.0]).collect();
        let training = Training {
            loss: kind,
            lambda: Some(lambda),
            method: Method::Objective,
            budget: Budget::Pure { epsilon },
        };
        let plan = training.plan(matrix.all().facts()).unwrap();
        let t = kind.of_margin().bounds().curvature;
        let expected = epsilon * 0.999 - (t / (f64::from(n) * lambda)).ln_1p();
        let runs = 4000;
        let mut sample: Vec<f64> = (0..runs)
            .map(|_| plan.fit(&matrix.all(), Receipt::nobody_remembers().noise()).unwrap()[0])
            .collect();
        sample.sort_by(f64::total_cmp);
        let limit = ((2.0f64 / 1e-6).ln() / (2.0 * f64::from(runs))).sqrt() + 1e-3;
        for (i, &theta) in sample.iter().enumerate() {
            // θ falls as b rises, and b is Laplace of scale 2/ε′ in one dimension.
            let (b, _) = noise_at(&rows, kind.loss(), lambda, 1, [theta, 0.0]);
            let tail = 0.5 * (-b[0].abs() * expected / 2.0).exp();
            let cdf = if b[0] > 0.0 { tail } else { 1.0 - tail };
            let gap = (cdf - (i as f64 + 0.5) / f64::from(runs)).abs();
            assert!(gap < limit, "{kind:?}: distance {gap} from the exact law at θ = {theta}");
        }
    }
}
