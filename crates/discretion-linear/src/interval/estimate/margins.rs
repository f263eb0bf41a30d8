//! The diagonal blocks of a second-moment matrix and its first row: how frequent each category is
//! among the rows' weights, and where each number lies.

use super::belief::{belief, shares};
use super::{Fitted, Noisy, Shape};
use crate::interval::IntervalError;
use crate::interval::intervals::eigen;
use faer::Mat;
use std::ops::Range;

/// A category or a number's variance is at least what this many rows would give.
const LEAST_ROWS: f64 = 1.0;

/// Rows weigh something, however much they are flattened.
const LEAST_TOTAL: f64 = 1e-9;

/// The mean of f′² among the rows of a category is about this near to that of f″, times what it is
/// among all rows.
const NEAR: f64 = 0.5;

/// What is known before two columns are looked at together. Vectors leave the intercept out.
pub(super) struct Margins {
    /// The entry of the intercept with itself; without one, the largest of the diagonal.
    pub(super) total: f64,
    /// The intercept's row, and the variances of what is left of its noise.
    pub(super) row: Vec<f64>,
    pub(super) row_variances: Vec<f64>,
    /// Each column's own covariance is axes·spreads·axesᵀ.
    pub(super) axes: Mat<f64>,
    pub(super) spreads: Vec<f64>,
    /// How uncertain the spreads are.
    pub(super) spread_variances: Vec<f64>,
}

impl Margins {
    /// `guess` is a matrix that this one is likely to be near to, up to a factor.
    pub(super) fn of(
        noisy: &Noisy,
        shape: &Shape,
        rows: f64,
        guess: Option<&Fitted>,
    ) -> Result<Margins, IntervalError> {
        let (entries, deviations, m) = (&noisy.entries, &noisy.deviations, shape.inner());
        let (seen, deviation) = shape.total(noisy);
        let total = match guess {
            None => seen.max(deviation).max(LEAST_TOTAL),
            Some(guess) => {
                let total = guess.total();
                (total + weight(total, deviation) * (seen - total)).max(0.1 * total)
            }
        };
        let mut margins = Margins {
            total,
            row: vec![0.0; m],
            row_variances: vec![0.0; m],
            axes: Mat::zeros(m, m),
            spreads: vec![0.0; m],
            spread_variances: vec![0.0; m],
        };
        let least = total * LEAST_ROWS / rows;
        let range = (least, total.max(2.0 * least));
        let first = shape.first();
        for column in &shape.columns {
            let outer = column.start + first..column.end + first;
            let near = guess.map(|guess| guess.scaled(total, column.clone()));
            let is_category = first == 1 && noisy.is_category(outer.clone());
            let (own, variances) = if is_category {
                let seen: Vec<_> = outer.map(|a| (entries[(0, a)], deviations[(0, a)])).collect();
                margins.category(&seen, column.clone(), near, range)
            } else {
                margins.other(noisy, first, column.clone(), near, range)?
            };
            let (vectors, values) = eigen(&own)?;
            for i in 0..column.len() {
                // A category's noise is on the diagonal alone; that of all else is alike in every
                // direction.
                let power = if is_category { 4 } else { 2 };
                let along = |(j, variance): (usize, &f64)| vectors[(j, i)].powi(power) * variance;
                margins.spread_variances[column.start + i] =
                    variances.iter().enumerate().map(along).sum();
                for j in 0..column.len() {
                    margins.axes[(column.start + i, column.start + j)] = vectors[(i, j)];
                }
                // All categories of a column together are the intercept: in that direction no row
                // differs from another.
                let is_something = values[i] > 1e-9 * total;
                margins.spreads[column.start + i] = if is_something { values[i] } else { 0.0 };
            }
        }
        Ok(margins)
    }

    /// A column of which a row hits one coefficient or none: the covariance is diag(q) − qqᵀ/total.
    fn category(
        &mut self,
        seen: &[(f64, f64)],
        column: Range<usize>,
        near: Option<Near>,
        (least, most): (f64, f64),
    ) -> (Mat<f64>, Vec<f64>) {
        let (mut q, variances): (Vec<f64>, Vec<f64>) = match &near {
            None => shares(seen, least, most)
                .into_iter()
                .map(|share| (share.typical, share.variance))
                .unzip(),
            Some(near) => near.category(seen, self.total),
        };
        let sum: f64 = q.iter().sum();
        if variances.iter().any(|&variance| variance > 0.0) && sum > self.total {
            q.iter_mut().for_each(|value| *value *= self.total / sum);
        }
        self.row[column.clone()].copy_from_slice(&q);
        self.row_variances[column].copy_from_slice(&variances);
        let own = |i: usize, j: usize| if i == j { q[i] } else { 0.0 } - q[i] * q[j] / self.total;
        (Mat::from_fn(q.len(), q.len(), own), variances)
    }

    /// A number, a curve, or a category of averaged gradients: the covariance as it was seen,
    /// without what cannot be.
    fn other(
        &mut self,
        noisy: &Noisy,
        first: usize,
        column: Range<usize>,
        near: Option<Near>,
        (least, most): (f64, f64),
    ) -> Result<(Mat<f64>, Vec<f64>), IntervalError> {
        let (entries, deviations) = (&noisy.entries, &noisy.deviations);
        let k = column.len();
        let at = |i: usize| column.start + first + i;
        if first == 1 {
            for i in 0..k {
                let (seen, deviation) = (entries[(0, at(i))], deviations[(0, at(i))]);
                let value = match &near {
                    None => seen,
                    Some(near) => {
                        let size = NEAR * (near.own[(i, i)].max(0.0) * self.total).sqrt();
                        near.row[i] + weight(size, deviation) * (seen - near.row[i])
                    }
                };
                self.row[column.start + i] = value.clamp(-self.total, self.total);
                self.row_variances[column.start + i] = deviation * deviation;
            }
        }
        let mean = |i: usize| self.row[column.start + i] / self.total;
        let seen =
            Mat::from_fn(k, k, |i, j| entries[(at(i), at(j))] - mean(i) * mean(j) * self.total);
        let variance = |i: usize| {
            let own = deviations[(at(i), at(i))].powi(2);
            let row = if first == 1 { deviations[(0, at(i))].powi(2) } else { 0.0 };
            own + 4.0 * mean(i).powi(2) * row
                + mean(i).powi(4) * deviations[(0, 0)].powi(2) * first as f64
        };
        let deviation = ((0..k).map(variance).sum::<f64>() / k as f64).sqrt();
        let (vectors, values, variance) = match &near {
            None => {
                let (vectors, values) = eigen(&seen)?;
                let beliefs = values.iter().map(|&value| belief(value, deviation, least, most));
                let (values, variances): (Vec<f64>, Vec<f64>) =
                    beliefs.map(|belief| (belief.typical, belief.variance)).unzip();
                (vectors, values, variances.iter().sum::<f64>() / k as f64)
            }
            Some(near) => {
                let size = (0..k).map(|i| near.own[(i, i)]).sum::<f64>() / k as f64;
                let weight = weight(NEAR * size, deviation);
                let drawn = |i: usize, j: usize| {
                    near.own[(i, j)] + weight * (seen[(i, j)] - near.own[(i, j)])
                };
                let (vectors, values) = eigen(&Mat::from_fn(k, k, drawn))?;
                let least = if deviation > 0.0 { 0.1 * size / k as f64 } else { 0.0 };
                let values = values.into_iter().map(|value| value.max(least)).collect();
                (vectors, values, weight * deviation * deviation)
            }
        };
        let entry = |i: usize, j: usize| {
            (0..k).map(|l| vectors[(i, l)] * values[l] * vectors[(j, l)]).sum()
        };
        Ok((Mat::from_fn(k, k, entry), vec![variance; k]))
    }
}

/// One column of a matrix that another is likely to be near to.
pub(super) struct Near {
    /// The intercept's row.
    pub(super) row: Vec<f64>,
    /// The column's covariance.
    pub(super) own: Mat<f64>,
}

impl Near {
    /// The intercept's row for a category column that was seen so, and the variances of its noise.
    /// The categories of the guess say how much of the total they have together.
    fn category(&self, seen: &[(f64, f64)], total: f64) -> (Vec<f64>, Vec<f64>) {
        let drawn = |(&guess, &(seen, deviation)): (&f64, &(f64, f64))| {
            let weight = weight(NEAR * guess, deviation);
            (guess + weight * (seen - guess), weight * deviation * deviation)
        };
        let (mut q, variances): (Vec<f64>, Vec<f64>) = self.row.iter().zip(seen).map(drawn).unzip();
        let freedom: f64 = variances.iter().sum();
        if freedom > 0.0 {
            let lacks = self.row.iter().sum::<f64>().min(total) - q.iter().sum::<f64>();
            for ((value, variance), guess) in q.iter_mut().zip(&variances).zip(&self.row) {
                *value = (*value + variance / freedom * lacks).max(0.1 * guess);
            }
        }
        (q, variances)
    }
}

/// How far to go from a guess of this deviation towards what was seen with that deviation.
fn weight(guess: f64, seen: f64) -> f64 {
    if seen > 0.0 { guess * guess / (guess * guess + seen * seen) } else { 1.0 }
}
