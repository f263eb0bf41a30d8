//! What is known of the curvature of several classes without the whole Hessian. It helps to find
//! the way, and nothing else.

use super::newton::{divided, factorise};
use super::{NEWTON_LIMIT, Problem};
use crate::erm::{AskOracle, OracleError};
use discretion_privacy::trusted::Open;
use faer::linalg::solvers::Llt;

/// A part of the bound that is added to every class's own curvature, where few rows of a sample say
/// anything about a class.
const SHARE_OF_BOUND: f64 = 1e-4;

/// A matrix near the Hessian that small factors hold: C stands for (1/n) Σ xxᵀ.
pub(super) struct Majorant {
    /// One for all classes, or one for each.
    factors: Vec<Llt<f64>>,
    squares: Vec<f64>,
    dimension: usize,
    lambda: f64,
}

impl Majorant {
    /// ½(I − 11ᵀ/K) ⊗ C + λI, which is at least the Hessian wherever θ is (Böhning & Lindsay 1988):
    /// one factor of a d × d matrix serves all classes. Nothing for one margin, or where even one
    /// class is too wide for a matrix.
    pub fn of(problem: &Problem<'_>) -> Result<Option<Majorant>, OracleError> {
        let dimension = problem.oracle.facts().row_dimension();
        if problem.bounds.rank == 1 || dimension > NEWTON_LIMIT {
            return Ok(None);
        }
        let (squares, lambda) = (problem.oracle.squares()?.into_inner(), problem.lambda);
        let half: Vec<f64> = squares.iter().map(|x| 0.5 * x).collect();
        let factor = factorise(&regularised(half, dimension, lambda), dimension);
        Ok(factor.map(|factor| Majorant { factors: vec![factor], squares, dimension, lambda }))
    }

    /// The same with each class's own block of the Hessian at θ. Rare classes bend far less than
    /// the bound says.
    pub fn at(
        &self,
        problem: &Problem<'_>,
        theta: &[f64],
    ) -> Result<Option<Majorant>, OracleError> {
        let Majorant { dimension: d, lambda, ref squares, .. } = *self;
        let blocks = problem.oracle.class_blocks(theta)?.into_inner();
        let factors: Option<Vec<Llt<f64>>> = blocks
            .chunks_exact(d * d)
            .map(|block| {
                let sum = block
                    .iter()
                    .zip(squares)
                    .map(|(x, bound)| x + SHARE_OF_BOUND * bound)
                    .collect();
                factorise(&regularised(sum, d, lambda), d)
            })
            .collect();
        Ok(factors.map(|factors| Majorant { factors, squares: squares.clone(), ..*self }))
    }

    /// Its inverse times v, where classes differ; along what all of them have in common there is λ
    /// alone.
    pub fn divided(&self, v: &[f64]) -> Option<Vec<f64>> {
        let d = self.dimension;
        let common = mean_of_classes(v, d);
        let mut all = Vec::with_capacity(v.len());
        for (k, class) in v.chunks_exact(d).enumerate() {
            let own: Vec<f64> = class.iter().zip(&common).map(|(x, c)| x - c).collect();
            all.extend(divided(&self.factors[k.min(self.factors.len() - 1)], &own)?);
        }
        // Blocks that differ leave the subspace where classes add up to 0.
        let left = mean_of_classes(&all, d);
        for class in all.chunks_exact_mut(d) {
            let both = left.iter().zip(&common);
            class
                .iter_mut()
                .zip(both)
                .for_each(|(x, (left, common))| *x += common / self.lambda - left);
        }
        Some(all)
    }
}

fn mean_of_classes(v: &[f64], d: usize) -> Vec<f64> {
    let classes = (v.len() / d) as f64;
    let mut mean = vec![0.0; d];
    for class in v.chunks_exact(d) {
        mean.iter_mut().zip(class).for_each(|(sum, x)| *sum += x / classes);
    }
    mean
}

fn regularised(mut square: Vec<f64>, d: usize, lambda: f64) -> Vec<f64> {
    square.iter_mut().step_by(d + 1).for_each(|x| *x += lambda);
    square
}
