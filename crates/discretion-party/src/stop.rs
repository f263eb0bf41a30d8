//! Why a party stops.

use crate::RoundError;
use crate::mailbox::MailboxError;
use crate::run::StudyError;
use crate::wire::KeyError;
use discretion::joint::JointError;
use std::fmt::Display;

/// Why a party stops before there is a model. It is made from other errors, by `From`.
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
    fn new(error: impl Display, is_bad_input: bool) -> Stop {
        if is_bad_input { Stop::BadInput(error.to_string()) } else { Stop::Refused(error.to_string()) }
    }

    /// The same, with something more to know about it.
    pub fn and(self, note: impl Display) -> Stop {
        match self {
            Stop::Refused(message) => Stop::Refused(format!("{message}; {note}")),
            Stop::BadInput(message) => Stop::BadInput(format!("{message}; {note}")),
        }
    }
}

impl From<RoundError> for Stop {
    fn from(error: RoundError) -> Stop {
        Stop::new(error, false)
    }
}

impl From<JointError> for Stop {
    fn from(error: JointError) -> Stop {
        Stop::new(error, false)
    }
}

impl From<discretion_ledger::Error> for Stop {
    fn from(error: discretion_ledger::Error) -> Stop {
        Stop::new(&error, !error.is_refusal())
    }
}

impl From<KeyError> for Stop {
    fn from(error: KeyError) -> Stop {
        Stop::new(&error, error.is_bad_input())
    }
}

impl From<MailboxError> for Stop {
    fn from(error: MailboxError) -> Stop {
        Stop::new(&error, error.is_bad_input())
    }
}

impl From<StudyError> for Stop {
    fn from(error: StudyError) -> Stop {
        Stop::new(&error, error.is_bad_input())
    }
}
