//! Rényi curves α ↦ ε(α) and what they convert to.

use super::joint::ln_moment_of_largest;
use super::{Approximate, JointPrice, ROUNDING_SLACK, Stopped, Zcdp, ln_normal_cdf};
use std::sync::{Arc, LazyLock};

/// One mechanism's Rényi curve.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A pure ε mechanism: the curve of randomised response, which dominates every ε-DP mechanism.
    Pure {
        /// ε.
        epsilon: f64,
    },
    /// ρα.
    Zcdp {
        /// ρ.
        rho: f64,
    },
    /// Objective perturbation with Gaussian noise (`train/objective/PROOF.md`).
    GaussianObjective {
        /// Standard deviation of each coordinate of b.
        sigma: f64,
        /// ln(1 + t/(nλ)), the price of the Jacobian.
        curvature: f64,
    },
    /// Objective perturbation with Gaussian noise of a loss whose curvature follows its slope, as
    /// the logistic loss's does (Theorem 5 there).
    GaussianLogistic {
        /// Standard deviation of each coordinate of b.
        sigma: f64,
        /// The price of the Jacobian alone, as of any loss.
        curvature: f64,
        /// The price of slope and Jacobian together.
        joint: JointPrice,
    },
    /// Objective perturbation with Gaussian noise of several classes (`train/classes/PROOF.md`).
    GaussianClasses {
        /// Standard deviation of each coordinate of b.
        sigma: f64,
        /// (K − 1)·ln(1 + 1/(Knλ)), the price of the Jacobian.
        curvature: f64,
        /// K.
        classes: usize,
        /// The price of slope and Jacobian together, if it is paid.
        joint: Option<JointPrice>,
    },
    /// Objective perturbation of a loss that may rise and fall (`train/huber/PROOF.md`).
    GaussianResiduals {
        /// Standard deviation of each coordinate of b.
        sigma: f64,
        /// ln(1 + t/(nλ)), the price of the Jacobian.
        curvature: f64,
    },
    /// The best of a random number of runs (`stopping/PROOF.md`).
    Stopped(Arc<Stopped>),
    /// One of these, order by order the largest: runs on separate parts of a table.
    Largest(Vec<Curve>),
}

impl Term {
    /// ε(α) for α > 1.
    pub fn epsilon(&self, alpha: f64) -> f64 {
        match *self {
            Term::Pure { epsilon } => {
                let (up, down) = (alpha * epsilon, (1.0 - alpha) * epsilon);
                let ln_ratio = if up < 100.0 {
                    // The difference of the two logarithms below, without its cancellation:
                    // thousands of small mechanisms add thousands of such differences.
                    (2.0 * (0.5 * up).sinh() * (-0.5 * down).sinh() / (0.5 * epsilon).cosh())
                        .ln_1p()
                } else {
                    ln_sum_exp(up, down) - ln_sum_exp(0.0, epsilon)
                };
                ln_ratio / (alpha - 1.0)
            }
            Term::Zcdp { rho } => rho * alpha,
            Term::GaussianObjective { sigma, curvature } => {
                // Near α = 1 the logarithm is of a number next to 1; the last term bounds its
                // rounding.
                curvature + (ln_moment(sigma, alpha) + 2e-15) / (alpha - 1.0)
            }
            Term::GaussianLogistic { sigma, curvature, joint } => {
                let apart = Term::GaussianObjective { sigma, curvature }.epsilon(alpha);
                apart.min(joint.ln_moment(sigma, alpha) / (alpha - 1.0))
            }
            Term::GaussianClasses { sigma, curvature, classes, joint } => {
                // Scores of two classes differ by noise of variance 2σ².
                let one = ln_moment(sigma / std::f64::consts::SQRT_2, alpha);
                let all = ln_moment_of_largest(classes as f64 - 1.0, one);
                let apart = curvature + (all + 2e-15 * classes as f64) / (alpha - 1.0);
                let together = |joint: JointPrice| {
                    (joint.ln_moment(sigma, alpha) + 2e-15 * classes as f64) / (alpha - 1.0)
                };
                joint.map_or(apart, |joint| apart.min(together(joint)))
            }
            Term::GaussianResiduals { sigma, curvature } => {
                curvature + (ln_two_sided_moment(sigma, alpha) + 2e-15) / (alpha - 1.0)
            }
            Term::Stopped(ref stopped) => stopped.epsilon(alpha),
            Term::Largest(ref curves) => {
                curves.iter().map(|curve| curve.epsilon(alpha)).fold(0.0, f64::max)
            }
        }
    }

    /// Returns a term whose curve is nowhere above this one's and quicker to compute, if there is
    /// one: a search for noise can leave out what that does not allow.
    pub fn least(&self) -> Option<Term> {
        match *self {
            // W ≥ 2U⁺.
            Term::GaussianLogistic { sigma, .. } => {
                Some(Term::GaussianObjective { sigma, curvature: 0.0 })
            }
            Term::GaussianClasses { sigma, classes, joint: Some(_), .. } => {
                Some(Term::GaussianClasses { sigma, curvature: 0.0, classes, joint: None })
            }
            _ => None,
        }
    }

    /// A bound on ε(α)/α for every α ≥ `last`, if `last` is 4 or more.
    fn slope_beyond(&self, last: f64) -> f64 {
        match *self {
            Term::Pure { epsilon } => epsilon / last,
            Term::Zcdp { rho } => rho,
            // Within ln 2 of its quadratic.
            Term::GaussianObjective { sigma, curvature }
            | Term::GaussianLogistic { sigma, curvature, .. }
            | Term::GaussianResiduals { sigma, curvature } => {
                2.0 / (sigma * sigma) + (curvature + 1.0 / last) / last
            }
            // The logarithm is at most ln(2(K − 1)) more than its quadratic, and that less than
            // 2·ln(1 + K).
            Term::GaussianClasses { sigma, curvature, classes, .. } => {
                4.0 / (sigma * sigma) + (curvature + 2.0 * (classes as f64).ln_1p() / last) / last
            }
            Term::Stopped(ref stopped) => stopped.slope_beyond(last),
            Term::Largest(ref curves) => {
                curves.iter().map(|curve| curve.slope_beyond(last)).fold(0.0, f64::max)
            }
        }
    }
}

/// ln E exp(2(α − 1)/σ²·(Z + 1)₊) for Z ~ N(0, σ²): what one row's slope does to a Rényi
/// divergence.
fn ln_moment(sigma: f64, alpha: f64) -> f64 {
    let moves =
        2.0 * alpha * (alpha - 1.0) / (sigma * sigma) + ln_normal_cdf((2.0 * alpha - 1.0) / sigma);
    // Beside e^750, what a probability would add is lost in rounding.
    let stays = if moves < 750.0 { ln_normal_cdf(-1.0 / sigma) } else { f64::NEG_INFINITY };
    ln_sum_exp(stays, moves).max(0.0)
}

/// ln E exp(2(α − 1)/σ²·(|Z| + 1)) for Z ~ N(0, σ²): the same for a slope of either sign.
fn ln_two_sided_moment(sigma: f64, alpha: f64) -> f64 {
    let further = std::f64::consts::LN_2 + ln_normal_cdf(2.0 * (alpha - 1.0) / sigma);
    2.0 * alpha * (alpha - 1.0) / (sigma * sigma) + further.max(0.0)
}

fn ln_sum_exp(a: f64, b: f64) -> f64 {
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    large + (small - large).exp().ln_1p()
}

/// The Rényi curve of several mechanisms run on the same rows: the sum of their curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Each mechanism with how often it was run.
    terms: Vec<(Term, f64)>,
}

impl Curve {
    /// The curve of one mechanism.
    pub fn of(term: Term) -> Curve {
        Curve::default().and(term)
    }

    /// The curve ρα.
    pub fn zcdp(rho: f64) -> Curve {
        Curve::of(Term::Zcdp { rho })
    }

    /// Running one more mechanism.
    #[must_use]
    pub fn and(self, term: Term) -> Curve {
        self.and_times(term, 1)
    }

    /// Running one more mechanism `times` times.
    #[must_use]
    pub fn and_times(mut self, term: Term, times: u64) -> Curve {
        self.terms.push((term, times as f64));
        self
    }

    /// ε(α) for α > 1.
    pub fn epsilon(&self, alpha: f64) -> f64 {
        self.terms.iter().map(|(term, times)| times * term.epsilon(alpha)).sum()
    }

    /// A bound on ε(α)/α for every α ≥ `last`, if `last` is 4 or more.
    pub(super) fn slope_beyond(&self, last: f64) -> f64 {
        self.terms.iter().map(|(term, times)| times * term.slope_beyond(last)).sum()
    }

    /// The tight conversion: the least over α of ε(α) + ln((α−1)/α) − (ln δ + ln α)/(α−1), at
    /// least 0.
    ///
    /// Every α gives a valid ε, so a coarse search can only cost utility, never privacy.
    pub fn at_delta(&self, delta: f64) -> Approximate {
        static GRID: LazyLock<Grid> = LazyLock::new(|| Grid::new(1e-4, 1e9));
        let ln_delta = delta.ln();
        let (_, best) =
            GRID.minimise(|order| self.epsilon(order.alpha) - order.allowance(ln_delta));
        Approximate { epsilon: best.max(0.0), delta }
    }

    /// The smallest ρ that can be certified with ε(α) ≤ ρα for **every** α > 1, not only on a grid.
    ///
    /// The divergences that ε bounds do not fall with the order, so on [a, b] each of them is at
    /// most ε(b) and its quotient at most ε(b)/a. Past the last order every term has a bound of its
    /// own.
    pub fn as_zcdp(&self) -> Zcdp {
        Zcdp { rho: steepest(|order| self.epsilon(order), |last| self.slope_beyond(last)) }
    }
}

/// The largest ε(b)/a of the cells [a, b] of a grid of orders, and of all orders past them, where
/// `beyond` bounds ε(α)/α.
///
/// Only cells that might have the largest quotient are looked at alone: a plan asks for thousands
/// of certificates.
fn steepest(epsilon: impl Fn(f64) -> f64, beyond: impl Fn(f64) -> f64) -> f64 {
    static ORDERS: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let next = |order: &f64| (*order < LAST).then_some(order * RATIO);
        std::iter::successors(Some(1.0), next).collect()
    });
    const RATIO: f64 = 1.002;
    const LAST: f64 = 1e7;
    // What `beyond` says holds from here on.
    const LARGE: f64 = 4.0;
    let last = ORDERS.len() - 1;
    let most = |from: usize, to: usize| epsilon(ORDERS[to]) / ORDERS[from];
    let some = (1..=last).step_by(64).map(|to| most(to - 1, to));
    let mut rho = some.fold(beyond(LAST), f64::max);
    let mut pieces = vec![(0, last)];
    while let Some((from, to)) = pieces.pop() {
        let quotient = most(from, to);
        // Larger orders have a bound of their own too, and a cell at most RATIO times that.
        let is_settled = ORDERS[from] >= LARGE && RATIO * beyond(ORDERS[from]) <= rho;
        if quotient <= rho || is_settled {
            continue;
        }
        if to - from == 1 {
            rho = rho.max(quotient);
        } else {
            let middle = from.midpoint(to);
            pieces.extend([(from, middle), (middle, to)]);
        }
    }
    rho
}

/// An order, with the two logarithms that a conversion needs of it.
struct Order {
    alpha: f64,
    /// α − 1.
    excess: f64,
    ln_alpha: f64,
    /// −ln((α−1)/α), without the cancellation of orders that are large.
    ln_share: f64,
}

impl Order {
    fn exceeding_by(excess: f64) -> Order {
        Order {
            alpha: 1.0 + excess,
            excess,
            ln_alpha: excess.ln_1p(),
            ln_share: (1.0 / excess).ln_1p(),
        }
    }

    /// How far a Rényi divergence of this order may be above ε for (ε, δ) to follow: negative where
    /// δ is small.
    fn allowance(&self, ln_delta: f64) -> f64 {
        (ln_delta + self.ln_alpha) / self.excess + self.ln_share
    }
}

/// Orders to begin a search with, and ln(α − 1) of each. Logarithms are half of a conversion's
/// work; these are taken once.
struct Grid {
    orders: Vec<(f64, Order)>,
    step: f64,
}

impl Grid {
    /// Orders that exceed 1 by these two numbers, and some between.
    fn new(least: f64, most: f64) -> Grid {
        const POINTS: i32 = 240;
        let (low, high) = (least.ln(), most.ln());
        let step = (high - low) / f64::from(POINTS);
        let points = (0..=POINTS).map(|i| low + step * f64::from(i));
        Grid {
            orders: points.map(|point| (point, Order::exceeding_by(point.exp()))).collect(),
            step,
        }
    }

    /// The order where a function is least, and how little it is: the grid, then golden sections
    /// around its best point.
    fn minimise(&self, f: impl Fn(&Order) -> f64) -> (f64, f64) {
        let (mut best, mut least) = (self.orders[0].0, f64::INFINITY);
        for (point, order) in &self.orders {
            let value = f(order);
            if value < least {
                (best, least) = (*point, value);
            }
        }
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let (mut a, mut b) = (best - self.step, best + self.step);
        for _ in 0..60 {
            let points = [b - golden * (b - a), a + golden * (b - a)];
            let values = points.map(|point| f(&Order::exceeding_by(point.exp())));
            for (point, value) in points.into_iter().zip(values) {
                if value < least {
                    (best, least) = (point, value);
                }
            }
            if values[0] < values[1] { b = points[1] } else { a = points[0] }
        }
        (1.0 + best.exp(), least)
    }
}

/// The largest Rényi divergence of order `order` from which (ε, δ) follows, rounded down; 0 if none
/// does.
pub(super) fn renyi_limit(epsilon: f64, delta: f64, order: f64) -> f64 {
    let allowance = Order::exceeding_by(order - 1.0).allowance(delta.ln());
    (epsilon + allowance - ROUNDING_SLACK * (epsilon + allowance.abs())).max(0.0)
}

/// The order at which [`renyi_limit`] lets the most runs of this curve pass, in five digits.
pub(super) fn best_order(epsilon: f64, delta: f64, run: &Curve) -> f64 {
    static GRID: LazyLock<Grid> = LazyLock::new(|| Grid::new(1e-3, 1e12));
    let ln_delta = delta.ln();
    let (order, _) =
        GRID.minimise(|order| -(epsilon + order.allowance(ln_delta)) / run.epsilon(order.alpha));
    // Any order will do; people read this one.
    format!("{order:.4e}").parse().expect("a number was just written")
}

#[cfg(test)]
#[path = "curve_tests.rs"]
mod tests;
