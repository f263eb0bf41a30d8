//! What SQLite and the system say, in our words.

use crate::error::{Error, FileError};
use crate::name::Inode;
use rusqlite::ErrorCode;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Turns SQLite's errors into ours, for one file.
#[derive(Clone, Debug)]
pub(crate) struct Explain {
    pub(crate) path: PathBuf,
    pub(crate) wait: Duration,
    /// What the path led to when the file was opened to write.
    inode: Option<Inode>,
}

impl Explain {
    /// For a file that is not written.
    pub(crate) fn to_look(path: &Path, wait: Duration) -> Explain {
        Explain { path: path.to_owned(), wait, inode: None }
    }

    /// For a file that is there, and is written.
    pub(crate) fn to_write(path: &Path, wait: Duration) -> Result<Explain, Error> {
        let mut explain = Explain::to_look(path, wait);
        let found =
            fs::metadata(path).and_then(|metadata| Ok((metadata.is_file(), Inode::at(path)?)));
        match found {
            Ok((true, inode)) => explain.inode = Some(inode),
            Ok((false, _)) => {
                return Err(Error::File(FileError::NotALedger { path: explain.shown() }));
            }
            Err(error) => {
                return Err(Error::File(FileError::Directory {
                    path: explain.shown(),
                    detail: error.to_string(),
                }));
            }
        }
        Ok(explain)
    }

    /// Whether there is a file that is written.
    pub(crate) fn is_on_disk(&self) -> bool {
        self.inode.is_some()
    }

    /// Refuses to write by a name that does not lead to the file that was opened, or is not its
    /// only one.
    pub(crate) fn check_name(&self) -> Result<(), Error> {
        self.inode.map_or(Ok(()), |inode| inode.check(&self.path, &self.shown()))
    }

    /// Why the file could not be opened at all.
    pub(crate) fn opening(&self, error: rusqlite::Error) -> Error {
        if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) {
            match fs::File::open(&self.path) {
                Err(said) => {
                    return Error::File(FileError::Unreadable {
                        path: self.shown(),
                        detail: said.to_string(),
                    });
                }
                // Never closed: that would undo the locks of this process's other connections to
                // the file.
                Ok(file) => std::mem::forget(file),
            }
        }
        self.sqlite(error)
    }

    pub(crate) fn shown(&self) -> String {
        self.path.display().to_string()
    }

    pub(crate) fn corrupted(&self, detail: impl Into<String>) -> Error {
        Error::File(FileError::Corrupted { path: self.shown(), detail: detail.into() })
    }

    pub(crate) fn sqlite(&self, error: rusqlite::Error) -> Error {
        let path = self.shown();
        let Some(code) = error.sqlite_error_code() else {
            // What is not SQLite's own is a value of the wrong type in a row.
            return Error::File(FileError::Corrupted { path, detail: error.to_string() });
        };
        match code {
            ErrorCode::ReadOnly
                if error.sqlite_error().is_some_and(|error| error.extended_code == MOVED) =>
            {
                Error::File(FileError::Moved { path })
            }
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                Error::File(FileError::ReadOnly { path })
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                let holders = crate::holder::lock_holders(&self.path);
                Error::File(FileError::Locked { path, waited: self.wait, holders })
            }
            ErrorCode::DiskFull => Error::File(FileError::DiskFull { path }),
            ErrorCode::NotADatabase if !has_sqlite_header(&self.path) => {
                Error::File(FileError::NotALedger { path })
            }
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                Error::File(FileError::Corrupted { path, detail: error.to_string() })
            }
            // SQLite does not hand on what the system said; the same attempt beside the ledger
            // does.
            ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => match write_beside(&self.path) {
                Err(said) => match said.kind() {
                    ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                        Error::File(FileError::DiskFull { path })
                    }
                    ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                        Error::File(FileError::ReadOnly { path })
                    }
                    _ => Error::File(FileError::Storage { path, detail: said.to_string() }),
                },
                Ok(()) => Error::File(FileError::Storage { path, detail: error.to_string() }),
            },
            _ => Error::File(FileError::Storage { path, detail: error.to_string() }),
        }
    }
}

/// SQLite's code for a file whose name leads elsewhere: SQLITE_READONLY_DBMOVED.
const MOVED: i32 = 8 | 4 << 8;

/// Writes a page to a file of its own beside `path`, as SQLite does with its journal, and removes
/// it.
fn write_beside(path: &Path) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("-attempt-{}", std::process::id()));
    let mut file = discretion_disk::owner_only().create_new(true).open(&name)?;
    let written = file.write_all(&[0; 4096]).and_then(|()| file.sync_all());
    fs::remove_file(&name).and(written)
}

/// Whether a file that SQLite cannot read once was one of its own. It is none that anyone can have
/// locked.
fn has_sqlite_header(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 16];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"SQLite format 3\0"
}
