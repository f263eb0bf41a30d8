//! How exactly a problem is solved, from public numbers alone. `PROOF.md` derives every line.

use crate::erm::Facts;
use crate::outcome::Bounds;
use crate::rounding::{UNIT, roundings};

/// The public accuracy of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// ‖b‖ up to which double precision serves.
    pub ordinary_noise: f64,
    /// Iterates are kept in this ball; it holds the minimiser three times over.
    pub radius: f64,
    /// Bound on the rounding of a computed gradient anywhere in the ball.
    pub gradient_error: f64,
    /// A computed gradient no longer than this is a certificate.
    pub target: f64,
    /// Bound on the distance between the result and the exact minimiser, for every table.
    pub tolerance: f64,
    /// Steps of gradient descent that suffice for every table.
    pub descent_steps: u64,
}

impl Accuracy {
    /// The accuracy for a table with these facts, when ‖b‖ is ordinarily at most `ordinary_noise`.
    pub fn new(facts: &Facts, bounds: &Bounds, lambda: f64, ordinary_noise: f64) -> Accuracy {
        let &Bounds { slope, curvature: t, start, offset, rounding, .. } = bounds;
        let u = ordinary_noise / facts.rows as f64;
        let from_slopes = (slope + u) / lambda;
        let from_value = (u + (u * u + 2.0 * lambda * start).sqrt()) / lambda;
        let bound = from_slopes.min(from_value);
        let radius = 3.0 * bound;

        let margin_error = roundings(facts.row_terms + 3) * (radius + offset);
        let slope_error = t * margin_error + rounding * UNIT;
        let sum_error = slope * roundings(facts.summation_depth + 4);
        let regulariser_error = 6.0 * UNIT * (slope + lambda * radius + u);
        // One part in a hundred for products of two errors and for the rounding of this formula
        // itself.
        let gradient_error = 1.01 * (slope_error + sum_error + regulariser_error);

        // What rounding of the iterate adds to every step of gradient descent.
        let step_error = 4.0 * UNIT * radius * (lambda + t);
        let target = 8.0 * (gradient_error + step_error);
        let tolerance = 1.01 * (target + gradient_error) / lambda;
        let decades = (bound * lambda / gradient_error).ln().max(1.0);
        let descent_steps = (((1.0 + t / lambda) * decades).ceil() as u64).saturating_add(1);
        Accuracy { ordinary_noise, radius, gradient_error, target, tolerance, descent_steps }
    }

    /// Whether doubles can solve the problem at all: the tolerance is well below the size of
    /// solutions.
    pub fn is_meaningful(&self) -> bool {
        self.tolerance < 1e-3 * self.radius
    }
}
