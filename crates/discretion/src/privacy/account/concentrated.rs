//! Prices in ρ.

use super::part::Part;
use super::price::{NotPriced, Price, Rule};
use super::rounding::{add_up, formula_up, sum_up};
use super::spend::Spend;
use crate::privacy::{Curve, Term};

/// A certificate evaluates a curve at thousands of orders; past this many kinds of bent parts that is left out.
const MOST_KINDS: usize = 256;

/// Both prices of a spend in ρ.
pub(super) fn prices(spend: &Spend) -> Result<Vec<Price>, NotPriced> {
    if spend.failure() > 0.0 {
        return Err(NotPriced::NotConcentrated);
    }
    let price = |rule, amount| Price { rule, amount, delta: 0.0, adaptive: true };
    let mut prices = vec![price(Rule::SumOfRho, sum_of_rho(spend))];
    prices.extend(whole_curve(spend).map(|rho| price(Rule::WholeCurve, rho)));
    Ok(prices)
}

/// Every part's own ρ, added up.
pub(super) fn sum_of_rho(spend: &Spend) -> f64 {
    sum_up(spend.parts().map(|(part, count)| {
        let rho = match part {
            Part::Pure { epsilon } => formula_up(0.5 * epsilon * epsilon),
            Part::GaussianObjective { sigma, curvature } => {
                formula_up(Curve::of(Term::GaussianObjective { sigma, curvature }).as_zcdp().rho)
            }
            _ => linear(part),
        };
        (rho, count)
    }))
}

/// The straight parts of the curve added up, and one certificate for all the others together.
fn whole_curve(spend: &Spend) -> Option<f64> {
    let mut bent = Curve::default();
    let mut kinds = 0;
    for (part, count) in spend.parts() {
        let term = match part {
            Part::Pure { epsilon } => Term::Pure { epsilon },
            Part::GaussianObjective { sigma, curvature } => Term::GaussianObjective { sigma, curvature },
            _ => continue,
        };
        bent = bent.and_times(term, count);
        kinds += 1;
    }
    let straight = sum_up(spend.parts().map(|(part, count)| (linear(part), count)));
    (1..=MOST_KINDS).contains(&kinds).then(|| add_up(formula_up(bent.as_zcdp().rho), straight))
}

/// ρ of a part whose Rényi curve is ρα, else 0.
pub(super) fn linear(part: Part) -> f64 {
    match part {
        Part::Gaussian { mu } => formula_up(0.5 * mu * mu),
        Part::Concentrated { rho } => rho,
        _ => 0.0,
    }
}
