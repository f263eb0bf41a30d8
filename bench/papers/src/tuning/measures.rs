//! How good a model is on rows it has not seen, and how sure a mean of such numbers is.

use discretion::erm::matrix::Matrix;
use discretion::noise::Seeded;
use serde::Serialize;

/// θ·x and whether the label is +1, row by row. The tables are public.
pub fn margins(rows: &Matrix, theta: &[f64]) -> Vec<(f64, bool)> {
    rows.margins(theta).into_inner()
}

/// The area under the receiver operating characteristic: the chance that a positive row has the
/// larger margin, ties counting one half.
pub fn auc(mut margins: Vec<(f64, bool)>) -> f64 {
    margins.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut won) = (0.0, 0.0);
    for tied in margins.chunk_by(|a, b| a.0 == b.0) {
        let positive = tied.iter().filter(|(_, positive)| *positive).count() as f64;
        let negative = tied.len() as f64 - positive;
        won += positive * (below + 0.5 * negative);
        below += negative;
    }
    won / (below * (margins.len() as f64 - below))
}

/// The paper's MSE: the mean squared difference between the predicted probability and the label as
/// 0 or 1.
pub fn squared_error(margins: &[(f64, bool)]) -> f64 {
    mean(margins, |m| (1.0 / (1.0 + m.exp())).powi(2))
}

/// The mean ramp loss, the paper's score with its sign changed.
pub fn ramp_loss(margins: &[(f64, bool)]) -> f64 {
    mean(margins, |m| (1.0 - m).clamp(0.0, 1.0))
}

/// The number of wrong answers.
pub fn errors(margins: &[(f64, bool)]) -> usize {
    margins.iter().filter(|(margin, positive)| (*margin > 0.0) != *positive).count()
}

/// The mean of a function of y θ·x.
fn mean(margins: &[(f64, bool)], g: impl Fn(f64) -> f64) -> f64 {
    let signed = margins.iter().map(|&(margin, positive)| if positive { margin } else { -margin });
    signed.map(g).sum::<f64>() / margins.len() as f64
}

/// A mean with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The interval's lower end.
    pub lower: f64,
    /// The interval's upper end.
    pub upper: f64,
}

/// Resamples of a bootstrap.
const RESAMPLES: usize = 1000;

impl Estimate {
    /// The mean of these numbers and the middle 95 % of the means of resamples of them.
    pub fn of(numbers: &[f64]) -> Estimate {
        let n = numbers.len() as f64;
        let mut source = Seeded::new(numbers.len() as u64);
        let mut resample = || {
            let sum: f64 = (0..numbers.len()).map(|_| numbers[(source.unit() * n) as usize]).sum();
            sum / n
        };
        let mut means: Vec<f64> = (0..RESAMPLES).map(|_| resample()).collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means[(share * (RESAMPLES - 1) as f64).round() as usize];
        Estimate { mean: numbers.iter().sum::<f64>() / n, lower: at(0.025), upper: at(0.975) }
    }

    /// Half the length of the interval.
    pub fn half_width(&self) -> f64 {
        0.5 * (self.upper - self.lower)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_counts_pairs_and_halves_ties() {
        let all_pairs = |margins: &[(f64, bool)]| {
            let (mut won, mut pairs) = (0.0, 0.0);
            for a in margins.iter().filter(|row| row.1) {
                for b in margins.iter().filter(|row| !row.1) {
                    pairs += 1.0;
                    won += if a.0 > b.0 { 1.0 } else { 0.5 * f64::from(u8::from(a.0 == b.0)) };
                }
            }
            won / pairs
        };
        let mut source = Seeded::new(3);
        let margins: Vec<(f64, bool)> =
            (0..200).map(|_| ((20.0 * source.unit()).floor(), source.unit() < 0.3)).collect();
        assert!((auc(margins.clone()) - all_pairs(&margins)).abs() < 1e-12);
        assert!((auc(vec![(1.0, true), (0.0, false)]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_model_that_says_nothing_has_squared_error_a_quarter() {
        assert!((squared_error(&[(0.0, true), (0.0, false)]) - 0.25).abs() < 1e-12);
        assert!(
            (ramp_loss(&[(0.25, true), (-3.0, false), (3.0, false)]) - 1.75 / 3.0).abs() < 1e-12
        );
        assert_eq!(errors(&[(0.1, true), (0.1, false), (0.0, true), (-1.0, false)]), 2);
    }

    /// The standard error of the mean of these 400 numbers is 0.0144 and 95 % of a normal law lie
    /// within 1.96 of it.
    #[test]
    fn a_bootstrap_interval_has_the_length_that_theory_gives() {
        let numbers: Vec<f64> = (0..400).map(|i| f64::from(i) / 399.0).collect();
        let estimate = Estimate::of(&numbers);
        assert!((estimate.mean - 0.5).abs() < 1e-12);
        assert!(
            (estimate.half_width() / (1.96 * 0.2887 / 20.0) - 1.0).abs() < 0.15,
            "{estimate:?}"
        );
    }
}
