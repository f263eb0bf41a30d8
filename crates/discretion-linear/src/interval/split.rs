//! How one budget is divided between the coefficients and the two matrices.

use super::IntervalError;
use super::ordinary::suffice;
use crate::loss::LossKind;
use discretion_privacy::{Approximate, Budget, Zcdp};

/// Shares of one budget: φ₁ : φ₂ : φ₃ for training, Hessian and covariance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    training: f64,
    hessian: f64,
    covariance: f64,
}

/// How far from 1 the sum of three written decimals may be.
const SUM_TOLERANCE: f64 = 1e-9;

impl Split {
    /// The split that is used if nobody asks for another: of those measured on real tables, the one
    /// whose intervals are shortest on average and never far from the best (docs/intervals-in-detail.md).
    pub const DEFAULT: Split = Split { training: 0.7, hessian: 0.15, covariance: 0.15 };

    /// The same where intervals are computed from the moments of the rows, which have the shares of
    /// both matrices (chosen on simulated patients, docs/intervals-in-detail.md).
    pub const WITH_ROWS: Split = Split { training: 0.88, hessian: 0.09, covariance: 0.03 };

    /// The same under a pure budget, where noise is as one over a share and not over its root.
    pub const WITH_ROWS_PURE: Split = Split { training: 0.75, hessian: 0.2, covariance: 0.05 };

    /// The split for this loss and budget, on rows whose shape is known or not.
    pub fn usual(loss: LossKind, shape_is_known: bool, budget: Budget) -> Split {
        match (suffice(loss, shape_is_known), budget) {
            (true, Budget::Pure { .. }) => Split::WITH_ROWS_PURE,
            (true, Budget::Approximate { .. } | Budget::Zcdp { .. }) => Split::WITH_ROWS,
            (false, _) => Split::DEFAULT,
        }
    }

    /// Three shares above 0 that add up to 1.
    pub fn new(training: f64, hessian: f64, covariance: f64) -> Result<Split, IntervalError> {
        let sum = training + hessian + covariance;
        let is_share = |x: f64| x > 0.0 && x < 1.0;
        let all = is_share(training) && is_share(hessian) && is_share(covariance);
        if !all || (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(IntervalError::Split { training, hessian, covariance });
        }
        // Written decimals may add up to slightly more than 1; a budget must not.
        let sum = sum.max(1.0);
        Ok(Split { training: training / sum, hessian: hessian / sum, covariance: covariance / sum })
    }

    /// The share of the training.
    pub fn training(self) -> f64 {
        self.training
    }

    /// The share of the Hessian.
    pub fn hessian(self) -> f64 {
        self.hessian
    }

    /// The share of the gradients' covariance.
    pub fn covariance(self) -> f64 {
        self.covariance
    }
}

impl Default for Split {
    fn default() -> Split {
        Split::DEFAULT
    }
}

/// What the two matrices have a share of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shares {
    /// ε and δ, or ρ, stretched as the training's share is.
    OfBudget,
    /// The ρ that an (ε, δ) amounts to, beside Gaussian training. Of ε itself, a share's noise
    /// would be larger by the root of the share.
    OfConcentration,
}

impl Shares {
    /// The Hessian's part of a budget.
    pub(super) fn hessian(self, budget: Budget, split: Split, stretch: f64) -> Budget {
        self.part(budget, split.hessian, stretch)
    }

    /// That of the rows' moments: all that is not the training's.
    pub(super) fn rows(self, budget: Budget, split: Split, stretch: f64) -> Budget {
        self.part(budget, split.hessian + split.covariance, stretch)
    }

    /// The covariance's.
    pub(super) fn covariance(self, budget: Budget, split: Split, stretch: f64) -> Budget {
        self.part(budget, split.covariance, stretch)
    }

    fn part(self, budget: Budget, share: f64, stretch: f64) -> Budget {
        match (self, budget) {
            (Shares::OfConcentration, Budget::Approximate { epsilon, delta }) => {
                let whole = Zcdp::within(Approximate { epsilon, delta });
                part(whole.into(), share, 1.0)
            }
            _ => part(budget, share, stretch),
        }
    }
}

/// A share of a budget, its ε or ρ multiplied by `stretch` besides; δ is shared and never
/// stretched.
pub(crate) fn part(budget: Budget, share: f64, stretch: f64) -> Budget {
    match budget {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: stretch * share * epsilon },
        Budget::Zcdp { rho } => Budget::Zcdp { rho: stretch * share * rho },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: stretch * share * epsilon, delta: share * delta }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_positive_and_add_up_to_one() {
        for (a, b, c) in [
            (0.5, 0.25, 0.3),
            (0.5, 0.25, 0.2),
            (1.0, 0.0, 0.0),
            (1.2, -0.1, -0.1),
            (f64::NAN, 0.5, 0.5),
            (0.5, 0.5, f64::INFINITY),
        ] {
            assert!(matches!(Split::new(a, b, c), Err(IntervalError::Split { .. })), "{a} {b} {c}");
        }
        for (a, b, c) in [(0.5, 0.25, 0.25), (0.7, 0.2, 0.1), (0.3, 0.3, 0.4 + 5e-10)] {
            let split = Split::new(a, b, c).unwrap();
            assert!(split.training() + split.hessian() + split.covariance() <= 1.0 + 1e-15);
        }
        assert_eq!(Split::default(), Split::new(0.7, 0.15, 0.15).unwrap());
    }
}
