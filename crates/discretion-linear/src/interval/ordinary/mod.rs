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
pub(crate) mod tests;

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
use faer::linalg::solvers::{DenseSolveCore, Llt, Solve};
use faer::{Col, Mat, Side};
use std::ops::Range;

/// Whether intervals follow from the moments of the rows: for logistic regression, if the columns of
/// the rows are known.
pub(crate) fn suffice(loss: LossKind, columns_are_known: bool) -> bool {
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
    /// in the moments does to the mean gradient that an estimate is made of. 0 for a Newton step,
    /// whose noise has it (joint/PROOF.md).
    pub(super) uncertain: Mat<f64>,
    /// Pairs of columns that nearly say the same.
    pub(super) aliases: Vec<Alias>,
}

impl Ordinary {
    /// From the moments that were released beside these coefficients, trained with this λ, or
    /// reached by a Newton step whose curvature is that at `halfway`.
    pub(super) fn new(
        moments: &RowMoments,
        rows: usize,
        theta: &[f64],
        halfway: Option<&[f64]>,
        lambda: f64,
    ) -> Result<Ordinary, IntervalError> {
        let seen = Seen::of(moments, rows)?;
        let (curvature, carried) = seen.curvature(halfway.unwrap_or(theta))?;
        let d = theta.len();
        let inverse = penalised(&curvature, lambda)?.inverse();
        let (vectors, values) = eigen(&curvature)?;
        let root = Mat::from_fn(d, d, |i, k| vectors[(i, k)] * values[k].max(0.0).sqrt());
        let uncertain = match halfway {
            None => seen.uncertain(&carried, &(&inverse * Col::from_fn(d, |i| lambda * theta[i]))),
            Some(_) => Mat::zeros(d, d),
        };
        Ok(Ordinary { inverse, curvature, root, uncertain, aliases: seen.raised.aliases })
    }
}

/// What the moments say of the columns, whatever the coefficients are.
struct Seen {
    read: Covariance,
    raised: Raised,
    blocks: Blocks,
    sizes: Vec<f64>,
}

impl Seen {
    fn of(moments: &RowMoments, rows: usize) -> Result<Seen, IntervalError> {
        let columns = moments.columns();
        let noisy = moments.noisy().divided_by(columns);
        let read = Covariance::read(&noisy, columns, rows)?;
        let blocks = Blocks::of(columns, moments.entries());
        let raised = Raised::of(&read, &noisy, &blocks)?;
        Ok(Seen { read, raised, blocks, sizes: sizes(columns) })
    }

    /// The mean curvature at these coefficients, and what carries the columns' covariance into it.
    fn curvature(&self, theta: &[f64]) -> Result<(Mat<f64>, Mat<f64>), IntervalError> {
        let Seen { read, raised, blocks, sizes } = self;
        let in_units: Vec<f64> = theta.iter().zip(sizes).map(|(x, size)| x * size).collect();
        let Curvature { matrix, carried } =
            curvature::curvature(read, &raised.covariance, &in_units, blocks)?;
        let d = theta.len();
        Ok((Mat::from_fn(d, d, |i, j| matrix[(i, j)] * sizes[i] * sizes[j]), carried))
    }

    /// The variance of what an uncertain curvature does to these coefficients.
    fn uncertain(&self, carried: &Mat<f64>, of: &Col<f64>) -> Mat<f64> {
        let (d, sizes) = (of.nrows(), &self.sizes);
        // As they would be if all columns had size 1, without the constant.
        let inner = Col::from_fn(d - 1, |i| of[i + 1] * sizes[i + 1]);
        let moved = self.read.around(carried, &inner);
        Mat::from_fn(d, d, |i, j| match (i.checked_sub(1), j.checked_sub(1)) {
            (Some(a), Some(b)) => moved[(a, b)] * sizes[i] * sizes[j],
            _ => 0.0,
        })
    }
}

fn penalised(curvature: &Mat<f64>, lambda: f64) -> Result<Llt<f64>, IntervalError> {
    let d = curvature.nrows();
    let penalised =
        Mat::from_fn(d, d, |i, j| curvature[(i, j)] + if i == j { lambda } else { 0.0 });
    let damaged = |_| IntervalError::Evidence("the rows' moments have no inverse");
    penalised.llt(Side::Lower).map_err(damaged)
}

/// A Newton step from coefficients where the mean gradient was released.
pub(crate) struct Step {
    /// (A + λI)⁻¹(Aθ̃ − g̃).
    pub(crate) coefficients: Vec<f64>,
    /// Where A is the mean curvature: halfway between θ̃ and the coefficients, where it is the mean
    /// over the way up to third order.
    pub(crate) halfway: Vec<f64>,
    /// The deviation, on average over coefficients, of what the moments' noise does to the gradient.
    pub(crate) deviation: f64,
}

/// The most rounds of looking for a point that is halfway to where the step from it leads.
const ROUNDS: usize = 40;

/// Who reads the moments leaves so much of their noise's variance: with none of it intervals of the
/// hospital table hold in 92 of 100 cases, with half in 98 (docs/parties.md).
const LEFT_BY_READING: f64 = 0.5;

/// A round that moves no coefficient by more than this was the last.
const SETTLED: f64 = 1e-7;

impl Step {
    /// From θ̃, whose noise has this deviation, and the gradient there.
    pub(crate) fn new(
        (moments, rows): (&RowMoments, usize),
        lambda: f64,
        (theta, noise): (&[f64], f64),
        gradient: &[f64],
    ) -> Result<Step, IntervalError> {
        let seen = Seen::of(moments, rows)?;
        let d = theta.len();
        let start = Col::from_fn(d, |i| theta[i]);
        let gradient = Col::from_fn(d, |i| gradient[i]);
        let mut halfway = theta.to_vec();
        let mut round = 0;
        loop {
            let (curvature, _) = seen.curvature(&halfway)?;
            let reached = penalised(&curvature, lambda)?.solve(&curvature * &start - &gradient);
            let next: Vec<f64> = (0..d).map(|i| 0.5 * (theta[i] + reached[i])).collect();
            let moved = halfway.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            round += 1;
            if moved < SETTLED || round == ROUNDS {
                // Where rows say nothing, the way is that of the noise that θ̃ has.
                let way = penalised(&curvature, lambda)?.solve(&gradient);
                let way: Vec<f64> = way.iter().map(|x| x.abs().max(noise)).collect();
                // A is G times the mean of f″, and so is its noise.
                let (all, bent) = (moments.matrix().entry(0, 0), curvature[(0, 0)]);
                let share = (bent / all.max(f64::MIN_POSITIVE)).clamp(0.0, 0.25);
                let deviation = share * (LEFT_BY_READING * moments.variance_along(&way)).sqrt();
                let coefficients = reached.iter().copied().collect();
                return Ok(Step { coefficients, halfway, deviation });
            }
            // Half of the way, so that it does not go to and fro.
            let gentle = if round < ROUNDS / 4 { 1.0 } else { 0.5 };
            halfway.iter_mut().zip(&next).for_each(|(a, b)| *a += gentle * (b - *a));
        }
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
