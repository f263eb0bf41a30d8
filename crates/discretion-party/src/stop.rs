//! Why a party stops.

use crate::RoundError;
use discretion::joint::JointError;

/// Why a party stops before there is a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// Understood, and will not be done; or somebody else, the network or the machine failed.
    #[error("{0}")]
    Refused(String),
    /// A file or an argument has to be repaired.
    #[error("{0}")]
    BadInput(String),
}

impl Stop {
    /// The same, with something more to know about it.
    pub fn and(self, note: impl std::fmt::Display) -> Stop {
        match self {
            Stop::Refused(message) => Stop::Refused(format!("{message}; {note}")),
            Stop::BadInput(message) => Stop::BadInput(format!("{message}; {note}")),
        }
    }
}

impl From<RoundError> for Stop {
    fn from(error: RoundError) -> Stop {
        Stop::Refused(error.to_string())
    }
}

impl From<JointError> for Stop {
    fn from(error: JointError) -> Stop {
        Stop::Refused(error.to_string())
    }
}

impl From<discretion_ledger::Error> for Stop {
    fn from(error: discretion_ledger::Error) -> Stop {
        if error.is_refusal() { Stop::Refused(error.to_string()) } else { Stop::BadInput(error.to_string()) }
    }
}
