//! SQLite files for what must not be forgotten: readable by their owner alone, and a commit is on the disk when it returns.
//! The ledger is one, and so is what a service keeps beside it.

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Options for a file that its owner alone may read, to write to.
pub fn owner_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes the file and its directory, if they are not there.
pub fn create_file(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory)?;
    }
    match owner_only().create_new(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// What a file says that it is: SQLite's application id, the number of its format, and how many tables and the like it has.
pub fn identify(connection: &Connection) -> rusqlite::Result<(i64, i64, i64)> {
    // One statement sees one moment. Three would see a file half made, if another process is making it.
    let sql = "SELECT application_id, user_version, (SELECT COUNT(*) FROM sqlite_schema)
               FROM pragma_application_id, pragma_user_version";
    connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

/// Settings of a connection, which waits for others for at most `wait`. They do not change the file.
pub fn configure(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(wait)?;
    // A commit returns only when its bytes are on the disk; on macOS that takes fullfsync too.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "fullfsync", true)?;
    // REPLACE deletes rows silently unless triggers may recurse.
    connection.pragma_update(None, "recursive_triggers", true)?;
    // Functions named in a file from elsewhere are not run.
    connection.pragma_update(None, "trusted_schema", false)
}

/// Why there is no write-ahead log.
pub enum NoLog {
    /// The file system cannot have one.
    FileSystem {
        /// The journal mode that is in force.
        mode: String,
    },
    /// What SQLite said.
    Sqlite(rusqlite::Error),
}

impl NoLog {
    /// What to do about a file system that cannot have one.
    pub fn advice(mode: &str) -> String {
        format!("its file system has no write-ahead log (journal mode {mode}); use a local disk")
    }
}

/// Switches to a write-ahead log. SQLite does not wait for others here, so this does.
pub fn use_write_ahead_log(connection: &Connection, wait: Duration) -> Result<(), NoLog> {
    let deadline = Instant::now() + wait;
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        let busy = |error: &rusqlite::Error| {
            let code = error.sqlite_error_code();
            matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
        };
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => return Err(NoLog::FileSystem { mode }),
            Err(error) if busy(&error) && Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(5))
            }
            Err(error) => return Err(NoLog::Sqlite(error)),
        }
    }
}

/// Begins to write: from here to the end of the transaction no one else does.
pub fn begin(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}
