//! A bound on the curvature of several classes that one small matrix holds, wherever θ is (Böhning & Lindsay 1988).

use super::newton::{divided, factorise};
use super::{NEWTON_LIMIT, Problem};
use crate::erm::OracleError;
use discretion_privacy::trusted::Open;
use faer::linalg::solvers::Llt;

/// ½(I − 11ᵀ/K) ⊗ C + λI, which is at least the Hessian if C is (1/n) Σ xxᵀ: one factor of a d × d matrix serves all classes and
/// all steps.
pub(super) struct Majorant {
    factor: Llt<f64>,
    dimension: usize,
    lambda: f64,
}

impl Majorant {
    /// Nothing for one margin, or where even one class is too wide for a matrix.
    pub fn of(problem: &Problem<'_>) -> Result<Option<Majorant>, OracleError> {
        let facts = problem.oracle.facts();
        let Some(dimension) = facts.classes.map(|classes| facts.dimension / classes) else { return Ok(None) };
        if dimension > NEWTON_LIMIT {
            return Ok(None);
        }
        let Some(squares) = problem.oracle.squares()? else { return Ok(None) };
        let mut half: Vec<f64> = squares.into_inner().into_iter().map(|x| 0.5 * x).collect();
        half.iter_mut().step_by(dimension + 1).for_each(|x| *x += problem.lambda);
        let factor = factorise(&half, dimension);
        Ok(factor.map(|factor| Majorant { factor, dimension, lambda: problem.lambda }))
    }

    /// Its inverse times v: along what all classes have in common there is λ alone.
    pub fn divided(&self, v: &[f64]) -> Option<Vec<f64>> {
        let d = self.dimension;
        let classes = v.len() / d;
        let mut common = vec![0.0; d];
        for class in v.chunks_exact(d) {
            common.iter_mut().zip(class).for_each(|(sum, x)| *sum += x / classes as f64);
        }
        let mut all = Vec::with_capacity(v.len());
        for class in v.chunks_exact(d) {
            let own: Vec<f64> = class.iter().zip(&common).map(|(x, c)| x - c).collect();
            all.extend(divided(&self.factor, &own)?.iter().zip(&common).map(|(x, c)| x + c / self.lambda));
        }
        Some(all)
    }
}
