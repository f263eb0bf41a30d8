//! Ordinary regression for the custodian's comparison: no noise, no penalty, sandwich errors.
//!
//! The minimiser of (1/n)Σ f over all coefficients need not exist, or be one. Where a column's
//! values and the intercept say the same twice, one coefficient is held at 0, the reference, as
//! treatment contrasts do. Whatever else leaves coefficients undetermined is refused, and named.
//!
//! *Existence.* The logistic loss has |f‴| ≤ f″ and rows have ‖x‖ ≤ 1. So where gradient g and
//! Hessian H satisfy √(gᵀH⁻¹g) ≤ ½√λ_min(H), there is one minimiser, and it is within 4√(gᵀH⁻¹g) in
//! the norm of H (Bach 2010, Self-concordant analysis for logistic regression, Proposition 2 with
//! R = 1). Newton's method stops only where that holds. Where rows are separated there is no
//! minimiser, so it never does: steps go on, and curvature along the separating direction falls by
//! a factor e at each until it is nothing beside the rows' own spread.
//!
//! *Errors.* H⁻¹ΣH⁻¹/n, with Σ = (1/n)Σ f′²xxᵀ (HC0), or of persons (1/N)Σ ḡḡᵀ over their mean
//! gradients (clustered, without a correction for few).

mod error;
mod gram;
mod shape;
#[cfg(test)]
mod tests;

pub use error::PlainError;
pub use shape::Part;

use crate::erm::solver::NEWTON_LIMIT;
use crate::erm::{AskOracle, Oracle, Order, Sums};
use crate::interval::{Evidence, Symmetric};
use crate::loss::{HalfSquare, Logistic, Loss, MomentsLoss, SquaredSlope};
use discretion_privacy::noise::{NotPrivate, Sensitive};
use discretion_privacy::trusted::Open;
use faer::linalg::solvers::{DenseSolveCore, Solve};
use faer::{Col, Mat, Side};
use gram::Gram;

/// What is made small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainLoss {
    /// The logistic loss of two classes.
    Logistic,
    /// Half the squares of residuals ([`Residuals`](crate::erm::Residuals)).
    Squares,
}

/// An ordinary fit.
#[derive(Clone, Debug)]
pub struct PlainFit {
    /// The coefficients; 0 where one is a reference.
    pub theta: Vec<f64>,
    /// The coefficients that are held at 0, because others and the intercept say the same.
    pub references: Vec<usize>,
    /// The matrices from which intervals are computed.
    pub evidence: Evidence,
}

/// The deviations within which Newton's method ends, in units of a sampling error.
const CLOSE: f64 = 1e-8;

/// A finite minimiser is at most so many steps away: a step moves margins by about 1, and the
/// margins of n rows go to about ln n.
const STEPS: usize = 200;

/// The Hessian of rows that are not separated keeps this share of their own spread in every
/// direction: fewer than one row in so many is on the wrong side.
const LEAST_CURVATURE: f64 = 1e-14;

/// Fits without penalty and without noise. `parts` say which coefficients may have references;
/// those that are absent are in no result. Rows are `size` times as large as those that the
/// coefficients are for.
pub fn fit(
    oracle: &dyn Oracle,
    loss: PlainLoss,
    parts: &[Part],
    size: f64,
) -> Result<NotPrivate<PlainFit>, PlainError> {
    let facts = oracle.facts();
    let d = facts.dimension;
    if d > NEWTON_LIMIT {
        return Err(PlainError::TooWide { dimension: d, most: NEWTON_LIMIT });
    }
    let present = shape::present(parts);
    let place = |j: usize| present.binary_search(&j).expect("what is absent is not estimated");
    let found = fit_all(oracle, loss, parts).map_err(|error| error.at(place))?;
    let WholeFit { theta, references, hessian, covariance } = found;
    let own = |matrix: Symmetric| matrix.of(&present).times(1.0 / (size * size));
    let fit = PlainFit {
        theta: present.iter().map(|&j| theta[j] * size).collect(),
        references: references.into_iter().map(place).collect(),
        evidence: Evidence::plain(facts.rows, own(hessian), own(covariance))?,
    };
    Ok(Sensitive::new(fit).not_private())
}

/// A fit with what is absent.
struct WholeFit {
    theta: Vec<f64>,
    references: Vec<usize>,
    hessian: Symmetric,
    covariance: Symmetric,
}

fn fit_all(oracle: &dyn Oracle, loss: PlainLoss, parts: &[Part]) -> Result<WholeFit, PlainError> {
    let facts = oracle.facts();
    let d = facts.dimension;
    assert_eq!(parts.iter().map(Part::count).sum::<usize>(), d, "each coefficient is of a part");
    let squares = oracle.sums(&MomentsLoss, &vec![0.0; d], Order::Hessian)?.into_inner().hessian;
    let gram = Gram::new(&Symmetric::of_lower(&squares, d), parts)?;
    let function: &dyn Loss = match loss {
        PlainLoss::Logistic => &Logistic,
        PlainLoss::Squares => &HalfSquare,
    };
    let (theta, hessian) = minimise(oracle, function, loss, &gram)?;
    let products = match facts.unit.is_row() {
        true => oracle.sums(&SquaredSlope(function), &theta, Order::Hessian)?.into_inner().hessian,
        false => oracle.products(function, &theta, f64::MAX)?.into_inner(),
    };
    Ok(WholeFit {
        theta,
        references: gram.references().to_vec(),
        hessian: gram.only_kept(&hessian, 1.0),
        covariance: gram.only_kept(&Symmetric::of_lower(&products, d), 0.0),
    })
}

/// The minimiser over the coefficients that are kept, and the Hessian there.
fn minimise(
    oracle: &dyn Oracle,
    function: &dyn Loss,
    loss: PlainLoss,
    gram: &Gram,
) -> Result<(Vec<f64>, Symmetric), PlainError> {
    let (d, rows) = (oracle.facts().dimension, oracle.facts().rows as f64);
    let sums = |theta: &[f64]| -> Result<Sums, PlainError> {
        Ok(oracle.sums(function, theta, Order::Hessian)?.into_inner())
    };
    let mut theta = vec![0.0; d];
    let mut at = sums(&theta)?;
    let mut step = Col::zeros(gram.places().len());
    for _ in 0..STEPS {
        let whole = Symmetric::of_lower(&at.hessian, d);
        let hessian = gram.kept(&whole);
        let Ok(factor) = hessian.llt(Side::Lower) else { return Err(gram.separated(&step)) };
        let gradient = Col::from_fn(gram.places().len(), |i| at.gradient[gram.places()[i]]);
        step = factor.solve(&gradient);
        let inverse = factor.inverse();
        if gram.trace_beside(&inverse) > 1.0 / LEAST_CURVATURE {
            return Err(gram.separated(&step));
        }
        let decrement = (gradient.transpose() * &step).max(0.0).sqrt();
        // λ_min(H) ≥ 1/‖H⁻¹‖.
        let is_certain = match loss {
            PlainLoss::Logistic => decrement <= 0.5 / inverse.norm_l2().sqrt(),
            PlainLoss::Squares => true,
        };
        if is_certain && decrement <= CLOSE / rows.sqrt() {
            return Ok((theta, whole));
        }
        let moved = |size: f64| {
            let mut theta = theta.clone();
            gram.places().iter().zip(step.iter()).for_each(|(&i, step)| theta[i] -= size * step);
            theta
        };
        // Steps that rounding would hide are taken without asking.
        let mut size = 1.0;
        (theta, at) = loop {
            let there = moved(size);
            let next = sums(&there)?;
            let enough = at.value - 1e-4 * size * decrement * decrement;
            if decrement < 1e-6 || size < 1e-6 || next.value <= enough {
                break (there, next);
            }
            size *= 0.5;
        };
    }
    Err(gram.separated(&step))
}

/// A matrix with some lines and columns of another.
fn picked(matrix: &Symmetric, places: &[usize]) -> Mat<f64> {
    Mat::from_fn(places.len(), places.len(), |i, j| matrix.entry(places[i], places[j]))
}
