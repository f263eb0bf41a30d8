//! What the noise of moments does to equations that are made of them (`PROOF.md`, "Intervals").

use super::Moments;
use crate::interval::squares::Noisy;
use faer::Mat;

/// An independent number of the noise: its variance, and where the matrix has it.
pub(super) type NoisyNumber = (f64, Vec<(usize, usize)>);

impl Moments {
    /// The independent numbers in the noise N of the moments: the variance of each, and where N has
    /// it (`PROOF.md`, "Intervals").
    pub(super) fn numbers(&self, seen: &Noisy) -> Vec<NoisyNumber> {
        let categories = self.columns().ranges().enumerate();
        let is_copied: Vec<bool> =
            categories.flat_map(|(j, range)| vec![self.is_category(j); range.len()]).collect();
        let pairs = (0..is_copied.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let of = |(i, j): (usize, usize)| {
            let places = match (i == j, is_copied[i]) {
                // A category's square and its product with the constant are one number.
                (true, true) => vec![(i, i), (i, 0), (0, i)],
                (true, false) => vec![(i, i)],
                (false, true) if j == 0 => vec![],
                (false, _) => vec![(i, j), (j, i)],
            };
            (seen.deviations[(i, j)].powi(2), places)
        };
        pairs.map(of).filter(|(variance, places)| *variance > 0.0 && !places.is_empty()).collect()
    }
}

/// E[(Nt)(Nt)ᵀ].
pub(super) fn pushes(numbers: &[NoisyNumber], t: &[f64]) -> Mat<f64> {
    let mut pushed = Mat::<f64>::zeros(t.len(), t.len());
    for (variance, places) in numbers {
        for &(i, a) in places {
            for &(j, b) in places {
                pushed[(i, j)] += variance * t[a] * t[b];
            }
        }
    }
    pushed
}
