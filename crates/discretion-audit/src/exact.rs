//! The verdict without sampling, where both sides' probabilities can be written down: sums over
//! outcomes, or a grid in one or two dimensions.
//!
//! A pure claim is compared with the largest log-ratio on the grid; a claim with δ with the
//! hockey-stick divergence, summed over it. A grid can miss what happens between its points, so
//! "consistent" is as fine as the grid; a violation is one.

use super::{Claim, Verdict};
use discretion_linear::loss::Loss;
use discretion_privacy::noise::Law;
use serde::Serialize;
use std::f64::consts::PI;

/// The logarithm of a density or probability.
pub type LnDensity<T> = Box<dyn Fn(T) -> f64 + Send + Sync>;

/// Points of a line's grid on each side of its middle.
const HALF_LINE: i32 = 100_000;
/// The same for each direction of a plane's.
const HALF_PLANE: i32 = 500;

/// Both sides' laws, point by point.
#[derive(Clone, Debug)]
pub struct Exact {
    /// The logarithms of both densities.
    points: Vec<[f64; 2]>,
    /// What a density is multiplied by to be the probability of its cell.
    cell: f64,
}

/// What the exact laws say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExactFinding {
    /// What was claimed.
    pub claim: Claim,
    /// The smallest ε at the claim's δ.
    pub epsilon: f64,
    /// The smallest δ at the claim's ε.
    pub delta: f64,
    /// How many points were looked at.
    pub points: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// How far above the claim a computed ε counts as rounding, relatively.
const ROUNDING: f64 = 1e-9;

impl Exact {
    /// Two laws over the same outcomes.
    pub fn outcomes(left: Vec<f64>, right: Vec<f64>) -> Exact {
        assert_eq!(left.len(), right.len(), "one probability for each outcome");
        let points = left.into_iter().zip(right).map(|(p, q)| [p.ln(), q.ln()]).collect();
        Exact { points, cell: 1.0 }
    }

    /// Two densities on [−reach, reach].
    pub fn line(left: LnDensity<f64>, right: LnDensity<f64>, reach: f64) -> Exact {
        let step = reach / f64::from(HALF_LINE);
        let at = |k: i32| f64::from(k) * step;
        Exact {
            points: (-HALF_LINE..=HALF_LINE).map(|k| [left(at(k)), right(at(k))]).collect(),
            cell: step,
        }
    }

    /// Two densities on the square [−reach, reach]².
    pub fn plane(left: LnDensity<[f64; 2]>, right: LnDensity<[f64; 2]>, reach: f64) -> Exact {
        let step = reach / f64::from(HALF_PLANE);
        let line = || (-HALF_PLANE..=HALF_PLANE).map(|k| f64::from(k) * step);
        let points = line()
            .flat_map(|x| line().map(move |y| [x, y]))
            .map(|at| [left(at), right(at)])
            .collect();
        Exact { points, cell: step * step }
    }

    /// Two independent whole numbers with the law `ln_law`, moved by `moved[side]`, up to `reach`
    /// from 0.
    pub fn lattice(ln_law: impl Fn(i64) -> f64, moved: [[i64; 2]; 2], reach: i64) -> Exact {
        let ln =
            |side: usize, [x, y]: [i64; 2]| ln_law(x - moved[side][0]) + ln_law(y - moved[side][1]);
        let points = (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| [x, y]));
        Exact { points: points.map(|at| [ln(0, at), ln(1, at)]).collect(), cell: 1.0 }
    }

    /// The smallest δ at ε.
    pub fn delta(&self, epsilon: f64) -> f64 {
        self.hockey_stick(&self.densities(), epsilon)
    }

    fn densities(&self) -> Vec<[f64; 2]> {
        self.points.iter().map(|point| point.map(f64::exp)).collect()
    }

    /// The larger of the two hockey-stick divergences.
    fn hockey_stick(&self, densities: &[[f64; 2]], epsilon: f64) -> f64 {
        let factor = epsilon.exp();
        let mut sums = [0.0, 0.0];
        for [p, q] in densities {
            sums[0] += (p - factor * q).max(0.0);
            sums[1] += (q - factor * p).max(0.0);
        }
        (sums[0].max(sums[1]) * self.cell).min(1.0)
    }

    /// The smallest ε at δ.
    pub fn epsilon(&self, delta: f64) -> f64 {
        // Where neither has any probability there is nothing to compare.
        let seen = self.points.iter().filter(|[p, q]| p.is_finite() || q.is_finite());
        let largest = seen.map(|[p, q]| (p - q).abs()).fold(0.0, f64::max);
        if delta == 0.0 || largest == 0.0 {
            return largest;
        }
        let (mut low, mut high) = (0.0, largest.min(700.0));
        let densities = self.densities();
        let is_too_much = |epsilon: f64| self.hockey_stick(&densities, epsilon) > delta;
        if is_too_much(high) {
            return largest;
        }
        if !is_too_much(0.0) {
            return 0.0;
        }
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if is_too_much(middle) { low = middle } else { high = middle }
        }
        high
    }

    /// Compares a claim with the laws.
    pub fn finding(&self, claim: Claim) -> ExactFinding {
        let epsilon = self.epsilon(claim.delta);
        let is_more = epsilon > claim.epsilon * (1.0 + ROUNDING);
        ExactFinding {
            claim,
            epsilon,
            delta: self.delta(claim.epsilon),
            points: self.points.len(),
            verdict: if is_more { Verdict::Violated } else { Verdict::Consistent },
        }
    }
}

/// The law of a whole number z with probability ∝ e^{−|z|/scale}.
pub fn discrete_laplace(scale: f64) -> impl Fn(i64) -> f64 {
    let ratio = (-1.0 / scale).exp();
    let ln_front = ((1.0 - ratio) / (1.0 + ratio)).ln();
    move |z| ln_front - z.unsigned_abs() as f64 / scale
}

/// The density of noise in one dimension.
fn ln_noise(law: Law, b: f64) -> f64 {
    match law {
        Law::Spherical { scale } => -b.abs() / scale - (2.0 * scale).ln(),
        Law::Gaussian { sigma } => -0.5 * (b / sigma).powi(2) - sigma.ln() - 0.5 * (2.0 * PI).ln(),
    }
}

/// Output perturbation in one dimension.
pub fn output_density(minimiser: f64, law: Law) -> LnDensity<f64> {
    Box::new(move |theta| ln_noise(law, theta - minimiser))
}

/// Objective perturbation in one dimension, for rows w = yx: θ ↦ b is a bijection, so the density
/// of θ̃ is that of b times the derivative of b.
pub fn objective_density(
    rows: Vec<f64>,
    loss: &'static dyn Loss,
    lambda: f64,
    law: Law,
) -> LnDensity<f64> {
    let strength = rows.len() as f64 * lambda;
    Box::new(move |theta| {
        let (mut b, mut derivative) = (-strength * theta, strength);
        for w in &rows {
            b -= loss.slope(w * theta) * w;
            derivative += loss.curvature(w * theta) * w * w;
        }
        ln_noise(law, b) + derivative.ln()
    })
}

/// The probability that candidate i minimises aᵢ − Xᵢ, the Xᵢ independent standard exponentials,
/// for each i.
///
/// P = ∫ e^{−x} Πⱼ (1 − e^{−(x − aᵢ + aⱼ)})₊ dx over x beyond all aᵢ − aⱼ; the product is
/// multiplied out, so this is for few candidates.
pub fn noisy_least(penalties: &[f64]) -> Vec<f64> {
    assert!(penalties.len() <= 16, "2^k terms");
    let one = |i: usize| {
        let behind: Vec<f64> =
            (0..penalties.len()).filter(|&j| j != i).map(|j| penalties[i] - penalties[j]).collect();
        let start = behind.iter().copied().fold(0.0, f64::max);
        let term = |set: u32| {
            let chosen = || (0..behind.len()).filter(move |j| set >> j & 1 == 1);
            let order = 1.0 + f64::from(set.count_ones());
            let size = (chosen().map(|j| behind[j]).sum::<f64>() - order * start).exp() / order;
            if set.count_ones().is_multiple_of(2) { size } else { -size }
        };
        (0..1u32 << behind.len()).map(term).sum()
    };
    (0..penalties.len()).map(one).collect()
}
