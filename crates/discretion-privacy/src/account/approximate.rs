//! Prices in ε at the account's δ.

use super::concentrated::sum_of_rho;
use super::convex::compared;
use super::gaussian::{combined_mu, exact_epsilon};
use super::optimal::RandomisedResponses;
use super::part::{List, Part, curve, failure_of};
use super::price::{CAP_TOLERANCE, NotPriced, Price, Rule};
use super::rounding::{add_up, formula_up, sum_up};
use super::spend::Spend;
use crate::{Budget, Curve, MASK_SHARE, Zcdp};

/// How δ is divided between two groups that are priced apart: the share of the second. Fixed, so
/// that a price cannot fall because a division changed. The planner's own share is one of them.
const SHARES: [f64; 9] = [MASK_SHARE, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0 - MASK_SHARE];

/// With more kinds of parts than this, those that are priced one by one are left out.
const MOST_KINDS: usize = 64;

/// Every price of a spend in ε at `delta`.
pub(super) fn prices(spend: &Spend, delta: f64) -> Result<Vec<Price>, NotPriced> {
    let failure = spend.failure();
    if failure > delta * (1.0 + CAP_TOLERANCE) {
        return Err(NotPriced::Delta { needed: failure, delta });
    }
    let left = Left { spend, pure: spend.pure_parts(), delta: (delta - failure).max(0.0) };
    let mut prices = Vec::new();
    if let Some(amount) = spend.pure_sum() {
        prices.push(Price { rule: Rule::PlainSum, amount, delta: failure });
    }
    if left.delta > 0.0 && spend.parts().next().is_some() {
        let found = [
            (Rule::EqualShares, left.equal_shares()),
            (Rule::Renyi, left.renyi()),
            (Rule::SumOfRho, left.sum_of_rho()),
            (Rule::ExactGaussian, left.exact_gaussian()),
            (Rule::OptimalComposition, left.optimal_composition()),
            (Rule::ConvexOrder, left.convex_order()),
        ];
        for (rule, amount) in found {
            prices.extend(amount.map(|amount| Price { rule, amount, delta }));
        }
    }
    if prices.is_empty() { Err(NotPriced::Delta { needed: failure, delta }) } else { Ok(prices) }
}

/// A spend without its chance of failing, and the δ which that leaves.
struct Left<'a> {
    spend: &'a Spend,
    pure: Vec<(f64, u64)>,
    delta: f64,
}

impl Left<'_> {
    /// Each mechanism alone, at an equal share of δ if it needs one.
    fn equal_shares(&self) -> Option<f64> {
        let needy = |part: &Part| !matches!(part, Part::Pure { .. } | Part::Failure { .. });
        let kinds = self.spend.parts().filter(|(part, _)| needy(part)).count();
        let count = self
            .spend
            .parts()
            .filter(|(part, _)| needy(part))
            .map(|(_, count)| count as f64)
            .sum::<f64>();
        let share = self.delta / count;
        (1..=MOST_KINDS).contains(&kinds).then(|| {
            sum_up(self.spend.parts().map(|(part, count)| {
                let price = match part {
                    Part::Failure { .. } => 0.0,
                    &Part::Pure { epsilon } => epsilon,
                    &Part::Gaussian { mu } => exact_epsilon(mu, share),
                    _ => alone(part, share),
                };
                (price, count)
            }))
        })
    }

    fn renyi(&self) -> Option<f64> {
        Some(convert(&curve(self.spend.parts()), self.delta))
    }

    fn sum_of_rho(&self) -> Option<f64> {
        // Each of these needs a certificate of its own, which takes milliseconds.
        let certified =
            |(part, _): &(&Part, u64)| part.bent().is_some() && !matches!(part, Part::Pure { .. });
        (self.spend.parts().filter(certified).count() <= MOST_KINDS)
            .then(|| formula_up(Zcdp { rho: sum_of_rho(self.spend) }.at_delta(self.delta).epsilon))
    }

    /// One exact Gaussian; ρ and Gaussian objectives by Rényi at a share of δ; pure mechanisms by
    /// their sum.
    fn exact_gaussian(&self) -> Option<f64> {
        let rest = self.without_pure();
        (rest.mu > 0.0).then(|| {
            let pure = sum_up(self.pure.iter().copied());
            rest.curve_shares(self.delta)
                .map(|(curve, left)| add_up(add_up(exact_epsilon(rest.mu, left), curve), pure))
                .fold(f64::INFINITY, f64::min)
        })
    }

    /// Pure mechanisms by their optimal composition, all of them or one group of equal ones; the
    /// rest as in [`Left::exact_gaussian`].
    fn optimal_composition(&self) -> Option<f64> {
        if self.pure.is_empty() {
            return None;
        }
        let rest = self.without_pure();
        // (price of what is not pure, δ left for what is)
        let mut divisions = Vec::new();
        for (curve, left) in rest.curve_shares(self.delta) {
            if rest.mu > 0.0 {
                divisions.extend(SHARES.map(|share| {
                    let part = left * share;
                    (add_up(curve, exact_epsilon(rest.mu, part)), left - part)
                }));
            } else {
                divisions.push((curve, left));
            }
        }
        let with = |responses: &RandomisedResponses, plain: f64| {
            divisions
                .iter()
                .filter_map(|&(other, left)| {
                    Some(add_up(add_up(responses.epsilon(left)?, other), plain))
                })
                .min_by(f64::total_cmp)
        };
        let all = RandomisedResponses::new(&self.pure).and_then(|responses| with(&responses, 0.0));
        let groups =
            if (2..=MOST_KINDS).contains(&self.pure.len()) { self.pure.as_slice() } else { &[] };
        let single = groups.iter().filter_map(|&group| {
            let others = sum_up(self.pure.iter().copied().filter(|&other| other != group));
            with(&RandomisedResponses::new(&[group])?, others)
        });
        single.chain(all).min_by(f64::total_cmp)
    }

    /// Gaussian noise of all kinds, one training among it, and pure mechanisms by their losses; the
    /// rest by Rényi at a share of δ.
    fn convex_order(&self) -> Option<f64> {
        let (losses, others) = compared(self.spend, &self.pure)?;
        let rest = NotPure { mu: 0.0, curve: (!others.is_empty()).then(|| curve(others)) };
        rest.curve_shares(self.delta)
            .map(|(curve, left)| add_up(losses.epsilon(left), curve))
            .min_by(f64::total_cmp)
    }

    fn without_pure(&self) -> NotPure {
        let is_curved = |part: &Part| {
            !matches!(part, Part::Pure { .. } | Part::Gaussian { .. } | Part::Failure { .. })
        };
        let parts: Vec<_> = self.spend.parts().filter(|(part, _)| is_curved(part)).collect();
        NotPure { mu: combined_mu(self.spend), curve: (!parts.is_empty()).then(|| curve(parts)) }
    }
}

/// What is not pure, in the two groups that are priced apart.
struct NotPure {
    /// μ of all continuous Gaussians, 0 if there are none.
    mu: f64,
    curve: Option<Curve>,
}

impl NotPure {
    /// The price of the curve at each share of δ, and the δ it leaves.
    fn curve_shares(&self, delta: f64) -> impl Iterator<Item = (f64, f64)> {
        let shares = if self.curve.is_some() { SHARES.as_slice() } else { &[0.0] };
        shares.iter().map(move |share| {
            let part = delta * share;
            (self.curve.as_ref().map_or(0.0, |curve| convert(curve, part)), delta - part)
        })
    }
}

/// The price of one part that has no formula of its own: by its losses if they can be compared, or
/// by its Rényi curve; of one of several lists that of the dearest, by any rule.
fn alone(part: &Part, delta: f64) -> f64 {
    let by_itself = match part {
        Part::Parallel { of } | Part::OneOf { of } => {
            let price = |list: &List| {
                let delta = add_up(delta, failure_of(list));
                let price = Spend::of_list(list).price(Budget::Approximate { epsilon: 1.0, delta });
                Some(price.ok()?.amount)
            };
            of.iter().try_fold(0.0, |most: f64, list| Some(most.max(price(list)?)))
        }
        _ => {
            let spend = Spend::of_part(part.clone());
            Left { spend: &spend, pure: Vec::new(), delta }.convex_order()
        }
    };
    by_itself.unwrap_or(f64::INFINITY).min(convert(&curve([(part, 1)]), delta))
}

fn convert(curve: &Curve, delta: f64) -> f64 {
    formula_up(curve.at_delta(delta).epsilon)
}
