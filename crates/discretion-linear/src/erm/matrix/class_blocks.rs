//! The blocks of a Hessian that belong to one class each: what a solver steers by where the whole
//! would be too large.

use super::Matrix;
use super::class_units::Part;
use super::classed::ClassView;
use crate::erm::OracleError;
use discretion_privacy::noise::Sensitive;
use rayon::prelude::*;

/// Rows that say less than this about a class are left out of its block.
const LEAST: f64 = 1e-8;

/// The mean of what all parts have summed. Their order is no promise here, but the same sums make
/// the same run.
pub(crate) fn mean_blocks(parts: Vec<Vec<f64>>, units: usize) -> Sensitive<Vec<f64>> {
    let mut sum = vec![0.0; parts.first().map_or(0, Vec::len)];
    for blocks in parts {
        sum.iter_mut().zip(blocks).for_each(|(sum, x)| *sum += x);
    }
    let n = units as f64;
    sum.iter_mut().for_each(|x| *x /= n);
    Sensitive::new(sum)
}

impl ClassView<'_> {
    /// (1/n) Σ p(1 − p) xᵢ xᵢᵀ of each class, lower triangles one after the other.
    pub(super) fn own_blocks(&self, theta: &[f64]) -> Result<Sensitive<Vec<f64>>, OracleError> {
        let part = |part: usize| self.blocks_of(theta, &self.units.part(part));
        let parts: Result<Vec<_>, _> = (0..self.units.parts()).into_par_iter().map(part).collect();
        Ok(mean_blocks(parts?, self.units.total()))
    }

    /// Σ p(1 − p) xᵢ xᵢᵀ of each class over a part.
    pub(super) fn blocks_of(&self, theta: &[f64], part: &Part) -> Result<Vec<f64>, OracleError> {
        let d = self.layout().dimension();
        let mut blocks = vec![0.0; self.count * d * d];
        self.units.each_row(part, |matrix, row, own| {
            matrix.add_to_blocks((row, own), theta, &mut blocks)
        })?;
        Ok(blocks)
    }
}

impl Matrix {
    /// Adds a row with this weight to the block of each class.
    fn add_to_blocks(&self, (row, own): (usize, f64), theta: &[f64], blocks: &mut [f64]) {
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
