//! Symmetric matrices as their lower triangles, and the coordinates in which noise is added to
//! them.

use faer::{Mat, Side};
use serde::{Deserialize, Serialize};
use std::f64::consts::SQRT_2;

/// A symmetric matrix: its lower triangle, row by row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Symmetric {
    lower: Vec<f64>,
}

/// d(d+1)/2: how many numbers a symmetric d × d matrix has.
pub(crate) fn coordinates(dimension: usize) -> usize {
    dimension * (dimension + 1) / 2
}

impl Symmetric {
    /// The entry at (i, j).
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let (row, column) = if i < j { (j, i) } else { (i, j) };
        self.lower[coordinates(row) + column]
    }

    /// The matrix with this lower triangle, in a row-major d × d matrix.
    pub(crate) fn of_lower(square: &[f64], dimension: usize) -> Symmetric {
        let line = |i: usize| square[i * dimension..][..=i].iter().copied();
        Symmetric { lower: (0..dimension).flat_map(line).collect() }
    }

    /// The matrix of some of its lines and columns, which are in order.
    pub(crate) fn of(&self, places: &[usize]) -> Symmetric {
        let line = |(at, &i): (usize, &usize)| places[..=at].iter().map(move |&j| self.entry(i, j));
        Symmetric { lower: places.iter().enumerate().flat_map(line).collect() }
    }

    /// The matrix times a number.
    pub(crate) fn times(self, factor: f64) -> Symmetric {
        Symmetric { lower: self.lower.into_iter().map(|x| factor * x).collect() }
    }

    /// d × d zeros.
    pub(crate) fn zero(dimension: usize) -> Symmetric {
        Symmetric { lower: vec![0.0; coordinates(dimension)] }
    }

    /// The entry at (i, j), to be changed together with (j, i).
    pub(crate) fn entry_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        let (row, column) = if i < j { (j, i) } else { (i, j) };
        &mut self.lower[coordinates(row) + column]
    }

    /// d.
    pub(crate) fn dimension(&self) -> usize {
        (2 * self.lower.len()).isqrt()
    }

    /// Whether this is a d × d matrix of finite numbers.
    pub(crate) fn is_of(&self, dimension: usize) -> bool {
        // The dimension first: of one that a file made up, the coordinates may not be countable.
        self.dimension() == dimension
            && self.lower.len() == coordinates(dimension)
            && self.lower.iter().all(|x| x.is_finite())
    }

    /// Whether it is positive definite, as far as double precision can tell.
    pub(crate) fn has_inverse(&self) -> bool {
        let d = self.dimension();
        self.is_of(d) && Mat::from_fn(d, d, |i, j| self.entry(i, j)).llt(Side::Lower).is_ok()
    }

    /// Whether no number of it is below 0.
    pub(crate) fn is_nowhere_negative(&self) -> bool {
        self.lower.iter().all(|x| *x >= 0.0)
    }

    /// The matrix with these coordinates ([`svec`]).
    pub(crate) fn from_svec(mut svec: Vec<f64>, dimension: usize) -> Symmetric {
        assert_eq!(svec.len(), coordinates(dimension), "one number per coordinate");
        for (i, j, x) in entries(&mut svec, dimension) {
            *x /= stretch(i, j);
        }
        Symmetric { lower: svec }
    }
}

/// The coordinates of the lower triangle of a row-major d × d matrix, in which ‖·‖₂ is the
/// Frobenius norm: off-diagonal entries stand for two and are multiplied by √2.
pub(crate) fn svec(square: &[f64], dimension: usize) -> Vec<f64> {
    let mut svec: Vec<f64> =
        (0..dimension).flat_map(|i| square[i * dimension..][..=i].iter().copied()).collect();
    for (i, j, x) in entries(&mut svec, dimension) {
        *x *= stretch(i, j);
    }
    svec
}

pub(super) fn stretch(i: usize, j: usize) -> f64 {
    if i == j { 1.0 } else { SQRT_2 }
}

fn entries(lower: &mut [f64], dimension: usize) -> impl Iterator<Item = (usize, usize, &mut f64)> {
    (0..dimension)
        .flat_map(|i| (0..=i).map(move |j| (i, j)))
        .zip(lower)
        .map(|((i, j), x)| (i, j, x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_keep_the_frobenius_norm_and_lead_back() {
        let square = [1.0, 9.0, 9.0, -2.0, 3.0, 9.0, 0.5, 4.0, -5.0];
        let svec = svec(&square, 3);
        let norm: f64 = svec.iter().map(|x| x * x).sum();
        let frobenius: f64 = 1.0 + 9.0 + 25.0 + 2.0 * (4.0 + 0.25 + 16.0);
        assert!((norm - frobenius).abs() < 1e-13, "{norm} {frobenius}");
        let back = Symmetric::from_svec(svec, 3);
        assert!(back.is_of(3) && !back.is_of(2));
        for i in 0..3 {
            for j in 0..=i {
                assert!((back.entry(i, j) - square[i * 3 + j]).abs() < 1e-15);
                assert_eq!(back.entry(i, j), back.entry(j, i));
            }
        }
    }
}
