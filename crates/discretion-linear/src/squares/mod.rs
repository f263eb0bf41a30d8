//! Least squares from noisy sums: (1/n)Σ zzᵀ over rows z = (x, y) that have one outcome or several
//! among their columns is released once, and everything else is post-processing: coefficients for
//! any λ, their intervals, R², predictions.
//!
//! [`Plan::new`] fixes every public number, [`Plan::run`] releases [`Moments`], and
//! [`Moments::solve`] makes a [`Solution`] of them. `PROOF.md` beside this file says why it is
//! private, and what is asymptotic about intervals.

mod error;
mod moments;
mod prior;
mod pushes;
mod solution;

#[cfg(test)]
mod tests;

pub use error::SquaresError;
pub use moments::Moments;
pub use solution::{Penalty, Solution};

use crate::erm::solver::NEWTON_LIMIT;
use crate::erm::{Facts, Oracle};
use crate::interval::squares::{
    MatrixNoise, Scheme, Symmetric, add_noise, part, products_of_rows, scaled_columns,
};
use crate::loss::MomentsLoss;
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use discretion_privacy::noise::{NotPrivate, Released, Sensitive, Source};
use discretion_privacy::trusted::{Open, released};
use moments::{Parts, are_numbers};
use std::ops::Range;

/// Everything public about a release of moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    budget: Budget,
    facts: Facts,
    outcomes: Range<usize>,
    noise: MatrixNoise,
}

impl Plan {
    /// For rows of these facts, of which the columns at `outcomes` (0 is the constant) are
    /// outcomes: numbers, scaled by a constant like all others. One release serves all of them.
    pub fn new(budget: Budget, facts: Facts, outcomes: Range<usize>) -> Result<Plan, SquaresError> {
        let budget = budget.checked()?;
        check(&facts, &outcomes)?;
        // A little less, so that its price, rounded, is not above the budget.
        let noise = MatrixNoise::with_outcomes(part(budget, 1.0, 1.0 - 1e-9), &facts, &outcomes);
        Ok(Plan { budget, facts, outcomes, noise })
    }

    /// What the run costs.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The facts of the rows, with the outcome.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The law of the noise.
    pub fn noise(&self) -> MatrixNoise {
        self.noise
    }

    /// How many noisy numbers are released.
    pub fn numbers(&self) -> usize {
        self.scheme().numbers().count()
    }

    /// How many outcomes there are.
    pub fn outcomes(&self) -> usize {
        self.outcomes.len()
    }

    /// The standard deviation of the noise in the mean of every outcome, which lies between −1
    /// and 1.
    pub fn mean_deviation(&self) -> f64 {
        let deviations = self.scheme().block_deviations(MomentsLoss::MOST, &self.facts);
        let (columns, deviations, _) = deviations.expect("columns are known");
        let size = |column: usize| columns.iter().nth(column).expect("a column").size;
        deviations.entry(0, self.outcomes.start) / (size(0) * size(self.outcomes.start))
    }

    /// What running this plan does to the table, for an account.
    pub fn event(&self) -> Event {
        self.noise.event(match self.outcomes.len() {
            1 => "moments of columns and outcome",
            _ => "moments of columns and outcomes",
        })
    }

    /// Releases the moments.
    ///
    /// Postcondition: they satisfy [`Plan::budget`] for replace-one neighbours, if `source` is the
    /// operating system.
    pub fn run(
        &self,
        oracle: &dyn Oracle,
        source: &mut dyn Source,
    ) -> Result<Released<Moments>, SquaresError> {
        assert_eq!(oracle.facts(), self.facts, "a plan is made for one table's facts");
        let scheme = self.scheme();
        let sums = products_of_rows(oracle)?;
        let computed = Sensitive::new(scheme.coordinates(&sums.into_inner()));
        let noisy = add_noise(computed, &scheme, MomentsLoss::MOST, &self.facts, source)?;
        let provenance = noisy.provenance();
        let deviations = scheme.block_deviations(MomentsLoss::MOST, &self.facts);
        let (columns, deviations, neighbours) = deviations.expect("columns are known");
        let matrix = scheme.matrix(&noisy);
        let entries = self.facts.entries.clone();
        let parts = Parts { columns, entries, outcomes: self.outcomes.clone() };
        let moments = Moments::new(self.facts.rows, parts, matrix, deviations, neighbours);
        Ok(released(moments, provenance))
    }

    fn scheme(&self) -> Scheme {
        Scheme::with_outcomes(self.noise, &self.facts, &self.outcomes)
    }
}

/// The exact moments, for the custodian.
pub fn not_private(
    oracle: &dyn Oracle,
    outcomes: Range<usize>,
) -> Result<NotPrivate<Moments>, SquaresError> {
    let facts = oracle.facts();
    check(&facts, &outcomes)?;
    let columns = scaled_columns(&facts).expect("just checked").clone();
    let sums = products_of_rows(oracle)?.into_inner();
    let matrix = Symmetric::of_lower(&sums, facts.dimension);
    let none = Symmetric::zero(columns.count());
    let neighbours = vec![0.0; columns.count()];
    let parts = Parts { columns, entries: facts.entries, outcomes };
    let moments = Moments::new(facts.rows, parts, matrix, none, neighbours);
    Ok(Sensitive::new(moments).not_private())
}

fn check(facts: &Facts, outcomes: &Range<usize>) -> Result<(), SquaresError> {
    let Some(columns) = scaled_columns(facts) else { return Err(SquaresError::RowNorm) };
    assert!(are_numbers(columns, outcomes), "outcomes are numbers among the columns");
    match facts.dimension > NEWTON_LIMIT {
        true => Err(SquaresError::TooWide { dimension: facts.dimension, most: NEWTON_LIMIT }),
        false => Ok(()),
    }
}
