//! The two algorithms of the paper's appendix 6.1: both private, one of them not stable.

use super::*;
use crate::Stability;
use discretion_privacy::noise::{NoiseError, Real, Source};
use std::convert::Infallible;

/// Which of `ITEMS` items is the most frequent, with its noisy frequency: training returns (i*, t₁,
/// …), the score is t of i*.
struct Favourite {
    /// i* by the exponential mechanism and its own uniform number, instead of the largest tᵢ.
    exponential: bool,
    /// How many times its true β₁ = 1 it declares.
    honesty: f64,
    /// The probability of failure it declares.
    failure: f64,
}

const ITEMS: usize = 3;
const ALPHA: f64 = 1.0;

/// Noise in units of 1/n, and a uniform number.
struct Draw {
    noise: [f64; ITEMS],
    uniform: f64,
}

impl Procedure for Favourite {
    type Candidate = ();
    type Table = [usize];
    type Randomness = Draw;
    type Model = f64;
    type Error = Infallible;

    fn candidates(&self) -> &[()] {
        &[()]
    }

    fn rows(&self, table: &[usize]) -> usize {
        table.len()
    }

    fn draw(&self, _: &(), source: &mut dyn Source) -> Result<Draw, NoiseError> {
        let mut noise = [0.0; ITEMS];
        for z in &mut noise {
            // Any law does for stability; the difference of two exponentials is the paper's.
            let mut laplace = 0.0;
            for sign in [1.0, -1.0] {
                laplace += sign * Real::exponential(source)?.cut(40, source)?.to_f64().value()
                    / (1u64 << 40) as f64;
            }
            *z = laplace;
        }
        Ok(Draw { noise, uniform: (source.word()? >> 11) as f64 / (1u64 << 53) as f64 })
    }

    fn train(&self, table: &[usize], _: &(), draw: &Draw) -> Result<f64, Infallible> {
        let n = table.len() as f64;
        let frequency = |item: usize| table.iter().filter(|&&row| row == item).count() as f64 / n;
        let scale = if self.exponential { 2.0 } else { 1.0 } * ITEMS as f64 / (ALPHA * n);
        let noisy = |item: usize| frequency(item) + scale * draw.noise[item];
        let chosen = if self.exponential {
            let weight = |item: usize| (n * ALPHA * frequency(item) / 4.0).exp();
            let total: f64 = (0..ITEMS).map(weight).sum();
            let mut below = 0.0;
            (0..ITEMS)
                .find(|&item| {
                    below += weight(item) / total;
                    draw.uniform <= below
                })
                .unwrap_or(ITEMS - 1)
        } else {
            (0..ITEMS).max_by(|&a, &b| noisy(a).total_cmp(&noisy(b))).expect("there are items")
        };
        Ok(noisy(chosen))
    }

    fn score(&self, &model: &f64, _: &[usize]) -> Result<f64, Infallible> {
        Ok(model)
    }

    fn score_range(&self, _: &()) -> (f64, f64) {
        (-1e6, 1e6)
    }

    fn stability(&self, _: &(), training_rows: usize, _: usize) -> Stability {
        let training = self.honesty / training_rows as f64 * (1.0 + 1e-9);
        Stability { training, validation: 0.0, failure: self.failure }
    }
}

struct Items;

impl Neighbours<Favourite> for Items {
    type Row = usize;
    type Table = Vec<usize>;

    fn row(&self, source: &mut Seeded) -> usize {
        (source.unit() * ITEMS as f64) as usize
    }

    fn table(&self, rows: &[usize]) -> Vec<usize> {
        rows.to_vec()
    }
}

const EFFORT: Effort = Effort { training_rows: 20, validation_rows: 2, draws: 40, steps: 300 };

#[test]
fn the_largest_noisy_frequency_is_stable_and_reaches_its_bound() {
    let procedure = Favourite { exponential: false, honesty: 1.0, failure: 0.0 };
    let report = check(&procedure, &Items, EFFORT, 1).unwrap();
    assert_eq!(report.violations().count(), 0, "{:?}", report.worst());
    assert!(report.worst().ratio() > 0.999, "{:?}", report.worst());
    let dishonest = Favourite { honesty: 0.9, ..procedure };
    assert!(check(&dishonest, &Items, EFFORT, 1).unwrap().worst().is_violation());
}

/// Under the same uniform number one row makes it jump from one item to another, by far more than
/// 1/n.
#[test]
fn the_exponential_mechanism_is_not_stable() {
    let procedure = Favourite { exponential: true, honesty: 1.0, failure: 0.0 };
    let report = check(&procedure, &Items, EFFORT, 1).unwrap();
    let worst = report.worst();
    assert!(worst.is_violation() && worst.ratio() > 3.0, "{worst:?}");
    // The finding can be checked by hand.
    let mut replaced = worst.training.clone();
    replaced[worst.position] = worst.replacement;
    assert_ne!(replaced, worst.training);
    // Nor does it break only for unlikely draws.
    let with_failure = Favourite { failure: 0.1, ..procedure };
    assert!(check(&with_failure, &Items, EFFORT, 1).unwrap().worst().is_violation());
}

/// A score that ignores validation rows does not move with them.
#[test]
fn a_declared_zero_is_kept() {
    let report =
        check(&Favourite { exponential: true, honesty: 1.0, failure: 0.0 }, &Items, EFFORT, 2)
            .unwrap();
    let validation =
        report.findings().iter().find(|finding| finding.side == Side::Validation).unwrap();
    assert!(validation.ratio() == 0.0 && !validation.is_violation());
}

#[test]
fn rare_failures_are_no_violation_and_frequent_ones_are() {
    // P(X ≥ 5) for 20 trials at 0.1 is 0.0432; at 0.001 it is 1.5e-11.
    assert!((chance_of_at_least(5, 20, 0.1) - 0.0432).abs() < 1e-4);
    assert!((chance_of_at_least(0, 20, 0.1) - 1.0).abs() < 1e-12);
    assert!(chance_of_at_least(5, 20, 0.001) < 1e-10);
}
