//! Whether the matrix of a plan says anything, and what to do if it does not.

use super::error::{DeltaHint, FewerHint};
use super::matrices::{MatrixNoise, scaled_columns};
use super::ordinary::suffice;
use super::split::Shares;
use super::{IntervalError, Split};
use crate::erm::{Entries, Facts};
use crate::loss::{LossKind, MomentsLoss, Weight};
use discretion_privacy::noise::{Column, Columns};
use discretion_privacy::{Budget, smallest_enough};

/// What decides whether a Hessian, or the moments of the rows, can be told from its noise.
pub(super) struct Resolution<'f> {
    pub budget: Budget,
    pub split: Split,
    pub stretch: f64,
    /// What the matrix has a share of.
    pub shares: Shares,
    pub facts: &'f Facts,
    pub loss: LossKind,
}

/// With more ε, guarantees with a δ stretch a little less: advice counts on so much of what they
/// did.
const STRETCH_OF_MORE: f64 = 0.96;

impl Resolution<'_> {
    /// Refuses to release a matrix that says nothing: its average eigenvalue is at most λ + t/d,
    /// since rows are no longer than 1, and noise longer than that hides it in a typical direction.
    /// `sure` is what advice counts on of λ.
    pub(super) fn check(
        &self,
        matrix: MatrixNoise,
        lambda: f64,
        sure: f64,
    ) -> Result<(), IntervalError> {
        let Facts { rows, dimension, .. } = *self.facts;
        let t = self.most();
        let noise = matrix.hides(t, self.facts);
        let resolvable = lambda + t / dimension as f64;
        if noise <= resolvable {
            return Ok(());
        }
        let goal = sure + t / dimension as f64;
        let stretch = match self.budget {
            Budget::Approximate { .. } => STRETCH_OF_MORE * self.stretch,
            _ => self.stretch,
        };
        let is_enough = |times: f64| {
            let matrix = self.part(scaled(self.budget, times), stretch);
            MatrixNoise::within(matrix, self.facts).hides(t, self.facts) <= goal
        };
        let times = smallest_enough(2.0, 1e12, 1e-3, is_enough).unwrap_or(f64::INFINITY);
        Err(IntervalError::TooManyCoefficients {
            dimension,
            rows,
            budget: self.budget,
            noise,
            resolvable,
            enough: rounded_up(self.budget, times),
            rows_needed: two_digits_up(rows as f64 * noise / goal) as usize,
            with_delta: DeltaHint(self.with_delta(goal).map(Box::new)),
            fewer: FewerHint(self.fewer(matrix, sure)),
        })
    }

    /// Whether the matrix is that of the rows' moments; else it is a Hessian.
    fn is_of_rows(&self) -> bool {
        suffice(self.loss, scaled_columns(self.facts).is_some())
    }

    /// The most that a row weighs in the matrix.
    fn most(&self) -> f64 {
        if self.is_of_rows() { MomentsLoss::MOST } else { Weight::Curvature.most(self.loss, 0.0) }
    }

    /// The matrix's part of a budget.
    fn part(&self, budget: Budget, stretch: f64) -> Budget {
        match self.is_of_rows() {
            true => self.shares.rows(budget, self.split, stretch),
            false => self.shares.hessian(budget, self.split, stretch),
        }
    }

    /// How many coefficients the same noise would be small enough for, if columns of many are left
    /// out first.
    fn fewer(&self, matrix: MatrixNoise, sure: f64) -> Option<usize> {
        let t = self.most();
        let is_enough = |facts: &Facts| matrix.hides(t, facts) <= sure + t / facts.dimension as f64;
        let Some(columns) = scaled_columns(self.facts) else {
            let of = |dimension: usize| Facts { dimension, columns: None, ..self.facts.clone() };
            let fewer = |dimension: &usize| Some(dimension * 9 / 10).filter(|left| *left > 1);
            return std::iter::successors(fewer(&self.facts.dimension), fewer)
                .find(|&left| is_enough(&of(left)));
        };
        let mut left: Vec<usize> = (0..columns.count()).collect();
        let all: Vec<Column> = columns.iter().collect();
        // The constant stays.
        while left.len() > 2 {
            let widest = left[1..].iter().copied().max_by_key(|&at| all[at].coefficients)?;
            left.retain(|&at| at != widest);
            let facts = self.with_columns(&all, &left);
            if is_enough(&facts) {
                return Some(facts.dimension);
            }
        }
        None
    }

    /// The facts of a table that has these columns only. Rows are as long as before, so the columns
    /// are larger.
    fn with_columns(&self, all: &[Column], left: &[usize]) -> Facts {
        let length =
            |of: &mut dyn Iterator<Item = f64>| of.map(|size| size * size).sum::<f64>().sqrt();
        let before = length(&mut all.iter().map(|column| column.size));
        let larger = before / length(&mut left.iter().map(|&at| all[at].size));
        let column = |&at: &usize| Column { size: larger * all[at].size, ..all[at] };
        let columns = Columns::new(left.iter().map(column).collect()).expect("sizes are positive");
        let entry = |&at: &usize| self.facts.entries.get(at).copied().unwrap_or(Entries::Constant);
        Facts {
            dimension: columns.dimension(),
            columns: Some(columns),
            entries: left.iter().map(entry).collect(),
            ..self.facts.clone()
        }
    }

    /// A budget with a δ well below 1/n, and less ε, that would be enough where a pure one is not.
    fn with_delta(&self, goal: f64) -> Option<Budget> {
        let Budget::Pure { epsilon } = self.budget else { return None };
        let t = self.most();
        let delta = 10f64.powi(-((self.facts.rows as f64).log10().ceil() as i32) - 1);
        let is_enough = |times: f64| {
            let budget = Budget::Approximate { epsilon: times * epsilon, delta };
            let shares = if self.is_of_rows() { Shares::OfConcentration } else { Shares::OfBudget };
            let matrix = Resolution { shares, ..*self }.part(budget, 1.0);
            matrix.checked().is_ok_and(|matrix| {
                MatrixNoise::within(matrix, self.facts).hides(t, self.facts) <= goal
            })
        };
        let times = smallest_enough(1.0, 1e6, 1e-2, is_enough)?;
        Some(rounded_up(Budget::Approximate { epsilon, delta }, times))
    }
}

/// `times` as much ε or ρ.
fn scaled(budget: Budget, times: f64) -> Budget {
    match budget {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: times * epsilon },
        Budget::Zcdp { rho } => Budget::Zcdp { rho: times * rho },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: times * epsilon, delta }
        }
    }
}

/// The same, in two digits.
fn rounded_up(budget: Budget, times: f64) -> Budget {
    match scaled(budget, times) {
        Budget::Pure { epsilon } => Budget::Pure { epsilon: two_digits_up(epsilon) },
        Budget::Zcdp { rho } => Budget::Zcdp { rho: two_digits_up(rho) },
        Budget::Approximate { epsilon, delta } => {
            Budget::Approximate { epsilon: two_digits_up(epsilon), delta }
        }
    }
}

fn two_digits_up(x: f64) -> f64 {
    let unit = 10f64.powi(x.log10().floor() as i32 - 1);
    let rounded = (x / unit).ceil() * unit;
    // 0.12 and not 0.12000000000000001.
    format!("{rounded:.2e}").parse().unwrap_or(rounded)
}
