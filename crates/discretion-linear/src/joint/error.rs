//! Why a joint study was refused.

use crate::erm::OracleError;
use crate::interval::IntervalError;
use crate::train::TrainError;
use discretion_privacy::Budget;
use discretion_privacy::noise::NoiseError;
use discretion_privacy::{Refusal, RefusalKind};

/// Why a joint study was refused or failed. `Noise` and `Oracle` are the machine's fault, the
/// others the request's.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JointError {
    /// Nobody takes part.
    #[error("a joint study needs at least one holder")]
    NoHolders,
    /// A holder without rows.
    #[error("holder {holder} has no rows; leave it out of the study")]
    EmptyHolder {
        /// Its number, from 0.
        holder: usize,
    },
    /// No row has no coefficients.
    #[error("a model needs at least one coefficient")]
    NoCoefficients,
    /// Everyone would have to be trusted, or nobody is there.
    #[error(
        "of {aggregators} aggregators at most {most} can be allowed to collude, not {colluders}: one at least must keep its \
         noise to itself",
        most = aggregators.saturating_sub(1)
    )]
    Sharing {
        /// A.
        aggregators: usize,
        /// t.
        colluders: usize,
    },
    /// The shares are not shares of one budget.
    #[error(
        "the shares of gradient, Hessian and covariance must leave something for the average: {gradient}, {hessian} and \
         {covariance} do not (the last may be 0: no intervals); 0.3, 0.3, 0 do"
    )]
    Step {
        /// Share of the gradient.
        gradient: f64,
        /// Share of the Hessian.
        hessian: f64,
        /// Share of the covariance.
        covariance: f64,
    },
    /// Intervals that would not cover.
    #[error(
        "intervals after a Newton step need the lambda of the average and no damping, because what either leaves undone is not in \
         them; set the covariance's share to 0, or leave lambda and damping out"
    )]
    IntervalsOfAnotherStep,
    /// A damping that is none.
    #[error("the damping of a Newton step is a finite number, 0 or more, not {0}")]
    Damping(f64),
    /// A Hessian of this size is not summed.
    #[error(
        "a Newton step is available for up to {most} coefficients, because every pair of them is summed, and this model has \
         {dimension}; leave it out (step = \"never\"), drop columns or merge categories"
    )]
    TooWide {
        /// d.
        dimension: usize,
        /// The most that can be.
        most: usize,
    },
    /// Numbers that a field of 128 bits cannot add up.
    #[error(
        "numbers up to {bound:e} in steps of {step:e} do not fit into a sum of 120 bits; take a larger lambda or fewer rows"
    )]
    TooFine {
        /// The largest number.
        bound: f64,
        /// The lattice step.
        step: f64,
    },
    /// No share of the budget, however small, has a price within it.
    #[error("{0} cannot be split between the average and the Newton step; take a larger budget")]
    NotPriced(Budget),
    /// Noise would outweigh the rows that are held out.
    #[error(
        "the holders hold out {rows} rows together, which are too few to evaluate a model with {budget}; hold out more, or remove [evaluate]"
    )]
    FewHeldOut {
        /// The rows.
        rows: usize,
        /// The budget.
        budget: Budget,
    },
    /// More than an average of models of several classes.
    #[error(
        "several holders average models of several classes, and nothing follows the average: leave [intervals], [evaluate] and \
         `step = \"newton\"` out, or make two classes of them with `positive`"
    )]
    Classes,
    /// A holder's rows are not what the study says.
    #[error(
        "holder {holder} has a table of another shape than the study says: {found}, not {expected}"
    )]
    OtherTable {
        /// Its number, from 0.
        holder: usize,
        /// What it has, in words.
        found: String,
        /// What the study says.
        expected: String,
    },
    /// The training was refused.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The matrices were refused.
    #[error(transparent)]
    Interval(#[from] IntervalError),
    /// The operating system's generator failed.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The rows could not be summed.
    #[error(transparent)]
    Oracle(#[from] OracleError),
}

impl From<JointError> for Refusal {
    fn from(error: JointError) -> Refusal {
        Refusal::from_error(RefusalKind::Refused, error)
    }
}
