//! The price of a row's slope and curvature together, for logistic losses: their curvature follows
//! their slope. `train/objective/PROOF.md` and `train/classes/PROOF.md`, "Slope and curvature
//! together", prove every line.

use crate::{Pure, ROUNDING_SLACK, Unit, normal_cdf};
use std::f64::consts::PI;
use std::sync::LazyLock;

/// Bounds on a row of a logistic loss. Where its gradient has length a·s at most, 0 ≤ a ≤ 1, its
/// Hessian has trace T(a) = s²a − (s²a)²/(4t) at most, which is t where it is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticRow {
    /// s, the length of the gradient.
    pub slope: f64,
    /// t, the trace of the Hessian.
    pub trace: f64,
    /// The rank of the Hessian, and how many directions a gradient is a mean of.
    pub rank: usize,
}

impl LogisticRow {
    /// Two classes, as one margin: the curvature is a(1 − a).
    pub const MARGIN: LogisticRow = LogisticRow { slope: 1.0, trace: 0.25, rank: 1 };
}

/// What noise in an objective costs if the slope of a row decides its largest curvature, as it does
/// for the logistic loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPrice {
    /// Λ = nλ/s².
    strength: f64,
    /// e = s²/(4t): a unit's Hessian has trace a(1 − ea)·s² at most. 1 if that vanishes at a = 1.
    fall: f64,
    /// The largest rank of one unit's part of the Hessian.
    rank: usize,
    /// s.
    slope: f64,
    /// How many directions a row's gradient is a mean of.
    directions: usize,
    unit: Unit,
}

/// Cells on each side of 0 in which [`JointPrice::ln_moment`] replaces the loss by its chord.
const CELLS: usize = 8;

/// What is this share of a sum is bounded together.
const NEGLIGIBLE: f64 = 1e-12;

impl JointPrice {
    /// Returns the price for a number of units, rows or persons, with so many coefficients a head,
    /// and λ.
    pub fn new(
        row: LogisticRow,
        unit: Unit,
        dimension: usize,
        units: usize,
        lambda: f64,
    ) -> JointPrice {
        let LogisticRow { slope, trace, rank: directions } = row;
        let square = slope * slope;
        JointPrice {
            strength: units as f64 * lambda / square,
            fall: (square / (4.0 * trace)).min(1.0),
            rank: directions.saturating_mul(unit.curvature_rank(dimension)),
            slope,
            directions,
            unit,
        }
    }

    /// Returns all that a price depends on, as numbers.
    pub(crate) fn key(&self) -> [u64; 6] {
        let JointPrice { strength, fall, rank, slope, directions, unit } = self;
        let (rank, directions) = (*rank as u64, *directions as u64);
        let is_row = u64::from(unit.is_row());
        [strength.to_bits(), rank, is_row, fall.to_bits(), slope.to_bits(), directions]
    }

    /// Returns the ε, rounded up, of noise with density ∝ e^{−ε′g(b)}, where g is a norm that is at
    /// most a/2 at every row (Theorem 4): F(ε′) = ε′/2 + max_a [aε′/2 + k·ln(1 + a(1 − ea)/(kΛ))].
    pub fn epsilon(&self, noise: f64) -> f64 {
        let (half, rank) = (0.5 * noise, self.rank as f64);
        let slope = self.worst_slope(half);
        let trace = slope * (1.0 - self.fall * slope);
        let curvature = rank * (trace / (rank * self.strength)).ln_1p();
        (half + half * slope + curvature) * (1.0 + ROUNDING_SLACK)
    }

    /// The a in [0, 1] where a·half + k·ln(1 + a(1 − ea)/(kΛ)) is largest: the positive root of
    /// half·ea² − (half − 2ke)a − k(half·Λ + 1), or 1 if it is larger.
    fn worst_slope(&self, half: f64) -> f64 {
        let (rank, fall) = (self.rank as f64, self.fall);
        if half * (self.strength + (1.0 - fall) / rank) >= 2.0 * fall - 1.0 {
            return 1.0;
        }
        let (linear, constant) = (half - 2.0 * rank * fall, rank * (half * self.strength + 1.0));
        let root = linear.hypot(2.0 * (half * fall * constant).sqrt());
        // Two forms of one root: each adds numbers of one sign.
        let slope = if linear < 0.0 {
            2.0 * constant / (root - linear)
        } else {
            (root + linear) / (2.0 * half * fall)
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
    /// (Theorem 5).
    fn loss(&self, u: f64) -> f64 {
        2.0 * u.max(0.0) + self.gain(self.end(u > 0.0), u.abs())
    }

    /// Where curvature pays: ψ(u) − u⁺ is the largest of β(a) less |u| times the distance of a from
    /// 0, or from 1 if u is positive.
    fn end(&self, is_steep: bool) -> End {
        let fall = self.fall;
        let (trace, rise) = if is_steep { (1.0 - fall, 2.0 * fall - 1.0) } else { (0.0, 1.0) };
        let bent = match self.unit {
            Unit::Row => trace / self.rank as f64,
            Unit::Person => 0.0,
        };
        End { trace, rise, strength: self.strength + bent }
    }

    /// Returns ψ(±x) less the positive part of ±x, for x ≥ 0, rounded up.
    fn gain(&self, End { trace, rise, strength: steady }: End, x: f64) -> f64 {
        let (strength, fall, rank) = (self.strength, self.fall, self.rank as f64);
        let short = rise - x * steady + f64::EPSILON;
        // An infinite Λ has no curvature, at 0 neither.
        let short = if short > 0.0 { short } else { 0.0 };
        let (gain, spent) = match self.unit {
            Unit::Row => {
                let bend = x / rank;
                let root = (2.0 * fall).hypot(bend * (1.0 + 4.0 * fall * rank * strength).sqrt());
                let far =
                    if short > 0.0 { 2.0 * short / (2.0 * fall + rise * bend + root) } else { 0.0 };
                let trace = trace + far * (rise - fall * far);
                (rank * (trace / (rank * strength)).ln_1p(), far * x)
            }
            Unit::Person => ((trace + 0.25 * short * short / fall) / strength, 0.0),
        };
        (gain - spent).max(0.0) + 8.0 * f64::EPSILON * (gain + spent)
    }

    /// Returns E φ(W) for each direction of a gradient, summed and rounded up, for normal noise of
    /// deviation `sigma` and a convex φ ≥ 0 that does not fall and rises by 1 for each 1 at most.
    pub(crate) fn mean(&self, sigma: f64, convex: impl Fn(f64) -> f64) -> f64 {
        let (mean, deviation) = self.shift(sigma);
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
        self.directions as f64 * sum
    }

    /// Returns ln E e^{(α − 1)W}, rounded up, for normal noise of deviation `sigma`, or where
    /// gradients have several directions, what bounds the moment of the largest W: W is replaced by
    /// its chords where it is neither 0 nor a line.
    pub(crate) fn ln_moment(&self, sigma: f64, alpha: f64) -> f64 {
        let (k, (mean, deviation)) = (alpha - 1.0, self.shift(sigma));
        let z = |u: f64| (u - mean) / deviation;
        let (flat, steep) = (self.end(false), self.end(true));
        let [left, right] = [flat, steep].map(|end| end.rise.max(0.0) / end.strength);
        let gain = |end, x: f64| self.gain(end, x);
        // What W is above 2u from there on.
        let bent = if steep.trace > 0.0 { k * gain(steep, right) } else { 0.0 };
        let none = Scaled { ln: 0.0, factor: normal_cdf(z(-left)) };
        let both = {
            let tilt = 2.0 * k * deviation;
            let from = z(right) - tilt;
            if from < 0.0 {
                let ln = 2.0 * k * (mean + k * deviation * deviation) + bent;
                Scaled { ln, factor: normal_cdf(-from) }
            } else {
                let ln = 2.0 * k * right - 0.5 * z(right).powi(2) + bent;
                Scaled { ln, factor: mills(from) / (2.0 * PI).sqrt() }
            }
        };
        let mut sum = Vec::with_capacity(2 + 2 * CELLS);
        sum.extend([none, both]);
        let most = 2.0 * k * right + bent;
        if left > 0.0 && most < both.ln_value().max(none.ln_value()) + NEGLIGIBLE.ln() {
            // W is no more than where the line begins.
            sum.push(Scaled { ln: most, factor: 1.0 });
        } else if left > 0.0 {
            let knots = |end, corner: f64| -> [(f64, f64); CELLS + 1] {
                std::array::from_fn(|j| {
                    let x = corner * j as f64 / CELLS as f64;
                    (x, gain(end, x))
                })
            };
            let (flat, steep) = (knots(flat, left), knots(steep, right));
            for (flat, steep) in flat.windows(2).zip(steep.windows(2)) {
                let [(near, low), (far, high)] = [flat[0], flat[1]];
                sum.push(Scaled::of_cell(z(-far), (far - near) / deviation, [k * high, k * low]));
                let [(near, low), (far, high)] = [steep[0], steep[1]];
                if far > near {
                    let above = |x: f64, gain: f64| k * (2.0 * x + gain);
                    let ends = [above(near, low), above(far, high)];
                    sum.push(Scaled::of_cell(z(near), (far - near) / deviation, ends));
                }
            }
        }
        let most = sum.iter().map(|term| term.ln).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = sum.iter().map(|term| term.factor * (term.ln - most).exp()).sum();
        // Squares of the cells' ends were subtracted from numbers of their size.
        let squares = z(right).powi(2) + z(-left).powi(2);
        let one =
            (most + total.ln()).max(0.0) * (1.0 + 1e-13) + 1e-13 + 4.0 * f64::EPSILON * squares;
        if self.directions == 1 { one } else { ln_moment_of_largest(self.directions as f64, one) }
    }

    /// Mean and deviation of U, rounded up.
    fn shift(&self, sigma: f64) -> (f64, f64) {
        let deviation = self.slope * (1.0 + ROUNDING_SLACK) / sigma;
        (deviation * deviation, deviation)
    }
}

/// What [`JointPrice::gain`] depends on beside the distance: which end of the slopes is near.
#[derive(Clone, Copy)]
struct End {
    /// T/s² at that end.
    trace: f64,
    /// How fast it rises from there.
    rise: f64,
    /// Λ, and for rows what the trace there adds to it.
    strength: f64,
}

/// ln(1 + `count`·(e^one − 1)), without overflow: above the logarithm of the moment of the largest
/// of so many losses, none negative, if `one` is that of each.
pub(crate) fn ln_moment_of_largest(count: f64, one: f64) -> f64 {
    if one < 1.0 {
        (count * one.exp_m1()).ln_1p()
    } else {
        one + (count - (count - 1.0) * (-one).exp()).ln()
    }
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
