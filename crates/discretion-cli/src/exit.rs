//! How a run can end, and the exit code for it.
//!
//! 0 done; 1 refused, or the machine failed; 2 bad input or usage (clap uses 2 as well); 3 any failure after this run charged its
//! account. A bug panics, with code 101: see [`bug`](crate::bug).

pub use discretion_publish::reason;
use discretion_table::Error as TableError;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum Failure {
    /// The request is understood and will not be done, or the machine cannot do it.
    Refused(String),
    /// A file or an argument has to be repaired.
    BadInput(String),
    /// A fault of this program that a panic in another thread has told of already.
    Fault(String),
    /// The reader of our standard output went away, as `head` does. Nobody is left to tell.
    ClosedPipe,
}

impl Failure {
    /// Something wrong with a file as a whole.
    pub fn bad_file(path: &Path, sentence: impl Display) -> Failure {
        Failure::BadInput(format!("{}: {sentence}", path.display()))
    }

    /// The same failure, with something more to know about it.
    pub fn and(self, note: impl Display) -> Failure {
        match self {
            Failure::Refused(message) => Failure::Refused(format!("{message}; {note}")),
            Failure::BadInput(message) => Failure::BadInput(format!("{message}; {note}")),
            Failure::Fault(message) => Failure::Fault(format!("{message}; {note}")),
            Failure::ClosedPipe => Failure::ClosedPipe,
        }
    }

    /// A file could not be written although that was checked before.
    pub fn write(path: &Path, error: &io::Error) -> Failure {
        discretion_publish::Error::write(path, error).into()
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Failure {
        Failure::BadInput(error.to_string())
    }
}

impl From<discretion_publish::Error> for Failure {
    fn from(error: discretion_publish::Error) -> Failure {
        match error {
            discretion_publish::Error::Refused(message) => Failure::Refused(message),
            discretion_publish::Error::BadInput(message) => Failure::BadInput(message),
        }
    }
}

/// Tells the user, on standard error, and gives the exit code.
pub fn code(result: Result<(), Failure>) -> ExitCode {
    let (message, code) = match result {
        Ok(()) | Err(Failure::ClosedPipe) => return ExitCode::SUCCESS,
        Err(Failure::Fault(message)) => (message, 101),
        // Whatever it was, whoever runs this again may pay again.
        Err(Failure::Refused(message) | Failure::BadInput(message)) if discretion_ledger::has_charged() => {
            (message, 3)
        }
        Err(Failure::Refused(message)) => (message, 1),
        Err(Failure::BadInput(message)) => (message, 2),
    };
    if crate::bug::is_serving() {
        discretion_serve::error(&message);
    } else {
        eprintln!("error: {message}");
    }
    ExitCode::from(code)
}
