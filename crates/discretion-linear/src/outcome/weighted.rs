//! Which weight each row has in a matrix (1/n)Σ w x xᵀ, and the most it can be.

use super::{Loss, LossKind, LossSpec};
use discretion_privacy::ROUNDING_SLACK;
use discretion_privacy::noise::BigFloat;
use serde::{Deserialize, Serialize};

/// The weight of a row in a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Weight {
    /// f″: the matrix is the Hessian, without its regulariser.
    Curvature,
    /// f′²: the matrix is the second moment of the rows' gradients.
    SquaredSlope,
}

impl Weight {
    /// The largest weight of any row in the unit ball at coefficients of this length. Larger ones
    /// are cut off ([`Weighted`]), so a noise scale made from this number is right even if the loss
    /// rounds its own.
    pub(crate) fn most(self, loss: LossKind, length: f64) -> f64 {
        let outcome = loss.of_margin();
        match self {
            Weight::Curvature => outcome.bounds().curvature,
            // No margin is larger than ‖θ‖.
            Weight::SquaredSlope => {
                (outcome.inverse_slope(length).powi(-2) * (1.0 + ROUNDING_SLACK)).min(1.0)
            }
        }
    }
}

/// A loss whose "curvature" is a weight in [0, most], so that an oracle's Hessian is the matrix
/// with that weight.
pub(crate) struct Weighted {
    kind: LossKind,
    loss: &'static dyn Loss,
    weight: Weight,
    most: f64,
}

impl Weighted {
    pub(crate) fn new(loss: LossKind, weight: Weight, most: f64) -> Weighted {
        Weighted { kind: loss, loss: loss.loss(), weight, most }
    }

    fn weigh(&self, slope: f64, curvature: f64) -> f64 {
        let weight = match self.weight {
            Weight::Curvature => curvature,
            Weight::SquaredSlope => slope * slope,
        };
        // Not `clamp`, which would let a NaN pass.
        if weight > 0.0 { weight.min(self.most) } else { 0.0 }
    }
}

impl Loss for Weighted {
    fn value(&self, margin: f64) -> f64 {
        self.loss.value(margin)
    }

    fn slope(&self, margin: f64) -> f64 {
        self.loss.slope(margin)
    }

    fn curvature(&self, margin: f64) -> f64 {
        self.weigh(self.loss.slope(margin), self.loss.curvature(margin))
    }

    fn big_slope(&self, margin: &BigFloat) -> BigFloat {
        self.loss.big_slope(margin)
    }

    fn evaluate(&self, margins: &[f64], slopes: &mut [f64], curvatures: &mut [f64]) -> f64 {
        let value = self.loss.evaluate(margins, slopes, curvatures);
        for (slope, curvature) in slopes.iter().zip(curvatures) {
            *curvature = self.weigh(*slope, *curvature);
        }
        value
    }

    fn evaluate_weighted(
        &self,
        margins: &[f64],
        weights: &[f64],
        slopes: &mut [f64],
        curvatures: &mut [f64],
    ) -> f64 {
        self.evaluate(margins, slopes, curvatures);
        for ((slope, curvature), weight) in slopes.iter_mut().zip(curvatures).zip(weights) {
            (*slope, *curvature) = (weight * *slope, weight * *curvature);
        }
        // Nobody asks for it.
        0.0
    }

    fn squares_weights(&self) -> bool {
        self.weight == Weight::SquaredSlope
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::weighted(self.kind, self.weight, self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_what_they_are_called_and_stay_in_their_range() {
        let margins = [-3.0, -0.7, 0.0, 0.9, 1.4, 5.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let [mut slopes, mut weights] = [[0.0; 9]; 2];
        for kind in [LossKind::Logistic, LossKind::Hinge] {
            for weight in [Weight::Curvature, Weight::SquaredSlope] {
                let most = weight.most(kind, 3.0);
                let weighted = Weighted::new(kind, weight, most);
                weighted.evaluate(&margins, &mut slopes, &mut weights);
                for (&m, &found) in margins.iter().zip(&weights) {
                    assert!((0.0..=most).contains(&found), "{kind:?} {weight:?} at {m}: {found}");
                    if m.is_finite() {
                        let expected = match weight {
                            Weight::Curvature => kind.loss().curvature(m),
                            Weight::SquaredSlope => kind.loss().slope(m).powi(2),
                        };
                        assert!((found - expected).abs() < 1e-15, "{kind:?} {weight:?} at {m}");
                        assert!((weighted.curvature(m) - expected).abs() < 1e-15);
                    }
                }
            }
        }
    }

    /// What the proof needs: a weight above the bound cannot reach the sum, whatever the loss
    /// returns.
    #[test]
    fn a_weight_above_the_bound_is_cut_off() {
        let weighted = Weighted::new(LossKind::Logistic, Weight::SquaredSlope, 0.3);
        assert_eq!(weighted.curvature(-4.0), 0.3);
    }
}
