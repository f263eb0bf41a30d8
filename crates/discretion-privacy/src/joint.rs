//! The price of a row's slope and curvature together, for losses whose curvature is at most
//! a(1 − a) where their slope is −a. Λ stands for nλ. `train/objective/PROOF.md`, "Slope and
//! curvature together", proves every line.

use crate::{Pure, ROUNDING_SLACK, Unit, normal_cdf};
use std::f64::consts::PI;
use std::sync::LazyLock;

/// What noise in an objective costs if the slope of a row decides its largest curvature, as it does
/// for the logistic loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPrice {
    /// Λ.
    strength: f64,
    /// The largest rank of one unit's part of the Hessian.
    rank: usize,
    unit: Unit,
}

/// Cells on each side of 0 in which [`JointPrice::ln_moment`] replaces the loss by its chord.
const CELLS: usize = 8;

/// What is this share of a sum is bounded together.
const NEGLIGIBLE: f64 = 1e-12;

impl JointPrice {
    /// Returns the price for a number of units, rows or persons, and λ.
    pub fn new(unit: Unit, dimension: usize, units: usize, lambda: f64) -> JointPrice {
        JointPrice { strength: units as f64 * lambda, rank: unit.curvature_rank(dimension), unit }
    }

    /// Returns Λ and the rank: with the unit, all that a price depends on.
    pub(crate) fn key(&self) -> [u64; 3] {
        [self.strength.to_bits(), self.rank as u64, u64::from(self.unit.is_row())]
    }

    /// Returns the ε, rounded up, of noise with density ∝ e^{−ε′g(b)}, where g is a norm that is at
    /// most ½ at every row (Theorem 4): F(ε′) = ε′/2 + max_a [aε′/2 + k·ln(1 + a(1 − a)/(kΛ))].
    pub fn epsilon(&self, noise: f64) -> f64 {
        let (half, rank) = (0.5 * noise, self.rank as f64);
        let slope = self.worst_slope(half);
        let curvature = rank * (slope * (1.0 - slope) / (rank * self.strength)).ln_1p();
        (half + half * slope + curvature) * (1.0 + ROUNDING_SLACK)
    }

    /// The a in [0, 1] where a·half + k·ln(1 + a(1 − a)/(kΛ)) is largest: the positive root of
    /// half·a² − (half − 2k)a − k(half·Λ + 1), or 1 if it is larger.
    fn worst_slope(&self, half: f64) -> f64 {
        if half * self.strength >= 1.0 {
            return 1.0;
        }
        let rank = self.rank as f64;
        let (linear, constant) = (half - 2.0 * rank, rank * (half * self.strength + 1.0));
        let root = linear.hypot(2.0 * (half * constant).sqrt());
        // Two forms of one root: each adds numbers of one sign.
        let slope = if linear < 0.0 {
            2.0 * constant / (root - linear)
        } else {
            (root + linear) / (2.0 * half)
        };
        slope.min(1.0)
    }

    /// Returns the ε′ of the noise that a pure budget pays for, rounded down; nothing if λ is so
    /// small that curvature alone costs the budget.
    pub fn left_for_noise(&self, budget: Pure) -> Option<f64> {
        let most = budget.epsilon * (1.0 - ROUNDING_SLACK);
        let is_within = |noise: f64| self.epsilon(noise) <= most;
        let (mut low, mut high) = (0.0, most * (1.0 - 2.0 * ROUNDING_SLACK));
        if is_within(high) {
            return Some(high);
        }
        while high - low > 1e-13 * high && high > 1e-12 * most {
            let middle = 0.5 * (low + high);
            if is_within(middle) { low = middle } else { high = middle }
        }
        (low > 0.0).then_some(low)
    }

    /// Returns W(u) = ψ(u) + u⁺, rounded up: a bound on the privacy loss where the noise says u
    /// (Theorem 5). ψ(u) = u⁺ + ψ(−|u|).
    fn loss(&self, u: f64) -> f64 {
        2.0 * u.max(0.0) + self.flat_loss(u.abs())
    }

    /// Returns ψ(−x) for x ≥ 0, rounded up; 0 from 1/Λ on.
    fn flat_loss(&self, x: f64) -> f64 {
        let strength = self.strength;
        let short = 1.0 - x * strength + f64::EPSILON;
        // An infinite Λ has no curvature, at 0 neither.
        if short <= 0.0 || short.is_nan() {
            return 0.0;
        }
        let (gain, spent) = match self.unit {
            Unit::Row => {
                let root = 2f64.hypot(x * (1.0 + 4.0 * strength).sqrt());
                let slope = 2.0 * short / (2.0 + x + root);
                ((slope * (1.0 - slope) / strength).ln_1p(), slope * x)
            }
            Unit::Person => (0.25 * short * short / strength, 0.0),
        };
        (gain - spent).max(0.0) + 8.0 * f64::EPSILON * (gain + spent)
    }

    /// Returns E φ(W), rounded up, for normal noise of deviation `sigma` and a convex φ ≥ 0 that
    /// does not fall and rises by 1 for each 1 at most.
    pub(crate) fn mean(&self, sigma: f64, convex: impl Fn(f64) -> f64) -> f64 {
        let (mean, deviation) = shift_of(sigma);
        let value = |point: &Point| convex(self.loss(mean + deviation * point.z));
        let (below, above) = GRID.split_at(GRID.len() - GRID_ABOVE);
        let mut sum = 0.0;
        for (i, point) in above.iter().enumerate() {
            let value = value(point);
            sum += value * point.weight;
            // W rises by 2 for each 1.
            let rest = value * point.beyond + 2.0 * deviation * point.excess;
            if rest <= NEGLIGIBLE * sum || i + 1 == GRID_ABOVE {
                sum += rest;
                break;
            }
        }
        for (point, opposite) in below.iter().rev().zip(&above[1..]) {
            let value = value(point);
            sum += value * point.weight;
            let rest = value * opposite.beyond;
            if rest <= NEGLIGIBLE * sum {
                sum += rest;
                break;
            }
        }
        sum
    }

    /// Returns ln E e^{(α − 1)W}, rounded up, for normal noise of deviation `sigma`: W is replaced
    /// by its chords between −1/Λ and 1/Λ.
    pub(crate) fn ln_moment(&self, sigma: f64, alpha: f64) -> f64 {
        let (k, (mean, deviation)) = (alpha - 1.0, shift_of(sigma));
        let z = |u: f64| (u - mean) / deviation;
        let corner = 1.0 / self.strength;
        let none = Scaled { ln: 0.0, factor: normal_cdf(z(-corner)) };
        let both = {
            let tilt = 2.0 * k * deviation;
            let from = z(corner) - tilt;
            if from < 0.0 {
                Scaled {
                    ln: 2.0 * k * (mean + k * deviation * deviation),
                    factor: normal_cdf(-from),
                }
            } else {
                let ln = 2.0 * k * corner - 0.5 * z(corner).powi(2);
                Scaled { ln, factor: mills(from) / (2.0 * PI).sqrt() }
            }
        };
        let mut sum = Vec::with_capacity(2 + 2 * CELLS);
        sum.extend([none, both]);
        if corner > 0.0 && 2.0 * k * corner < both.ln_value().max(none.ln_value()) + NEGLIGIBLE.ln()
        {
            // W is at most 2/Λ there.
            sum.push(Scaled { ln: 2.0 * k * corner, factor: 1.0 });
        } else if corner > 0.0 {
            let knots: [(f64, f64); CELLS + 1] = std::array::from_fn(|j| {
                let x = corner * j as f64 / CELLS as f64;
                (x, self.flat_loss(x))
            });
            for pair in knots.windows(2) {
                let [(near, low), (far, high)] = [pair[0], pair[1]];
                let width = (far - near) / deviation;
                sum.push(Scaled::of_cell(z(-far), width, [k * high, k * low]));
                let above = |x: f64, flat: f64| k * (2.0 * x + flat);
                sum.push(Scaled::of_cell(z(near), width, [above(near, low), above(far, high)]));
            }
        }
        let most = sum.iter().map(|term| term.ln).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = sum.iter().map(|term| term.factor * (term.ln - most).exp()).sum();
        // Squares of the cells' ends were subtracted from numbers of their size.
        let squares = z(corner).powi(2) + z(-corner).powi(2);
        (most + total.ln()).max(0.0) * (1.0 + 1e-13) + 1e-13 + 4.0 * f64::EPSILON * squares
    }
}

/// Mean and deviation of U, rounded up.
fn shift_of(sigma: f64) -> (f64, f64) {
    let deviation = (1.0 + ROUNDING_SLACK) / sigma;
    (deviation * deviation, deviation)
}

/// A positive number, factor·e^ln.
#[derive(Clone, Copy)]
struct Scaled {
    ln: f64,
    factor: f64,
}

impl Scaled {
    fn ln_value(&self) -> f64 {
        self.ln + self.factor.ln()
    }

    /// Returns ∫ e^{t(z)} φ(z) dz over the cell [left, left + width], rounded up. t is linear, with
    /// the values `low` and `high` at the cell's ends.
    fn of_cell(left: f64, width: f64, [low, high]: [f64; 2]) -> Scaled {
        /// The two terms of a difference are good to this.
        const ROUNDING: f64 = 4e-15;
        let (right, tilt) = (left + width, (high - low) / width);
        let (from, to) = (left - tilt, right - tilt);
        // From the one end's exponent to the other's, without their cancellation.
        let fall = (-0.5 * width * (from + to).abs()).exp();
        if from >= 0.0 {
            let difference = mills(from) - fall * mills(to);
            let factor = (difference.max(0.0) + ROUNDING) / (2.0 * PI).sqrt();
            Scaled { ln: low - 0.5 * left * left, factor }
        } else if to <= 0.0 {
            let difference = mills(-to) - fall * mills(-from);
            let factor = (difference.max(0.0) + ROUNDING) / (2.0 * PI).sqrt();
            Scaled { ln: high - 0.5 * right * right, factor }
        } else {
            let factor = (1.0 - normal_cdf(-to) - normal_cdf(from)).max(0.0) + ROUNDING;
            Scaled { ln: low - tilt * left + 0.5 * tilt * tilt, factor }
        }
    }
}

/// Φ(−x)/φ(x) for x ≥ 0.
fn mills(x: f64) -> f64 {
    if x < 8.0 {
        return normal_cdf(-x) * (2.0 * PI).sqrt() * (0.5 * x * x).exp();
    }
    1.0 / (1..=24).rev().fold(x, |fraction, k| x + f64::from(k) / fraction)
}

/// A point of a lattice that carries a share of the normal law.
struct Point {
    z: f64,
    /// The mean of the hat function around it.
    weight: f64,
    /// P(Z > z).
    beyond: f64,
    /// E(Z − z)⁺.
    excess: f64,
}

/// The highest point of the lattice.
const HIGHEST: i32 = 37;
/// Points for each 1. Squares of lattice points are doubles.
const FINENESS: i32 = 32;
/// Points from 0 on.
const GRID_ABOVE: usize = (HIGHEST * FINENESS) as usize + 1;

/// The normal law moved to a lattice, each number to its two neighbours such that its mean stays:
/// no convex function has a smaller mean there. What is below the lattice counts at its lowest
/// point.
static GRID: LazyLock<Vec<Point>> = LazyLock::new(|| {
    const LOWEST: i32 = -9;
    /// The weights are second differences, good to this at the far end.
    const ROUNDING: f64 = 1e-9;
    let step = 1.0 / f64::from(FINENESS);
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    let excess = |z: f64| density(z) - z * normal_cdf(-z);
    let hat = |z: f64| (excess(z - step) - 2.0 * excess(z) + excess(z + step)) / step;
    (LOWEST * FINENESS..=HIGHEST * FINENESS)
        .map(|i| {
            let z = f64::from(i) * step;
            let below = if i == LOWEST * FINENESS { normal_cdf(z) } else { 0.0 };
            Point {
                z,
                weight: (hat(z.abs()) + below) * (1.0 + ROUNDING),
                beyond: normal_cdf(-z) * (1.0 + ROUNDING),
                excess: excess(z).max(0.0) + 1e-12 * (1.0 + z * z) * density(z),
            }
        })
        .collect()
});

#[cfg(test)]
#[path = "joint_tests.rs"]
mod tests;
