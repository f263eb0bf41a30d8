//! The SQLite file: how it is made, recognised and opened.

use crate::error::{Error, FileError};
use crate::explain::Explain;
use crate::{seal, upgrade};
use discretion_disk::sqlite;
use discretion_privacy::noise::random_word;
use rusqlite::{Connection, OpenFlags, Transaction};
use std::path::Path;

/// "disc" in ASCII, in SQLite's application id.
const APPLICATION_ID: i64 = 0x6469_7363;

/// The format that this program writes. Another table or another hash raises it.
pub(crate) const FORMAT: i64 = 3;

/// The format from which on there are sessions.
const SESSIONS: i64 = 2;

/// The format from which on sessions and answers have hashes.
const CHAINS: i64 = 3;

/// Makes the file and its directory, if they are not there. Its owner alone may read it, because it
/// holds a secret.
pub(crate) fn create_file(path: &Path) -> Result<(), Error> {
    sqlite::create_file(path).map_err(|error| {
        Error::File(FileError::Directory {
            path: path.display().to_string(),
            detail: error.to_string(),
        })
    })
}

/// Opens a file that exists.
pub(crate) fn connect(explain: &Explain) -> Result<Connection, Error> {
    sqlite::connect(&explain.path).map_err(|error| explain.opening(error))
}

/// Opens a file that nobody can write, as on a read-only disk, without locks and without a look
/// beside it. Nothing may be there: what a log holds would not be seen, and what a journal could
/// undo would be.
pub(crate) fn connect_immutable(explain: &Explain) -> Option<Connection> {
    for beside in ["-wal", "-journal"] {
        let mut name = explain.path.as_os_str().to_owned();
        name.push(beside);
        if std::fs::metadata(name).is_ok_and(|metadata| metadata.len() > 0) {
            return None;
        }
    }
    let path = std::path::absolute(&explain.path).ok()?;
    let escaped = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags).ok()
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
    let connection = sqlite::keep_one_file(connection, &explain.path, explain.wait)
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
            _ => {
                execute(include_str!("chains.sql"))?;
                seal::carry_over(connection, explain)?;
                execute(include_str!("chains_end.sql"))?;
            }
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
