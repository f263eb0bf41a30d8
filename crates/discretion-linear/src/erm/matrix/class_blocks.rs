//! The blocks of a Hessian that belong to one class each: what a solver steers by where the whole
//! would be too large.

use super::Matrix;

/// Rows that say less than this about a class are left out of its block.
const LEAST: f64 = 1e-8;

impl Matrix {
    /// Adds p(1 − p) x xᵀ of a row, times its weight, to the block of each class.
    pub(super) fn add_to_blocks(
        &self,
        (row, own): (usize, f64),
        theta: &[f64],
        blocks: &mut [f64],
    ) {
        let d = self.layout().dimension();
        let factor = f64::from(self.signed[row]);
        let terms = self.terms(row);
        let score = |class: &[f64]| factor * terms.iter().map(|&(j, x)| class[j] * x).sum::<f64>();
        let scores: Vec<f64> = theta.chunks_exact(d).map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = powers.iter().sum();
        for (block, power) in blocks.chunks_exact_mut(d * d).zip(powers) {
            let p = power / sum;
            let weight = p * (1.0 - p) * factor * factor * own;
            if weight < LEAST {
                continue;
            }
            for &(i, x) in &terms {
                for &(j, z) in &terms {
                    if j <= i {
                        block[i * d + j] += weight * x * z;
                    }
                }
            }
        }
    }
}
