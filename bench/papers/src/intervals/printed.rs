//! The paper's intervals with its constants as printed: **an experiment, not private**.
//!
//! Algorithm 2 in ordinary floating point: the L₂ sensitivities 2t/n and 2S²/n, noise on all d × d
//! entries, then the mean with the transpose, and both matrices' eigenvalues at least 2c = λ. The
//! law of the intervals is integrated as ours is, where the paper draws 10,000 times from it.

use super::setting::{Guarantee, LAMBDA, Setting};
use crate::Failure;
use discretion::erm::{AskOracle, Oracle, Order};
use discretion::interval::Evidence;
use discretion::loss::{Loss, LossKind};
use discretion::noise::{BigFloat, Seeded};
use discretion::train::Plan;
use faer::{Mat, Side};
use serde_json::json;

/// The matrices behind the intervals at θ̃, as the paper would release them.
pub fn evidence(
    table: &dyn Oracle,
    training: &Plan,
    theta: &[f64],
    setting: &Setting,
    source: &mut Seeded,
) -> Result<Evidence, Failure> {
    let (n, d, loss) = (table.facts().rows as f64, theta.len(), training.loss());
    let [_, for_hessian, for_covariance] = setting.parts();
    let length = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let steepest = match loss {
        LossKind::Logistic => 1.0 / (1.0 + (-length).exp()),
        LossKind::Hinge | LossKind::HingeOver(_) | LossKind::Huber => 1.0,
    };
    let noisy = |exact: Mat<f64>, sensitivity: f64, budget: f64, source: &mut Seeded| {
        let noise = square_noise(setting.guarantee, sensitivity, budget, d, source);
        Mat::from_fn(d, d, |i, j| exact[(i, j)] + 0.5 * (noise[i * d + j] + noise[j * d + i]))
    };
    let t = loss.of_margin().bounds().curvature;
    let hessian =
        noisy(second_moment(table, loss.loss(), theta)?, 2.0 * t / n, for_hessian, source);
    let squared = second_moment(table, &SquaredSlope(loss.loss()), theta)?;
    let pull = |i: usize, j: usize| LAMBDA * LAMBDA * theta[i] * theta[j];
    let centred = Mat::from_fn(d, d, |i, j| squared[(i, j)] - pull(i, j));
    let covariance = noisy(centred, 2.0 * steepest * steepest / n, for_covariance, source);
    let covariance = floored(&covariance, LAMBDA)?;

    // Evidence keeps the matrices without λ; what is made of it adds λ to a Hessian floored at 0,
    // which is the paper's floor of 2c, and subtracts what is added here.
    let lower = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..d).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect()
    };
    let chosen = training.chosen();
    let written = json!({
        "rows": table.facts().rows,
        "dimension": d,
        "lambda": LAMBDA,
        "mechanism": chosen.mechanism(),
        "noise": chosen.law(),
        "mask_deviation": chosen.gate().mask_deviation(),
        "hessian": lower(&|i, j| hessian[(i, j)]),
        "covariance": lower(&|i, j| covariance[(i, j)] + pull(i, j)),
    });
    serde_json::from_value(written).map_err(|error| Failure(error.to_string()))
}

/// (1/n)Σ w x xᵀ, w being the loss's curvature.
fn second_moment(table: &dyn Oracle, loss: &dyn Loss, theta: &[f64]) -> Result<Mat<f64>, Failure> {
    let sums =
        table.sums(loss, theta, Order::Hessian).map_err(|error| Failure(error.to_string()))?;
    let (lower, d) = (sums.not_private().into_inner().hessian, theta.len());
    Ok(Mat::from_fn(d, d, |i, j| lower[i.max(j) * d + i.min(j)]))
}

/// d² numbers: spherical of scale sensitivity/ε, or normal of variance sensitivity²/(2ρ).
fn square_noise(
    guarantee: Guarantee,
    sensitivity: f64,
    budget: f64,
    dimension: usize,
    source: &mut Seeded,
) -> Vec<f64> {
    let count = dimension * dimension;
    let normals: Vec<f64> = (0..count).map(|_| normal(source)).collect();
    let factor = match guarantee {
        Guarantee::Zcdp => sensitivity / (2.0 * budget).sqrt(),
        Guarantee::Pure => {
            let length = normals.iter().map(|x| x * x).sum::<f64>().sqrt();
            let radius: f64 = (0..count).map(|_| -source.unit().ln()).sum();
            sensitivity / budget * radius / length
        }
    };
    normals.into_iter().map(|x| factor * x).collect()
}

fn normal(source: &mut Seeded) -> f64 {
    (-2.0 * source.unit().ln()).sqrt() * (std::f64::consts::TAU * source.unit()).cos()
}

/// The matrix with its eigenvalues at least `least`.
fn floored(matrix: &Mat<f64>, least: f64) -> Result<Mat<f64>, Failure> {
    let eigen = matrix
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| Failure("a matrix as printed has no eigenvalues".to_owned()))?;
    let (vectors, values) = (eigen.U(), eigen.S().column_vector());
    let d = matrix.nrows();
    let scaled = Mat::from_fn(d, d, |i, k| vectors[(i, k)] * values[k].max(least));
    Ok(&scaled * vectors.transpose())
}

/// A loss whose "curvature" is f′², so that an oracle's Hessian is the second moment of gradients.
struct SquaredSlope(&'static dyn Loss);

impl Loss for SquaredSlope {
    fn value(&self, margin: f64) -> f64 {
        self.0.value(margin)
    }

    fn slope(&self, margin: f64) -> f64 {
        self.0.slope(margin)
    }

    fn curvature(&self, margin: f64) -> f64 {
        self.0.slope(margin).powi(2)
    }

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        self.0.big_slope(margin)
    }
}
