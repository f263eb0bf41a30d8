//! λ from n, d and the budget alone. docs/lambda.md has the experiment behind the constants.

use super::laws::{Shares, objective_laws};
use super::objective::smallest_lambda;
use crate::erm::Facts;
use crate::loss::LossKind;
use discretion_privacy::Budget;

/// In a direction of curvature h with coefficient θ the squared error is least at λ = v/(hθ²), where v is the
/// variance of the noise in the mean gradient. This stands for a typical 1/(hθ²); 400 to 700 do as well.
const NOISE_WEIGHT: f64 = 600.0;

/// λ is at least this many times the smallest feasible one, so that curvature costs little of the budget.
const FEASIBLE_TIMES: f64 = 10.0;

/// λ is at least this many times d/n, so that the sampling error of many coefficients is kept small too.
const DIMENSION_SHARE: f64 = 0.03;

/// Past this the model is hardly a model, whatever the noise.
const LARGEST: f64 = 0.1;

/// The λ that `lambda = "auto"` takes: max(600 v, 10 λ_min, 0.03 d/n, 1/n), at most 0.1 unless feasibility wants more. v is the mean
/// variance of the noise in the mean gradient under the smallest law.
pub fn auto_lambda(facts: &Facts, loss: LossKind, budget: Budget) -> f64 {
    let n = facts.rows as f64;
    let t = loss.loss().curvature_bound();
    let shares = Shares::new(budget);
    let smallest = smallest_lambda(facts.rows, t, shares.pure);
    // λ = ∞ leaves the whole budget to the noise: what it would be without the price of curvature.
    let variance = objective_laws(facts, loss, f64::INFINITY, &shares)
        .into_iter()
        .map(|(law, _)| law.typical_length(facts.dimension).powi(2) / (facts.dimension as f64 * n * n))
        .fold(f64::INFINITY, f64::min);
    let sampling = (DIMENSION_SHARE * facts.dimension as f64).max(1.0) / n;
    (NOISE_WEIGHT * variance).max(FEASIBLE_TIMES * smallest).max(sampling).min(LARGEST).max(2.0 * smallest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// docs/lambda.md: Adult's training split.
    #[test]
    fn the_rule_gives_the_documented_values() {
        let facts = Facts::of_matrix(32_561, 105, 14);
        let cases = [
            (Budget::Pure { epsilon: 0.1 }, 2.4e-2),
            (Budget::Pure { epsilon: 1.0 }, 2.4e-4),
            (Budget::Approximate { epsilon: 1.0, delta: 1e-6 }, 9.7e-5),
        ];
        for (budget, documented) in cases {
            let lambda = auto_lambda(&facts, LossKind::Logistic, budget);
            assert!((lambda / documented - 1.0).abs() < 0.05, "{budget}: {lambda}");
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
                for loss in [LossKind::Logistic, LossKind::Hinge] {
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
