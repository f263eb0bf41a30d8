//! Columns that say nearly the same. Whoever reads noisy moments makes correlations smaller than
//! they are, and intervals of such columns too short: so large ones are raised again.

use super::super::IntervalError;
use super::super::estimate::{Covariance, Noisy};
use super::super::intervals::eigen;
use super::{Blocks, Kind};
use faer::{Col, Mat};

/// Canonical correlations above this are raised …
const LARGE: f64 = 0.8;
/// … by so many deviations of their noise …
const RAISED_BY: f64 = 1.5;
/// … which count as no more than this.
const MOST_DEVIATION: f64 = 0.2;

/// Above this, intervals of both columns are widened.
const NEAR: f64 = 0.96;
/// From this on a number is the other column under another name.
const SAME: f64 = 0.99;

/// No direction of the correlations has less than this.
const LEAST: f64 = 1e-4;

/// Two columns of which one can nearly be told from the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alias {
    /// Their positions among the columns of the rows, of which the constant is 0.
    pub columns: (usize, usize),
    /// The largest correlation of combinations of the two, as far as noise allows it.
    pub correlation: f64,
    /// Whether one says the same as the other: no interval of either is honest.
    pub is_same: bool,
}

/// The covariance of the columns with large correlations raised.
pub(super) struct Raised {
    pub(super) covariance: Mat<f64>,
    pub(super) aliases: Vec<Alias>,
}

impl Raised {
    pub(super) fn of(
        read: &Covariance,
        noisy: &Noisy,
        blocks: &Blocks,
    ) -> Result<Raised, IntervalError> {
        let (roots, m) = (&read.roots, read.roots.nrows());
        if m == 0 {
            return Ok(Raised { covariance: Mat::zeros(0, 0), aliases: Vec::new() });
        }
        let spread: Vec<f64> =
            (0..m).map(|k| (0..m).map(|i| roots[(i, k)].powi(2)).sum()).collect();
        let inverse = |k: usize| if spread[k] > 0.0 { 1.0 / spread[k] } else { 0.0 };
        let whitened = |of: &Mat<f64>| {
            let along = roots.transpose() * of * roots;
            Mat::from_fn(m, m, |i, j| inverse(i) * along[(i, j)] * inverse(j))
        };
        let centred = Mat::from_fn(m, m, |i, j| {
            noisy.entries[(i + 1, j + 1)] - read.row[i] * read.row[j] / read.total
        });
        let (believed, seen) = (whitened(&read.matrix), whitened(&centred));
        let mut raised = believed.clone();
        let mut aliases = Vec::new();
        for (a, one) in blocks.0.iter().enumerate() {
            for (b, other) in blocks.0.iter().enumerate().skip(a + 1) {
                let (x, y) = (one.places.clone(), other.places.clone());
                let noise = noisy.deviations[(x.start + 1, y.start + 1)];
                let block = |of: &Mat<f64>| {
                    Mat::from_fn(x.len(), y.len(), |i, j| of[(x.start + i, y.start + j)])
                };
                let block_seen = block(&seen);
                let svd = block(&believed).svd().map_err(|_| {
                    IntervalError::Evidence("the rows' moments have no singular values")
                })?;
                let values: Vec<f64> = svd.S().column_vector().iter().copied().collect();
                let mut largest: f64 = 0.0;
                for (k, &value) in
                    values.iter().enumerate().take_while(|(_, value)| **value >= LARGE)
                {
                    let u = Col::from_fn(x.len(), |i| svd.U()[(i, k)]);
                    let v = Col::from_fn(y.len(), |j| svd.V()[(j, k)]);
                    let along: f64 = u.transpose() * (&block_seen * &v);
                    let of = |u: &Col<f64>, first: usize| -> f64 {
                        u.iter().enumerate().map(|(i, u)| u * u * inverse(first + i)).sum()
                    };
                    let deviation = noise * (of(&u, x.start) * of(&v, y.start)).sqrt();
                    let up =
                        (value.max(along) + RAISED_BY * deviation.min(MOST_DEVIATION)).min(1.0);
                    largest = largest.max(up);
                    for i in 0..x.len() {
                        for j in 0..y.len() {
                            let more = (up - value) * u[i] * v[j];
                            raised[(x.start + i, y.start + j)] += more;
                            raised[(y.start + j, x.start + i)] += more;
                        }
                    }
                }
                if largest > NEAR {
                    let has_number = one.kind == Kind::Number || other.kind == Kind::Number;
                    aliases.push(Alias {
                        columns: (a + 1, b + 1),
                        correlation: largest,
                        is_same: largest >= SAME && has_number,
                    });
                }
            }
        }
        let (vectors, values) = eigen(&raised)?;
        let scaled = Mat::from_fn(m, m, |i, k| vectors[(i, k)] * values[k].max(LEAST));
        let floored = scaled * vectors.transpose();
        let unit =
            Mat::from_fn(m, m, |i, j| floored[(i, j)] / (floored[(i, i)] * floored[(j, j)]).sqrt());
        let covariance = roots * unit * roots.transpose();
        Ok(Raised { covariance, aliases })
    }
}
