//! The diagonal blocks of a second-moment matrix and its first row: how frequent each category is among the rows' weights,
//! and where each number lies.

use super::belief::belief;
use super::{Fitted, Noisy, Shape};
use crate::interval::IntervalError;
use crate::interval::intervals::eigen;
use faer::Mat;
use std::ops::Range;

/// A category or a number's variance is at least what this many rows would give.
const LEAST_ROWS: f64 = 10.0;

/// Rows weigh something, however much they are flattened.
const LEAST_TOTAL: f64 = 1e-9;

/// The mean of f′² among the rows of a category is about this near to that of f″, times what it is among all rows.
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
        };
        let least = total * LEAST_ROWS / rows;
        let range = (least, total.max(2.0 * least));
        let first = shape.first();
        for column in &shape.columns {
            let outer = column.start + first..column.end + first;
            let near = guess.map(|guess| guess.scaled(total, column.clone()));
            let own = if first == 1 && noisy.is_category(outer.clone()) {
                let seen: Vec<_> = outer.map(|a| (entries[(0, a)], deviations[(0, a)])).collect();
                margins.category(&seen, deviations[(0, 0)], column.clone(), near, range)
            } else {
                margins.other(noisy, first, column.clone(), near, range)?
            };
            let (vectors, values) = eigen(&own)?;
            for i in 0..column.len() {
                for j in 0..column.len() {
                    margins.axes[(column.start + i, column.start + j)] = vectors[(i, j)];
                }
                // All categories of a column together are the intercept: in that direction no row differs from another.
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
        total_deviation: f64,
        column: Range<usize>,
        near: Option<Near>,
        (least, most): (f64, f64),
    ) -> Mat<f64> {
        let (mut q, mut variances) = (Vec::new(), Vec::new());
        for (i, &(seen, deviation)) in seen.iter().enumerate() {
            let (value, variance) = match &near {
                None => {
                    let belief = belief(seen, deviation, least, most);
                    (belief.typical, belief.variance)
                }
                Some(near) => {
                    let weight = weight(NEAR * near.row[i], deviation);
                    (near.row[i] + weight * (seen - near.row[i]), weight * deviation * deviation)
                }
            };
            q.push(value);
            variances.push(variance);
        }
        let sum: f64 = q.iter().sum();
        let freedom: f64 = variances.iter().sum();
        // What is in no category of the column.
        let rest = match &near {
            None => belief(self.total - sum, (freedom + total_deviation.powi(2)).sqrt(), least, most).typical,
            Some(near) => (self.total - near.row.iter().sum::<f64>()).max(0.0),
        };
        if freedom > 0.0 {
            let lacks = self.total - rest - sum;
            for (i, value) in q.iter_mut().enumerate() {
                let base = near.as_ref().map_or(*value, |near| near.row[i]);
                *value = (*value + variances[i] / freedom * lacks).max(0.1 * base);
            }
        }
        let sum: f64 = q.iter().sum();
        if freedom > 0.0 && sum > self.total {
            q.iter_mut().for_each(|value| *value *= self.total / sum);
        }
        self.row[column.clone()].copy_from_slice(&q);
        self.row_variances[column].copy_from_slice(&variances);
        Mat::from_fn(q.len(), q.len(), |i, j| if i == j { q[i] } else { 0.0 } - q[i] * q[j] / self.total)
    }

    /// A number, a curve, or a category of averaged gradients: the covariance as it was seen, without what cannot be.
    fn other(
        &mut self,
        noisy: &Noisy,
        first: usize,
        column: Range<usize>,
        near: Option<Near>,
        (least, most): (f64, f64),
    ) -> Result<Mat<f64>, IntervalError> {
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
        let seen = Mat::from_fn(k, k, |i, j| entries[(at(i), at(j))] - mean(i) * mean(j) * self.total);
        let variance = |i: usize| {
            let own = deviations[(at(i), at(i))].powi(2);
            let row = if first == 1 { deviations[(0, at(i))].powi(2) } else { 0.0 };
            own + 4.0 * mean(i).powi(2) * row + mean(i).powi(4) * deviations[(0, 0)].powi(2) * first as f64
        };
        let deviation = ((0..k).map(variance).sum::<f64>() / k as f64).sqrt();
        let (vectors, values) = match &near {
            None => {
                let (vectors, values) = eigen(&seen)?;
                let values: Vec<f64> =
                    values.iter().map(|&value| belief(value, deviation, least, most).typical).collect();
                (vectors, values)
            }
            Some(near) => {
                let size = (0..k).map(|i| near.own[(i, i)]).sum::<f64>() / k as f64;
                let weight = weight(NEAR * size, deviation);
                let drawn =
                    |i: usize, j: usize| near.own[(i, j)] + weight * (seen[(i, j)] - near.own[(i, j)]);
                let (vectors, values) = eigen(&Mat::from_fn(k, k, drawn))?;
                let least = if deviation > 0.0 { 0.1 * size / k as f64 } else { 0.0 };
                (vectors, values.into_iter().map(|value| value.max(least)).collect())
            }
        };
        let entry = |i: usize, j: usize| (0..k).map(|l| vectors[(i, l)] * values[l] * vectors[(j, l)]).sum();
        Ok(Mat::from_fn(k, k, entry))
    }
}

/// One column of a matrix that another is likely to be near to.
pub(super) struct Near {
    /// The intercept's row.
    pub(super) row: Vec<f64>,
    /// The column's covariance.
    pub(super) own: Mat<f64>,
}

/// How far to go from a guess of this deviation towards what was seen with that deviation.
fn weight(guess: f64, seen: f64) -> f64 {
    if seen > 0.0 { guess * guess / (guess * guess + seen * seen) } else { 1.0 }
}
