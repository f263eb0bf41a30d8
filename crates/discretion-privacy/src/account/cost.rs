//! What a run adds to the sums of a filter.

use super::event::{Event, EventError};
use super::filter::{Filter, PlainLimits};
use super::part::{Part, curve, each};
use super::price::NotPriced;
use super::rounding::{add_up, formula_up, times_up};
use super::spend::Spend;
use super::totals::Totals;
use crate::Budget;
use std::f64::consts::FRAC_PI_2;

/// A run that cannot be charged, whatever is left.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CostError {
    /// It has no price in the currency of the account.
    #[error(transparent)]
    NotPriced(#[from] NotPriced),
    /// It cannot have happened.
    #[error(transparent)]
    Event(#[from] EventError),
}

impl Filter {
    /// What a run adds. Optimal, numerical and best-order composition are only ever used here,
    /// inside one run whose parts its plan fixed.
    pub fn cost(&self, event: &Event) -> Result<Totals, CostError> {
        Ok(self.cost_of(&Spend::of(event)?)?)
    }

    /// The largest of every sum over what the run can be for a pair of neighbours (`PROOF.md`, "Runs
    /// on parts of a table").
    pub(super) fn cost_of(&self, run: &Spend) -> Result<Totals, NotPriced> {
        let Some(choices) = run.choices() else { return self.cost_of_list(run, false) };
        let is_paid = choices.iter().any(|choice| choice.pure_sum().is_none());
        let costs = choices.iter().map(|choice| self.cost_of_list(choice, is_paid));
        let mut costs = costs.collect::<Result<Vec<Totals>, _>>()?;
        if let &Filter::Gaussian { order, .. } = self {
            // Gaussian noise may count by its divergence too: for nothing, where another part's is
            // larger.
            let curve = costs.iter().map(|cost| cost.curve).fold(0.0, f64::max);
            for (cost, choice) in costs.iter_mut().zip(&choices) {
                if divergence(choice.parts(), order) <= curve {
                    cost.mu_squared = 0.0;
                }
            }
        }
        Ok(costs.into_iter().fold(Totals::default(), Totals::or))
    }

    /// The sums of one list. `is_paid` says that the run takes the δ of runs that are not pure,
    /// whatever this list is.
    fn cost_of_list(&self, run: &Spend, is_paid: bool) -> Result<Totals, NotPriced> {
        let delta = run.failure();
        let epsilon = run.pure_sum();
        Ok(match *self {
            Filter::Pure { .. } => {
                let epsilon = epsilon.filter(|_| delta == 0.0).ok_or(NotPriced::NotPure)?;
                Totals { epsilon, ..Totals::default() }
            }
            Filter::Concentrated { delta: most, .. } => {
                if delta > 0.0 && most == 0.0 {
                    return Err(NotPriced::NotConcentrated);
                }
                Totals { delta, curve: run.rho(), ..Totals::default() }
            }
            Filter::PlainSum { epsilon: cap, each, .. } => {
                let (epsilon, more) =
                    in_plain_sum(run, cap, each, is_paid).ok_or(NotPriced::NoDelta)?;
                Totals { epsilon, delta: add_up(delta, more), ..Totals::default() }
            }
            Filter::Renyi { plain: PlainLimits { epsilon: cap, each, .. }, order, .. } => {
                let (epsilon, plain_delta) =
                    in_plain_sum(run, cap, each, is_paid).unwrap_or((f64::INFINITY, 0.0));
                let curve = divergence(run.parts(), order);
                Totals { epsilon, delta, plain_delta, curve, mu_squared: 0.0 }
            }
            Filter::Gaussian { plain: PlainLimits { epsilon: cap, each, .. }, order, .. } => {
                let (epsilon, plain_delta) =
                    in_plain_sum(run, cap, each, is_paid).unwrap_or((f64::INFINITY, 0.0));
                let [mu_squared, curve] = gaussian_and_rest(run.parts(), order);
                Totals { epsilon, delta, plain_delta, curve, mu_squared }
            }
        })
    }
}

/// ε of a run in a plain sum, and the δ that it takes there beside its own for failing: none if it
/// is pure up to failing, else `each`; whichever has the smaller ε, but what has no δ of its own
/// takes none, unless `each` is paid for already.
fn in_plain_sum(run: &Spend, cap: f64, each: f64, is_paid: bool) -> Option<(f64, f64)> {
    let as_it_is = run.pure_sum().map(|epsilon| (epsilon, 0.0));
    let failure = run.failure();
    if as_it_is.is_some() && failure == 0.0 && !is_paid {
        return as_it_is;
    }
    let price = run.price(Budget::Approximate { epsilon: cap, delta: add_up(failure, each) }).ok();
    match (as_it_is, price.map(|price| (price.amount, each))) {
        (Some(one), Some(other)) if other.0 < one.0 => Some(other),
        (one, other) => one.or(other),
    }
}

/// The Rényi divergence of these parts at one order, rounded up: a formula for each, and one
/// addition.
fn divergence<'a>(parts: impl Iterator<Item = (&'a Part, u64)>, order: f64) -> f64 {
    let mut additions = 0.0;
    let counted = parts.inspect(|_| additions += 1.0);
    let sum = curve(counted).epsilon(order);
    formula_up(sum) * (1.0 + additions * f64::EPSILON)
}

/// Σμ² of what is Gaussian among these parts, and the Rényi divergence of the rest. Of several
/// events one happens: the largest of both counts.
fn gaussian_and_rest<'a>(parts: impl Iterator<Item = (&'a Part, u64)>, order: f64) -> [f64; 2] {
    let (mut squares, mut chosen, mut rest) = (0.0, 0.0, Vec::new());
    for (part, count) in parts {
        match (part, gaussian_mu(part)) {
            (_, Some(mu)) => squares = add_up(squares, times_up(count, square_up(mu))),
            (Part::OneOf { of }, None) => {
                let lists = of.iter().map(|list| gaussian_and_rest(each(list), order));
                let larger = |a: [f64; 2], b: [f64; 2]| [a[0].max(b[0]), a[1].max(b[1])];
                let [square, curve] = lists.fold([0.0; 2], larger);
                squares = add_up(squares, times_up(count, square));
                chosen = add_up(chosen, times_up(count, curve));
            }
            (_, None) => rest.push((part, count)),
        }
    }
    [squares, add_up(chosen, divergence(rest.into_iter(), order))]
}

/// μ of a part that is μ-GDP: Gaussian noise, and a pure mechanism with μ = ε√(π/2).
fn gaussian_mu(part: &Part) -> Option<f64> {
    match *part {
        Part::Gaussian { mu } => Some(mu),
        Part::Pure { epsilon } => Some(epsilon * FRAC_PI_2.sqrt()),
        _ => None,
    }
}

fn square_up(mu: f64) -> f64 {
    formula_up(mu * mu)
}
