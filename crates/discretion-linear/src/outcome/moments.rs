//! What makes an oracle's Hessian the matrix of moments.

use super::{Loss, LossSpec};
use discretion_privacy::noise::BigFloat;

/// A loss whose curvature is 1 wherever it is: its Hessian is (1/n) Σ xxᵀ. Nothing is trained with
/// it.
pub(crate) struct MomentsLoss;

impl MomentsLoss {
    /// What every row weighs, and so the most that it does.
    pub(crate) const MOST: f64 = 1.0;
}

impl Loss for MomentsLoss {
    fn value(&self, _: f64) -> f64 {
        0.0
    }

    fn slope(&self, _: f64) -> f64 {
        0.0
    }

    fn curvature(&self, _: f64) -> f64 {
        MomentsLoss::MOST
    }

    fn big_slope(&self, _: &BigFloat) -> BigFloat {
        BigFloat::ZERO
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::one())
    }
}
