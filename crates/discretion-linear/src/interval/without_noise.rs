//! Intervals of coefficients without noise: ordinary Wald intervals with robust errors, for the
//! custodian's comparison.

use super::IntervalError;
use super::evidence::{Evidence, MatrixDeviations};
use super::matrices::{Symmetric, computed, length, scaled_columns};
use super::plan::check_width;
use crate::erm::Oracle;
use crate::loss::{LossKind, Weight};
use discretion_privacy::noise::{NotPrivate, Sensitive};
use discretion_privacy::trusted::Open;

/// What intervals of coefficients that were trained without noise are computed from, at these
/// coefficients: the exact matrices.
pub fn not_private(
    oracle: &dyn Oracle,
    loss: LossKind,
    lambda: f64,
    theta: &[f64],
) -> Result<NotPrivate<Evidence>, IntervalError> {
    let facts = oracle.facts();
    check_width(&facts)?;
    let exact = |weight: Weight| -> Result<Symmetric, IntervalError> {
        let square =
            computed(oracle, loss, weight, theta, weight.most(loss, length(theta)))?.into_inner();
        Ok(Symmetric::of_lower(&square, facts.dimension))
    };
    let (hessian, covariance) = (exact(Weight::Curvature)?, exact(Weight::SquaredSlope)?);
    let deviations = scaled_columns(&facts).map(|columns| {
        let none = Symmetric::zero(columns.count());
        let neighbours = Vec::new();
        MatrixDeviations {
            columns: columns.clone(),
            loss,
            hessian: none.clone(),
            covariance: none,
            neighbours,
        }
    });
    let evidence = Evidence::without_noise(facts.rows, lambda, hessian, covariance, deviations);
    Ok(Sensitive::new(evidence).not_private())
}
