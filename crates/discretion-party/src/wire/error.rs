//! What can be wrong with a key.

use super::PublicKey;

/// A key that cannot be made or used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No bytes from the operating system.
    #[error("the operating system gives no random bytes")]
    NoRandomBytes,
    /// No fresh keys for a greeting.
    #[error("the operating system gives no random keys")]
    NoRandomKeys,
    /// Random bytes that are no key.
    #[error("no key could be made")]
    NotMade,
    /// A key file that is none, or cannot be read or made.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// A key that is no member's.
    #[error(
        "nobody in [party.holders] has this key, which is {0}; write it there, or use another key file"
    )]
    NotAMember(PublicKey),
    /// A key that is not the coordinator's.
    #[error("the study's coordinator has another key than this one, which is {0}")]
    NotTheCoordinator(PublicKey),
}

impl KeyError {
    /// Whether a file or an argument has to be repaired.
    pub(crate) fn is_bad_input(&self) -> bool {
        matches!(
            self,
            KeyError::File { .. } | KeyError::NotAMember(_) | KeyError::NotTheCoordinator(_)
        )
    }
}
