//! The exact optimal composition of pure mechanisms (Kairouz, Oh & Viswanath 2015; Murtagh & Vadhan
//! 2016).
//!
//! An ε-DP mechanism is randomised response on "which of the two tables was it", post-processed. So
//! the composition of several is at worst the product of their randomised responses, whose privacy
//! loss takes finitely many values.

use super::rounding::{formula_up, sum_up};

/// With more outcomes than this the product is left out.
const MOST_OUTCOMES: u64 = 200_000;

/// The same for a product of several groups, which has to be sorted.
const MOST_MIXED_OUTCOMES: u64 = 20_000;

/// Past this total, probabilities leave the range of floating-point numbers.
const LARGEST_TOTAL: f64 = 400.0;

/// The smallest δ whose outcomes are all representable, with room to spare.
const SMALLEST_DELTA: f64 = 1e-100;

/// Asked of δ to pay for rounding: probabilities are good to about one part in 10¹¹, and they
/// nearly cancel.
const DELTA_SLACK: f64 = 1e-9;

/// The outcomes of a product of randomised responses.
pub(super) struct RandomisedResponses {
    /// Privacy loss and probability, the largest loss first.
    outcomes: Vec<(f64, f64)>,
}

impl RandomisedResponses {
    /// The product of `groups`, each an ε and a count; nothing if it is too large to enumerate.
    pub(super) fn new(groups: &[(f64, u64)]) -> Option<RandomisedResponses> {
        let limit = if groups.len() == 1 { MOST_OUTCOMES } else { MOST_MIXED_OUTCOMES };
        let mut product: u64 = 1;
        for &(_, count) in groups {
            product =
                product.checked_mul(count.checked_add(1)?).filter(|&product| product <= limit)?;
        }
        if sum_up(groups.iter().copied()) > LARGEST_TOTAL {
            return None;
        }
        let mut outcomes = vec![(0.0, 1.0)];
        for &(epsilon, count) in groups {
            let group = equal_responses(epsilon, count);
            outcomes = outcomes
                .iter()
                .flat_map(|&(loss, chance)| {
                    group.iter().map(move |&(more, p)| (loss + more, chance * p))
                })
                .collect();
        }
        if groups.len() > 1 {
            outcomes.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        Some(RandomisedResponses { outcomes })
    }

    /// Privacy losses and probabilities.
    pub(super) fn into_outcomes(self) -> Vec<(f64, f64)> {
        self.outcomes
    }

    /// The smallest ε ≥ 0, rounded up, with Σ p·(1 − e^{ε − loss})₊ ≤ δ; nothing for a δ too small
    /// to compute with.
    pub(super) fn epsilon(&self, delta: f64) -> Option<f64> {
        if delta < SMALLEST_DELTA {
            return None;
        }
        let target = delta * (1.0 - DELTA_SLACK);
        // Over the outcomes whose loss is above ε: their probability on one table and on the other.
        let (mut here, mut there) = (0.0, 0.0);
        for (i, &(loss, chance)) in self.outcomes.iter().enumerate() {
            here += chance;
            there += chance * (-loss).exp();
            let next = self.outcomes.get(i + 1).map_or(0.0, |outcome| outcome.0).max(0.0);
            if here - next.exp() * there >= target {
                // Between this loss and the next, δ(ε) = here − e^ε·there.
                return Some(formula_up(
                    ((here - target) / there).ln().clamp(next, loss.max(next)),
                ));
            }
            if next == 0.0 {
                break;
            }
        }
        Some(0.0)
    }
}

/// The outcomes of `count` equal randomised responses: l of them lie, with loss (count − 2l)ε.
fn equal_responses(epsilon: f64, count: u64) -> Vec<(f64, f64)> {
    let lie = 1.0 / (1.0 + epsilon.exp());
    let n = count as f64;
    let mode = ((n + 1.0) * lie).floor().min(n);
    let odds = (-epsilon).exp();
    // From the mode outwards each step multiplies by a ratio: exact to a few units in the last
    // place per step, where logarithms of factorials would lose ten digits.
    let mut weights = vec![0.0; count as usize + 1];
    let mode_index = mode as usize;
    weights[mode_index] = 1.0;
    for l in mode_index + 1..weights.len() {
        weights[l] = weights[l - 1] * odds * (n - (l as f64 - 1.0)) / l as f64;
    }
    for l in (0..mode_index).rev() {
        weights[l] = weights[l + 1] * (l as f64 + 1.0) / (odds * (n - l as f64));
    }
    let total: f64 = weights.iter().sum();
    weights
        .into_iter()
        .enumerate()
        .filter(|&(_, weight)| weight > 0.0)
        .map(|(l, weight)| ((n - 2.0 * l as f64) * epsilon, weight / total))
        .collect()
}
