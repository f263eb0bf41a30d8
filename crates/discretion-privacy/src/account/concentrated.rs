//! Prices in ρ.

use super::part::Part;
use super::price::{NotPriced, Price, Rule};
use super::rounding::{add_up, formula_up, sum_up};
use super::spend::Spend;
use crate::{Curve, Pure, Zcdp};

/// A certificate evaluates a curve at thousands of orders; past this many kinds of bent parts that
/// is left out.
const MOST_KINDS: usize = 256;

/// Both prices of a spend in ρ.
pub(super) fn prices(spend: &Spend) -> Result<Vec<Price>, NotPriced> {
    if spend.failure() > 0.0 {
        return Err(NotPriced::NotConcentrated);
    }
    let price = |rule, amount| Price { rule, amount, delta: 0.0 };
    let mut prices = vec![price(Rule::SumOfRho, sum_of_rho(spend))];
    prices.extend(whole_curve(spend).map(|rho| price(Rule::WholeCurve, rho)));
    Ok(prices)
}

/// The smaller of both prices, up to failing.
pub(super) fn rho(spend: &Spend) -> f64 {
    whole_curve(spend).map_or(f64::INFINITY, |rho| rho).min(sum_of_rho(spend))
}

/// Every part's own ρ, added up.
pub(super) fn sum_of_rho(spend: &Spend) -> f64 {
    sum_up(spend.parts().map(|(part, count)| {
        let rho = match (part, part.bent()) {
            (&Part::Pure { epsilon }, _) => Zcdp::from(Pure { epsilon }).rho,
            // Every order has the largest of these.
            (Part::Parallel { of } | Part::OneOf { of }, _) => {
                of.iter().map(|list| rho(&Spend::of_list(list))).fold(0.0, f64::max)
            }
            (_, Some(term)) => formula_up(Curve::of(term).as_zcdp().rho),
            (_, None) => part.linear(),
        };
        (rho, count)
    }))
}

/// The straight parts of the curve added up, and one certificate for all the others together.
fn whole_curve(spend: &Spend) -> Option<f64> {
    let bent: Vec<_> = spend
        .parts()
        .filter_map(|(part, count)| Some((part.bent()?, count)))
        .take(MOST_KINDS + 1)
        .collect();
    if !(1..=MOST_KINDS).contains(&bent.len()) {
        return None;
    }
    let curve = bent
        .into_iter()
        .fold(Curve::default(), |curve, (term, count)| curve.and_times(term, count));
    let straight = sum_up(spend.parts().map(|(part, count)| (part.linear(), count)));
    Some(add_up(formula_up(curve.as_zcdp().rho), straight))
}
