//! The laws of noise that fit a budget, once the mask has its share of it.

use super::grouping::{best_groups, deviations};
use super::predict::TypicalRows;
use super::{Pricing, objective, output};
use crate::erm::Facts;
use crate::outcome::Bounds;
use discretion_privacy::noise::gate::{MASK_SHARE, Mask};
use discretion_privacy::noise::{Law, TrainingLaw};
use discretion_privacy::{Approximate, Budget, JointPrice, Pure, ROUNDING_SLACK, Zcdp};

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
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => (
                Pure { epsilon: rest * epsilon },
                Mask::Laplace(Pure { epsilon: MASK_SHARE * epsilon }),
            ),
            Budget::Zcdp { rho } => (
                Budget::Zcdp { rho: rest * rho }.as_pure(),
                Mask::Gaussian(Zcdp { rho: MASK_SHARE * rho }),
            ),
        };
        Shares { pure, pure_mask, budget }
    }
}

/// The laws of b that fit the budget, each with what is left for the mask: those that know only how
/// long a row is first.
pub(super) fn objective_laws(
    facts: &Facts,
    bounds: &Bounds,
    lambda: f64,
    pricing: Pricing,
    shares: &Shares,
) -> Vec<(TrainingLaw, Mask)> {
    let price = UnitPrice::new(facts, bounds, lambda, pricing);
    let left = price.left_for_noise(shares.pure);
    let (mut round, mut shaped) = (Vec::<(TrainingLaw, Mask)>::new(), Vec::new());
    let rows = TypicalRows::new(facts, bounds, lambda);
    if let Some(left) = left {
        round.push((objective::spherical_with(bounds.shift(), left).into(), shares.pure_mask));
    }
    if let (Some(columns), Some(left)) = (&facts.columns, left) {
        shaped.push((best_groups(columns, &rows, facts.heads(), left).into(), shares.pure_mask));
        // Of numbers alone it is spherical noise.
        if facts.heads().has_row_norm() && columns.iter().any(|column| column.coefficients > 1) {
            shaped.push((objective::shaped::row_norm(columns, left).into(), shares.pure_mask));
        }
    }
    if let Some((Law::Gaussian { sigma }, mask)) =
        gaussian_objective_law(facts, bounds, price, shares)
    {
        round.push((Law::Gaussian { sigma }.into(), mask));
        if let Some(columns) = &facts.columns {
            let law =
                objective::shaped::column_gaussian(columns, &deviations(columns, &rows), sigma);
            shaped.push((law.into(), mask));
        }
    }
    round.extend(shaped);
    round
}

impl Facts {
    /// The smallest λ for which objective perturbation has anything left for noise.
    pub(super) fn smallest_lambda(&self, bounds: &Bounds, budget: Pure) -> f64 {
        let rank = bounds.rank_of(self.unit, self.row_dimension());
        objective::smallest_lambda(rank, self.rows, bounds.trace, budget)
    }
}

/// What objective perturbation pays for the slope and the curvature of what is replaced.
#[derive(Clone, Copy)]
struct UnitPrice {
    /// Curvature by itself.
    curvature: f64,
    /// Slope and curvature together.
    joint: Option<JointPrice>,
}

impl UnitPrice {
    fn new(facts: &Facts, bounds: &Bounds, lambda: f64, pricing: Pricing) -> UnitPrice {
        let rank = bounds.rank_of(facts.unit, facts.row_dimension());
        let size = (facts.rows, facts.row_dimension(), lambda);
        let joint = pricing.curvature(bounds).joint_price(bounds.logistic_row(), facts.unit, size);
        let curvature = objective::curvature_price(rank, facts.rows, lambda, bounds.trace);
        UnitPrice { curvature, joint }
    }

    /// Returns what is left of a pure budget for the noise; nothing if λ is too small.
    fn left_for_noise(&self, budget: Pure) -> Option<f64> {
        let apart = objective::left_for_noise(self.curvature, budget);
        let together = self.joint.and_then(|joint| joint.left_for_noise(budget));
        apart.into_iter().chain(together).reduce(f64::max)
    }
}

/// Gaussian noise for rows of length 1, if the budget has it.
fn gaussian_objective_law(
    facts: &Facts,
    bounds: &Bounds,
    UnitPrice { curvature, joint }: UnitPrice,
    shares: &Shares,
) -> Option<(Law, Mask)> {
    let term = |sigma| bounds.gaussian_term(facts.heads(), sigma, curvature, joint);
    match shares.budget {
        Budget::Pure { .. } => None,
        Budget::Approximate { epsilon, delta } => {
            let target = Approximate { epsilon, delta };
            let mask = Zcdp { rho: MASK_SHARE * Zcdp::within(target).rho };
            let law = objective::gaussian_within_by(term, target, mask)?;
            Some((law, Mask::Gaussian(mask)))
        }
        Budget::Zcdp { rho } => {
            let mask = Zcdp { rho: MASK_SHARE * rho };
            let rest = Zcdp { rho: (rho - mask.rho) * (1.0 - ROUNDING_SLACK) };
            Some((objective::gaussian_zcdp_by(term, rest)?, Mask::Gaussian(mask)))
        }
    }
}

/// The laws of noise on a vector of this L₂ sensitivity that fit the budget, each with what is left
/// for the mask.
pub(crate) fn output_laws(sensitivity: f64, shares: &Shares) -> Vec<(Law, Mask)> {
    let mut found = vec![(output::spherical(sensitivity, shares.pure), shares.pure_mask)];
    match shares.budget {
        Budget::Pure { .. } => {}
        Budget::Approximate { epsilon, delta } => {
            // The exact Gaussian profile does not add up with a Rényi curve, so the mask is priced
            // alone.
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
