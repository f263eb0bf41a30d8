//! λ from n, d and the budget alone. docs/lambda.md has the experiment behind the constants.

use super::error::outcome_of;
use super::laws::{Shares, objective_laws};
use super::plan::moves_at_most;
use super::{Pricing, TrainError};
use crate::erm::Facts;
use crate::outcome::{Bounds, LossKind, Outcome};
use discretion_privacy::Budget;

/// λ for intervals is at least this many times the smallest feasible one.
const FEASIBLE_TIMES: f64 = 2.0;

/// So many times as large λ did best on Bank at ε = 0.1 and 0.2 (docs/curves.md).
const AROUND_TIMES: f64 = 10.0;

/// Halvings of what is searched, which settle λ to a hundredth.
const ROUNDS: usize = 10;

/// The λ that `lambda = "auto"` takes, by the outcome's [`LambdaRule`]: for a label ±1 max(300 v,
/// (v/3.5e-5)³, 0.04 d/(nε), 0.5/n), at most 0.03, and at least 2 λ_min. v is the mean variance of
/// the noise in the mean gradient under the smallest law; ε is that of the pure budget within the
/// one at hand. Twice that of several classes, and at least 2 (K − 1)/(nε) if the budget is pure
/// (docs/classes.md). Of Huber's loss: max(3000 v, 0.1 d/n), at most 0.03, at least 12 λ_min, and
/// where noise would still move predictions by more than 0.03 so much that it does not
/// (docs/numbers.md).
pub fn auto_lambda(facts: &Facts, loss: LossKind, budget: Budget) -> Result<f64, TrainError> {
    Ok(lambda_of(facts, &*outcome_of(facts.heads(), loss)?, budget))
}

/// [`auto_lambda`] for an outcome.
pub(super) fn lambda_of(facts: &Facts, outcome: &dyn Outcome, budget: Budget) -> f64 {
    let (bounds, rule) = (outcome.bounds(), outcome.lambda());
    let (n, d) = (facts.rows as f64, facts.row_dimension() as f64);
    let shares = Shares::new(budget);
    let variance = gradient_noise(facts, &bounds, &shares) / rule.scale;
    let held = (rule.dimension_share * d / shares.pure.epsilon).max(rule.sampling_share) / n;
    let wanted = (rule.noise_weight * variance)
        .max((variance / rule.much_noise).powi(3))
        .max(held)
        .max(rule.flat_dimension_share * d / n);
    let bends = match budget {
        Budget::Pure { epsilon } => rule.rank_share * bounds.rank as f64 / (n * epsilon),
        Budget::Approximate { .. } | Budget::Zcdp { .. } => 0.0,
    };
    let largest = rule.scale * rule.largest;
    let wanted = (rule.scale * wanted).max(bends).min(largest);
    let least = wanted.max(rule.feasible_times * facts.smallest_lambda(&bounds, shares.pure));
    let is_enough = |lambda: f64, error: f64| moves_at_most(facts, bounds, lambda, &shares, error);
    match rule.largest_error {
        Some(error) => large_enough(least, largest, |lambda| is_enough(lambda, error)),
        None => least,
    }
}

/// [`auto_lambda`] where the penalty is around a released base rate: λ no longer pulls the
/// intercept to even odds, and can be [`AROUND_TIMES`] as large, up to the same 0.03.
pub fn auto_lambda_around(
    facts: &Facts,
    loss: LossKind,
    budget: Budget,
) -> Result<f64, TrainError> {
    let outcome = outcome_of(facts.heads(), loss)?;
    let (usual, rule) = (lambda_of(facts, &*outcome, budget), outcome.lambda());
    Ok((AROUND_TIMES * usual).min(rule.scale * rule.largest).max(usual))
}

/// The λ that intervals of the ordinary coefficients take: 2/(nε), from which on the curvature of
/// logistic regression costs nothing (train/objective/PROOF.md), and at least twice the smallest
/// feasible one. What λ takes from an estimate is in its interval, so the less λ takes the better.
pub(crate) fn auto_lambda_for_intervals(
    facts: &Facts,
    loss: LossKind,
    budget: Budget,
) -> Result<f64, TrainError> {
    let bounds = outcome_of(facts.heads(), loss)?.bounds();
    let shares = Shares::new(budget);
    let free = 2.0 / (facts.rows as f64 * shares.pure.epsilon);
    Ok(free.max(FEASIBLE_TIMES * facts.smallest_lambda(&bounds, shares.pure)))
}

/// The least λ from `least` on, and up to `largest`, that is enough.
fn large_enough(least: f64, largest: f64, is_enough: impl Fn(f64) -> bool) -> f64 {
    if least >= largest || is_enough(least) {
        return least;
    }
    let (mut below, mut above) = (least.ln(), largest.ln());
    for _ in 0..ROUNDS {
        let middle = 0.5 * (below + above);
        if is_enough(middle.exp()) { above = middle } else { below = middle }
    }
    above.exp()
}

/// The mean variance of the noise in the mean gradient, under the smallest law. λ = ∞ leaves the
/// whole budget to the noise: what it would be without the price of curvature.
fn gradient_noise(facts: &Facts, bounds: &Bounds, shares: &Shares) -> f64 {
    let (heads, d) = (facts.heads(), facts.row_dimension());
    let scale = (heads.free() * d) as f64 * (facts.rows as f64).powi(2);
    objective_laws(facts, bounds, f64::INFINITY, Pricing::Separate, shares)
        .into_iter()
        .map(|(law, _)| heads.noise(&law, d).typical_length().powi(2) / scale)
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erm::matrix::{Layout, Norm};

    /// docs/lambda.md: Adult's training split, with its 5 numbers and 8 categories, and as rows of
    /// unknown shape.
    #[test]
    fn the_rule_gives_the_documented_values() {
        let size = 1.0 / 14f32.sqrt();
        let categories = [8, 16, 7, 14, 6, 5, 2, 41].map(|values| (values, size * 0.999)).to_vec();
        let layout =
            Layout::new(Norm::Scale, size * 0.999, vec![size * 0.999; 5], categories).unwrap();
        let shaped = Facts::of_layout(32_561, &layout);
        let unknown = Facts::of_matrix(32_561, 105, 14);
        let cases = [
            (&shaped, Budget::Pure { epsilon: 0.1 }, 3.8e-3),
            (&shaped, Budget::Pure { epsilon: 0.3 }, 4.3e-4),
            (&shaped, Budget::Pure { epsilon: 1.0 }, 1.29e-4),
            (&shaped, Budget::Pure { epsilon: 3.0 }, 4.3e-5),
            (&shaped, Budget::Approximate { epsilon: 1.0, delta: 1e-6 }, 1.29e-4),
            (&unknown, Budget::Pure { epsilon: 0.1 }, 0.03),
            (&unknown, Budget::Pure { epsilon: 0.3 }, 2.04e-3),
        ];
        for (facts, budget, documented) in cases {
            let lambda = auto_lambda(facts, LossKind::Logistic, budget).unwrap();
            assert!((lambda / documented - 1.0).abs() < 0.05, "{budget}: {lambda}");
        }
    }

    /// docs/classes.md: under a pure budget each class more is paid for, under others the rule is
    /// that of one margin.
    #[test]
    fn classes_bend_and_a_pure_budget_pays_for_it() {
        let facts = |classes| Facts::of_matrix(406_708, 55, 55).of_classes(classes);
        let lambda =
            |classes, budget| auto_lambda(&facts(classes), LossKind::Logistic, budget).unwrap();
        let pure = Budget::Pure { epsilon: 1.0 };
        let approximate = Budget::Approximate { epsilon: 1.0, delta: 1e-9 };
        assert!((lambda(7, pure) * 406_708.0 / 12.0 - 1.0).abs() < 1e-9, "{}", lambda(7, pure));
        assert!(lambda(7, approximate) < lambda(7, pure) / 2.0, "{}", lambda(7, approximate));
    }

    /// docs/numbers.md: Covertype's elevation, whose 61 coefficients had less than no R² with a λ
    /// of twice the smallest, and lost a fifth of it at ε = 3 with one of 12 times the smallest.
    #[test]
    fn huber_s_loss_leaves_most_of_a_pure_budget_to_the_noise() {
        let size = 0.999_999 / 56f32.sqrt();
        let layout = Layout::new(Norm::Scale, size, vec![size; 54], vec![(7, size)]).unwrap();
        let facts = crate::train::huber::facts(Facts::of_layout(406_708, &layout), 54).unwrap();
        for (epsilon, documented) in [(0.3, 3.37e-4), (1.0, 9.5e-5), (3.0, 4.35e-5)] {
            let budget = Budget::Pure { epsilon };
            let lambda = auto_lambda(&facts, LossKind::Huber, budget).unwrap();
            assert!((lambda / documented - 1.0).abs() < 0.05, "{epsilon}: {lambda}");
            let training = crate::train::Training {
                loss: LossKind::Huber,
                lambda: None,
                method: Default::default(),
                budget,
            };
            let error = training.plan(facts.clone()).unwrap().chosen().expected_error();
            assert!(
                error <= 1.001 * LossKind::Huber.of_margin().lambda().largest_error.unwrap(),
                "{epsilon}: {error}"
            );
        }
    }

    #[test]
    fn it_is_always_feasible() {
        for rows in [1, 10, 1000, 1_000_000] {
            for budget in [
                Budget::Pure { epsilon: 1e-3 },
                Budget::Pure { epsilon: 20.0 },
                Budget::Approximate { epsilon: 0.5, delta: 1e-9 },
                Budget::Zcdp { rho: 1e-4 },
                Budget::Zcdp { rho: 3.0 },
            ] {
                for loss in [LossKind::Logistic, LossKind::Hinge, LossKind::Huber] {
                    let facts = Facts::of_matrix(rows, 7, 4);
                    let training = crate::train::Training {
                        loss,
                        lambda: None,
                        method: crate::train::Method::Objective,
                        budget,
                    };
                    training.plan(facts).unwrap();
                }
            }
        }
    }
}
