//! The laws of noise that fit a budget, once the mask has its share of it.

use super::grouping::{best_groups, deviations};
use super::predict::TypicalRows;
use super::{Pricing, classes, objective, output};
use crate::erm::Facts;
use crate::loss::LossKind;
use discretion_privacy::account::{Curvature, classes_trace};
use discretion_privacy::noise::gate::{MASK_SHARE, Mask};
use discretion_privacy::noise::{Law, TrainingLaw};
use discretion_privacy::{Approximate, Budget, JointPrice, Pure, ROUNDING_SLACK, Term, Zcdp};

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
    loss: LossKind,
    lambda: f64,
    pricing: Pricing,
    shares: &Shares,
) -> Vec<(TrainingLaw, Mask)> {
    let price = UnitPrice::new(facts, loss, lambda, pricing);
    let left = price.left_for_noise(shares.pure);
    let (mut round, mut shaped) = (Vec::<(TrainingLaw, Mask)>::new(), Vec::new());
    let rows = TypicalRows::new(facts, loss.loss(), lambda);
    let sensitivity = facts.classes.map_or(objective::SENSITIVITY, |_| classes::SENSITIVITY);
    if let Some(left) = left {
        round.push((objective::spherical_with(sensitivity, left).into(), shares.pure_mask));
    }
    if let (Some(columns), Some(left)) = (&facts.columns, left) {
        shaped.push((best_groups(columns, &rows, facts.classes, left).into(), shares.pure_mask));
        // Of numbers alone it is spherical noise. Several classes have none.
        if facts.classes.is_none() && columns.iter().any(|column| column.coefficients > 1) {
            shaped.push((objective::shaped::row_norm(columns, left).into(), shares.pure_mask));
        }
    }
    if let Some((Law::Gaussian { sigma }, mask)) =
        gaussian_objective_law(facts, loss, price, shares)
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
    pub(super) fn smallest_lambda(&self, loss: LossKind, budget: Pure) -> f64 {
        let (rank, trace) = self.curvature(loss);
        objective::smallest_lambda(rank, self.rows, trace, budget)
    }

    /// Bounds on the rank and the trace of the Hessian of what is replaced.
    fn curvature(&self, loss: LossKind) -> (usize, f64) {
        match self.classes {
            None => (self.unit.curvature_rank(self.dimension), loss.loss().curvature_bound()),
            Some(classes) => {
                let rank = self.unit.classes_curvature_rank(classes, self.row_dimension());
                (rank, classes_trace(classes))
            }
        }
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
    fn new(facts: &Facts, loss: LossKind, lambda: f64, pricing: Pricing) -> UnitPrice {
        let (rank, trace) = facts.curvature(loss);
        let joint = match pricing.curvature(facts, loss) {
            Curvature::Bounded => None,
            Curvature::Logistic => {
                Some(JointPrice::new(facts.unit, facts.dimension, facts.rows, lambda))
            }
        };
        UnitPrice { curvature: objective::curvature_price(rank, facts.rows, lambda, trace), joint }
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
    loss: LossKind,
    UnitPrice { curvature, joint }: UnitPrice,
    shares: &Shares,
) -> Option<(Law, Mask)> {
    let term = |sigma| match facts.classes {
        None if loss.loss().falls_and_rises() => Term::GaussianResiduals { sigma, curvature },
        None => match joint {
            None => Term::GaussianObjective { sigma, curvature },
            Some(joint) => Term::GaussianLogistic { sigma, curvature, joint },
        },
        Some(classes) => Term::GaussianClasses { sigma, curvature, classes },
    };
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
