//! The most probable correlation matrix: near what was seen, and positive definite without a floor.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, Side};

/// Steps at most. Ten to forty are usual.
const STEPS: usize = 60;

/// Where a whole step promises to gain less than this there is none.
const LEAST_GAIN: f64 = 1e-4;

/// The matrix that makes log det K − Σ_{a<b} (K − seen)²/(2·variance) largest, with ones on the
/// diagonal, and its inverse.
///
/// log det K is a prior (Lewandowski, Kurowicka & Joe 2009, η = 2): a matrix in which a column is
/// almost a combination of others is unlikely, and noise alone would make many of those. Entries of
/// variance 0 stay as they are.
pub(super) fn most_probable(seen: &Mat<f64>, variances: &Mat<f64>) -> Option<(Mat<f64>, Mat<f64>)> {
    let d = seen.nrows();
    let is_free = |i: usize, j: usize| i != j && variances[(i, j)] > 0.0;
    let is_any_free = (0..d).any(|j| (0..j).any(|i| is_free(i, j)));
    if let (false, Some((_, inverse))) = (is_any_free, inverse(seen)) {
        return Some((seen.clone(), inverse));
    }
    let value = |k: &Mat<f64>| {
        let (log_determinant, inverse) = inverse(k)?;
        let distance =
            |i: usize, j: usize| (k[(i, j)] - seen[(i, j)]).powi(2) / (2.0 * variances[(i, j)]);
        let pairs = (0..d).flat_map(|j| (0..j).map(move |i| (i, j)));
        let distances: f64 =
            pairs.filter(|&(i, j)| is_free(i, j)).map(|(i, j)| distance(i, j)).sum();
        Some((log_determinant - distances, inverse))
    };
    let (mut k, mut best, mut inverse) = start(seen, value)?;
    let mut length = 0.5;
    for _ in 0..STEPS {
        let goal = |i: usize, j: usize| {
            seen[(i, j)] + 2.0 * variances[(i, j)] * inverse[(i, j)] - k[(i, j)]
        };
        let direction = Mat::from_fn(d, d, |i, j| if is_free(i, j) { goal(i, j) } else { 0.0 });
        let pairs =
            (0..d).flat_map(|j| (0..j).map(move |i| (i, j))).filter(|&(i, j)| is_free(i, j));
        let promised: f64 = pairs.map(|at| direction[at].powi(2) / variances[at]).sum();
        if promised < LEAST_GAIN {
            break;
        }
        let step = |length: f64| {
            let next = Mat::from_fn(d, d, |i, j| k[(i, j)] + length * direction[(i, j)]);
            value(&next)
                .filter(|(found, _)| *found > best)
                .map(|(found, inverse)| (next, found, inverse))
        };
        let Some((next, found, next_inverse)) = (0..30).find_map(|_| {
            let moved = step(length);
            length = if moved.is_some() { (1.6 * length).min(1.0) } else { length / 2.0 };
            moved
        }) else {
            break;
        };
        (k, best, inverse) = (next, found, next_inverse);
    }
    Some((k, inverse))
}

/// What was seen, drawn towards the identity until it is safely positive definite.
fn start(
    seen: &Mat<f64>,
    value: impl Fn(&Mat<f64>) -> Option<(f64, Mat<f64>)>,
) -> Option<(Mat<f64>, f64, Mat<f64>)> {
    let d = seen.nrows();
    let drawn =
        |share: f64| Mat::from_fn(d, d, |i, j| if i == j { 1.0 } else { share * seen[(i, j)] });
    let is_safe = |k: &Mat<f64>| {
        let below = Mat::from_fn(d, d, |i, j| k[(i, j)] - if i == j { 0.05 } else { 0.0 });
        below.llt(Side::Lower).is_ok()
    };
    let shares = (0..200).map(|step| 0.8f64.powi(step));
    let k = shares.map(drawn).find(is_safe)?;
    let (found, inverse) = value(&k)?;
    Some((k, found, inverse))
}

/// log det and inverse of a positive definite matrix.
fn inverse(matrix: &Mat<f64>) -> Option<(f64, Mat<f64>)> {
    let factor = matrix.llt(Side::Lower).ok()?;
    let diagonal = factor.L().diagonal().column_vector();
    let log_determinant = 2.0 * diagonal.iter().map(|x| x.ln()).sum::<f64>();
    Some((log_determinant, factor.inverse()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(seen: f64, variance: f64) -> f64 {
        let seen = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { seen });
        let variances = Mat::from_fn(2, 2, |i, j| if i == j { 0.0 } else { variance });
        let (k, inverse) = most_probable(&seen, &variances).unwrap();
        let product = &k * &inverse;
        assert!((product[(0, 0)] - 1.0).abs() < 1e-9 && product[(0, 1)].abs() < 1e-9);
        k[(0, 1)]
    }

    /// log(1 − k²) − (k − s)²/(2v) is largest where (s − k)/v = 2k/(1 − k²).
    #[test]
    fn one_correlation_solves_its_equation() {
        for (seen, variance) in [(0.3, 0.01), (0.9, 0.05), (1.4, 0.1), (-1.0, 0.3)] {
            let k = pair(seen, variance);
            let slope = (seen - k) / variance - 2.0 * k / (1.0 - k * k);
            // It ends where slope²·v is below 1e-4.
            assert!(slope.abs() * variance.sqrt() < 0.01, "{seen} {variance}: {k}");
        }
        assert_eq!(pair(0.7, 0.0), 0.7);
    }
}
