//! How much a run on other rows may spend without making this one dearer (`PROOF.md`, "Beside a
//! run").

use super::part::{List, Part, each};
use super::rounding::formula_up;
use super::spend::Spend;
use crate::{Budget, ROUNDING_SLACK};

impl Spend {
    /// Budgets of a run on rows that this one does not look at. With any of them both together cost
    /// what this one costs, under every filter and by every rule: a pure ε for a composition of pure
    /// mechanisms, where this run has a pure part, and ρ for a composition of continuous Gaussian
    /// noise, unless all of this run is pure.
    pub fn beside(&self) -> Vec<Budget> {
        let largest = |of: fn(&Spend) -> f64| match self.choices() {
            Some(choices) => choices.iter().map(of).fold(0.0, f64::max),
            None => of(self),
        };
        let epsilon = largest(|run| largest_pure(run.parts()));
        let rho = match self.pure_sum() {
            Some(_) => 0.0,
            None => largest(|run| GaussianRho::of(run.parts()).largest()),
        };
        let pure = (epsilon > 0.0).then_some(Budget::Pure { epsilon });
        let gaussian = Budget::Zcdp { rho: rho * (1.0 - 4.0 * ROUNDING_SLACK) };
        pure.into_iter().chain((rho > 0.0).then_some(gaussian)).collect()
    }
}

/// The largest ε of one mechanism.
fn largest_pure<'a>(parts: impl Iterator<Item = (&'a Part, u64)>) -> f64 {
    let of_one = |(part, _): (&Part, u64)| match part {
        Part::Pure { epsilon } => *epsilon,
        Part::Parallel { of } | Part::OneOf { of } => {
            of.iter().map(|list| largest_pure(each(list))).fold(0.0, f64::max)
        }
        _ => 0.0,
    };
    parts.map(of_one).fold(0.0, f64::max)
}

/// ρ of Gaussian noise that is within what rules know of some parts: of those that are continuous
/// Gaussian noise themselves, and of all others.
#[derive(Clone, Copy, Default)]
struct GaussianRho {
    gaussian: f64,
    others: f64,
}

impl GaussianRho {
    fn of<'a>(parts: impl Iterator<Item = (&'a Part, u64)>) -> GaussianRho {
        let mut sum = GaussianRho::default();
        for (part, count) in parts {
            let one = GaussianRho::of_part(part);
            sum.gaussian += count as f64 * one.gaussian;
            sum.others += count as f64 * one.others;
        }
        sum
    }

    fn of_part(part: &Part) -> GaussianRho {
        let others = |others| GaussianRho { others, ..GaussianRho::default() };
        // σ as it is told, up to rounding.
        let square = |sigma: f64| formula_up(sigma * sigma);
        match part {
            Part::Pure { .. } | Part::Failure { .. } => GaussianRho::default(),
            Part::Gaussian { mu } => GaussianRho { gaussian: 0.5 * mu * mu, others: 0.0 },
            Part::Concentrated { rho } | Part::Lattice { rho, .. } => others(*rho),
            Part::GaussianObjective { sigma, .. }
            | Part::GaussianLogistic { sigma, .. }
            | Part::GaussianResiduals { sigma, .. } => others(2.0 / square(*sigma)),
            Part::GaussianClasses { sigma, .. } => others(4.0 / square(*sigma)),
            Part::Stopped { runs, .. } => others(largest(runs, |all| all.gaussian + all.others)),
            Part::Parallel { of } | Part::OneOf { of } => GaussianRho {
                gaussian: largest(of, |all| all.gaussian),
                others: largest(of, |all| all.others),
            },
        }
    }

    fn largest(self) -> f64 {
        self.gaussian.max(self.others)
    }
}

fn largest(lists: &[List], of: impl Fn(GaussianRho) -> f64) -> f64 {
    lists.iter().map(|list| of(GaussianRho::of(each(list)))).fold(0.0, f64::max)
}
