//! Knots where the rows are: private quantiles of a column, for curves with `knots = "private"`.
//! `PROOF.md` beside this file has what it guarantees.
//!
//! A curve is read on a fine public grid. A stated share of the budget pays for noisy counts of the
//! rows in the grid's cells, and the knots are cells' ends that have about the same number of rows
//! between them by these counts.

#[cfg(test)]
mod tests;

use crate::erm::matrix::PERSON_COUNTS;
use crate::erm::{AskOracle, Oracle, OracleError};
use discretion_privacy::account::Event;
use discretion_privacy::noise::{IntegerNoise, NoiseError, Released, Source};
use discretion_privacy::{Budget, Pure, Unit, Zcdp};

/// Cells of the grid, equally wide on the column's scale.
pub const CELLS: usize = 64;

/// The most that all columns together may take of the budget.
pub const MOST_OF_BUDGET: f64 = 0.5;

/// A curve that wants its knots where the rows are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WantedKnots {
    /// Its place among the stored numbers.
    pub place: usize,
    /// How many knots, the ends of the range among them.
    pub knots: usize,
    /// Its share of the budget.
    pub share: f64,
}

/// Every public number of the search for knots.
#[derive(Clone, Debug, PartialEq)]
pub struct KnotsPlan {
    columns: Vec<(WantedKnots, IntegerNoise)>,
    unit: Unit,
    rest: Budget,
}

/// Why knots that were planned are not found.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// There is no noise.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// Rows cannot be read again.
    #[error("rows cannot be read again: {}", .0.0)]
    Rows(OracleError),
}

/// What cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum KnotsError {
    /// Nothing would be left to train with, or a share is none.
    #[error(
        "private knots would take {0} of the budget; all `share`s are above 0 and together at most 0.5, and 0.01 for each column \
         is usual"
    )]
    Shares(f64),
    /// The grid has too few cells.
    #[error("a curve has {0} private knots; 2 to {most} are possible", most = CELLS + 1)]
    Knots(usize),
}

impl KnotsPlan {
    /// Splits a budget between the knots of these columns and what comes after them. The guarantee
    /// is about this unit.
    pub fn new(
        wanted: &[WantedKnots],
        budget: Budget,
        unit: Unit,
    ) -> Result<KnotsPlan, KnotsError> {
        let shares: f64 = wanted.iter().map(|column| column.share).sum();
        if !wanted.iter().all(|column| column.share > 0.0)
            || shares.is_nan()
            || shares > MOST_OF_BUDGET
        {
            return Err(KnotsError::Shares(shares));
        }
        if let Some(column) = wanted.iter().find(|column| !(2..=CELLS + 1).contains(&column.knots))
        {
            return Err(KnotsError::Knots(column.knots));
        }
        Ok(KnotsPlan {
            columns: wanted
                .iter()
                .map(|column| (*column, noise(budget, column.share, unit)))
                .collect(),
            unit,
            rest: rest_of(budget, shares),
        })
    }

    /// What is left of the budget.
    pub fn rest(&self) -> Budget {
        self.rest
    }

    /// The columns, and the noise on each of their counts.
    pub fn columns(&self) -> &[(WantedKnots, IntegerNoise)] {
        &self.columns
    }

    /// The largest standard deviation of a count, in rows or persons.
    pub fn deviation(&self) -> f64 {
        let deviations = self.columns.iter().map(|(_, noise)| noise.deviation());
        deviations.fold(0.0, f64::max) / f64::from(counts_of(self.unit))
    }

    /// What the search costs: every row is in the counts of every column.
    pub fn event(&self) -> Event {
        Event::Composition { of: self.columns.iter().map(|(_, noise)| noise.event()).collect() }
    }

    /// The noisy counts of each column's cells. The rows have these curves on grids of [`CELLS`]
    /// cells.
    pub fn counts(
        &self,
        rows: &dyn Oracle,
        source: &mut dyn Source,
    ) -> Result<Vec<Released<Vec<i64>>>, SearchError> {
        assert_eq!(rows.facts().unit, self.unit, "the noise is for this unit");
        let columns = self.columns.iter();
        let released = columns.map(|(wanted, noise)| {
            let counts = rows.cells(wanted.place).map_err(SearchError::Rows)?;
            Ok(noise.release(counts, source)?)
        });
        released.collect()
    }

    /// The knots of each column, as cells' ends on the grid.
    pub fn run(
        &self,
        rows: &dyn Oracle,
        source: &mut dyn Source,
    ) -> Result<Vec<Released<Vec<usize>>>, SearchError> {
        let columns = self.columns.iter().zip(self.counts(rows, source)?);
        Ok(columns
            .map(|((wanted, _), counts)| counts.map(|counts| quantiles(&counts, wanted.knots)))
            .collect())
    }
}

/// What is left of a budget of which so much was taken; less, by more than the rounding of the
/// shares. All of δ is left.
pub(crate) fn rest_of(budget: Budget, shares: f64) -> Budget {
    let left = (1.0 - shares) * (1.0 - 1e-12);
    match budget {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: epsilon * left },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: epsilon * left, delta }
        }
        Budget::Zcdp { rho } => Budget::Zcdp { rho: rho * left },
    }
}

/// What a unit counts, over all cells of a column.
pub(crate) fn counts_of(unit: Unit) -> u32 {
    match unit {
        Unit::Row => 1,
        Unit::Person => PERSON_COUNTS,
    }
}

/// Another unit in place of one takes what a unit counts from cells of a column, and adds as much
/// to others.
fn noise(budget: Budget, share: f64, unit: Unit) -> IntegerNoise {
    let counts = counts_of(unit);
    match budget {
        Budget::Zcdp { rho } => IntegerNoise::Gaussian {
            squared_sensitivity: 2 * counts * counts,
            budget: Zcdp { rho: rho * share },
        },
        // Under (ε, δ) too, as for histograms: δ is left to what comes after.
        pure => {
            let epsilon = pure.as_pure().epsilon * share;
            IntegerNoise::Laplace { sensitivity: 2 * counts, budget: Pure { epsilon } }
        }
    }
}

/// Cells' ends with about as many rows between any two neighbours, by noisy counts: the first, the
/// last, and others between them, all different. What is below 0 counts as 0; without any rows they
/// are equally far apart.
pub fn quantiles(counts: &[i64], knots: usize) -> Vec<usize> {
    let cells = counts.len();
    assert!((2..=cells + 1).contains(&knots), "there are as many cells' ends");
    let counts: Vec<f64> = counts.iter().map(|count| count.max(&0).to_owned() as f64).collect();
    let total: f64 = counts.iter().sum();
    let mut sums = vec![0.0; cells + 1];
    for (cell, count) in counts.iter().enumerate() {
        sums[cell + 1] = sums[cell] + if total > 0.0 { *count } else { 1.0 };
    }
    let mut ends = vec![0];
    for knot in 1..knots - 1 {
        let wanted = sums[cells] * knot as f64 / (knots - 1) as f64;
        let behind = sums.partition_point(|sum| *sum < wanted).min(cells);
        // The nearer end of the cell in which the quantile lies.
        let nearer = if behind > 0 && wanted - sums[behind - 1] < sums[behind] - wanted {
            behind - 1
        } else {
            behind
        };
        // One cell at least on either side, for all that are still to come.
        ends.push(nearer.clamp(ends[knot - 1] + 1, cells + 1 + knot - knots));
    }
    ends.push(cells);
    ends
}
