//! What the rows' second moments say about the coefficients of the ordinary regression, the one
//! without a penalty. Post-processing: nothing here touches rows.
//!
//! `../PROOF.md`, "The ordinary coefficients", says what is covered and why.

mod aliases;
mod curvature;
mod entropy;
mod estimator;
mod moments;
#[cfg(test)]
mod tests;

pub use aliases::Alias;
pub(super) use estimator::{Estimator, Known};
pub use moments::RowMoments;
pub(super) use moments::release;

use super::IntervalError;
use super::estimate::Covariance;
use super::intervals::eigen;
use crate::erm::Entries;
use crate::loss::LossKind;
use aliases::Raised;
use curvature::Curvature;
use discretion_privacy::noise::Columns;
use faer::linalg::solvers::DenseSolveCore;
use faer::{Col, Mat, Side};
use std::ops::Range;

/// Whether intervals follow from the moments of the rows: for logistic regression, if the columns of
/// the rows are known.
pub(super) fn suffice(loss: LossKind, columns_are_known: bool) -> bool {
    loss == LossKind::Logistic && columns_are_known
}

/// The curvature at the released coefficients as the rows' second moments let it be seen.
pub(super) struct Ordinary {
    /// (A + λI)⁻¹ with A the mean curvature.
    pub(super) inverse: Mat<f64>,
    /// A.
    pub(super) curvature: Mat<f64>,
    /// R with A = R·Rᵀ.
    pub(super) root: Mat<f64>,
    /// The variance of (A − Â)p, where p is what the penalty took of the coefficients: what the noise
    /// in the moments does to the mean gradient that an estimate is made of.
    pub(super) uncertain: Mat<f64>,
    /// Pairs of columns that nearly say the same.
    pub(super) aliases: Vec<Alias>,
}

impl Ordinary {
    /// From the moments that were released beside these coefficients, trained with this λ.
    pub(super) fn new(
        moments: &RowMoments,
        rows: usize,
        theta: &[f64],
        lambda: f64,
    ) -> Result<Ordinary, IntervalError> {
        let columns = moments.columns();
        let sizes: Vec<f64> = sizes(columns);
        let noisy = moments.noisy().divided_by(columns);
        let read = Covariance::read(&noisy, columns, rows)?;
        let blocks = Blocks::of(columns, moments.entries());
        let Raised { covariance, aliases } = Raised::of(&read, &noisy, &blocks)?;
        let in_units: Vec<f64> = theta.iter().zip(&sizes).map(|(x, size)| x * size).collect();
        let Curvature { matrix: curvature, carried } =
            curvature::curvature(&read, &covariance, &in_units, &blocks)?;
        let d = theta.len();
        let scaled = Mat::from_fn(d, d, |i, j| curvature[(i, j)] * sizes[i] * sizes[j]);
        let penalised =
            Mat::from_fn(d, d, |i, j| scaled[(i, j)] + if i == j { lambda } else { 0.0 });
        let damaged = |_| IntervalError::Evidence("the rows' moments have no inverse");
        let inverse = penalised.llt(Side::Lower).map_err(damaged)?.inverse();
        let (vectors, values) = eigen(&scaled)?;
        let root = Mat::from_fn(d, d, |i, k| vectors[(i, k)] * values[k].max(0.0).sqrt());
        // λVθ̃, as it would be if all columns had size 1, without the constant.
        let taken = &inverse * Col::from_fn(d, |i| lambda * theta[i]);
        let inner = Col::from_fn(d - 1, |i| taken[i + 1] * sizes[i + 1]);
        let moved = read.around(&carried, &inner);
        let uncertain = Mat::from_fn(d, d, |i, j| match (i.checked_sub(1), j.checked_sub(1)) {
            (Some(a), Some(b)) => moved[(a, b)] * sizes[i] * sizes[j],
            _ => 0.0,
        });
        Ok(Ordinary { inverse, curvature: scaled, root, uncertain, aliases })
    }
}

/// The size of the column of each coefficient.
pub(super) fn sizes(columns: &Columns) -> Vec<f64> {
    columns.iter().flat_map(|column| vec![column.size; column.coefficients]).collect()
}

/// The coefficients of each column behind the intercept, counted without it.
struct Blocks(Vec<Block>);

struct Block {
    /// Counted without the intercept.
    places: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// One entry of any sign.
    Number,
    /// Values of a category, or knots of a curve: entries are shares of a row.
    Shares,
    /// Slopes within categories, or persons' means: several numbers.
    Numbers,
}

impl Blocks {
    fn of(columns: &Columns, entries: &[Entries]) -> Blocks {
        let kind = |at: usize, width: usize| match entries.get(at) {
            _ if width == 1 => Kind::Number,
            None | Some(Entries::Constant | Entries::Neighbours(_)) => Kind::Shares,
            Some(Entries::One | Entries::Any) => Kind::Numbers,
        };
        let all = columns.ranges().enumerate().skip(1);
        Blocks(
            all.map(|(at, range)| Block {
                places: range.start - 1..range.end - 1,
                kind: kind(at, range.len()),
            })
            .collect(),
        )
    }
}

/// The power of a symmetric matrix whose eigenvalues are not negative; directions that are all 0
/// stay 0.
fn power(matrix: &Mat<f64>, power: f64) -> Result<Mat<f64>, IntervalError> {
    let (vectors, values) = eigen(matrix)?;
    let largest = values.iter().fold(0.0f64, |a, &b| a.max(b));
    let raised = |value: f64| if value > 1e-9 * largest { value.powf(power) } else { 0.0 };
    let scaled =
        Mat::from_fn(values.len(), values.len(), |i, k| vectors[(i, k)] * raised(values[k]));
    Ok(scaled * vectors.transpose())
}
