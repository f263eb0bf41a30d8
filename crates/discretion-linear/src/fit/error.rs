//! Why a fit was refused or failed.

use crate::interval::IntervalError;
use crate::train::TrainError;
use crate::tune::TuningError;

/// Why a request was refused or failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// More is asked for than models of several classes have.
    #[error(
        "{0} does not know several classes yet; leave it out, or make two classes of them with `positive`"
    )]
    Classes(&'static str),
    /// Training.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Tuning.
    #[error(transparent)]
    Tune(#[from] TuningError),
    /// Intervals.
    #[error(transparent)]
    Interval(#[from] IntervalError),
}

impl FitError {
    /// Whether the machine is to blame rather than the request.
    pub fn is_of_the_machine(&self) -> bool {
        let of_training =
            |error: &TrainError| matches!(error, TrainError::Noise(_) | TrainError::Oracle(_));
        match self {
            FitError::Train(error) => of_training(error),
            FitError::Tune(TuningError::Train(error)) => of_training(error),
            FitError::Interval(IntervalError::Train(error)) => of_training(error),
            FitError::Interval(error) => {
                matches!(error, IntervalError::Noise(_) | IntervalError::Oracle(_))
            }
            FitError::Tune(_) | FitError::Classes(_) => false,
        }
    }
}
