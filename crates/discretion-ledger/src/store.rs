//! The SQLite file: how it is made, recognised and opened.

use crate::error::{Error, FileError};
use crate::explain::{Explain, check_ordinary};
use crate::{journal, seal, upgrade};
use discretion_disk::files::Readers;
use discretion_disk::{sqlite, temporary};
use discretion_privacy::noise::random_word;
use rusqlite::{Connection, Transaction};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

/// "disc" in ASCII, in SQLite's application id.
const APPLICATION_ID: i64 = 0x6469_7363;

/// The format that this program writes. Another table or another hash raises it.
pub(crate) const FORMAT: i64 = 4;

/// The format from which on there are sessions.
const SESSIONS: i64 = 2;

/// The format from which on sessions and answers have hashes.
const CHAINS: i64 = 3;

/// The format from which on a ledger has a number of its own in its first page, by which a journal
/// is known to be its own: SQLite's schema version, drawn at random. It changes only with the
/// tables, and every commit writes the first page and journals what was there.
pub(crate) const IDENTITY: i64 = 4;

/// Makes the file and its directory, if they are not there. Its owner alone may read it, because it
/// holds a secret. It appears whole, so that no journal can empty it.
pub(crate) fn create_file(named: &Path) -> Result<(), Error> {
    check_ordinary(named)?;
    let failed = |error: io::Error| {
        let (path, detail) = (named.display().to_string(), error.to_string());
        Error::File(match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FileError::DiskFull { path },
            _ => FileError::Directory { path, detail },
        })
    };
    let path = std::path::absolute(named).map_err(failed)?;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(failed)?;
    // A link that leads nowhere is there too, and is refused when it is opened.
    if std::fs::symlink_metadata(&path).is_ok() {
        temporary::sweep(folder);
        return Ok(());
    }
    let file = folder.canonicalize().map_err(failed)?.join(name);
    journal::check_nothing(&file, &named.display().to_string())?;
    let bytes = new_file()?;
    let write = || -> io::Result<()> {
        let mut draft = temporary::file(folder, Readers::Owner)?;
        draft.write_all(&bytes)?;
        draft.as_file().sync_all()?;
        match draft.persist_noclobber(&path) {
            Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
            // Another process was first.
            _ => Ok(()),
        }
    };
    write().map_err(failed)?;
    // The name is durable too once its folder is; some systems cannot sync a folder.
    let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// The bytes of a ledger without accounts.
fn new_file() -> Result<Vec<u8>, Error> {
    let explain = Explain::in_memory(Duration::ZERO);
    let mut connection = Connection::open_in_memory().map_err(|error| explain.sqlite(error))?;
    crate::fault::limit_pages(&connection).map_err(|error| explain.sqlite(error))?;
    bring_up_to_date(&connection, &explain)?;
    let mut bytes = connection.serialize("main").map_err(|error| explain.sqlite(error))?.to_vec();
    // How often it was changed, from some number on: that of another ledger is not near it.
    let changes = (random_word()? as u32).to_be_bytes();
    bytes[24..28].copy_from_slice(&changes);
    bytes[92..96].copy_from_slice(&changes);
    Ok(bytes)
}

/// Opens a file that exists.
pub(crate) fn connect(explain: &Explain) -> Result<Connection, Error> {
    sqlite::connect(&explain.file).map_err(|error| explain.opening(error))
}

/// Opens a file that exists to look at it: a commit that was broken off is not undone.
pub(crate) fn look(explain: &Explain) -> Result<Connection, Error> {
    let looking = sqlite::look(&explain.file).map_err(|error| explain.opening(error))?;
    looking.busy_timeout(explain.wait).map_err(|error| explain.sqlite(error))?;
    Ok(looking)
}

/// Whether a file has a write-ahead log, as those of earlier programs.
pub(crate) fn has_log(connection: &Connection, explain: &Explain) -> Result<bool, Error> {
    let mode: rusqlite::Result<String> =
        connection.query_row("PRAGMA journal_mode", [], |row| row.get(0));
    Ok(mode.map_err(|error| explain.sqlite(error))? == "wal")
}

/// Opens a file that nobody can write, as on a read-only disk, without locks. Nothing may be beside
/// it: what a log holds would not be seen, and what a journal could undo would be.
pub(crate) fn connect_immutable(explain: &Explain) -> Option<Connection> {
    match journal::is_there(&explain.file) {
        true => None,
        false => sqlite::look_immutable(&explain.file).ok(),
    }
}

/// What a file is, before anything in it is touched.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Found {
    Nothing,
    /// A ledger of this format or, from an older program, of an earlier one.
    Ledger {
        format: usize,
    },
}

impl Found {
    /// The format, 0 if there is nothing.
    pub(crate) fn format(self) -> usize {
        match self {
            Found::Nothing => 0,
            Found::Ledger { format } => format,
        }
    }
}

/// Recognises the file, or refuses it.
pub(crate) fn recognise(connection: &Connection, explain: &Explain) -> Result<Found, Error> {
    match sqlite::identify(connection).map_err(|error| explain.sqlite(error))? {
        (0, 0, 0) => Ok(Found::Nothing),
        (APPLICATION_ID, found @ 1..=FORMAT, _) => Ok(Found::Ledger { format: found as usize }),
        (APPLICATION_ID, found, _) if found > FORMAT => {
            Err(Error::File(FileError::Newer { path: explain.shown(), found, known: FORMAT }))
        }
        (APPLICATION_ID, found, _) => {
            Err(explain.corrupted(format!("its format number is {found}")))
        }
        _ => Err(Error::File(FileError::NotALedger { path: explain.shown() })),
    }
}

/// Settings of a connection. They do not change the file.
pub(crate) fn configure(connection: &Connection, explain: &Explain) -> Result<(), Error> {
    sqlite::configure(connection, explain.wait).map_err(|error| explain.sqlite(error))?;
    crate::fault::limit_pages(connection).map_err(|error| explain.sqlite(error))
}

/// Lets every commit end in the file itself.
pub(crate) fn keep_one_file(
    connection: Connection,
    explain: &Explain,
) -> Result<Connection, Error> {
    let connection = sqlite::keep_one_file(connection, &explain.file, explain.wait)
        .map_err(|error| explain.sqlite(error))?;
    configure(&connection, explain)?;
    Ok(connection)
}

/// Makes the tables and triggers of formats `from` + 1 to `to`. What one format adds, or changes,
/// follows the one before.
pub(crate) fn make_tables(
    connection: &Connection,
    explain: &Explain,
    from: usize,
    to: usize,
) -> Result<(), Error> {
    let execute = |sql| connection.execute_batch(sql).map_err(|error| explain.sqlite(error));
    for format in from + 1..=to {
        match format {
            1 => execute(include_str!("schema.sql"))?,
            2 => execute(include_str!("sessions.sql"))?,
            3 => {
                execute(include_str!("chains.sql"))?;
                seal::carry_over(connection, explain)?;
                execute(include_str!("chains_end.sql"))?;
            }
            _ => execute(include_str!("jobs.sql"))?,
        }
    }
    Ok(())
}

/// Brings the file to this program's format, unless another process did so first: makes the tables
/// that it lacks and, in a new file, draws the secret. A crash leaves what was there before.
pub(crate) fn bring_up_to_date(connection: &Connection, explain: &Explain) -> Result<(), Error> {
    let sqlite = |error| explain.sqlite(error);
    let transaction = begin(connection, explain)?;
    let from = recognise(connection, explain)?.format();
    make_tables(&transaction, explain, from, FORMAT as usize)?;
    if from == 0 {
        let mut secret = [0; 32];
        for word in secret.chunks_exact_mut(8) {
            word.copy_from_slice(&random_word()?.to_le_bytes());
        }
        transaction
            .execute("INSERT INTO secrets (name, value) VALUES ('fingerprint', ?1)", [secret])
            .map_err(sqlite)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(sqlite)?;
    } else {
        upgrade::accounts(&transaction, explain, &secret(connection, explain)?, from)?;
    }
    let identity = random_word()? as i32;
    transaction.pragma_update(None, "schema_version", identity).map_err(sqlite)?;
    transaction.pragma_update(None, "user_version", FORMAT).map_err(sqlite)?;
    transaction.commit().map_err(sqlite)
}

/// Whether the file has the tables of sessions: one that is only looked at may be of an older
/// format.
pub(crate) fn has_sessions(connection: &Connection, explain: &Explain) -> Result<bool, Error> {
    Ok(format(connection, explain)? >= SESSIONS)
}

/// Whether they have hashes.
pub(crate) fn has_chains(connection: &Connection, explain: &Explain) -> Result<bool, Error> {
    Ok(format(connection, explain)? >= CHAINS)
}

/// Asked each time: another process may bring the file up to date while this one has it open.
fn format(connection: &Connection, explain: &Explain) -> Result<i64, Error> {
    connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|error| explain.sqlite(error))
}

/// Begins to write: from here to the end of the transaction no one else does, by whichever name.
/// What is written goes to the file that the ledger's name leads to.
pub(crate) fn begin<'a>(
    connection: &'a Connection,
    explain: &Explain,
) -> Result<Transaction<'a>, Error> {
    explain.check_beside()?;
    let transaction =
        sqlite::begin(connection, explain.wait).map_err(|error| explain.sqlite(error))?;
    explain.check_name()?;
    // A later program may have brought it to its format since this one opened it.
    match format(connection, explain)? {
        found if found > FORMAT => {
            Err(Error::File(FileError::Newer { path: explain.shown(), found, known: FORMAT }))
        }
        _ => Ok(transaction),
    }
}

/// The key of fingerprints.
pub(crate) fn secret(connection: &Connection, explain: &Explain) -> Result<[u8; 32], Error> {
    connection
        .query_row("SELECT value FROM secrets WHERE name = 'fingerprint'", [], |row| row.get(0))
        .map_err(|error| explain.sqlite(error))
}
