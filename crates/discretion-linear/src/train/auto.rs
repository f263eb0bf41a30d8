//! λ from n, d and the budget alone. docs/lambda.md has the experiment behind the constants.

use super::Pricing;
use super::laws::{Shares, objective_laws};
use super::plan::moves_at_most;
use crate::erm::Facts;
use crate::loss::LossKind;
use discretion_privacy::Budget;
use discretion_privacy::noise::{ClassNoise, TrainingLaw};

/// In a direction of curvature h with coefficient θ the squared error is least at λ = v/(hθ²),
/// where v is the variance of the noise in the mean gradient. This stands for a typical 1/(hθ²).
const NOISE_WEIGHT: f64 = 300.0;

/// With much noise, dividing by the curvature costs more than it gains, and λ should be well above
/// the curvature. From a tenth of this variance on, λ grows with its cube.
const MUCH_NOISE: f64 = 3.5e-5;

/// λ is at least this many times d/(nε): a little shrinkage of many coefficients costs nothing and
/// keeps curvature cheap.
const DIMENSION_SHARE: f64 = 0.04;

/// λ is at least this many times 1/n. Where columns say the same thing twice, as an intercept
/// beside all values of a category does, nothing but λ holds the coefficients, and with less of it
/// their noise would not shrink as ε grows.
const SAMPLING_SHARE: f64 = 0.5;

/// Of several classes under a pure budget λ is at least this many times (K − 1)/(nε). A row bends
/// the softmax in K − 1 directions, and each is paid for: with less, curvature takes most of ε.
const CLASSES_SHARE: f64 = 2.0;

/// λ is at least this many times the smallest feasible one.
const FEASIBLE_TIMES: f64 = 2.0;

/// Past this the model is hardly a model, whatever the noise.
const LARGEST: f64 = 0.03;

/// So many times as large λ did best on Bank at ε = 0.1 and 0.2 (docs/curves.md).
const AROUND_TIMES: f64 = 10.0;

/// The same for Huber's loss: residuals bend by 1/h where margins bend by ¼ at most, and
/// coefficients are smaller.
const HUBER_NOISE_WEIGHT: f64 = 3000.0;
const HUBER_DIMENSION_SHARE: f64 = 0.1;

/// Halvings of what is searched, which settle λ to a hundredth.
const ROUNDS: usize = 10;

/// And so much more of ε goes into curvature that the smallest feasible λ says where it begins to
/// pay.
const HUBER_FEASIBLE_TIMES: f64 = 12.0;

/// Noise is expected to move a prediction by no more than this, of an outcome between −1 and 1, as
/// long as a larger λ can do that. Where columns say nearly the same thing, as those of Covertype
/// do, nothing but λ holds their coefficients, and the mask that hides how exactly they were found
/// grows as λ falls.
const HUBER_ERROR: f64 = 0.03;

/// The λ that `lambda = "auto"` takes: max(300 v, (v/3.5e-5)³, 0.04 d/(nε), 0.5/n), at most 0.03,
/// and at least 2 λ_min. v is the mean variance of the noise in the mean gradient under the
/// smallest law; ε is that of the pure budget within the one at hand. Twice that of several
/// classes, and at least 2 (K − 1)/(nε) if the budget is pure (docs/classes.md). Of Huber's loss:
/// max(3000 v, 0.1 d/n), at most 0.03, at least 12 λ_min, and where noise would still move
/// predictions by more than 0.03 so much that it does not (docs/numbers.md).
pub fn auto_lambda(facts: &Facts, loss: LossKind, budget: Budget) -> f64 {
    let (n, d) = (facts.rows as f64, facts.row_dimension() as f64);
    let shares = Shares::new(budget);
    // Two classes with coefficients θ and −θ are one margin with 2θ: λ counts half there, and so
    // does the noise's variance.
    let classes = if facts.classes.is_some() { 2.0 } else { 1.0 };
    let variance = gradient_noise(facts, loss, &shares) / classes;
    if loss == LossKind::Huber {
        let wanted =
            (HUBER_NOISE_WEIGHT * variance).max(HUBER_DIMENSION_SHARE * d / n).min(LARGEST);
        let wanted = wanted.max(HUBER_FEASIBLE_TIMES * facts.smallest_lambda(loss, shares.pure));
        return large_enough(facts, loss, &shares, wanted);
    }
    let held = (DIMENSION_SHARE * d / shares.pure.epsilon).max(SAMPLING_SHARE) / n;
    let wanted = (NOISE_WEIGHT * variance).max((variance / MUCH_NOISE).powi(3)).max(held);
    let bends = match (facts.classes, budget) {
        (Some(classes), Budget::Pure { epsilon }) => {
            CLASSES_SHARE * (classes as f64 - 1.0) / (n * epsilon)
        }
        _ => 0.0,
    };
    let wanted = (classes * wanted).max(bends).min(classes * LARGEST);
    wanted.max(FEASIBLE_TIMES * facts.smallest_lambda(loss, shares.pure))
}

/// The same where the penalty is around a released base rate: λ no longer pulls the intercept to
/// even odds, and can be [`AROUND_TIMES`] as large, up to the same 0.03.
pub fn auto_lambda_around(facts: &Facts, loss: LossKind, budget: Budget) -> f64 {
    let usual = auto_lambda(facts, loss, budget);
    (AROUND_TIMES * usual).min(LARGEST).max(usual)
}

/// The λ that intervals of the ordinary coefficients take: 2/(nε), from which on the curvature of
/// logistic regression costs nothing (train/objective/PROOF.md), and at least twice the smallest
/// feasible one. What λ takes from an estimate is in its interval, so the less λ takes the better.
pub(crate) fn auto_lambda_for_intervals(facts: &Facts, loss: LossKind, budget: Budget) -> f64 {
    let shares = Shares::new(budget);
    let free = 2.0 / (facts.rows as f64 * shares.pure.epsilon);
    free.max(FEASIBLE_TIMES * facts.smallest_lambda(loss, shares.pure))
}

/// The least λ from `least` on, and up to [`LARGEST`], with which noise in the objective is
/// expected to move a prediction by [`HUBER_ERROR`] at most.
fn large_enough(facts: &Facts, loss: LossKind, shares: &Shares, least: f64) -> f64 {
    let is_enough = |lambda: f64| moves_at_most(facts, loss, lambda, shares, HUBER_ERROR);
    if least >= LARGEST || is_enough(least) {
        return least;
    }
    let (mut below, mut above) = (least.ln(), LARGEST.ln());
    for _ in 0..ROUNDS {
        let middle = 0.5 * (below + above);
        if is_enough(middle.exp()) { above = middle } else { below = middle }
    }
    above.exp()
}

/// The mean variance of the noise in the mean gradient, under the smallest law. λ =
/// ∞ leaves the whole budget to the noise: what it would be without the price of curvature.
fn gradient_noise(facts: &Facts, loss: LossKind, shares: &Shares) -> f64 {
    // Several classes have noise where they differ: in one dimension less for each coefficient.
    let d = facts.classes.map_or(1, |classes| classes - 1) * facts.row_dimension();
    let scale = d as f64 * (facts.rows as f64).powi(2);
    let length = |law: &TrainingLaw| match facts.classes {
        None => law.typical_length(facts.dimension),
        Some(classes) => ClassNoise::new(law, classes, facts.row_dimension()).typical_length(),
    };
    objective_laws(facts, loss, f64::INFINITY, Pricing::Separate, shares)
        .into_iter()
        .map(|(law, _)| length(&law).powi(2) / scale)
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
            let lambda = auto_lambda(facts, LossKind::Logistic, budget);
            assert!((lambda / documented - 1.0).abs() < 0.05, "{budget}: {lambda}");
        }
    }

    /// docs/classes.md: under a pure budget each class more is paid for, under others the rule is
    /// that of one margin.
    #[test]
    fn classes_bend_and_a_pure_budget_pays_for_it() {
        let facts = |classes| Facts::of_matrix(406_708, 55, 55).of_classes(classes);
        let lambda = |classes, budget| auto_lambda(&facts(classes), LossKind::Logistic, budget);
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
            let lambda = auto_lambda(&facts, LossKind::Huber, budget);
            assert!((lambda / documented - 1.0).abs() < 0.05, "{epsilon}: {lambda}");
            let training = crate::train::Training {
                loss: LossKind::Huber,
                lambda: None,
                method: Default::default(),
                budget,
            };
            let error = training.plan(facts.clone()).unwrap().chosen().expected_error();
            assert!(error <= 1.001 * HUBER_ERROR, "{epsilon}: {error}");
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
