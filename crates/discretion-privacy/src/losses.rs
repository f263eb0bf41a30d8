//! Privacy losses compared in convex order: what several mechanisms cost together at (ε, δ),
//! without the detour over Rényi divergences. `account/PROOF.md`, "Convex order", proves every
//! line.

use crate::{JointPrice, ROUNDING_SLACK, Term, Zcdp, normal_cdf, smallest_enough};
use std::f64::consts::PI;

/// Above every mean of a convex, increasing function of the privacy losses of a fixed list of
/// mechanisms.
///
/// The losses add up to at most c + (a normal loss of ν²) + (what is pure) + (what training says).
#[derive(Clone, Debug)]
pub struct Losses {
    /// c.
    constant: f64,
    /// ν² of all Gaussian noise but that of training.
    squares: f64,
    training: Option<Training>,
    /// Each loss of what is pure, and its probability.
    pure: Vec<(f64, f64)>,
}

/// Gaussian noise in an objective.
#[derive(Clone, Copy, Debug)]
struct Training {
    /// κ.
    curvature: f64,
    /// μ².
    square: f64,
    /// The loss is the largest of so many normal ones,
    of: f64,
    /// and of 0.
    or_none: bool,
    /// σ and the price of slope and curvature together, if there is one: then the loss is W of
    /// Theorem 5, too.
    joint: Option<(f64, JointPrice)>,
}

/// Normal tails beyond this are no longer numbers; what is further out counts as this far.
const FURTHEST: f64 = 37.0;

/// With more noise lost than this nothing is computed: it protects nobody.
const LARGEST_SQUARE: f64 = 1e6;

/// Asked of δ to pay for rounding, and for discrete noise that is not quite normal.
const DELTA_SLACK: f64 = 2e-9;

/// How many lattice steps a mask hides at least, and how many a query's own noise does
/// (`noise/gate/PROOF.md`).
pub(crate) const MASK_STEPS: f64 = 1.0;
pub(crate) const QUERY_STEPS: f64 = (1u64 << 20) as f64;

/// σ² in lattice steps from which on discrete Gaussian noise is compared,
const FINE: f64 = 12.0;
/// with normal noise of so much more variance, which makes it smooth.
const SMOOTHING: f64 = 3.0;

/// σ, in lattice steps, of discrete Gaussian noise of ρ that hides so many of them; rounded down.
pub(crate) fn in_steps(rho: f64, hidden: f64) -> f64 {
    hidden / (2.0 * rho).sqrt() * (1.0 - ROUNDING_SLACK)
}

/// The μ², rounded up, of normal noise beside which discrete noise of ρ and at least this σ costs
/// no more.
pub(crate) fn lattice_square(rho: f64, sigma: f64) -> Option<f64> {
    let variance = sigma * sigma;
    (variance >= FINE).then(|| 2.0 * rho * (1.0 + SMOOTHING / variance) * (1.0 + ROUNDING_SLACK))
}

impl Default for Losses {
    fn default() -> Losses {
        Losses { constant: 0.0, squares: 0.0, training: None, pure: vec![(0.0, 1.0)] }
    }
}

impl Losses {
    /// A loss that is never more than this.
    #[must_use]
    pub fn and_at_most(mut self, loss: f64) -> Losses {
        self.constant = (self.constant + loss) * (1.0 + f64::EPSILON);
        self
    }

    /// Gaussian noise of μ² on a query, or several of them whose μ² add up to this.
    #[must_use]
    pub fn and_gaussian(mut self, mu_squared: f64) -> Losses {
        self.squares = (self.squares + mu_squared) * (1.0 + f64::EPSILON);
        self
    }

    /// The gate's mask; nothing if it is too coarse to be compared.
    #[must_use]
    pub fn and_mask(self, mask: Zcdp) -> Option<Losses> {
        match mask.rho {
            0.0 => Some(self),
            rho => Some(self.and_gaussian(lattice_square(rho, in_steps(rho, MASK_STEPS))?)),
        }
    }

    /// Gaussian noise in an objective; nothing for terms of another kind, and if there is one
    /// already.
    #[must_use]
    pub fn and_training(self, term: &Term) -> Option<Losses> {
        let mut joint = None;
        let (curvature, sigma, factor, of, or_none) = match *term {
            Term::GaussianObjective { sigma, curvature } => (curvature, sigma, 4.0, 1.0, true),
            Term::GaussianLogistic { sigma, curvature, joint: price } => {
                joint = Some((sigma, price));
                (curvature, sigma, 4.0, 1.0, true)
            }
            Term::GaussianResiduals { sigma, curvature } => (curvature, sigma, 4.0, 2.0, false),
            Term::GaussianClasses { sigma, curvature, classes, joint: price } => {
                joint = price.map(|price| (sigma, price));
                (curvature, sigma, 8.0, classes as f64 - 1.0, true)
            }
            _ => return None,
        };
        let square = factor / (sigma * sigma) * (1.0 + ROUNDING_SLACK);
        let training = Some(Training { curvature, square, of, or_none, joint });
        self.training.is_none().then_some(Losses { training, ..self })
    }

    /// What is pure, by the outcomes of its randomised responses: losses and probabilities.
    #[must_use]
    pub(crate) fn and_responses(self, outcomes: Vec<(f64, f64)>) -> Losses {
        Losses { pure: outcomes, ..self }
    }

    /// A δ, rounded up, with which all of it together is (ε, δ)-DP.
    pub fn delta(&self, epsilon: f64) -> f64 {
        let (rest, all) =
            (self.squares, self.squares + self.training.map_or(0.0, |training| training.square));
        if all.is_nan() || all > LARGEST_SQUARE {
            return 1.0;
        }
        let (normal, rest) = (Tail::of(all), Tail::of(rest));
        match self.training {
            None => self.delta_with(epsilon, self.constant, &normal, |room| normal.beyond(room)),
            Some(Training { curvature, of, or_none, joint, .. }) => {
                let constant = self.clone().and_at_most(curvature).constant;
                let apart = self.delta_with(epsilon, constant, &normal, |room| {
                    of * normal.beyond(room) + if or_none { rest.beyond(room) } else { 0.0 }
                });
                let together = joint.map(|(sigma, price)| {
                    self.delta_with(epsilon, self.constant, &normal, |room| {
                        price.mean(sigma, |loss| {
                            rest.beyond(room - loss * (1.0 + 8.0 * f64::EPSILON))
                        })
                    })
                });
                together.map_or(apart, |together| together.min(apart))
            }
        }
    }

    /// A δ, rounded up, where the losses but those that are pure exceed `constant` and what is left
    /// of ε by `beyond` on average.
    fn delta_with(
        &self,
        epsilon: f64,
        constant: f64,
        normal: &Tail,
        beyond: impl Fn(f64) -> f64,
    ) -> f64 {
        // Any y ≥ 0 will do: this one is nearly the best, the mean of what is lost beyond ε.
        let y = normal.mean_excess(epsilon - constant);
        let room = |loss: f64| {
            let rounding = 8.0 * f64::EPSILON * (epsilon + constant + loss.abs() + y);
            epsilon - constant - loss - (y - y.ln_1p()) - rounding
        };
        let sum: f64 = self.pure.iter().map(|&(loss, chance)| chance * beyond(room(loss))).sum();
        (sum / (1.0 + y) * (1.0 + DELTA_SLACK)).min(1.0)
    }

    /// The smallest ε at this δ, rounded up.
    pub fn epsilon(&self, delta: f64) -> f64 {
        let enough = |epsilon: f64| self.delta(epsilon) <= delta;
        if enough(0.0) {
            return 0.0;
        }
        let found = smallest_enough(1.0, 1e9, 1e-11, enough);
        found.map_or(f64::INFINITY, |epsilon| epsilon * (1.0 + ROUNDING_SLACK))
    }
}

/// The loss of Gaussian noise: normal, with mean m²/2 and variance m².
struct Tail {
    m: f64,
}

impl Tail {
    fn of(square: f64) -> Tail {
        Tail { m: square.sqrt() * (1.0 + ROUNDING_SLACK) }
    }

    /// How far beyond `room` the loss is on average, counting 0 where it is below; rounded up.
    fn beyond(&self, room: f64) -> f64 {
        if self.m == 0.0 {
            return (-room).max(0.0);
        }
        let t = self.distance(room);
        let density = (-0.5 * t * t).exp() / (2.0 * PI).sqrt();
        // The two terms nearly cancel far out.
        let rounding = 1e-14 * (1.0 + t * t) * density;
        self.m * ((density - t * normal_cdf(-t)).max(0.0) + rounding)
    }

    /// The mean of what is beyond, where something is.
    fn mean_excess(&self, room: f64) -> f64 {
        if self.m == 0.0 {
            return 0.0;
        }
        let chance = normal_cdf(-self.distance(room));
        (self.beyond(room) / chance).min(1e3)
    }

    /// In deviations, at most [`FURTHEST`].
    fn distance(&self, room: f64) -> f64 {
        (room / self.m - 0.5 * self.m).min(FURTHEST)
    }
}

#[cfg(test)]
#[path = "losses_tests.rs"]
mod tests;
