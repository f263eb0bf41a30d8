//! SQLite files. Those that must not be forgotten are readable by their owner alone, and a commit is
//! in the file and on the disk when it returns: the ledger is one, and so is what a service keeps
//! beside it. Tables of others are only read.
//!
//! Nothing else opens a file with SQLite. What is opened is an ordinary file at an absolute path
//! without links, so that no name means anything else: SQLite as it is built here reads `:memory:`
//! and whatever begins with `file:` as something other than a file's name.

use crate::files::NOT_ORDINARY;
use crate::owner_only;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, ffi};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Held while a file is made or opened. The system forgets every lock that a process has on a file
/// as soon as the process closes any descriptor of it, so none may be closed here after SQLite has
/// opened one there.
static OPENING: Mutex<()> = Mutex::new(());

/// Makes the file and its directory, if they are not there.
pub fn create_file(path: &Path) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    match owner_only().create_new(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Opens a file that exists, to write to it if that is allowed.
pub fn connect(path: &Path) -> rusqlite::Result<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// Opens a file that exists to read it. A commit that was broken off is not undone in the file:
/// reading it is then [`is_broken_off`].
pub fn look(path: &Path) -> rusqlite::Result<Connection> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// Opens a file that nobody can write, as on a read-only disk, without locks and without a look
/// beside it.
pub fn look_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let file = ordinary(path)?;
    let name = file.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(file.clone()))?;
    let escaped = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)
}

/// The one way to a file by its name.
fn open(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = ordinary(path)?;
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(&file, flags)?;
    // What SQLite says that it opened. It says nothing of a name that is not UTF-8.
    match (connection.path(), file.to_str()) {
        (Some(opened), Some(file)) if opened != file => {
            Err(cannot_open(format!("SQLite opened {opened:?} in place of {file:?}")))
        }
        _ => Ok(connection),
    }
}

/// The absolute path, without links, of an ordinary file that exists.
fn ordinary(path: &Path) -> rusqlite::Result<PathBuf> {
    let found = path.canonicalize().and_then(|file| Ok((fs::metadata(&file)?.is_file(), file)));
    match found {
        Ok((true, file)) => Ok(file),
        Ok((false, _)) => Err(cannot_open(NOT_ORDINARY.to_owned())),
        Err(error) => Err(cannot_open(error.to_string())),
    }
}

fn cannot_open(detail: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CANTOPEN), Some(detail))
}

/// Whether a file that is only read has a commit beside it that was broken off.
pub fn is_broken_off(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_READONLY_ROLLBACK)
}

/// What a file says that it is: SQLite's application id, the number of its format, and how many
/// tables and the like it has.
pub fn identify(connection: &Connection) -> rusqlite::Result<(i64, i64, i64)> {
    // One statement sees one moment. Three would see a file half made, if another process is making
    // it.
    let sql = "SELECT application_id, user_version, (SELECT COUNT(*) FROM sqlite_schema)
               FROM pragma_application_id, pragma_user_version";
    connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

/// Settings of a connection, which waits for others for at most `wait`. They do not change the
/// file.
pub fn configure(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(wait)?;
    // A commit returns only when its bytes are on the disk, and so is the end of the journal that
    // could undo them; on macOS that takes fullfsync too.
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    connection.pragma_update(None, "fullfsync", true)?;
    // REPLACE deletes rows silently unless triggers may recurse.
    connection.pragma_update(None, "recursive_triggers", true)?;
    // Functions named in a file from elsewhere are not run.
    connection.pragma_update(None, "trusted_schema", false)
}

/// Lets every commit end in the file itself, and nothing stay beside it. Files of earlier programs
/// have a write-ahead log, which is brought in and removed. SQLite does not wait for others here,
/// so this does: with such a log every connection keeps the others from leaving it, and this one is
/// closed and opened anew between attempts.
pub fn keep_one_file(
    mut connection: Connection,
    path: &Path,
    wait: Duration,
) -> rusqlite::Result<Connection> {
    let deadline = Instant::now() + wait;
    loop {
        match leave_log(&connection) {
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                drop(connection);
                thread::sleep(not_in_step());
                connection = connect(path)?;
                configure(&connection, wait)?;
            }
            left => return left.map(|()| connection),
        }
    }
}

fn leave_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
}

/// Some milliseconds, others for everybody who waits.
fn not_in_step() -> Duration {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.subsec_nanos());
    Duration::from_micros(1_000 + u64::from(nanos / 64 % 16_000))
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Begins to write: from here to the end of the transaction no one else does, and its commit ends
/// in the file itself.
pub fn begin(connection: &Connection, wait: Duration) -> rusqlite::Result<Transaction<'_>> {
    let deadline = Instant::now() + wait;
    loop {
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        let mode: String = transaction.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        if mode != "wal" {
            return Ok(transaction);
        }
        drop(transaction);
        // An earlier program, or a person with `sqlite3`, turned the log on again.
        match leave_log(connection) {
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                thread::sleep(not_in_step())
            }
            left => left?,
        }
    }
}
