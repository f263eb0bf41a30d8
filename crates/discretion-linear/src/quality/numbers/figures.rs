//! What sums of residuals say about a model of a number. Post-processing: it touches no row and
//! costs nothing.

use super::{CELLS, LEVELS, NumberSums, UNIT, edges};
use crate::quality::cells::{Cells, Estimate, Sum};
use discretion_privacy::normal_cdf;
use serde::{Deserialize, Serialize};

/// How good a model of a number is, with an interval for each figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberFigures {
    /// R²: how much smaller squares of residuals are than squares of distances from the mean of the
    /// rows that trained. Below 0 where that mean predicts better than the model. Nothing of a
    /// model that only predicts: what their mean is was not released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<Estimate>,
    /// The root of the mean square of residuals.
    pub root_mean_square: Estimate,
    /// The mean size of residuals.
    pub mean_size: Estimate,
    /// The mean of residuals: above 0 if predictions are too low.
    pub mean_residual: Estimate,
    /// How often prediction intervals hold the outcome, if the model has any.
    pub intervals: Vec<Coverage>,
    /// The share of rows whose residual is so large that it was clipped, or nearly: their part in
    /// the figures above is too small.
    pub clipped: Estimate,
}

/// How often prediction intervals at one level hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// The level.
    pub level: f64,
    /// The share of rows that were in theirs.
    pub held: Estimate,
}

/// An interval of R², or of residuals as a part of them, that is wider than this says next to
/// nothing.
const WIDEST: f64 = 0.4;

/// What is known of how residuals and outcomes spread.
pub(super) struct Spread {
    /// The mean square of residuals.
    pub square: f64,
    /// The mean of their fourth powers.
    pub fourth: f64,
    /// The mean square of what is predicted, from the mean.
    pub explained: f64,
}

impl Spread {
    /// The variance of one row's r² − q·u, u being the square of its outcome's distance from the
    /// mean, if residuals do not depend on predictions and predictions are about normal.
    pub fn of_ratio(&self, q: f64) -> f64 {
        let squares =
            (self.fourth - self.square * self.square).max(0.5 * self.square * self.square);
        squares * (1.0 - q).powi(2)
            + q * q * (2.0 * self.explained.powi(2) + 4.0 * self.explained * self.square)
    }
}

impl NumberFigures {
    /// Of all rows together.
    pub fn of_all(sums: &NumberSums, level: f64) -> NumberFigures {
        NumberFigures::of(sums, None, level)
    }

    /// Of one group.
    pub fn of_group(sums: &NumberSums, group: usize, level: f64) -> NumberFigures {
        NumberFigures::of(sums, Some(group), level)
    }

    fn of(sums: &NumberSums, group: Option<usize>, level: f64) -> NumberFigures {
        let groups = group.map_or(0..sums.sums.len(), |group| group..group + 1);
        let added = groups.len() as f64;
        let total = |of: &[Vec<i64>], k: usize| -> f64 {
            of[groups.clone()].iter().map(|v| v[k] as f64).sum()
        };
        let counts: Vec<f64> = (0..CELLS).map(|k| total(&sums.counts, k)).collect();
        let law = Cells {
            positive: Vec::new(),
            negative: Vec::new(),
            variance: sums.counts_deviation.powi(2) * added,
            excess: if sums.laplace { 3.0 / added } else { 0.0 },
            rows: (groups.len() == sums.sums.len()).then_some(sums.rows as f64),
            level,
        };
        let rows = law.rows.unwrap_or_else(|| counts.iter().sum()).max(1.0);
        // The number of rows of a group is noisy itself.
        let of_rows =
            if law.rows.is_some() { 0.0 } else { law.variance * CELLS as f64 / (rows * rows) };
        let scale = &sums.scale;
        let [over, under, square, outcomes] =
            [0, 1, 2, 3].map(|k| total(&sums.sums, k) / UNIT as f64);
        let noise = added * (sums.sums_deviation / UNIT as f64).powi(2);
        let square = (square * scale.clip.powi(2) / rows).max(0.0);
        let size = ((over + under) * scale.clip / rows).max(0.0);
        let mean = (over - under) * scale.clip / rows;
        let outcomes = (outcomes * scale.most).max(1e-12);
        // In units that are not the model's own, counts can be too coarse to tell: no less is taken
        // than of a normal law.
        let least = if sums.predictions_alone { 3.0 } else { 0.0 };
        let fourth = square * square * kurtosis(&counts).max(least);

        let around = |value: f64, sampling: f64, noise: f64, peak: f64| {
            let noise = noise + of_rows * value * value;
            let all = (sampling.max(0.0) / rows + noise).max(f64::MIN_POSITIVE);
            let reach = law.quantile(noise / all, peak) * all.sqrt();
            Estimate { value, lower: value - reach, upper: value + reach }
        };
        let per_row = noise * (scale.clip / rows).powi(2);
        let squares = around(square, fourth - square * square, per_row * scale.clip.powi(2), 1.0);
        let root = |x: f64| x.max(0.0).sqrt();

        let q = square * rows / outcomes;
        let spread = Spread { square, fourth, explained: (outcomes / rows - square).max(0.0) };
        let of_both =
            noise * (scale.clip.powi(4) + (q * scale.most).powi(2)) / (outcomes * outcomes);
        let ratio = spread.of_ratio(q) * (rows / outcomes).powi(2) / rows;
        let all = (ratio + of_both).max(f64::MIN_POSITIVE);
        let reach = law.quantile(of_both / all, 0.75) * all.sqrt();
        NumberFigures {
            explained: (!sums.predictions_alone).then_some(Estimate {
                value: 1.0 - q,
                lower: 1.0 - q - reach,
                upper: (1.0 - q + reach).min(1.0),
            }),
            root_mean_square: Estimate {
                value: square.sqrt(),
                lower: root(squares.lower),
                upper: root(squares.upper),
            },
            mean_size: not_below_zero(around(size, square - size * size, 2.0 * per_row, 0.5)),
            mean_residual: around(mean, square - mean * mean, 2.0 * per_row, 0.5),
            intervals: LEVELS
                .iter()
                .filter(|_| !sums.predictions_alone)
                .enumerate()
                .map(|(k, &level)| Coverage { level, held: inside(&law, &counts, k + 1) })
                .collect(),
            clipped: complement(inside(&law, &counts, LEVELS.len() + 1)),
        }
    }

    /// The same in another unit of the outcome.
    pub fn stretched(&self, unit: f64) -> NumberFigures {
        let times = |estimate: Estimate| Estimate {
            value: unit * estimate.value,
            lower: unit * estimate.lower,
            upper: unit * estimate.upper,
        };
        NumberFigures {
            root_mean_square: times(self.root_mean_square),
            mean_size: times(self.mean_size),
            mean_residual: times(self.mean_residual),
            ..self.clone()
        }
    }

    /// Whether the sums say anything worth reading.
    pub fn say_something(&self) -> bool {
        match self.explained {
            Some(explained) => explained.upper - explained.lower <= WIDEST,
            None => {
                let Estimate { value, lower, upper } = self.root_mean_square;
                upper - lower <= WIDEST * value
            }
        }
    }
}

fn not_below_zero(estimate: Estimate) -> Estimate {
    Estimate { lower: estimate.lower.max(0.0), ..estimate }
}

fn complement(estimate: Estimate) -> Estimate {
    Estimate {
        value: 1.0 - estimate.value,
        lower: 1.0 - estimate.upper,
        upper: 1.0 - estimate.lower,
    }
}

/// The share of rows in the `reach` cells on each side of the middle.
fn inside(law: &Cells, counts: &[f64], reach: usize) -> Estimate {
    let (from, to) = (CELLS / 2 - reach, CELLS / 2 + reach);
    law.share_of_all(
        Sum::of(&counts[from..to]),
        Sum::of(&counts[..from]).and(Sum::of(&counts[to..])),
    )
}

/// The mean of fourth powers of residuals over the square of their mean square, as far as counts
/// tell. A cell is taken to hold what a normal law has there.
fn kurtosis(counts: &[f64]) -> f64 {
    let ends: Vec<f64> = [0.0].into_iter().chain(edges()).collect();
    let (mut sums, mut rows) = ([0.0; 2], 0.0);
    for side in 0..CELLS / 2 {
        let count = (counts[CELLS / 2 + side] + counts[CELLS / 2 - 1 - side]).max(0.0);
        let moments = match ends.get(side + 1) {
            Some(&end) => normal_moments(ends[side], end),
            // Clipped.
            None => [ends[side].powi(2), ends[side].powi(4)],
        };
        rows += count;
        sums.iter_mut().zip(moments).for_each(|(sum, moment)| *sum += count * moment);
    }
    if rows <= 0.0 || sums[0] <= 0.0 {
        return 3.0;
    }
    (sums[1] * rows / (sums[0] * sums[0])).clamp(1.2, 30.0)
}

/// Mean square and mean fourth power of a normal number between two ends.
fn normal_moments(low: f64, high: f64) -> [f64; 2] {
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let mass = normal_cdf(high) - normal_cdf(low);
    let odd =
        |power: i32| (low.powi(power) * density(low) - high.powi(power) * density(high)) / mass;
    let square = 1.0 + odd(1);
    [square, 3.0 * square + odd(3)]
}
