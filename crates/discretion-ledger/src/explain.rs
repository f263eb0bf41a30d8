//! What SQLite and the system say, in our words.

use crate::error::{Error, FileError};
use crate::journal;
use crate::raw::Inode;
use discretion_disk::files::{self, Readers};
use discretion_disk::{sqlite, temporary};
use rusqlite::ErrorCode;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Turns SQLite's errors into ours, for one file.
#[derive(Clone, Debug)]
pub(crate) struct Explain {
    /// As it was named: for messages.
    pub(crate) named: PathBuf,
    /// That name from the root of the file system, so that it leads to the same file from whichever
    /// folder.
    path: PathBuf,
    /// Where it led to, without links: the file that SQLite opens, and what is beside it.
    pub(crate) file: PathBuf,
    pub(crate) wait: Duration,
    /// What the path led to when the file was opened to write.
    inode: Option<Inode>,
}

impl Explain {
    /// For a ledger that has no file.
    pub(crate) fn in_memory(wait: Duration) -> Explain {
        let named = PathBuf::from("(in memory)");
        Explain { path: named.clone(), file: named.clone(), named, wait, inode: None }
    }

    /// For a file that is not written.
    pub(crate) fn to_look(named: &Path, wait: Duration) -> Result<Explain, Error> {
        check_ordinary(named)?;
        let path = std::path::absolute(named).map_err(|error| directory(named, &error))?;
        let file = path.canonicalize().unwrap_or_else(|_| path.clone());
        Ok(Explain { named: named.to_owned(), path, file, wait, inode: None })
    }

    /// For a file that is there, and is written.
    pub(crate) fn to_write(named: &Path, wait: Duration) -> Result<Explain, Error> {
        let explain = Explain::to_look(named, wait)?;
        let found = fs::metadata(&explain.path)
            .and_then(|metadata| Ok((metadata.is_file(), Inode::at(&explain.path)?)));
        match found {
            Ok((true, inode)) => Ok(Explain { inode: Some(inode), ..explain }),
            Ok((false, _)) => Err(Error::File(FileError::NotALedger { path: explain.shown() })),
            Err(error) => Err(directory(named, &error)),
        }
    }

    /// For a copy of the file, which messages do not speak of.
    pub(crate) fn copied_to(&self, file: &Path) -> Explain {
        Explain { file: file.to_owned(), inode: None, ..self.clone() }
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

    /// Refuses to go on if something is beside the file that does not belong to it: SQLite brings it
    /// in when the file is next read.
    pub(crate) fn check_beside(&self) -> Result<(), Error> {
        if !self.is_on_disk() || !journal::is_there(&self.file) {
            return Ok(());
        }
        // What is beside a name is of the file that has it now.
        self.check_name()?;
        journal::restored(self).map(drop)
    }

    /// Why the file could not be opened at all.
    pub(crate) fn opening(&self, error: rusqlite::Error) -> Error {
        if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) {
            match fs::File::open(&self.file) {
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
        self.named.display().to_string()
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
            ErrorCode::ReadOnly if sqlite::is_broken_off(&error) => {
                Error::File(FileError::BrokenOff { path })
            }
            ErrorCode::ReadOnly
                if error.sqlite_error().is_some_and(|error| error.extended_code == MOVED) =>
            {
                Error::File(FileError::Moved { path })
            }
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                Error::File(FileError::ReadOnly { path })
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                let holders = crate::holder::lock_holders(&self.file);
                Error::File(FileError::Locked { path, waited: self.wait, holders })
            }
            ErrorCode::DiskFull => Error::File(FileError::DiskFull { path }),
            ErrorCode::NotADatabase if !has_sqlite_header(&self.file) => {
                Error::File(FileError::NotALedger { path })
            }
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                Error::File(FileError::Corrupted { path, detail: error.to_string() })
            }
            // SQLite does not hand on what the system said; the same attempt beside the ledger
            // does.
            ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => match write_beside(&self.file) {
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
    let mut file = temporary::file(files::parent(path), Readers::Owner)?;
    file.write_all(&[0; 4096]).and_then(|()| file.as_file().sync_all())
}

/// Refuses a name by which SQLite, or a person who knows it, means something else than an ordinary
/// file.
pub(crate) fn check_ordinary(named: &Path) -> Result<(), Error> {
    let text = named.to_string_lossy();
    let is_address = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    match text.is_empty() || is_address || text == ":memory:" {
        true => Err(Error::File(FileError::NoFileName { path: text.into_owned() })),
        false => Ok(()),
    }
}

fn directory(named: &Path, error: &io::Error) -> Error {
    let (path, detail) = (named.display().to_string(), error.to_string());
    Error::File(FileError::Directory { path, detail })
}

/// Whether a file that SQLite cannot read once was one of its own. It is none that anyone can have
/// locked.
fn has_sqlite_header(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 16];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"SQLite format 3\0"
}
