//! The linear function of the coefficients that tells one combination of the ordinary coefficients
//! best, if the penalty is taken away and every ordinary coefficient may be as large as declared
//! (`../PROOF.md`, "The best linear estimate").

use super::super::IntervalError;
use faer::linalg::solvers::Solve;
use faer::{Col, Mat, Side};

/// Rounds of reweighting. The best of all rounds is taken, so any number is honest.
const ROUNDS: usize = 30;

/// More coefficients than this are estimated by undoing a part of the penalty alone: a round takes
/// as long as the inverse of a matrix, for every effect.
const WIDEST: usize = 128;

/// The shares of the penalty that may be left.
const LEFT: [f64; 6] = [1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125];

/// Of what is given back, so much may be wrong, as the curvature is not known exactly.
const DOUBT: f64 = 0.1;

/// What estimates are made of.
pub(in crate::interval) struct Known<'k> {
    /// A, the mean curvature, and (A + λI)⁻¹.
    pub(in crate::interval) curvature: &'k Mat<f64>,
    pub(in crate::interval) inverse: &'k Mat<f64>,
    pub(in crate::interval) lambda: f64,
    /// The variance of the mean gradient: sampling and noise.
    pub(in crate::interval) gradient: &'k Mat<f64>,
    /// How large each ordinary coefficient can be.
    pub(in crate::interval) largest: &'k [f64],
    pub(in crate::interval) theta: &'k [f64],
    /// The way of the step that led there, if one did.
    pub(in crate::interval) way: Option<&'k [f64]>,
}

/// u with u·θ̃ the estimate of a combination, and the most by which its mean can be wrong.
pub(in crate::interval) struct Estimator {
    pub(in crate::interval) weights: Vec<f64>,
    pub(in crate::interval) bias: f64,
}

impl Known<'_> {
    /// The estimator whose interval is shortest of those that were looked at, if noise is normal.
    pub(in crate::interval) fn best(&self, wanted: &[f64]) -> Result<Estimator, IntervalError> {
        let d = wanted.len();
        let w = Col::from_fn(d, |i| wanted[i]);
        let mut best = self.judged(&w, &(self.inverse * &w))?;
        let mut try_pull = |pull: &Col<f64>| -> Result<Judged, IntervalError> {
            let judged = self.judged(&w, pull)?;
            if judged.half_width < best.half_width {
                best = judged.clone();
            }
            Ok(judged)
        };
        let mut now = None;
        for left in LEFT {
            let penalised = self.plus(|i, j| if i == j { left * self.lambda } else { 0.0 });
            now = Some(try_pull(&solved(&penalised, &w)?)?);
        }
        let mut now = now.expect("there are shares");
        let rounds = if d <= WIDEST { ROUNDS } else { 0 };
        for _ in 0..rounds {
            // v'Qv + 2qΣM|Av − w|, with the absolute values as squares around where they are.
            let least = 1e-5 * wanted.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            let weight = |j: usize| now.price * self.largest[j] / now.off[j].abs().max(least);
            let weighted = Mat::from_fn(d, d, |i, j| self.curvature[(i, j)] * weight(j));
            let system = self.gradient + &weighted * self.curvature;
            now = try_pull(&solved(&system, &(&weighted * &w))?)?;
        }
        let Judged { pull, bias, .. } = best;
        let weights = self.curvature * &pull + pull * faer::Scale(self.lambda);
        Ok(Estimator { weights: weights.iter().copied().collect(), bias })
    }

    fn plus(&self, more: impl Fn(usize, usize) -> f64) -> Mat<f64> {
        let d = self.largest.len();
        Mat::from_fn(d, d, |i, j| self.curvature[(i, j)] + more(i, j))
    }

    /// What an estimate v·(A + λI)θ̃ is worth. Its mean is v·Aθ*.
    fn judged(&self, wanted: &Col<f64>, pull: &Col<f64>) -> Result<Judged, IntervalError> {
        let off = self.curvature * pull - wanted;
        let variance = pull.transpose() * (self.gradient * pull);
        let deviation = variance.max(f64::MIN_POSITIVE).sqrt();
        let declared: f64 = off.iter().zip(self.largest).map(|(off, most)| off.abs() * most).sum();
        // (A + λI)v − w is what the estimate takes of θ̃ besides w·θ̃.
        let given_back: f64 = off
            .iter()
            .zip(pull.iter())
            .zip(self.theta)
            .map(|((off, pull), theta)| (off + self.lambda * pull) * theta)
            .sum();
        // Of a step's way from θ̃, v·A times the way.
        let stepped = self.way.map_or(0.0, |way| {
            let bent = off.iter().zip(wanted.iter()).zip(way);
            bent.map(|((off, wanted), way)| (off + wanted) * way).sum::<f64>()
        });
        let bias = declared + DOUBT * (given_back + stepped).abs();
        let Folded { half_width, slope } = folded(bias / deviation);
        // By how much a little more bias is as long as a little more variance.
        let price = deviation
            * (slope / (half_width - bias / deviation * slope).max(1e-3)).clamp(0.02, 2.0);
        let half_width = half_width * deviation;
        match half_width.is_finite() {
            true => Ok(Judged { pull: pull.clone(), off, bias, half_width, price }),
            false => Err(IntervalError::Evidence("the rows' moments have no inverse")),
        }
    }
}

#[derive(Clone)]
struct Judged {
    pull: Col<f64>,
    /// Av − w.
    off: Col<f64>,
    bias: f64,
    half_width: f64,
    price: f64,
}

fn solved(matrix: &Mat<f64>, right: &Col<f64>) -> Result<Col<f64>, IntervalError> {
    let damaged = |_| IntervalError::Evidence("the rows' moments have no inverse");
    Ok(matrix.llt(Side::Lower).map_err(damaged)?.solve(right))
}

/// The x that |N(t, 1)| exceeds with probability 0.05, and how fast it grows with t.
struct Folded {
    half_width: f64,
    slope: f64,
}

fn folded(t: f64) -> Folded {
    let above = |x: f64| 0.5 * libm::erfc(x / std::f64::consts::SQRT_2);
    let (mut low, mut high) = (t.max(1.6), t + 2.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let beyond = above(middle - t) + above(middle + t);
        if beyond > 0.05 { low = middle } else { high = middle }
    }
    let density = |x: f64| (-0.5 * x * x).exp();
    let (near, far) = (density(high - t), density(high + t));
    Folded { half_width: high, slope: (near - far) / (near + far) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1.96 without bias, and t + 1.645 with much.
    #[test]
    fn a_folded_normal_has_its_quantile() {
        assert!((folded(0.0).half_width - 1.959_964).abs() < 1e-5);
        assert!((folded(6.0).half_width - 7.644_854).abs() < 1e-5);
        let slope = (folded(0.51).half_width - folded(0.49).half_width) / 0.02;
        assert!((slope - folded(0.5).slope).abs() < 1e-3, "{slope}");
    }
}
