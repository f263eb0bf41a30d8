//! Coefficients from moments that are noisy: the mean of what is believed of them, with a prior
//! whose width the moments tell.
//!
//! b̃ = Ãβ + e, where e is the noise of b̃ less that of Ã times β, and sampling. A priori
//! coefficients are normal of deviation τ, but for the constant's; τ is where b̃ is most likely.
//! Directions that Ã hardly has are left alone: the equations are squared, so a noisy eigenvalue
//! near 0 does no harm, whatever its sign (`PROOF.md`, "Coefficients").

use crate::interval::IntervalError;
use faer::linalg::solvers::{DenseSolveCore, Solve};
use faer::{Col, Mat, Side};

/// Widths of the prior that are tried, for an outcome and columns between −1 and 1.
const WIDTHS: (f64, f64, usize) = (1e-4, 3.0, 25);

/// The constant's coefficient is the middle of the outcome or so, and may be anything.
const CONSTANT: f64 = 3.0;

/// The noise depends on the coefficients, and they on the noise: a few rounds settle both.
const ROUNDS: usize = 6;

/// Moments of columns of size 1, without the outcome's row: as released, and the variances of their
/// noise.
pub(super) struct Equations {
    pub(super) matrix: Mat<f64>,
    pub(super) matrix_variances: Mat<f64>,
    pub(super) products: Col<f64>,
    pub(super) products_variances: Vec<f64>,
    /// The variance of the outcome.
    pub(super) outcome_variance: f64,
    pub(super) rows: f64,
}

/// What is believed of the coefficients.
pub(super) struct Believed {
    pub(super) mean: Col<f64>,
    pub(super) covariance: Mat<f64>,
    /// What makes the mean of the products.
    pub(super) map: Mat<f64>,
    /// τ.
    pub(super) width: f64,
}

impl Equations {
    /// With a prior of this width, or of the one under which the products are most likely.
    pub(super) fn believed(&self, width: Option<f64>) -> Result<Believed, IntervalError> {
        let d = self.products.nrows();
        let damaged = |_| IntervalError::Evidence("the moments have no inverse");
        let mut mean = Col::<f64>::zeros(d);
        let mut believed = None;
        for _ in 0..ROUNDS {
            let variances = self.variances(&mean);
            let width = match width {
                Some(width) => width,
                None => self.likeliest(&variances)?,
            };
            let weighted = Mat::from_fn(d, d, |i, j| self.matrix[(i, j)] / variances[i]);
            let precision = self.matrix.transpose() * &weighted;
            let precision = Mat::from_fn(d, d, |i, j| {
                precision[(i, j)] + if i == j { prior(i, width).powi(-2) } else { 0.0 }
            });
            let covariance = precision.llt(Side::Lower).map_err(damaged)?.inverse();
            let map = &covariance * weighted.transpose();
            mean = &map * &self.products;
            believed = Some(Believed { mean: mean.clone(), covariance, map, width });
        }
        Ok(believed.expect("there is a round"))
    }

    /// The variances of e, if these are the coefficients.
    fn variances(&self, mean: &Col<f64>) -> Vec<f64> {
        let of = |i: usize| {
            let of_matrix = (0..mean.nrows())
                .map(|j| self.matrix_variances[(i, j)] * mean[j] * mean[j])
                .sum::<f64>();
            let sampling = self.matrix[(i, i)].max(1e-6) * self.outcome_variance / self.rows;
            self.products_variances[i] + of_matrix + sampling + f64::MIN_POSITIVE
        };
        (0..mean.nrows()).map(of).collect()
    }

    /// The width under which b̃ is most likely: b̃ is normal of covariance ÃTÃ plus that of e.
    fn likeliest(&self, variances: &[f64]) -> Result<f64, IntervalError> {
        let (least, most, count) = WIDTHS;
        let d = self.products.nrows();
        let step = (most / least).powf(1.0 / (count - 1) as f64);
        let likelihood = |width: f64| {
            let spread = Mat::from_fn(d, d, |i, j| self.matrix[(i, j)] * prior(j, width));
            let square = &spread * spread.transpose();
            let whole =
                Mat::from_fn(d, d, |i, j| square[(i, j)] + if i == j { variances[i] } else { 0.0 });
            let factor = whole.llt(Side::Lower).ok()?;
            let solved = factor.solve(&self.products);
            let distance = self.products.transpose() * solved;
            let diagonal = factor.L().diagonal().column_vector();
            Some(-0.5 * distance - diagonal.iter().map(|x| x.ln()).sum::<f64>())
        };
        let tried = (0..count).map(|k| least * step.powi(k as i32));
        let found = tried.filter_map(|width| likelihood(width).map(|found| (found, width)));
        let best = found.max_by(|a, b| a.0.total_cmp(&b.0));
        best.map(|(_, width)| width).ok_or(IntervalError::Evidence("the moments are no numbers"))
    }
}

/// The deviation that a coefficient has a priori.
fn prior(coefficient: usize, width: f64) -> f64 {
    if coefficient == 0 { CONSTANT } else { width }
}
