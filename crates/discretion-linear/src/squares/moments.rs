//! The released moments, as a model file keeps them.

use crate::erm::Entries;
use crate::interval::IntervalError;
use crate::interval::squares::{Noisy, Symmetric};
use discretion_privacy::account::Columns;
use faer::Mat;
use serde::{Deserialize, Serialize};

/// (1/n)Σ zzᵀ of rows z that have the outcome among their columns, as it was released, and how exact each number is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Moments {
    rows: usize,
    columns: Columns,
    /// Nothing if all columns are numbers and categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<Entries>,
    /// Which of the columns is the outcome.
    outcome: usize,
    matrix: Symmetric,
    /// The standard deviation of the noise at every entry of a pair of columns.
    deviations: Symmetric,
    /// And between neighbours within each column.
    #[serde(skip_serializing_if = "is_nothing")]
    neighbours: Vec<f64>,
}

fn is_nothing(neighbours: &[f64]) -> bool {
    neighbours.iter().all(|x| *x == 0.0)
}

/// Moments as a file has them, before they are checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    rows: usize,
    columns: Columns,
    #[serde(default)]
    entries: Vec<Entries>,
    outcome: usize,
    matrix: Symmetric,
    deviations: Symmetric,
    #[serde(default)]
    neighbours: Vec<f64>,
}

impl TryFrom<Written> for Moments {
    type Error = IntervalError;

    fn try_from(written: Written) -> Result<Moments, IntervalError> {
        let Written { rows, columns, entries, outcome, matrix, deviations, mut neighbours } = written;
        let is_number = columns.iter().nth(outcome).is_some_and(|column| column.coefficients == 1);
        if rows == 0 || outcome == 0 || !is_number {
            return Err(IntervalError::Evidence("there is no outcome among their columns, or no row"));
        }
        if neighbours.is_empty() {
            neighbours = vec![0.0; columns.count()];
        }
        let are_known = neighbours.len() == columns.count()
            && neighbours.iter().all(|x| x.is_finite() && *x >= 0.0)
            && (entries.is_empty() || entries.len() == columns.count());
        let is_whole = matrix.is_of(columns.dimension())
            && deviations.is_of(columns.count())
            && deviations.is_nowhere_negative();
        match are_known && is_whole {
            true => Ok(Moments { rows, columns, entries, outcome, matrix, deviations, neighbours }),
            false => Err(IntervalError::Evidence("the matrix and its noise belong to other columns")),
        }
    }
}

impl Moments {
    pub(super) fn new(
        rows: usize,
        columns: Columns,
        entries: Vec<Entries>,
        outcome: usize,
        mut matrix: Symmetric,
        deviations: Symmetric,
        neighbours: Vec<f64>,
    ) -> Moments {
        // Every row has the same constant: its square is public, and was not released.
        let constant = columns.iter().next().expect("a constant").size;
        *matrix.entry_mut(0, 0) = constant * constant;
        Moments { rows, columns, entries, outcome, matrix, deviations, neighbours }
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, with the outcome.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// An entry of the matrix, as it was released.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix.entry(i, j)
    }

    /// Which coefficient is the outcome's.
    pub fn place(&self) -> usize {
        self.columns.ranges().nth(self.outcome).expect("the outcome is a column").start
    }

    /// Whether the products of a column with the constant are its squares.
    pub(super) fn is_category(&self, column: usize) -> bool {
        let entries = self.entries.get(column).copied().unwrap_or(Entries::Constant);
        let coefficients = self.columns.iter().nth(column).map_or(0, |column| column.coefficients);
        coefficients > 1 && entries == Entries::Constant
    }

    /// The matrix with the noise of each of its entries.
    pub(super) fn noisy(&self) -> Noisy {
        let d = self.columns.dimension();
        let ranges: Vec<_> = self.columns.ranges().collect();
        let column_of: Vec<usize> =
            ranges.iter().enumerate().flat_map(|(j, range)| vec![j; range.len()]).collect();
        let deviation = |i: usize, j: usize| {
            let (a, b) = (column_of[i], column_of[j]);
            match (a == b, i.abs_diff(j)) {
                (true, 0) | (false, _) => self.deviations.entry(a, b),
                (true, 1) => self.neighbours[a],
                (true, _) => 0.0,
            }
        };
        Noisy {
            entries: Mat::from_fn(d, d, |i, j| self.matrix.entry(i, j)),
            deviations: Mat::from_fn(d, d, deviation),
        }
    }
}
