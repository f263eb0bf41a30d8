//! Why a member cannot go on, and what others may know of it.

use super::StudyError;
use crate::RoundError;
use crate::mailbox::MailboxError;
use crate::wire::KeyError;
use discretion::Refusal;

/// Why a member cannot go on.
pub(super) struct Failure {
    /// What its own people are told.
    pub(super) stop: Refusal,
    /// What everybody is told; nothing if it is not this member that failed.
    pub(super) public_reason: Option<String>,
}

impl Failure {
    /// A refusal that everybody may know as this process does.
    pub(super) fn refused(why: String) -> Failure {
        Failure { stop: StudyError::Public(why.clone()).into(), public_reason: Some(why) }
    }
}

impl From<MailboxError> for Failure {
    /// Others failed, or the network.
    fn from(error: MailboxError) -> Failure {
        Failure { stop: error.into(), public_reason: None }
    }
}

impl From<KeyError> for Failure {
    /// The machine failed.
    fn from(error: KeyError) -> Failure {
        Failure { stop: error.into(), public_reason: None }
    }
}

impl From<RoundError> for Failure {
    /// A round is refused for reasons that are in its messages: everybody may know them.
    fn from(error: RoundError) -> Failure {
        Failure { public_reason: Some(error.to_string()), stop: error.into() }
    }
}

/// A holder's message that is not accepted: it is named.
pub(super) fn rejected(name: &str) -> impl Fn(RoundError) -> Failure {
    move |error| {
        let why = match error {
            RoundError::Rejected { .. } => "its proof does not hold".to_owned(),
            other => other.to_string(),
        };
        Failure::refused(format!("the contribution of {name} was rejected: {why}"))
    }
}

/// This member's own failure, of which others are told only this.
pub(super) fn own_failure<E: Into<Refusal>>(public_reason: &str) -> impl Fn(E) -> Failure {
    move |error| Failure { stop: error.into(), public_reason: Some(public_reason.to_owned()) }
}

/// A failure of this member's ledger.
pub(super) fn ledger_failure(error: impl Into<Refusal>) -> Failure {
    own_failure("its ledger cannot be written")(error)
}
