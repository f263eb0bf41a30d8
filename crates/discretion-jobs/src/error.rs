//! Why something was not done.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// Why something was not done, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The request is understood and will not be done, or the machine cannot do it.
    #[error("{0}")]
    Refused(String),
    /// A file or an argument has to be repaired.
    #[error("{0}")]
    BadInput(String),
}

impl Error {
    /// Something wrong with a file as a whole.
    pub(crate) fn bad_file(path: &Path, sentence: impl Display) -> Error {
        Error::BadInput(format!("{}: {sentence}", path.display()))
    }

    /// A file could not be written although that was checked before: a full disk, a lost mount.
    pub fn write(path: &Path, error: &io::Error) -> Error {
        Error::Refused(format!(
            "{}: this file could not be written ({}); no part of it was kept",
            path.display(),
            reason(error)
        ))
    }

    /// The same error, with something more to know about it.
    pub fn and(self, note: impl Display) -> Error {
        match self {
            Error::Refused(message) => Error::Refused(format!("{message}; {note}")),
            Error::BadInput(message) => Error::BadInput(format!("{message}; {note}")),
        }
    }
}

impl From<discretion_ledger::Error> for Error {
    fn from(error: discretion_ledger::Error) -> Error {
        match error.is_refusal() {
            true => Error::Refused(error.to_string()),
            false => Error::BadInput(error.to_string()),
        }
    }
}

impl From<discretion_table::Error> for Error {
    fn from(error: discretion_table::Error) -> Error {
        Error::BadInput(error.to_string())
    }
}

/// What went wrong with a file, in a few words: the library's own text may name our temporary file.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    }
}
