//! Why training was refused.

use crate::erm::solver::Accuracy;
use crate::erm::{Facts, OracleError};
use crate::outcome::{Heads, Label, LossKind, Outcome};
use discretion_privacy::noise::NoiseError;
use discretion_privacy::{Budget, BudgetError};

/// Why training was refused or failed. `Noise` and `Oracle` are the machine's fault, the others the
/// request's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// λ is not a finite number above 0.
    #[error("lambda must be a finite number above 0, not {0}")]
    Lambda(f64),
    /// λ is beyond what double precision can solve for.
    #[error(
        "lambda = {0} is outside what can be solved for in double precision; take one between 1e-9 and 1e6"
    )]
    LambdaPrecision(f64),
    /// The budget is not one.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// There is nothing to learn from.
    #[error("a table needs at least one row")]
    NoRows,
    /// Several classes with a loss of one margin.
    #[error(
        "several classes have the logistic loss alone; remove `loss`, or make two classes of them"
    )]
    Classes,
    /// A loss of residuals, where there are classes.
    #[error(
        "loss = \"huber\" is for an outcome that is a number; classes have \"logistic\" and \"hinge\""
    )]
    Residuals,
    /// Rows that are divided by their own lengths, with a loss of residuals.
    #[error(
        "a number needs columns that are scaled by constants; leave out norm = \"row\" in [model]"
    )]
    RowNorm,
    /// λ leaves no budget for the noise of objective perturbation.
    #[error(
        "lambda = {lambda} is too small for {rows} rows and {budget}: objective perturbation needs lambda above \
         {smallest:.3e}; take a larger lambda (\"auto\" chooses one), more budget, or method = \"output\""
    )]
    LambdaTooSmall {
        /// What was asked for.
        lambda: f64,
        /// What would be feasible.
        smallest: f64,
        /// n.
        rows: usize,
        /// The budget.
        budget: Budget,
    },
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The rows could not be summed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

pub(super) fn check_lambda(lambda: f64) -> Result<(), TrainError> {
    if !(lambda.is_finite() && lambda > 0.0) {
        Err(TrainError::Lambda(lambda))
    } else if !(1e-12..=1e6).contains(&lambda) {
        Err(TrainError::LambdaPrecision(lambda))
    } else {
        Ok(())
    }
}

pub(super) fn check_accuracy(accuracy: Accuracy, lambda: f64) -> Result<(), TrainError> {
    if accuracy.is_meaningful() { Ok(()) } else { Err(TrainError::LambdaPrecision(lambda)) }
}

/// The outcome that models with these heads have this loss for. Several classes have one loss.
pub(crate) fn outcome_of(heads: Heads, loss: LossKind) -> Result<Box<dyn Outcome>, TrainError> {
    loss.outcome(heads).ok_or(TrainError::Classes)
}

/// Refuses a loss of residuals where there are classes.
pub fn only_margins(loss: LossKind) -> Result<(), TrainError> {
    match loss.of_margin().label() {
        Label::Sign | Label::Class(_) => Ok(()),
        Label::Column | Label::Beside(_) => Err(TrainError::Residuals),
    }
}

pub(super) fn check_facts(facts: &Facts) -> Result<(), TrainError> {
    if facts.rows > 0 { Ok(()) } else { Err(TrainError::NoRows) }
}
