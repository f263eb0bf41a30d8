//! What an event is made of, in the only four shapes that prices know, and its chance of failing.

use super::event::{Event, EventError, MaskNoise, Noise};
use super::rounding::{add_up, formula_up};
use crate::train::{objective, output};
use std::cmp::Ordering;

/// An indivisible part of an event. All numbers are positive and finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// An ε-DP mechanism.
    Pure { epsilon: f64 },
    /// Continuous Gaussian noise of μ = Δ/σ.
    Gaussian { mu: f64 },
    /// A ρ-zCDP mechanism.
    Concentrated { rho: f64 },
    /// Objective perturbation with Gaussian noise.
    GaussianObjective { sigma: f64, curvature: f64 },
    /// With this probability no other part holds.
    Failure { delta: f64 },
}

impl Part {
    /// Positive floating-point numbers are ordered as their bits are.
    fn key(self) -> (u8, u64, u64) {
        match self {
            Part::Pure { epsilon } => (0, epsilon.to_bits(), 0),
            Part::Gaussian { mu } => (1, mu.to_bits(), 0),
            Part::Concentrated { rho } => (2, rho.to_bits(), 0),
            Part::GaussianObjective { sigma, curvature } => (3, sigma.to_bits(), curvature.to_bits()),
            Part::Failure { delta } => (4, delta.to_bits(), 0),
        }
    }
}

impl Eq for Part {}

impl Ord for Part {
    fn cmp(&self, other: &Part) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Part) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Checks an event and takes it apart: `found` is called with each part and how often it was run.
pub(super) fn take_apart(event: &Event, found: &mut dyn FnMut(Part, u64)) -> Result<(), EventError> {
    let kind = event.kind();
    let bounded = |x: f64| if x.is_finite() { Ok(x) } else { Err(EventError::Boundless(kind)) };
    let check = Check { kind };
    match event {
        &Event::ObjectivePerturbation { rows, dimension, lambda, curvature_bound, noise } => {
            check.rows(rows, dimension, lambda)?;
            check.not_negative("curvature_bound", curvature_bound)?;
            let curvature = bounded(objective::curvature_price(rows, lambda, curvature_bound))?;
            match noise {
                Noise::Spherical { scale } => {
                    check.positive("scale", scale)?;
                    pure(found, bounded(formula_up(2.0 / scale + curvature))?, 1);
                }
                Noise::Gaussian { sigma } => {
                    check.positive("sigma", sigma)?;
                    bounded(2.0 / (sigma * sigma))?;
                    found(Part::GaussianObjective { sigma, curvature }, 1);
                }
            }
        }
        &Event::OutputPerturbation { rows, dimension, lambda, noise } => {
            check.rows(rows, dimension, lambda)?;
            let sensitivity = bounded(output::sensitivity(rows, lambda))?;
            match noise {
                Noise::Spherical { scale } => {
                    check.positive("scale", scale)?;
                    pure(found, bounded((sensitivity / scale).next_up())?, 1);
                }
                Noise::Gaussian { sigma } => found(gaussian(&check, sensitivity, sigma)?, 1),
            }
        }
        &Event::Mask { noise: MaskNoise::Laplace { epsilon } } => {
            pure(found, check.not_negative("epsilon", epsilon)?, 1)
        }
        &Event::Mask { noise: MaskNoise::Gaussian { rho } } => {
            found(Part::Concentrated { rho: check.positive("rho", rho)? }, 1);
        }
        &Event::Selection { candidates, epsilon } => {
            check.at_least_one("candidates", candidates as u64)?;
            pure(found, check.not_negative("epsilon", epsilon)?, 1);
        }
        &Event::SparseVector { paid_answers, epsilon_each, delta } => {
            check.at_least_one("paid_answers", paid_answers)?;
            pure(found, check.not_negative("epsilon_each", epsilon_each)?, paid_answers);
            failure(&check, delta, found)?;
        }
        &Event::Gaussian { sensitivity, sigma } => {
            found(gaussian(&check, check.positive("sensitivity", sensitivity)?, sigma)?, 1);
        }
        &Event::DiscreteGaussian { sensitivity, sigma } => {
            check.positive("sensitivity", sensitivity)?;
            check.positive("sigma", sigma)?;
            let mu = sensitivity / sigma;
            found(Part::Concentrated { rho: positive(bounded(formula_up(0.5 * mu * mu))?) }, 1);
        }
        Event::Pure { epsilon, .. } => pure(found, check.not_negative("epsilon", *epsilon)?, 1),
        Event::Concentrated { rho, .. } => {
            found(Part::Concentrated { rho: check.positive("rho", *rho)? }, 1);
        }
        Event::Approximate { epsilon, delta, .. } => {
            pure(found, check.not_negative("epsilon", *epsilon)?, 1);
            failure(&check, *delta, found)?;
        }
        Event::Composition { of } => {
            for event in of {
                take_apart(event, found)?;
            }
        }
    }
    Ok(())
}

fn gaussian(check: &Check, sensitivity: f64, sigma: f64) -> Result<Part, EventError> {
    check.positive("sigma", sigma)?;
    let mu = (sensitivity / sigma).next_up();
    if (mu * mu).is_finite() { Ok(Part::Gaussian { mu }) } else { Err(EventError::Boundless(check.kind)) }
}

fn pure(found: &mut dyn FnMut(Part, u64), epsilon: f64, times: u64) {
    if epsilon > 0.0 {
        found(Part::Pure { epsilon }, times);
    }
}

fn failure(check: &Check, delta: f64, found: &mut dyn FnMut(Part, u64)) -> Result<(), EventError> {
    check.within("delta", delta, "at least 0 and below 1", (0.0..1.0).contains(&delta))?;
    if delta > 0.0 {
        found(Part::Failure { delta }, 1);
    }
    Ok(())
}

/// A price that underflowed to 0 is still a price.
fn positive(x: f64) -> f64 {
    add_up(x, f64::MIN_POSITIVE)
}

/// The ranges of an event's numbers.
struct Check {
    kind: &'static str,
}

impl Check {
    fn within(
        &self,
        field: &'static str,
        value: f64,
        range: &'static str,
        ok: bool,
    ) -> Result<f64, EventError> {
        if ok { Ok(value) } else { Err(EventError::Number { kind: self.kind, field, range, value }) }
    }

    fn positive(&self, field: &'static str, value: f64) -> Result<f64, EventError> {
        self.within(field, value, "a finite number above 0", value.is_finite() && value > 0.0)
    }

    fn not_negative(&self, field: &'static str, value: f64) -> Result<f64, EventError> {
        self.within(field, value, "a finite number, 0 or more", value.is_finite() && value >= 0.0)
    }

    fn at_least_one(&self, field: &'static str, value: u64) -> Result<f64, EventError> {
        self.within(field, value as f64, "at least 1", value >= 1)
    }

    fn rows(&self, rows: usize, dimension: usize, lambda: f64) -> Result<(), EventError> {
        self.at_least_one("rows", rows as u64)?;
        self.at_least_one("dimension", dimension as u64)?;
        self.positive("lambda", lambda).map(drop)
    }
}
