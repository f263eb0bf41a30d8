//! What two noisy matrices say about the uncertainty of released coefficients. Post-processing:
//! nothing here touches rows.
//!
//! H = (1/n)Σ f″xxᵀ + λI has to be inverted, and noise that is small beside H is not small beside
//! its smallest eigenvalues. So the entries are not taken as they are:
//! `docs/intervals-in-detail.md`, "How the matrices are read".

mod belief;
mod fitted;
mod margins;
mod parts;
mod probable;
#[cfg(test)]
mod tests;

pub use parts::Parts;

use super::IntervalError;
use super::intervals::eigen;
use super::matrices::Symmetric;
use discretion_privacy::noise::Columns;
use faer::linalg::solvers::DenseSolveCore;
use faer::{Col, Mat, Side};
use fitted::Fitted;
use parts::Uncertain;
use std::ops::Range;

/// A symmetric matrix as it was released: its entries, and how far noise moves each of them.
#[derive(Clone, Debug)]
pub struct Noisy {
    /// d × d, symmetric.
    pub entries: Mat<f64>,
    /// The standard deviation of the noise at each entry; 0 where an entry is known. A category's
    /// entry with the intercept and its entry with itself are one number; the first is read.
    pub deviations: Mat<f64>,
}

/// What is known besides the matrices.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// The columns of the rows, the intercept first; nothing if rows have no columns that are
    /// known.
    pub columns: Option<&'k Columns>,
    /// n.
    pub rows: usize,
    /// λ.
    pub lambda: f64,
    /// Whether f′² and f″ have the same mean where the model is right, as they have for the
    /// logistic loss: then each matrix is a guess at the other.
    pub are_alike: bool,
    /// The released coefficients.
    pub theta: &'k [f64],
    /// The variance that the training's noise has in the mean gradient, at each coefficient:
    /// var(b)/n². 0 if noise went to the coefficients themselves.
    pub gradient_noise: &'k [f64],
}

/// Both matrices as they are believed to be, and what follows for every combination of
/// coefficients.
pub struct Estimate {
    lambda: f64,
    rows: f64,
    theta: Vec<f64>,
    gradient_noise: Vec<f64>,
    /// H⁻¹.
    inverse: Mat<f64>,
    /// R with Σ = R·Rᵀ.
    root: Mat<f64>,
    uncertain: Uncertain,
}

impl Estimate {
    /// Reads (1/n)Σ f″xxᵀ and (1/n)Σ f′²xxᵀ, both without the penalty's part.
    pub fn new(known: &Known, hessian: &Noisy, slopes: &Noisy) -> Result<Estimate, IntervalError> {
        let d = known.theta.len();
        let is_square = |m: &Mat<f64>| m.nrows() == d && m.ncols() == d;
        let are_square =
            [hessian, slopes].iter().all(|m| is_square(&m.entries) && is_square(&m.deviations));
        let is_whole = known.columns.is_none_or(|columns| columns.dimension() == d);
        if !(are_square && is_whole && known.gradient_noise.len() == d) {
            return Err(IntervalError::Evidence("they belong to another number of coefficients"));
        }
        let shape = Shape::new(known.columns, d);
        let (n, lambda) = (known.rows as f64, known.lambda);
        let fitted = Fitted::of(&hessian.divided(&shape), &shape, n, None)?;
        let fitted_slopes =
            Fitted::of(&slopes.divided(&shape), &shape, n, known.are_alike.then_some(&fitted))?;
        let sizes = &shape.sizes;

        let matrix = fitted.matrix();
        let penalised = Mat::from_fn(d, d, |i, j| {
            matrix[(i, j)] * sizes[i] * sizes[j] + if i == j { lambda } else { 0.0 }
        });
        let damaged = |_| IntervalError::Evidence("one of the matrices has no inverse");
        let inverse = penalised.llt(Side::Lower).map_err(damaged)?.inverse();

        let matrix = fitted_slopes.matrix();
        let pull = |i: usize| lambda * known.theta[i];
        let covariance =
            Mat::from_fn(d, d, |i, j| matrix[(i, j)] * sizes[i] * sizes[j] - pull(i) * pull(j));
        let (vectors, values) = eigen(&covariance)?;
        let root = Mat::from_fn(d, d, |i, k| vectors[(i, k)] * values[k].max(0.0).sqrt());

        let uncertain = Uncertain::new(&fitted, &shape, &inverse, &root, n, known.gradient_noise);
        Ok(Estimate {
            lambda,
            rows: n,
            theta: known.theta.to_vec(),
            gradient_noise: known.gradient_noise.to_vec(),
            inverse,
            root,
            uncertain,
        })
    }

    /// H⁻¹.
    pub fn inverse(&self) -> &Mat<f64> {
        &self.inverse
    }

    /// R with Σ = R·Rᵀ.
    pub fn root(&self) -> &Mat<f64> {
        &self.root
    }
}

/// A matrix of second moments, divided by the columns' sizes, as it is read: a column's entries
/// with the others are taken as far as they can be told from their noise.
pub(crate) struct Read {
    pub(crate) matrix: Mat<f64>,
    /// T and the variances of N, where T·N·Tᵀ is how far the matrix may still be from what it is
    /// without noise.
    roots: Mat<f64>,
    variances: Mat<f64>,
}

impl Read {
    pub(crate) fn new(
        noisy: &Noisy,
        columns: &Columns,
        rows: usize,
    ) -> Result<Read, IntervalError> {
        let shape = Shape::new(Some(columns), columns.dimension());
        let fitted = Fitted::of(&noisy.divided(&shape), &shape, rows as f64, None)?;
        let roots = shape.beside_the_intercept(&fitted.roots);
        Ok(Read { matrix: fitted.matrix(), roots, variances: fitted.variances })
    }

    /// E[D·C·D] for the matrix's error D.
    pub(crate) fn around(&self, c: &Mat<f64>) -> Mat<f64> {
        let inner = parts::around(&(self.roots.transpose() * c * &self.roots), &self.variances);
        &self.roots * inner * self.roots.transpose()
    }
}

/// A matrix of second moments of columns of size 1 as it is read: means of the columns behind the
/// constant, and their covariance.
pub(super) struct Covariance {
    /// The entry of the constant with itself.
    pub(super) total: f64,
    /// Its entries with the others.
    pub(super) row: Vec<f64>,
    pub(super) matrix: Mat<f64>,
    /// T, of which the columns are orthogonal within each column of rows: the covariance is T·K·Tᵀ
    /// with ones on the diagonal of K.
    pub(super) roots: Mat<f64>,
    /// The relative variance of each size on its diagonal.
    pub(super) spreads: Vec<f64>,
}

impl Covariance {
    /// Reads a matrix that was divided by the sizes of its columns.
    pub(super) fn read(
        noisy: &Noisy,
        columns: &Columns,
        rows: usize,
    ) -> Result<Covariance, IntervalError> {
        let shape = Shape::new(Some(columns), columns.dimension());
        Ok(Fitted::of(noisy, &shape, rows as f64, None)?.covariance())
    }

    /// E[D·ppᵀ·D] for D = R·E·Rᵀ, where E is what the uncertain sizes of K's diagonal do to the
    /// covariance and R is `carried`.
    pub(super) fn around(&self, carried: &Mat<f64>, p: &Col<f64>) -> Mat<f64> {
        let roots = carried * &self.roots;
        let along = roots.transpose() * p;
        let k = along.nrows();
        let moved = Mat::from_fn(k, k, |i, j| match i == j {
            true => self.spreads[i] * along[i] * along[i],
            false => 0.0,
        });
        &roots * moved * roots.transpose()
    }
}

/// Which coefficients belong together, and how large their entries in a row can be.
pub(super) struct Shape {
    /// The coefficients of each column without the intercept, counted without it.
    columns: Vec<Range<usize>>,
    sizes: Vec<f64>,
    has_intercept: bool,
}

impl Shape {
    fn new(columns: Option<&Columns>, dimension: usize) -> Shape {
        let Some(columns) = columns else {
            let each = (0..dimension).map(|i| i..i + 1).collect();
            return Shape { columns: each, sizes: vec![1.0; dimension], has_intercept: false };
        };
        let sizes =
            columns.iter().flat_map(|column| vec![column.size; column.coefficients]).collect();
        let after = columns.ranges().skip(1).map(|range| range.start - 1..range.end - 1).collect();
        Shape { columns: after, sizes, has_intercept: true }
    }

    /// How many coefficients come before those that [`Shape::columns`] counts.
    fn first(&self) -> usize {
        usize::from(self.has_intercept)
    }

    fn inner(&self) -> usize {
        self.sizes.len() - self.first()
    }

    /// The same lines, with one of zeros for the intercept before them.
    fn beside_the_intercept(&self, inner: &Mat<f64>) -> Mat<f64> {
        let first = self.first();
        Mat::from_fn(self.sizes.len(), self.inner(), |i, k| {
            i.checked_sub(first).map_or(0.0, |inner_line| inner[(inner_line, k)])
        })
    }

    /// The mean weight of a row; without an intercept, the largest entry of the diagonal. And the
    /// deviation of its noise.
    fn total(&self, noisy: &Noisy) -> (f64, f64) {
        let at = match self.has_intercept {
            true => 0,
            false => {
                let diagonal = |i: &usize, j: &usize| {
                    noisy.entries[(*i, *i)].total_cmp(&noisy.entries[(*j, *j)])
                };
                (0..self.sizes.len()).max_by(diagonal).unwrap_or(0)
            }
        };
        (noisy.entries[(at, at)], noisy.deviations[(at, at)])
    }
}

impl Noisy {
    /// A released matrix of rows with these columns: `deviations` are those of the entries of each
    /// pair of columns, `neighbours` those between neighbours within each column, if there are any.
    pub(crate) fn of_columns(
        columns: &Columns,
        matrix: &Symmetric,
        deviations: &Symmetric,
        neighbours: &[f64],
    ) -> Noisy {
        let d = columns.dimension();
        let column_of: Vec<usize> =
            columns.ranges().enumerate().flat_map(|(j, range)| vec![j; range.len()]).collect();
        let deviation = |i: usize, j: usize| {
            let (a, b) = (column_of[i], column_of[j]);
            match (a == b, i.abs_diff(j)) {
                (true, 0) | (false, _) => deviations.entry(a, b),
                (true, 1) => neighbours.get(a).copied().unwrap_or(0.0),
                (true, _) => 0.0,
            }
        };
        Noisy {
            entries: Mat::from_fn(d, d, |i, j| matrix.entry(i, j)),
            deviations: Mat::from_fn(d, d, deviation),
        }
    }

    /// Entries as they would be if all columns had size 1.
    pub(crate) fn divided_by(&self, columns: &Columns) -> Noisy {
        self.divided(&Shape::new(Some(columns), columns.dimension()))
    }

    /// The same.
    fn divided(&self, shape: &Shape) -> Noisy {
        let d = self.entries.nrows();
        let over = |i: usize, j: usize| shape.sizes[i] * shape.sizes[j];
        Noisy {
            entries: Mat::from_fn(d, d, |i, j| self.entries[(i, j)] / over(i, j)),
            deviations: Mat::from_fn(d, d, |i, j| self.deviations[(i, j)] / over(i, j)),
        }
    }

    /// Whether a row hits at most one of these coefficients, with one value, and that is known:
    /// what the value is with the constant it is with itself.
    fn is_category(&self, column: Range<usize>) -> bool {
        let is_copy = |i: usize| {
            let (square, product) = (self.entries[(i, i)], self.entries[(0, i)]);
            (square - product).abs() <= 1e-6 * (square.abs() + product.abs())
        };
        if !column.clone().all(is_copy) {
            return false;
        }
        let mut pairs = column.clone().flat_map(|i| (column.start..i).map(move |j| (i, j)));
        let is_zero = |at| self.entries[at] == 0.0 && self.deviations[at] == 0.0;
        column.len() > 1 && pairs.all(is_zero)
    }

    /// The mean variance of the noise between two columns.
    fn mean_square(&self, one: &Range<usize>, other: &Range<usize>, first: usize) -> f64 {
        let pairs = one.clone().flat_map(|i| other.clone().map(move |j| (i + first, j + first)));
        pairs.map(|at| self.deviations[at].powi(2)).sum::<f64>() / (one.len() * other.len()) as f64
    }
}
