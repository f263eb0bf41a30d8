//! Why a number was not fitted.

use discretion::Refusal;
use discretion::squares::SquaresError;
use discretion::train::TrainError;

/// Why a fit of a number was refused or failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NumberError {
    /// Of least squares.
    #[error(transparent)]
    Squares(#[from] SquaresError),
    /// Of Huber's loss.
    #[error(transparent)]
    Huber(#[from] TrainError),
}

impl NumberError {
    /// As the user's or the machine's fault. `at` is where the settings are written.
    pub(super) fn explained(self, at: &str) -> Refusal {
        let refusal = match self {
            NumberError::Squares(SquaresError::Noise(_) | SquaresError::Oracle(_))
            | NumberError::Huber(TrainError::Noise(_) | TrainError::Oracle(_)) => {
                Refusal::refused(format!("{self}; nothing was released"))
            }
            _ => Refusal::bad_input(format!("{at}: {self}")),
        };
        refusal.because(self)
    }
}
