//! Why messages do not travel.

use crate::wire::{KeyError, PublicKey};
use discretion_http::ListenError;

/// Why messages do not travel, or no more of them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MailboxError {
    /// A key that cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Mailboxes that cannot be served here.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// What the operating system does not give.
    #[error("{0}")]
    System(String),
    /// An address of another kind.
    #[error("{0}: a coordinator's address begins with http:// or https://")]
    NotHttp(String),
    /// An address that is none.
    #[error("{url}: this is no address ({problem})")]
    Address {
        /// The address.
        url: String,
        /// What is wrong.
        problem: String,
    },
    /// An authority's certificate that is none.
    #[error("{path}: this is no PEM certificate ({problem})")]
    Certificate {
        /// The file.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// TLS that fails.
    #[error("{url}: no secure connection ({problem})")]
    Tls {
        /// The coordinator.
        url: String,
        /// What is wrong.
        problem: String,
    },
    /// A certificate that TLS refuses.
    #[error(
        "{url}: no secure connection ({problem}); --ca FILE names the authority of a certificate of your own"
    )]
    Untrusted {
        /// The coordinator.
        url: String,
        /// What is wrong.
        problem: String,
    },
    /// A request that is not the coordinator's business.
    #[error(
        "{url} refuses what was sent ({status}): it is not the coordinator of this attempt, or the message was changed, repeated or \
         reordered on its way"
    )]
    RequestRefused {
        /// Where it was sent.
        url: String,
        /// What HTTP says.
        status: String,
    },
    /// A coordinator that says nothing.
    #[error("the coordinator at {url} has not answered for {seconds} seconds ({problem})")]
    Silent {
        /// The coordinator.
        url: String,
        /// For so long.
        seconds: f64,
        /// What the last request met.
        problem: String,
    },
    /// A request that nobody waits for.
    #[error("it is not needed any more")]
    NotNeeded,
    /// A response that the coordinator did not sign.
    #[error(
        "whoever answers at {url} does not have the key that the study names for its coordinator, {key}"
    )]
    Impostor {
        /// Who answers.
        url: String,
        /// The coordinator's key.
        key: PublicKey,
    },
    /// Clocks that differ too much.
    #[error("the coordinator's clock is {0} this machine's; set the wrong one right")]
    Clock(String),
    /// The coordinator does not let this member in, or the study was given up: why.
    #[error("{0}")]
    GivenUp(String),
    /// A list of greetings that is not accepted.
    #[error("{0}")]
    Roster(String),
    /// A response that is not as the coordinator made it.
    #[error("the coordinator's answer {0}")]
    Response(&'static str),
    /// A message that is not as its author made it, or not the one that comes next.
    #[error("a message of {from} {problem}")]
    Message {
        /// Its author.
        from: String,
        /// What is wrong.
        problem: String,
    },
}

impl MailboxError {
    /// Whether a file or an argument has to be repaired.
    pub(crate) fn is_bad_input(&self) -> bool {
        match self {
            MailboxError::Key(error) => error.is_bad_input(),
            MailboxError::Listen(error) => matches!(error, ListenError::Pem { .. }),
            MailboxError::NotHttp(_)
            | MailboxError::Address { .. }
            | MailboxError::Certificate { .. } => true,
            _ => false,
        }
    }
}
