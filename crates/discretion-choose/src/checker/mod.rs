//! Does a procedure keep the stability that it declares? A search for neighbouring tables on which
//! it does not.
//!
//! A search proves nothing when it finds nothing; a violation that it finds is one. It draws
//! randomness, starts from simple and from random tables, and climbs: rows are changed wherever
//! that moves the score further.
//!
//! ```
//! # use discretion_privacy::noise::{NoiseError, Real, Seeded, Source};
//! # use discretion_choose::{Procedure, Stability, checker};
//! /// The mean of numbers in [0, 1]; its score is minus the distance to the mean of the validation rows.
//! struct Mean;
//! impl Procedure for Mean {
//! #   type Candidate = ();
//! #   type Table = [f64];
//! #   type Randomness = ();
//! #   type Model = f64;
//! #   type Error = std::convert::Infallible;
//! #   fn candidates(&self) -> &[()] { &[()] }
//! #   fn rows(&self, table: &[f64]) -> usize { table.len() }
//! #   fn draw(&self, _: &(), _: &mut dyn Source) -> Result<(), NoiseError> { Ok(()) }
//! #   fn train(&self, table: &[f64], _: &(), _: &()) -> Result<f64, Self::Error> {
//! #       Ok(table.iter().sum::<f64>() / table.len() as f64)
//! #   }
//! #   fn score(&self, model: &f64, table: &[f64]) -> Result<f64, Self::Error> {
//! #       Ok(-(model - table.iter().sum::<f64>() / table.len() as f64).abs())
//! #   }
//! #   fn score_range(&self, _: &()) -> (f64, f64) { (-1.0, 0.0) }
//!     fn stability(&self, _: &(), n: usize, m: usize) -> Stability {
//!         // Wrong: one row of n moves the mean by 1/n, not by half of that.
//!         Stability { training: 0.5 / n as f64, validation: 1.001 / m as f64, failure: 0.0 }
//!     }
//!     // …
//! }
//!
//! struct Numbers;
//! impl checker::Neighbours<Mean> for Numbers {
//!     type Row = f64;
//!     type Table = Vec<f64>;
//!     fn row(&self, source: &mut Seeded) -> f64 { source.unit() }
//!     fn table(&self, rows: &[f64]) -> Vec<f64> { rows.to_vec() }
//! }
//!
//! let report = checker::check(&Mean, &Numbers, checker::Effort::default(), 1).unwrap();
//! let worst = report.worst();
//! assert_eq!(worst.side, checker::Side::Training);
//! assert!(worst.is_violation() && worst.ratio() > 1.5);
//! ```

mod climb;

#[cfg(test)]
mod tests;

use super::{Procedure, TuneError};
use climb::Climb;
use discretion_privacy::noise::Seeded;
use std::borrow::Borrow;

/// Tables that a procedure may be given, row by row.
pub trait Neighbours<P: Procedure> {
    /// One row.
    type Row: Clone;
    /// A table of rows, as the procedure wants it.
    type Table: Borrow<P::Table>;

    /// Any row that a table can have. Extreme ones should be frequent: they are where bounds break.
    fn row(&self, source: &mut Seeded) -> Self::Row;

    /// A row to try in the place of this one; near it, where that means something.
    fn change(&self, _: &Self::Row, source: &mut Seeded) -> Self::Row {
        self.row(source)
    }

    /// The table of these rows.
    fn table(&self, rows: &[Self::Row]) -> Self::Table;
}

/// How long to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// n.
    pub training_rows: usize,
    /// m.
    pub validation_rows: usize,
    /// How many times each candidate's randomness is drawn.
    pub draws: usize,
    /// How many changes of rows are tried for each draw and each side.
    pub steps: usize,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { training_rows: 10, validation_rows: 10, draws: 20, steps: 200 }
    }
}

/// Where the replaced row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Among the training rows: β₁/n.
    Training,
    /// Among the validation rows: β₂/m.
    Validation,
}

/// The worst neighbours found for one candidate and one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<R> {
    /// The candidate's position.
    pub candidate: usize,
    /// Which side the replaced row is on.
    pub side: Side,
    /// How far the score moved.
    pub moved: f64,
    /// How far it may move by declaration.
    pub declared: f64,
    /// The training rows.
    pub training: Vec<R>,
    /// The validation rows.
    pub validation: Vec<R>,
    /// The row of that side that is replaced…
    pub position: usize,
    /// …and by what.
    pub replacement: R,
    /// For how many draws of the randomness the declaration was broken,
    pub broken_draws: usize,
    /// of how many.
    pub draws: usize,
    /// For which share of them it may be broken by declaration.
    pub failure: f64,
}

/// Broken draws that are this unlikely under the declared probability are no accident.
const ACCIDENT: f64 = 1e-6;

impl<R> Finding<R> {
    /// Moved over declared; above 1 the declaration is broken.
    pub fn ratio(&self) -> f64 {
        if self.moved == 0.0 { 0.0 } else { self.moved / self.declared }
    }

    /// Whether the declaration is wrong: broken at all if it never may be, or else broken for more
    /// draws than the declared probability allows (false alarm 1e-6).
    pub fn is_violation(&self) -> bool {
        if self.failure > 0.0 {
            chance_of_at_least(self.broken_draws, self.draws, self.failure) < ACCIDENT
        } else {
            self.broken_draws > 0
        }
    }
}

/// What a search found: one finding for each candidate and side.
#[derive(Clone, Debug, PartialEq)]
pub struct Report<R> {
    findings: Vec<Finding<R>>,
}

impl<R> Report<R> {
    /// All findings, candidate by candidate.
    pub fn findings(&self) -> &[Finding<R>] {
        &self.findings
    }

    /// The finding that comes nearest to its declaration, or exceeds it most.
    pub fn worst(&self) -> &Finding<R> {
        let worst = self.findings.iter().max_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        worst.expect("a procedure has candidates")
    }

    /// Those that show a declaration to be wrong.
    pub fn violations(&self) -> impl Iterator<Item = &Finding<R>> {
        self.findings.iter().filter(|finding| finding.is_violation())
    }
}

/// Searches for neighbours that break a procedure's declared stability. The same seed gives the
/// same search. Nothing here is private: the tables are made up.
pub fn check<P: Procedure, N: Neighbours<P>>(
    procedure: &P,
    neighbours: &N,
    effort: Effort,
    seed: u64,
) -> Result<Report<N::Row>, TuneError<P::Error>> {
    let mut source = Seeded::new(seed);
    let mut findings = Vec::new();
    for (position, candidate) in procedure.candidates().iter().enumerate() {
        let declared = procedure.stability(candidate, effort.training_rows, effort.validation_rows);
        for (side, bound) in
            [(Side::Training, declared.training), (Side::Validation, declared.validation)]
        {
            let mut worst: Option<Climb<N::Row>> = None;
            let mut broken_draws = 0;
            for draw in 0..effort.draws {
                let randomness = procedure.draw(candidate, &mut source)?;
                let arena = climb::Arena {
                    procedure,
                    neighbours,
                    candidate,
                    randomness: &randomness,
                    side,
                };
                let top = arena.climb(effort, draw, &mut source).map_err(TuneError::Procedure)?;
                broken_draws += usize::from(top.moved > bound);
                if worst.as_ref().is_none_or(|worst| top.moved > worst.moved) {
                    worst = Some(top);
                }
            }
            let worst = worst.expect("at least one draw");
            findings.push(Finding {
                candidate: position,
                side,
                moved: worst.moved,
                declared: bound,
                training: worst.training,
                validation: worst.validation,
                position: worst.position,
                replacement: worst.replacement,
                broken_draws,
                draws: effort.draws,
                failure: declared.failure,
            });
        }
    }
    Ok(Report { findings })
}

/// P(X ≥ hits) for X binomial.
fn chance_of_at_least(hits: usize, trials: usize, chance: f64) -> f64 {
    let ln_factorial = |n: usize| libm::lgamma(n as f64 + 1.0);
    let term = |i: usize| {
        let ways = ln_factorial(trials) - ln_factorial(i) - ln_factorial(trials - i);
        (ways + i as f64 * chance.ln() + (trials - i) as f64 * (-chance).ln_1p()).exp()
    };
    (hits..=trials).map(term).sum()
}
