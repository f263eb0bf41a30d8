//! The Rényi curve of the best of a random number of runs (`PROOF.md`, Theorem 2).

use super::Stopping;
use super::derivative::Derivative;
use crate::{Curve, ROUNDING_SLACK};

/// A randomly stopped mechanism whose runs have a Rényi curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    law: Stopping,
    /// The curves of what one run may do to a row. It does only one of these: the worst counts.
    runs: Vec<Curve>,
    /// Bounds on (ln f′(q), ln f′(q)/f′(q′)) on the cells of a grid: only those that are largest
    /// for some order.
    excess: Vec<(f64, f64)>,
}

/// 1 − q is cut into cells by powers of this …
const RATIO: f64 = 1.003;
/// … from here to 1, and one more from 0 to here.
const SMALLEST: f64 = 1e-12;
/// Orders at which δ̂ is sought, and the number of ε̂ it is sought for.
const ORDERS: i32 = 160;
const LINES: i32 = 80;

impl Stopped {
    /// The best of K ~ `law` runs, each of which does one of `runs` to a row.
    pub fn new(law: Stopping, runs: Vec<Curve>) -> Stopped {
        let mut stopped = Stopped { law, runs, excess: Vec::new() };
        let (derivative, lines) = (Derivative::new(law), stopped.lines());
        // The largest 1 − q′ beside 1 − q = x.
        let other =
            |x: f64| lines.iter().map(|(slope, delta)| slope * x + delta).fold(1.0, f64::min);
        // f′ rises with q, and 1 − q′ with 1 − q: the corners bound the whole cell.
        let excess = |(low, high): (f64, f64)| {
            let here = derivative.ln_at_most(low);
            (here, here - derivative.ln_at_least(other(high)))
        };
        stopped.excess = upper_hull(cells().map(excess).collect());
        stopped
    }

    /// ε(α) of one run.
    fn run(&self, alpha: f64) -> f64 {
        self.runs.iter().map(|curve| curve.epsilon(alpha)).fold(0.0, f64::max)
    }

    /// ε(α).
    pub(crate) fn epsilon(&self, alpha: f64) -> f64 {
        let weight = 1.0 / (alpha - 1.0);
        self.run(alpha) + largest(&self.excess, weight)
    }

    /// A bound on ε(α)/α for every α ≥ `last`, if `last` is 4 or more.
    pub(crate) fn slope_beyond(&self, last: f64) -> f64 {
        let excess = self
            .excess
            .iter()
            .map(|(here, ratio)| here.max(0.0) + ratio.max(0.0))
            .fold(0.0, f64::max);
        self.runs.iter().map(|curve| curve.slope_beyond(last)).fold(0.0, f64::max) + excess / last
    }

    /// Pairs (e^ε̂, δ̂) such that one run is (ε̂, δ̂)-DP: 1 − q′ ≤ e^ε̂·(1 − q) + δ̂ for every
    /// event.
    pub(super) fn lines(&self) -> Vec<(f64, f64)> {
        let orders: Vec<(f64, f64)> = (0..=ORDERS)
            .map(|i| {
                let excess =
                    (1e-2_f64.ln() + f64::from(i) / f64::from(ORDERS) * 1e8_f64.ln()).exp();
                (excess, self.run(1.0 + excess))
            })
            .collect();
        let ln_delta = |epsilon: f64| {
            let at = |&(excess, run): &(f64, f64)| {
                let (ln_alpha, ln_share) = (excess.ln_1p(), (excess / (1.0 + excess)).ln());
                // The terms may nearly cancel, so what they were rounded by is measured by their
                // sizes.
                let size = excess * (run - ln_share + epsilon) + ln_alpha;
                excess * (run + ln_share - epsilon) - ln_alpha + ROUNDING_SLACK * size
            };
            orders.iter().map(at).fold(0.0, f64::min)
        };
        (0..=LINES)
            .map(|i| {
                let epsilon = 1e-3 * (f64::from(i) / f64::from(LINES) * 3e4_f64.ln()).exp();
                [epsilon, ln_delta(epsilon)].map(|x| x.exp() * (1.0 + ROUNDING_SLACK)).into()
            })
            .collect()
    }
}

/// The cells of 1 − q: from 0 to 1.
fn cells() -> impl Iterator<Item = (f64, f64)> {
    let next = |&(_, high): &(f64, f64)| (high < 1.0).then(|| (high, (high * RATIO).min(1.0)));
    std::iter::successors(Some((0.0, SMALLEST)), next)
}

/// The largest a·w + b of these lines, at least 0. A plan asks a million times: eight at once do
/// not wait for each other.
fn largest(lines: &[(f64, f64)], w: f64) -> f64 {
    let (mut most, (eights, others)) = ([0.0f64; 8], lines.as_chunks());
    for eight in eights {
        for (most, (a, b)) in most.iter_mut().zip(eight as &[(f64, f64); 8]) {
            *most = most.max(a * w + b);
        }
    }
    others.iter().map(|(a, b)| a * w + b).chain(most).fold(0.0, f64::max)
}

/// Those (a, b) for which a·w + b is the largest for some w ≥ 0.
fn upper_hull(mut lines: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    lines.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for line in lines {
        while let Some(&last) = hull.last() {
            let is_below = last.1 <= line.1;
            let is_between = hull.len() > 1 && {
                let before = hull[hull.len() - 2];
                // Both sides are negative, and rounding must not drop a line that counts.
                (line.1 - before.1) * (last.0 - before.0) * (1.0 + ROUNDING_SLACK)
                    >= (last.1 - before.1) * (line.0 - before.0)
            };
            if !(is_below || is_between) {
                break;
            }
            hull.pop();
        }
        hull.push(line);
    }
    hull
}
