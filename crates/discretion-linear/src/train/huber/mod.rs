//! Huber regression: an outcome that is a number, by the same two mechanisms as a class. `PROOF.md`
//! beside this file has what differs: slopes of either sign.
//!
//! Rows have the outcome among their columns ([`Residuals`]), and plans are made for the [`facts`]
//! of the rest.

use super::{Plan, TrainError};
use crate::erm::{Facts, Oracle, Residuals};
use crate::loss::LossKind;
use discretion_privacy::noise::{NotPrivate, Released, Source};

#[cfg(test)]
mod tests;

/// The public facts of rows without their outcome, which is the column at `outcome` (0 is the
/// constant). Refuses rows that are divided by their own lengths: their outcomes would be, too.
pub fn facts(facts: Facts, outcome: usize) -> Result<Facts, TrainError> {
    match facts.scaled_columns() {
        Some(_) => Ok(Residuals::facts_without(facts, outcome)),
        None => Err(TrainError::RowNorm),
    }
}

impl Plan {
    /// [`Plan::fit`], to rows that have the outcome among their columns.
    pub fn fit_outcome(
        &self,
        rows: &dyn Oracle,
        outcome: usize,
        source: &mut dyn Source,
    ) -> Result<Released<Vec<f64>>, TrainError> {
        self.fit(&Residuals::new(rows, outcome), source)
    }
}

/// The same model without noise, for the custodian alone.
pub fn not_private(
    rows: &dyn Oracle,
    outcome: usize,
    lambda: f64,
) -> Result<NotPrivate<Vec<f64>>, TrainError> {
    super::not_private(&Residuals::new(rows, outcome), LossKind::Huber, lambda)
}
