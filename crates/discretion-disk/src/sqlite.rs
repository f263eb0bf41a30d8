//! SQLite files. Those that must not be forgotten are readable by their owner alone, and a commit is
//! in the file and on the disk when it returns: the ledger is one, and so is what a service keeps
//! beside it. Tables of others are only read.
//!
//! Nothing else opens a file with SQLite. What is opened is an ordinary file at an absolute path
//! without links, so that no name means anything else: SQLite as it is built here reads `:memory:`
//! and whatever begins with `file:` as something other than a file's name.

use crate::files::{self, NOT_ORDINARY};
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

/// The first bytes of a journal, and its last ones if it is a part of a commit to several files,
/// whose names SQLite would follow.
const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Refuses a commit that was broken off in another file and lies beside this one, where SQLite
/// would undo it: what was done since would be gone. Says what is wrong.
///
/// A file's own journal has its first page as it was, with the random number that its maker wrote
/// there as `schema_version`. For that every commit has to write it before any other page:
/// connections that write have `cache_spill` off.
pub fn check_journal(path: &Path) -> Result<(), String> {
    const TRIES: usize = 20;
    let file = ordinary(path).map_err(|error| error.to_string())?;
    let mut checked = check_beside(&file);
    // Another process may be in the middle of a commit, between one look and the other.
    for _ in 1..TRIES {
        if checked.is_ok() {
            break;
        }
        thread::sleep(not_in_step());
        checked = check_beside(&file);
    }
    checked
}

fn check_beside(file: &Path) -> Result<(), String> {
    let read = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        match files::read(Path::new(&name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            found => found.map_err(|error| error.to_string()),
        }
    };
    let (journal, log) = (read("-journal")?, read("-wal")?);
    if !journal.starts_with(&MAGIC) && log.is_empty() {
        return Ok(());
    }
    let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let now = read("")?;
    let is_with_log = now.get(18) == Some(&2);
    let is_own_journal = !journal.starts_with(&MAGIC) || is_journal_of(&journal, &now);
    match is_own_journal && (log.is_empty() || is_with_log) {
        true => Ok(()),
        false => Err("the journal or log beside it is of another file, and would undo what was \
                      done in this one; move that journal or log away"
            .to_owned()),
    }
}

/// Whether a journal undoes the last commit of a file that is so now.
fn is_journal_of(journal: &[u8], now: &[u8]) -> bool {
    let number = |bytes: &[u8], at: usize| {
        let bytes = bytes.get(at..at.saturating_add(4)).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_be_bytes)
    };
    let [pages, before, sector, page] = [8, 16, 20, 24].map(|at| number(journal, at) as usize);
    let changes = number(now, 24);
    if journal.ends_with(&MAGIC) || page == 0 {
        return false;
    }
    let records = journal.get(sector..).unwrap_or_default().chunks_exact(page + 8);
    let first =
        records.take(pages).find(|record| number(record, 0) == 1).map(|record| &record[4..]);
    match first {
        Some(then) => {
            let at = |place: usize| (number(now, place), number(then, place));
            let ((now, then), (format, earlier)) = (at(40), at(60));
            // The commit that gives it its number also gives it another format.
            (now == then || format > earlier) && changes.wrapping_sub(at(24).1) <= 1
        }
        // The commit that made it, or one of which no page is in the file yet.
        None if before == 0 => changes <= 1,
        None => pages == 0 && before * page == now.len(),
    }
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
