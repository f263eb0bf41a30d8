//! A second-moment matrix from its noisy entries: columns are first taken to be independent, and
//! the entries correct that as far as they can be told from their noise.
//! `docs/intervals-in-detail.md`, "How the matrices are read".

use super::belief::belief;
use super::margins::{Margins, Near};
use super::probable::most_probable;
use super::{Covariance, Noisy, Shape};
use crate::interval::IntervalError;
use faer::Mat;
use std::ops::Range;

/// The mean square of correlations between two columns of one coefficient each lies in between.
/// Between columns of k and l it is as much less as the larger of both: no block of correlations is
/// longer than 1 in any direction, so its squares add up to min(k, l) at most.
const CORRELATIONS: (f64, f64) = (1e-3, 1.0);

/// The relative variance that a spread has at most: it is uncertain by 200 %. A small spread under
/// much noise, as pure budgets have it, would else make intervals of everything beside it as wide
/// as the noise (docs/intervals-in-detail.md has what 100 % and 300 % do).
const MOST_UNCERTAIN: f64 = 4.0;

/// A matrix as it is believed to be, divided by the sizes of the columns.
pub(super) struct Fitted {
    first: usize,
    total: f64,
    /// The intercept's row, without the intercept.
    row: Vec<f64>,
    /// What is left when the intercept's part row·rowᵀ/total is taken away.
    covariance: Mat<f64>,
    /// The covariance is roots·K·rootsᵀ with ones on the diagonal of K.
    pub(super) roots: Mat<f64>,
    /// How uncertain each entry of K still is; on the diagonal, what it is multiplied with.
    pub(super) variances: Mat<f64>,
}

impl Fitted {
    /// `guess` is a matrix that this one is likely to be near to, up to a factor.
    pub(super) fn of(
        noisy: &Noisy,
        shape: &Shape,
        rows: f64,
        guess: Option<&Fitted>,
    ) -> Result<Fitted, IntervalError> {
        let margins = Margins::of(noisy, shape, rows, guess)?;
        let (m, first) = (shape.inner(), shape.first());
        let Margins { total, row, row_variances, axes, spreads, spread_variances } = margins;
        let guessed = |i: usize, j: usize| {
            guess.map_or(0.0, |guess| total / guess.total * guess.covariance[(i, j)])
        };
        let centre = Mat::from_fn(m, m, guessed);
        let seen =
            |i: usize, j: usize| noisy.entries[(i + first, j + first)] - row[i] * row[j] / total;
        let rest = Mat::from_fn(m, m, |i, j| seen(i, j) - centre[(i, j)]);
        let (rest, centre) = (axes.transpose() * rest * &axes, axes.transpose() * centre * &axes);
        // What the noise of the row adds to that of an entry.
        let along = |k: usize| (0..m).map(|i| axes[(i, k)] * row[i]).sum::<f64>() / total;
        let along: Vec<f64> = (0..m).map(along).collect();
        let row_noise =
            |k: usize| (0..m).map(|i| axes[(i, k)].powi(2) * row_variances[i]).sum::<f64>();
        let row_noise: Vec<f64> = (0..m).map(row_noise).collect();

        let mut correlations = Mat::<f64>::identity(m, m);
        let mut variances = Mat::<f64>::zeros(m, m);
        for (at, one) in shape.columns.iter().enumerate() {
            for other in &shape.columns[at + 1..] {
                let noise = noisy.mean_square(one, other, first);
                let pairs = one.clone().flat_map(|i| other.clone().map(move |j| (i, j)));
                let seen: Vec<Seen> = pairs
                    .filter(|&(i, j)| spreads[i] * spreads[j] > 0.0)
                    .map(|(i, j)| {
                        let size = (spreads[i] * spreads[j]).sqrt();
                        let variance = noise
                            + row_noise[i] * along[j].powi(2)
                            + row_noise[j] * along[i].powi(2);
                        Seen {
                            at: (i, j),
                            value: rest[(i, j)] / size,
                            variance: variance / (size * size),
                            centre: centre[(i, j)] / size,
                        }
                    })
                    .collect();
                let strength = strength(&seen, [one.len(), other.len()]);
                for Seen { at: (i, j), value, variance, centre } in seen {
                    let weight =
                        if variance > 0.0 { strength / (strength + variance) } else { 1.0 };
                    correlations[(i, j)] = centre + weight * value;
                    correlations[(j, i)] = correlations[(i, j)];
                    variances[(i, j)] = weight * variance;
                    variances[(j, i)] = variances[(i, j)];
                }
            }
        }
        let damaged =
            IntervalError::Evidence("one of the matrices has entries that are no numbers");
        let (k, inverse) = most_probable(&correlations, &variances).ok_or(damaged)?;
        // The curvature of log det K makes K surer than its entries one by one.
        let surer = |i: usize, j: usize| {
            2.0 * (inverse[(i, i)] * inverse[(j, j)] + inverse[(i, j)].powi(2))
        };
        let variances = Mat::from_fn(m, m, |i, j| match variances[(i, j)] {
            variance if i != j && variance > 0.0 => 1.0 / (1.0 / variance + surer(i, j)),
            // Of the diagonal, which is 1 by definition, it is the spread that is uncertain.
            _ if i == j && spreads[i] > 0.0 => {
                (spread_variances[i] / spreads[i].powi(2)).min(MOST_UNCERTAIN)
            }
            _ => 0.0,
        });
        let roots = Mat::from_fn(m, m, |i, k| axes[(i, k)] * spreads[k].sqrt());
        let covariance = &roots * k * roots.transpose();
        Ok(Fitted { first, total, row, covariance, roots, variances })
    }

    /// The means of its columns and their covariance.
    pub(super) fn covariance(self) -> Covariance {
        let Fitted { total, row, covariance, roots, variances, .. } = self;
        let spreads = (0..row.len()).map(|i| variances[(i, i)]).collect();
        Covariance { total, row, matrix: covariance, roots, spreads }
    }

    /// All of it.
    pub(super) fn matrix(&self) -> Mat<f64> {
        let d = self.row.len() + self.first;
        let inner = |i: usize| i.checked_sub(self.first);
        Mat::from_fn(d, d, |i, j| match (inner(i), inner(j)) {
            (None, None) => self.total,
            (None, Some(a)) | (Some(a), None) => self.row[a],
            (Some(a), Some(b)) => self.row[a] * self.row[b] / self.total + self.covariance[(a, b)],
        })
    }

    pub(super) fn total(&self) -> f64 {
        self.total
    }

    /// One column of it, for a matrix of this total.
    pub(super) fn scaled(&self, total: f64, column: Range<usize>) -> Near {
        let times = total / self.total;
        Near {
            row: self.row[column.clone()].iter().map(|x| times * x).collect(),
            own: Mat::from_fn(column.len(), column.len(), |i, j| {
                times * self.covariance[(column.start + i, column.start + j)]
            }),
        }
    }
}

/// A correlation with noise.
struct Seen {
    at: (usize, usize),
    /// Its distance from what was guessed.
    value: f64,
    /// The variance of its noise.
    variance: f64,
    /// What was guessed.
    centre: f64,
}

/// The mean square of the correlations between two columns, or of their distances from a guess, as
/// far as noise lets it be seen.
fn strength(seen: &[Seen], widths: [usize; 2]) -> f64 {
    let wider = widths[0].max(widths[1]) as f64;
    let (least, most) = (CORRELATIONS.0 / wider, CORRELATIONS.1 / wider);
    let seen = seen.iter().filter(|seen| seen.variance > 0.0);
    let weights: f64 = seen.clone().map(|seen| seen.variance.powi(-2)).sum();
    if weights <= 0.0 {
        return most;
    }
    let excess =
        seen.clone().map(|seen| (seen.value.powi(2) - seen.variance) / seen.variance.powi(2));
    // Of a square of normal noise, the variance is twice the squared variance.
    let deviation = (2.0 * weights).sqrt() / weights;
    belief(excess.sum::<f64>() / weights, deviation, least, most).mean
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where noise hides two columns' correlations, these are believed to be as small as they must
    /// be between wide columns.
    #[test]
    fn hidden_correlations_are_no_larger_than_they_can_be() {
        let hidden = |k: usize, l: usize| {
            let seen = |i: usize| Seen {
                at: (0, i),
                value: if i.is_multiple_of(2) { 5.0 } else { -5.0 },
                variance: 25.0,
                centre: 0.0,
            };
            strength(&(0..k * l).map(seen).collect::<Vec<_>>(), [k, l])
        };
        // The mean of what is between 1/1000 and 1, all orders of magnitude alike, is 0.145.
        assert!((hidden(1, 1) - 0.145).abs() < 0.01, "{}", hidden(1, 1));
        assert!((hidden(8, 16) * 16.0 - 0.145).abs() < 0.01, "{}", hidden(8, 16));
        assert_eq!(hidden(8, 16), hidden(16, 8));
        let clear = |i: usize| Seen { at: (0, i), value: 0.1, variance: 1e-6, centre: 0.0 };
        assert!(
            (strength(&(0..8).map(clear).collect::<Vec<_>>(), [2, 4]) / 0.01 - 1.0).abs() < 0.01
        );
    }

    #[test]
    fn a_spread_that_noise_hides_is_uncertain_to_a_limit() {
        // The first is the largest, so none is believed to be larger; the second is seen clearly,
        // and noise hides the third.
        let (seen, deviations) = ([0.5, 0.2, 1e-4], [1e-3, 1e-3, 0.05]);
        let diagonal = |of: [f64; 3]| Mat::from_fn(3, 3, |i, j| if i == j { of[i] } else { 0.0 });
        let noisy = Noisy { entries: diagonal(seen), deviations: diagonal(deviations) };
        let fitted = Fitted::of(&noisy, &Shape::new(None, 3), 1e5, None).unwrap();
        let [clear, hidden] = [1, 2].map(|i| fitted.variances[(i, i)]);
        assert!((clear / (1e-3f64 / 0.2).powi(2) - 1.0).abs() < 0.1, "{clear}");
        assert_eq!(hidden, MOST_UNCERTAIN);
    }
}
