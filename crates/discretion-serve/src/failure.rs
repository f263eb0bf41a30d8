//! Why a service does not run.

/// Why a service does not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Understood, and will not be done; or the machine cannot do it.
    #[error("{0}")]
    Refused(String),
    /// A file or an argument has to be repaired.
    #[error("{0}")]
    BadInput(String),
    /// A fault of this program. What has left is in the ledger.
    #[error("{0}")]
    Fault(String),
}

impl From<discretion_publish::Error> for Failure {
    fn from(error: discretion_publish::Error) -> Failure {
        match error {
            discretion_publish::Error::Refused(message) => Failure::Refused(message),
            discretion_publish::Error::BadInput(message) => Failure::BadInput(message),
        }
    }
}

impl From<discretion_ledger::Error> for Failure {
    fn from(error: discretion_ledger::Error) -> Failure {
        discretion_publish::Error::from(error).into()
    }
}

impl From<discretion_http::ListenError> for Failure {
    fn from(error: discretion_http::ListenError) -> Failure {
        match error {
            discretion_http::ListenError::Pem { .. } => Failure::BadInput(error.to_string()),
            _ => Failure::Refused(error.to_string()),
        }
    }
}
