//! λ from n, d and the budget alone. docs/lambda.md has the experiment behind the constants.

use super::laws::{Shares, objective_laws};
use crate::erm::Facts;
use crate::loss::LossKind;
use discretion_privacy::Budget;
use discretion_privacy::noise::{ClassNoise, TrainingLaw};

/// In a direction of curvature h with coefficient θ the squared error is least at λ = v/(hθ²), where v is the
/// variance of the noise in the mean gradient. This stands for a typical 1/(hθ²).
const NOISE_WEIGHT: f64 = 300.0;

/// With much noise, dividing by the curvature costs more than it gains, and λ should be well above the curvature. From a
/// tenth of this variance on, λ grows with its cube.
const MUCH_NOISE: f64 = 3.5e-5;

/// λ is at least this many times d/(nε): a little shrinkage of many coefficients costs nothing and keeps curvature cheap.
const DIMENSION_SHARE: f64 = 0.04;

/// λ is at least this many times 1/n. Where columns say the same thing twice, as an intercept beside all values of a category does,
/// nothing but λ holds the coefficients, and with less of it their noise would not shrink as ε grows.
const SAMPLING_SHARE: f64 = 0.5;

/// λ is at least this many times the smallest feasible one.
const FEASIBLE_TIMES: f64 = 2.0;

/// Past this the model is hardly a model, whatever the noise.
const LARGEST: f64 = 0.03;

/// The same for Huber's loss: residuals bend by 1/h where margins bend by ¼ at most, and coefficients are smaller.
const HUBER_NOISE_WEIGHT: f64 = 3000.0;
const HUBER_DIMENSION_SHARE: f64 = 0.1;

/// The λ that `lambda = "auto"` takes: max(300 v, (v/3.5e-5)³, 0.04 d/(nε), 0.5/n), at most 0.03, and at least 2 λ_min. v is the mean
/// variance of the noise in the mean gradient under the smallest law; ε is that of the pure budget within the one at hand. Of Huber's
/// loss: max(3000 v, 0.1 d/n), at most 0.03, and at least 2 λ_min (docs/numbers.md).
pub fn auto_lambda(facts: &Facts, loss: LossKind, budget: Budget) -> f64 {
    let (n, d) = (facts.rows as f64, facts.row_dimension() as f64);
    let shares = Shares::new(budget);
    // Two classes with coefficients θ and −θ are one margin with 2θ: λ counts half there, and so does the noise's variance.
    let classes = if facts.classes.is_some() { 2.0 } else { 1.0 };
    let variance = gradient_noise(facts, loss, &shares, |_| true) / classes;
    if loss == LossKind::Huber {
        let wanted = (HUBER_NOISE_WEIGHT * variance).max(HUBER_DIMENSION_SHARE * d / n).min(LARGEST);
        return wanted.max(FEASIBLE_TIMES * facts.smallest_lambda(loss, shares.pure));
    }
    let held = (DIMENSION_SHARE * d / shares.pure.epsilon).max(SAMPLING_SHARE) / n;
    let wanted = (NOISE_WEIGHT * variance).max((variance / MUCH_NOISE).powi(3)).max(held);
    let wanted = classes * wanted.min(LARGEST);
    wanted.max(FEASIBLE_TIMES * facts.smallest_lambda(loss, shares.pure))
}

/// The same where intervals are wanted of estimates that are taken back from the penalty: max(4200 v, 0.5 s, 0.03 d/n), at most 0.1, and
/// at least 10 λ_min. s is the deviation of the noise at a typical entry of the Hessian. The more λ is beside both noises, the
/// shorter intervals are; taking estimates back leaves little of what it does to them (docs/intervals.md).
pub(crate) fn auto_lambda_for_intervals(
    facts: &Facts,
    loss: LossKind,
    budget: Budget,
    hessian: f64,
    is_wanted: fn(&TrainingLaw) -> bool,
) -> f64 {
    let (n, d) = (facts.rows as f64, facts.dimension as f64);
    let shares = Shares::new(budget);
    let noise = (4200.0 * gradient_noise(facts, loss, &shares, is_wanted)).max(0.5 * hessian);
    noise.max(0.03 * d / n).min(0.1).max(10.0 * facts.smallest_lambda(loss, shares.pure))
}

/// The mean variance of the noise in the mean gradient, under the smallest law that is wanted. λ = ∞ leaves the whole budget to the noise: what it
/// would be without the price of curvature.
fn gradient_noise(
    facts: &Facts,
    loss: LossKind,
    shares: &Shares,
    is_wanted: fn(&TrainingLaw) -> bool,
) -> f64 {
    // Several classes have noise where they differ: in one dimension less for each coefficient.
    let d = facts.classes.map_or(1, |classes| classes - 1) * facts.row_dimension();
    let scale = d as f64 * (facts.rows as f64).powi(2);
    let length = |law: &TrainingLaw| match facts.classes {
        None => law.typical_length(facts.dimension),
        Some(classes) => ClassNoise::new(law, classes, facts.row_dimension()).typical_length(),
    };
    objective_laws(facts, loss, f64::INFINITY, shares)
        .into_iter()
        .filter(|(law, _)| is_wanted(law))
        .map(|(law, _)| length(&law).powi(2) / scale)
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erm::matrix::{Layout, Norm};

    /// docs/lambda.md: Adult's training split, with its 5 numbers and 8 categories, and as rows of unknown shape.
    #[test]
    fn the_rule_gives_the_documented_values() {
        let size = 1.0 / 14f32.sqrt();
        let categories = [8, 16, 7, 14, 6, 5, 2, 41].map(|values| (values, size * 0.999)).to_vec();
        let layout = Layout::new(Norm::Scale, size * 0.999, vec![size * 0.999; 5], categories).unwrap();
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
            let lambda = auto_lambda(facts, LossKind::Logistic, budget);
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
