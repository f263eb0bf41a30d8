//! The released moments, as a model file keeps them.

use crate::erm::Entries;
use crate::interval::IntervalError;
use crate::interval::squares::{Noisy, Symmetric};
use discretion_privacy::account::Columns;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// (1/n)Σ zzᵀ of rows z that have outcomes among their columns, as it was released, and how exact
/// each number is. Products of two outcomes are not in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Moments {
    rows: usize,
    columns: Columns,
    /// Nothing if all columns are numbers and categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entries: Vec<Entries>,
    /// Which of the columns is the outcome: the first of them, if there are several.
    outcome: usize,
    /// How many outcomes there are, one behind the other.
    #[serde(skip_serializing_if = "is_one")]
    outcomes: usize,
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

fn is_one(outcomes: &usize) -> bool {
    *outcomes == 1
}

fn one() -> usize {
    1
}

/// What rows are made of.
pub(super) struct Parts {
    pub(super) columns: Columns,
    pub(super) entries: Vec<Entries>,
    pub(super) outcomes: Range<usize>,
}

/// Whether these columns are numbers behind the constant, and at least one.
pub(super) fn are_numbers(columns: &Columns, outcomes: &Range<usize>) -> bool {
    let numbers = columns
        .iter()
        .take(outcomes.end)
        .skip(outcomes.start)
        .filter(|column| column.coefficients == 1);
    outcomes.start > 0 && !outcomes.is_empty() && numbers.count() == outcomes.len()
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
    #[serde(default = "one")]
    outcomes: usize,
    matrix: Symmetric,
    deviations: Symmetric,
    #[serde(default)]
    neighbours: Vec<f64>,
}

impl TryFrom<Written> for Moments {
    type Error = IntervalError;

    fn try_from(written: Written) -> Result<Moments, IntervalError> {
        let Written {
            rows,
            columns,
            entries,
            outcome,
            outcomes,
            matrix,
            deviations,
            mut neighbours,
        } = written;
        let places = outcome..outcome.saturating_add(outcomes);
        if rows == 0 || !are_numbers(&columns, &places) {
            return Err(IntervalError::Evidence(
                "there is no outcome among their columns, or no row",
            ));
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
            true => Ok(Moments {
                rows,
                columns,
                entries,
                outcome,
                outcomes,
                matrix,
                deviations,
                neighbours,
            }),
            false => {
                Err(IntervalError::Evidence("the matrix and its noise belong to other columns"))
            }
        }
    }
}

impl Moments {
    pub(super) fn new(
        rows: usize,
        Parts { columns, entries, outcomes: Range { start: outcome, end } }: Parts,
        mut matrix: Symmetric,
        deviations: Symmetric,
        neighbours: Vec<f64>,
    ) -> Moments {
        // Every row has the same constant: its square is public, and was not released.
        let constant = columns.iter().next().expect("a constant").size;
        *matrix.entry_mut(0, 0) = constant * constant;
        let outcomes = end - outcome;
        Moments { rows, columns, entries, outcome, outcomes, matrix, deviations, neighbours }
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many outcomes there are.
    pub fn outcomes(&self) -> usize {
        self.outcomes
    }

    /// The moments of one of the outcomes, counted from 0: those of rows that have no other.
    pub fn of_outcome(&self, which: usize) -> Moments {
        assert!(which < self.outcomes, "there is such an outcome");
        let is_kept = |column: &usize| {
            !(self.outcome..self.outcome + self.outcomes).contains(column)
                || *column == self.outcome + which
        };
        let kept: Vec<usize> = (0..self.columns.count()).filter(is_kept).collect();
        let all: Vec<_> = self.columns.iter().collect();
        let ranges: Vec<_> = self.columns.ranges().collect();
        let places: Vec<usize> = kept.iter().flat_map(|&column| ranges[column].clone()).collect();
        let columns = Columns::new(kept.iter().map(|&column| all[column]).collect());
        let entry = |column: &usize| self.entries.get(*column).copied();
        Moments {
            rows: self.rows,
            columns: columns.expect("some of what were columns"),
            entries: kept.iter().filter_map(entry).collect(),
            outcome: self.outcome,
            outcomes: 1,
            matrix: self.matrix.of(&places),
            deviations: self.deviations.of(&kept),
            neighbours: kept.iter().map(|&column| self.neighbours[column]).collect(),
        }
    }

    /// The columns, with the outcomes.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// An entry of the matrix, as it was released.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix.entry(i, j)
    }

    /// Which coefficient is that of the first outcome.
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
        Noisy::of_columns(&self.columns, &self.matrix, &self.deviations, &self.neighbours)
    }
}
