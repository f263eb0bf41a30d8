//! The area under the ROC curve: the probability that a positive row has a higher score than a
//! negative one.

use super::cells::{Cells, Estimate, normal_quantile};
use discretion_privacy::normal_cdf;

/// The steepest curve that is looked for, as a distance between two normal laws.
const FARTHEST: f64 = 12.0;

/// The area, its variance from sampling, and the rest of an interval.
pub(super) struct Area {
    pub estimate: Estimate,
    /// Standard deviation of the sampling alone.
    pub sampling: f64,
}

/// The area, unless noise outweighs the rows of a class.
pub(super) fn area(cells: &Cells) -> Option<Area> {
    let [positive, negative] =
        [&cells.positive, &cells.negative].map(|counts| counts.iter().sum::<f64>());
    let bins = cells.positive.len() as f64;
    let least = 5.0 + 3.0 * (cells.variance * bins).sqrt();
    if positive < least || negative < least {
        return None;
    }
    // Shares of the negative class below each bin, half of the bin's own with it; of the positive
    // class above.
    let below = halfway(cells.negative.iter().map(|count| count / negative));
    let mut above = halfway(cells.positive.iter().rev().map(|count| count / positive));
    above.reverse();
    let chords: f64 = cells.positive.iter().zip(&below).map(|(p, f)| p / positive * f).sum();

    let slope = |share: &f64, rows: f64| (share - chords) / rows;
    let slopes: Vec<f64> = below
        .iter()
        .map(|f| slope(f, positive))
        .chain(above.iter().map(|f| slope(f, negative)))
        .collect();
    let counts = cells.positive.iter().chain(&cells.negative);
    let sampling: f64 = counts.zip(&slopes).map(|(count, slope)| count * slope * slope).sum();
    let squares: f64 = slopes.iter().map(|slope| slope * slope).sum();
    // Noise on both sides of one pair: at most a third of all products.
    let twice = (cells.variance * bins / (positive * negative)).powi(2) / 3.0;
    let (sampling, noise) = (sampling.max(0.0), cells.variance * squares + twice);

    let value = smooth(chords, &cells.negative).clamp(1e-4, 1.0 - 1e-4);
    let peak = slopes.iter().map(|slope| slope.powi(4)).sum::<f64>()
        / squares.powi(2).max(f64::MIN_POSITIVE);
    let deviation = (sampling + noise).sqrt();
    let reach = cells.quantile(noise / (sampling + noise).max(f64::MIN_POSITIVE), peak) * deviation;
    // On the scale of log-odds, where the ends cannot pass 0 or 1.
    let (middle, reach) = ((value / (1.0 - value)).ln(), reach / (value * (1.0 - value)));
    let back = |odds: f64| 1.0 / (1.0 + (-odds).exp());
    let estimate = Estimate { value, lower: back(middle - reach), upper: back(middle + reach) };
    Some(Area { estimate, sampling: sampling.sqrt() })
}

/// Sums of what comes before, and half of each.
fn halfway(shares: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut before = 0.0;
    shares
        .map(|share| {
            let middle = before + 0.5 * share;
            before += share;
            middle
        })
        .collect()
}

/// The area under a smooth curve through points whose chords have this area below them. Of the
/// curves TPR = Φ(Φ⁻¹(FPR) + d) it takes the one whose chords, between the same false positive
/// rates, have it; what chords cut off depends little on the curve.
pub(super) fn smooth(chords: f64, negative: &[f64]) -> f64 {
    let total: f64 = negative.iter().map(|count| count.max(0.0)).sum();
    if total <= 0.0 {
        return chords;
    }
    let mut rates = vec![0.0];
    for count in negative.iter().rev() {
        rates.push((rates[rates.len() - 1] + count.max(0.0) / total).min(1.0));
    }
    let starts: Vec<Option<f64>> = rates
        .iter()
        .map(|&rate| (rate > 1e-12 && rate < 1.0 - 1e-12).then(|| normal_quantile(rate)))
        .collect();
    let hit = |k: usize, d: f64| match starts[k] {
        Some(start) => normal_cdf(start + d),
        None => rates[k].round(),
    };
    let under_chords = |d: f64| -> f64 {
        (1..rates.len())
            .map(|k| 0.5 * (hit(k, d) + hit(k - 1, d)) * (rates[k] - rates[k - 1]))
            .sum()
    };
    let (mut low, mut high) = (-FARTHEST, FARTHEST);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if under_chords(middle) < chords { low = middle } else { high = middle }
    }
    normal_cdf(0.5 * (low + high) / std::f64::consts::SQRT_2)
}
