//! What is true of the mean loss on every table.

use super::Facts;
use crate::loss::Loss;
use discretion_privacy::account::CLASSES_SLOPE;

/// Bounds on the loss of a row, as a function of all coefficients, for every row with ‖x‖ ≤ 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    /// The length of its gradient.
    pub slope: f64,
    /// The largest eigenvalue of its Hessian.
    pub curvature: f64,
    /// Its value at 0.
    pub start: f64,
    /// The size of its margin at 0.
    pub offset: f64,
    /// The rounding of its slopes, all classes' together, in units of 2⁻⁵³, if margins are exact.
    pub slope_rounding: f64,
}

impl Bounds {
    pub fn new(facts: &Facts, loss: &dyn Loss) -> Bounds {
        match facts.classes {
            None => Bounds {
                slope: 1.0,
                curvature: loss.curvature_bound(),
                start: loss.value(loss.offset()).max(loss.value(-loss.offset())),
                offset: loss.offset(),
                slope_rounding: 16.0,
            },
            // `train/classes/PROOF.md`, "The solver".
            Some(classes) => Bounds {
                slope: CLASSES_SLOPE,
                curvature: 0.5,
                start: (classes as f64).ln(),
                offset: 0.0,
                slope_rounding: 16.0 + 2.0 * classes as f64,
            },
        }
    }
}
