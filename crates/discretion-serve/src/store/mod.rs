//! What must outlive the process beside the ledger: tokens and their counts, requests that were
//! answered, and how the session went on. On the disk before a response leaves.

mod responses;
#[cfg(test)]
mod tests;
mod tokens;

use crate::state_files;
use discretion::noise::random_word;
use discretion::{Refusal, RefusalKind};
use discretion_disk::sqlite;
use rusqlite::{Connection, params};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use responses::{KeyStatus, ResponseRecord, WithholdReason};
pub(crate) use tokens::Allowance;

/// "serv" in ASCII, in SQLite's application id.
const APPLICATION_ID: i64 = 0x7365_7276;
/// From format 2 on a store has a random number as `schema_version`, by which a journal of another
/// is told from its own.
const FORMAT: i64 = 2;

/// How long others are waited for.
const WAIT: Duration = Duration::from_secs(10);

/// The state of the services of one account.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// How far a session had come at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// When, in UTC.
    pub at: String,
    /// Queries left.
    pub queries_left: u64,
    /// Unstable answers left.
    pub unstable_left: u64,
}

impl Store {
    /// The state of an account's services: a file beside its ledger, readable by its owner alone.
    pub fn of_account(ledger: &Path, account: &str) -> Result<Store, Refusal> {
        Store::open(&Store::path(ledger, account))
    }

    /// Where that file is.
    pub(crate) fn path(ledger: &Path, account: &str) -> PathBuf {
        state_files::canonical(ledger).with_file_name(state_files::named(&[account], "sqlite"))
    }

    /// The same to look at, if it is there. Changes nothing.
    pub fn peek(ledger: &Path, account: &str) -> Result<Option<Store>, Refusal> {
        let path = Store::path(ledger, account);
        if !path.exists() {
            return Ok(None);
        }
        let connection = sqlite::look(&path).map_err(|error| cannot(&path, &error))?;
        let store = Store { connection, path };
        store.connection.busy_timeout(WAIT).map_err(|error| store.failed(&error))?;
        Ok(store.recognise()?.map(|_| store))
    }

    fn open(path: &Path) -> Result<Store, Refusal> {
        sqlite::create_file(path).map_err(|error| cannot(path, &error))?;
        sqlite::check_journal(path).map_err(|detail| cannot(path, &detail))?;
        let connection = sqlite::connect(path).map_err(|error| cannot(path, &error))?;
        let mut store = Store { connection, path: path.to_owned() };
        sqlite::configure(&store.connection, WAIT).map_err(|error| store.failed(&error))?;
        let found = store.recognise()?;
        store.connection = sqlite::keep_one_file(store.connection, path, WAIT)
            .map_err(|error| cannot(path, &error))?;
        // So that the first page is in every journal.
        let kept = store.connection.pragma_update(None, "cache_spill", false);
        kept.map_err(|error| store.failed(&error))?;
        if found != Some(FORMAT) {
            store.make()?;
        }
        Ok(store)
    }

    /// The format of the tables that are there, before anything is touched. Refuses what is
    /// something else.
    fn recognise(&self) -> Result<Option<i64>, Refusal> {
        match sqlite::identify(&self.connection).map_err(|error| self.failed(&error))? {
            (0, 0, 0) => Ok(None),
            (APPLICATION_ID, found @ 1..=FORMAT, _) => Ok(Some(found)),
            (APPLICATION_ID, found, _) if found > FORMAT => Err(cannot(
                &self.path,
                &format!(
                    "a newer discretion made it, in format {found}; this one knows format {FORMAT}"
                ),
            )),
            _ => Err(cannot(&self.path, &"it is something else; move it away")),
        }
    }

    /// Makes the tables, or what an earlier format lacks, unless another process did so first.
    fn make(&self) -> Result<(), Refusal> {
        let transaction =
            sqlite::begin(&self.connection, WAIT).map_err(|error| self.failed(&error))?;
        let found = self.recognise()?;
        if found == Some(FORMAT) {
            return Ok(());
        }
        let identity =
            random_word().map_err(|error| Refusal::from_error(RefusalKind::Refused, error))? as i32;
        let write = || {
            if found.is_none() {
                transaction.execute_batch(include_str!("store.sql"))?;
            }
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "schema_version", identity)?;
            transaction.pragma_update(None, "user_version", FORMAT)
        };
        write().and_then(|()| transaction.commit()).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &rusqlite::Error) -> Refusal {
        cannot(&self.path, error)
    }

    /// How a session went on, thinned out to at most about `most` moments, the last one among them.
    pub fn progress(&self, charge: u64, most: u64) -> Result<Vec<Progress>, Refusal> {
        let read = || {
            let sql = "SELECT at, queries, unstable FROM progress, (SELECT MAX(number) AS last FROM progress WHERE charge = ?1)
                       WHERE charge = ?1 AND (number % (last / ?2 + 1) = 0 OR number = last) ORDER BY number";
            let mut select = self.connection.prepare_cached(sql)?;
            let moments = select.query_map(params![charge, most.max(1)], |row| {
                Ok(Progress {
                    at: row.get(0)?,
                    queries_left: row.get(1)?,
                    unstable_left: row.get(2)?,
                })
            })?;
            moments.collect::<rusqlite::Result<Vec<Progress>>>()
        };
        read().map_err(|error| self.failed(&error))
    }
}

fn cannot(path: &Path, problem: &dyn std::fmt::Display) -> Refusal {
    Refusal::bad_input(format!(
        "{}: the state of the service cannot be used ({problem})",
        path.display()
    ))
}
