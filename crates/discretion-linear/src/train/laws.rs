//! The laws of noise that fit a budget, once the mask has its share of it.

use super::{objective, output};
use discretion_privacy::noise::Law;
use discretion_privacy::noise::gate::{MASK_SHARE, Mask};
use discretion_privacy::{Approximate, Budget, Pure, ROUNDING_SLACK, Zcdp};

/// What the ideal mechanism and the mask may each spend.
pub(crate) struct Shares {
    /// For mechanisms whose ideal form is pure.
    pub(crate) pure: Pure,
    pure_mask: Mask,
    budget: Budget,
}

impl Shares {
    pub(crate) fn new(budget: Budget) -> Shares {
        let rest = (1.0 - MASK_SHARE) * (1.0 - ROUNDING_SLACK);
        let (pure, pure_mask) = match budget {
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => {
                (Pure { epsilon: rest * epsilon }, Mask::Laplace(Pure { epsilon: MASK_SHARE * epsilon }))
            }
            Budget::Zcdp { rho } => {
                (Budget::Zcdp { rho: rest * rho }.as_pure(), Mask::Gaussian(Zcdp { rho: MASK_SHARE * rho }))
            }
        };
        Shares { pure, pure_mask, budget }
    }
}

/// The laws of b that fit the budget, each with what is left for the mask.
pub(super) fn objective_laws(rows: usize, lambda: f64, t: f64, shares: &Shares) -> Vec<(Law, Mask)> {
    let mut found = Vec::new();
    if let Some(law) = objective::spherical(rows, lambda, t, shares.pure) {
        found.push((law, shares.pure_mask));
    }
    match shares.budget {
        Budget::Pure { .. } => {}
        Budget::Approximate { epsilon, delta } => {
            let target = Approximate { epsilon, delta };
            let mask = Zcdp { rho: MASK_SHARE * Zcdp::within(target).rho };
            if let Some(law) = objective::gaussian_within(rows, lambda, t, target, mask) {
                found.push((law, Mask::Gaussian(mask)));
            }
        }
        Budget::Zcdp { rho } => {
            let mask = Zcdp { rho: MASK_SHARE * rho };
            let rest = Zcdp { rho: (rho - mask.rho) * (1.0 - ROUNDING_SLACK) };
            if let Some(law) = objective::gaussian_zcdp(rows, lambda, t, rest) {
                found.push((law, Mask::Gaussian(mask)));
            }
        }
    }
    found
}

/// The laws of noise on a vector of this L₂ sensitivity that fit the budget, each with what is left for the mask.
pub(crate) fn output_laws(sensitivity: f64, shares: &Shares) -> Vec<(Law, Mask)> {
    let mut found = vec![(output::spherical(sensitivity, shares.pure), shares.pure_mask)];
    match shares.budget {
        Budget::Pure { .. } => {}
        Budget::Approximate { epsilon, delta } => {
            // The exact Gaussian profile does not add up with a Rényi curve, so the mask is priced alone.
            let part = Approximate { epsilon: MASK_SHARE * epsilon, delta: MASK_SHARE * delta };
            let rest = Approximate { epsilon: epsilon - part.epsilon, delta: delta - part.delta };
            let mask = Mask::Gaussian(Zcdp::within(part));
            found.push((output::gaussian_within(sensitivity, rest), mask));
        }
        Budget::Zcdp { rho } => {
            let mask = Zcdp { rho: MASK_SHARE * rho };
            let rest = Zcdp { rho: rho - mask.rho };
            found.push((output::gaussian_zcdp(sensitivity, rest), Mask::Gaussian(mask)));
        }
    }
    found
}
