//! The mean curvature Σ f″xxᵀ/n of logistic regression from Σ xxᵀ/n and coefficients.
//!
//! Given a value of a category, margins are taken as normal: their mean is released, and what they
//! vary by within values is taken to be alike. A number is taken to have the law of largest entropy
//! in its declared range, and margins as normal around a line in it. Weighted counts and moments
//! follow; those of several numbers in one column by Stein's identity. What stands between two
//! columns is carried over whitened, so the result is positive semidefinite and has the null
//! directions of the moments.

use super::super::IntervalError;
use super::super::estimate::Covariance;
use super::entropy::LargestEntropy;
use super::{Blocks, Kind, power};
use faer::{Col, Mat};

/// Margins vary by no less than this.
const LEAST_VARIANCE: f64 = 1e-3;
/// Of the variance of margins, at least so much is within the values of each column.
const LEAST_WITHIN: f64 = 0.05;
/// A number's weighted variance is at least this share of the mean curvature times its variance.
const LEAST_WEIGHTED: f64 = 0.2;
/// The mean margin of a value is within so many deviations of the mean of all.
const REACH: f64 = 4.0;

/// f″ and its first two derivatives, on average over a margin that is normal.
struct Bend {
    curvature: f64,
    slope: f64,
    bend: f64,
}

impl Bend {
    fn of(mean: f64, variance: f64) -> Bend {
        // The trapezoidal rule, which is exact to many digits for smooth functions under a normal law.
        const STEPS: i32 = 24;
        let deviation = variance.sqrt();
        let [mut total, mut curvature, mut slope, mut bend] = [0.0; 4];
        for step in -STEPS..=STEPS {
            let x = f64::from(step) * 0.25;
            let weight = (-0.5 * x * x).exp();
            let p = 1.0 / (1.0 + (-(mean + deviation * x)).exp());
            let h = p * (1.0 - p);
            total += weight;
            curvature += weight * h;
            slope += weight * h * (1.0 - 2.0 * p);
            bend += weight * h * (1.0 - 6.0 * h);
        }
        Bend { curvature: curvature / total, slope: slope / total, bend: bend / total }
    }
}

/// The mean curvature of coefficients in units of their columns.
pub(super) struct Curvature {
    pub(super) matrix: Mat<f64>,
    /// R, where the columns' covariance C is in the matrix as RCRᵀ.
    pub(super) carried: Mat<f64>,
}

/// The mean curvature, of coefficients in units of their columns. `covariance` is that of the
/// columns behind the constant, and `read` has their means.
pub(super) fn curvature(
    read: &Covariance,
    covariance: &Mat<f64>,
    theta: &[f64],
    blocks: &Blocks,
) -> Result<Curvature, IntervalError> {
    let (m, total) = (read.row.len(), read.total);
    let inner = Col::from_fn(m, |i| theta[i + 1]);
    let mean_of = |i: usize| read.row[i] / total;
    let mean = theta[0] + (0..m).map(|i| mean_of(i) * inner[i]).sum::<f64>();
    // Covariances of each coefficient's entry with the margin.
    let with_margin = covariance * &inner * faer::Scale(1.0 / total);
    let variance = (inner.transpose() * &with_margin).max(LEAST_VARIANCE);
    let Bend { curvature: h, slope, bend } = Bend::of(mean, variance);
    let weighted_total = h * total;

    let mut row = vec![0.0; m];
    let mut carried = Mat::<f64>::zeros(m, m);
    for block in &blocks.0 {
        let (places, k) = (block.places.clone(), block.places.len());
        let own = Mat::from_fn(k, k, |i, j| covariance[(places.start + i, places.start + j)]);
        let weighted = match block.kind {
            Kind::Number => {
                let i = places.start;
                let spread = own[(0, 0)].max(1e-12 * total) / total;
                let law = LargestEntropy::of(mean_of(i), spread);
                let along = with_margin[i] / spread;
                let within = (variance - along * with_margin[i]).max(LEAST_WITHIN * variance);
                let [mut sum, mut first, mut second] = [0.0; 3];
                for (x, weight) in law.points() {
                    let at = mean + along * (x - mean_of(i));
                    let bent = weight * Bend::of(at, within).curvature;
                    sum += bent;
                    first += bent * x;
                    second += bent * x * x;
                }
                // All rows weigh as much together as by their other columns.
                let scale = weighted_total / sum;
                row[i] = scale * first;
                let changed = scale * second - row[i] * row[i] / weighted_total;
                Mat::from_fn(1, 1, |_, _| changed.max(LEAST_WEIGHTED * h * own[(0, 0)]))
            }
            Kind::Numbers => {
                for i in places.clone() {
                    row[i] = total * (h * mean_of(i) + slope * with_margin[i]);
                }
                let further = (bend - slope * slope / h) * total;
                Mat::from_fn(k, k, |i, j| {
                    let (a, b) = (places.start + i, places.start + j);
                    let changed = h * own[(i, j)] + further * with_margin[a] * with_margin[b];
                    if i == j { changed.max(LEAST_WEIGHTED * h * own[(i, i)]) } else { changed }
                })
            }
            Kind::Shares => {
                let counts: Vec<f64> = places.clone().map(|i| read.row[i].max(0.0)).collect();
                let width = REACH * variance.sqrt();
                let means: Vec<f64> = places
                    .clone()
                    .zip(&counts)
                    .map(|(i, &count)| {
                        let beyond = total * with_margin[i] / count.max(1e-9 * total);
                        mean + beyond.clamp(-width, width)
                    })
                    .collect();
                let between: f64 =
                    counts.iter().zip(&means).map(|(n, at)| n / total * (at - mean).powi(2)).sum();
                let within = (variance - between).max(LEAST_WITHIN * variance);
                let each: Vec<f64> =
                    means.iter().map(|&at| Bend::of(at, within).curvature).collect();
                let sum: f64 = counts.iter().zip(&each).map(|(n, h)| n * h).sum();
                let left_out = (total - counts.iter().sum::<f64>()).max(0.0);
                // Together with rows that have none of the values, they weigh what all rows do.
                let scale = (weighted_total - left_out * h).max(0.0) / sum.max(1e-12 * total);
                let each: Vec<f64> = each.into_iter().map(|h| h * scale).collect();
                for (i, (n, h)) in places.clone().zip(counts.iter().zip(&each)) {
                    row[i] = n * h;
                }
                Mat::from_fn(k, k, |i, j| {
                    let (a, b) = (places.start + i, places.start + j);
                    let plain = own[(i, j)] + read.row[a] * read.row[b] / total;
                    (each[i] * each[j]).sqrt() * plain - row[a] * row[b] / weighted_total
                })
            }
        };
        let change = power(&weighted, 0.5)? * power(&own, -0.5)?;
        for i in 0..k {
            for j in 0..k {
                carried[(places.start + i, places.start + j)] = change[(i, j)];
            }
        }
    }
    let between = &carried * covariance * carried.transpose();
    let inner = |i: usize| i.checked_sub(1);
    let matrix = Mat::from_fn(m + 1, m + 1, |i, j| match (inner(i), inner(j)) {
        (None, None) => weighted_total,
        (None, Some(a)) | (Some(a), None) => row[a],
        (Some(a), Some(b)) => row[a] * row[b] / weighted_total + between[(a, b)],
    });
    Ok(Curvature { matrix, carried })
}
