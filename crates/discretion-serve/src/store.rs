//! What must outlive the process beside the ledger: tokens and their counts, requests that were answered, and how the
//! session went on. On the disk before a response leaves.

use crate::request_queue::IdempotencyKey;
use crate::state_files;
use crate::tokens::{self, Role, Token};
use discretion::Refusal;
use discretion_disk::sqlite;
use discretion_ledger::utc_now;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Row, params};
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// "serv" in ASCII, in SQLite's application id.
const APPLICATION_ID: i64 = 0x7365_7276;
const FORMAT: i64 = 1;

/// How long others are waited for.
const WAIT: Duration = Duration::from_secs(10);

/// The state of the services of one account.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// A response that is about to leave.
pub(crate) struct ResponseRecord<'a> {
    pub token: i64,
    /// How many queries it answers.
    pub queries: u64,
    pub key: Option<&'a IdempotencyKey>,
    pub response: &'a str,
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

/// What became of an idempotency key.
pub(crate) enum KeyStatus {
    New,
    /// The same request: its response.
    Answered(String),
    /// It came with another body.
    OtherBody,
}

/// What a token may still ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowance {
    Revoked,
    Unlimited,
    Left(u64),
}

/// Why a response that was ready does not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithholdReason {
    Revoked,
    OverLimit(u64),
    KeyUsed,
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
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
            .map_err(|error| cannot(&path, &error))?;
        let store = Store { connection, path };
        store.connection.busy_timeout(WAIT).map_err(|error| store.failed(&error))?;
        Ok(store.recognise()?.then_some(store))
    }

    fn open(path: &Path) -> Result<Store, Refusal> {
        sqlite::create_file(path).map_err(|error| cannot(path, &error))?;
        let connection = sqlite::connect(path).map_err(|error| cannot(path, &error))?;
        let mut store = Store { connection, path: path.to_owned() };
        sqlite::configure(&store.connection, WAIT).map_err(|error| store.failed(&error))?;
        let there = store.recognise()?;
        store.connection =
            sqlite::keep_one_file(store.connection, path, WAIT).map_err(|error| cannot(path, &error))?;
        if !there {
            store.make()?;
        }
        Ok(store)
    }

    /// Whether the tables are there, before anything is touched. Refuses what is something else.
    fn recognise(&self) -> Result<bool, Refusal> {
        match sqlite::identify(&self.connection).map_err(|error| self.failed(&error))? {
            (0, 0, 0) => Ok(false),
            (APPLICATION_ID, FORMAT, _) => Ok(true),
            (APPLICATION_ID, found, _) if found > FORMAT => Err(cannot(
                &self.path,
                &format!("a newer discretion made it, in format {found}; this one knows format {FORMAT}"),
            )),
            _ => Err(cannot(&self.path, &"it is something else; move it away")),
        }
    }

    /// Makes the tables, unless another process did so first.
    fn make(&self) -> Result<(), Refusal> {
        let transaction = sqlite::begin(&self.connection, WAIT).map_err(|error| self.failed(&error))?;
        if self.recognise()? {
            return Ok(());
        }
        let write = || {
            transaction.execute_batch(include_str!("store.sql"))?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", FORMAT)
        };
        write().and_then(|()| transaction.commit()).map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &rusqlite::Error) -> Refusal {
        cannot(&self.path, error)
    }

    /// Makes a token and returns it. It cannot be shown a second time.
    pub fn new_token(&self, name: &str, role: Role, limit: Option<u64>) -> Result<String, Refusal> {
        if !(1..=100).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(Refusal::bad_input(format!(
                "a token is named after its owner in 1 to 100 characters on one line, not {name:?}"
            )));
        }
        let token = tokens::draw().map_err(|error| Refusal::refused(error.to_string()))?;
        let hash = tokens::hash(&token);
        let inserted = self.connection.execute(
            "INSERT INTO tokens (name, role, hash, most, made_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![name, role.name(), hash, limit, utc_now()],
        );
        match inserted {
            Ok(_) => Ok(token),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                Err(Refusal::refused(format!(
                    "there is a token named '{name}' already, also if it was revoked; choose another name"
                )))
            }
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// All tokens, in the order in which they were made.
    pub fn tokens(&self) -> Result<Vec<Token>, Refusal> {
        let read = || {
            let sql = "SELECT id, name, role, hash, most, used, revoked FROM tokens ORDER BY id";
            let mut select = self.connection.prepare_cached(sql)?;
            select.query_map([], token)?.collect::<rusqlite::Result<Vec<Token>>>()
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Makes a token open nothing any more.
    pub fn revoke(&self, name: &str) -> Result<(), Refusal> {
        let changed = self
            .connection
            .execute("UPDATE tokens SET revoked = 1 WHERE name = ?1", [name])
            .map_err(|error| self.failed(&error))?;
        if changed == 1 {
            return Ok(());
        }
        let known: Vec<String> = self.tokens()?.into_iter().map(|token| token.name).collect();
        let known = if known.is_empty() {
            "there is none".to_owned()
        } else {
            format!("there is {}", known.join(", "))
        };
        Err(Refusal::bad_input(format!("there is no token named '{name}'; {known}")))
    }

    /// What became of a request with this key, in whichever session it was answered.
    pub(crate) fn key_status(&self, token: i64, key: &IdempotencyKey) -> Result<KeyStatus, Refusal> {
        let found: Option<([u8; 32], String)> = self
            .connection
            .prepare_cached("SELECT body, response FROM requests WHERE token = ?1 AND key = ?2")
            .and_then(|mut select| {
                select.query_row(params![token, key.name], |row| Ok((row.get(0)?, row.get(1)?))).optional()
            })
            .map_err(|error| self.failed(&error))?;
        Ok(match found {
            None => KeyStatus::New,
            Some((body, response)) if body == key.body => KeyStatus::Answered(response),
            Some(_) => KeyStatus::OtherBody,
        })
    }

    /// How many more queries a token may ask.
    pub(crate) fn allowance(&self, token: i64) -> Result<Allowance, Refusal> {
        allowance(&self.connection, token).map_err(|error| self.failed(&error))
    }

    /// Counts the queries and keeps the responses of one tick, all in one transaction. Returns the places of those that must
    /// not leave: since they were looked at, their token was revoked, or another service of the account has used its room
    /// up or answered under its key.
    pub(crate) fn settle(
        &self,
        charge: u64,
        records: &[ResponseRecord<'_>],
        progress: Option<&Progress>,
    ) -> Result<HashMap<usize, WithholdReason>, Refusal> {
        let write = || -> rusqlite::Result<HashMap<usize, WithholdReason>> {
            let transaction = sqlite::begin(&self.connection, WAIT)?;
            let mut withheld = HashMap::new();
            for (place, record) in records.iter().enumerate() {
                if let Some(why) = settle_record(&transaction, charge, record)? {
                    withheld.insert(place, why);
                }
            }
            if let Some(Progress { at, queries_left, unstable_left }) = progress {
                transaction
                    .prepare_cached(
                        "INSERT INTO progress (charge, number, at, queries, unstable) VALUES
                         (?1, (SELECT COALESCE(MAX(number), 0) + 1 FROM progress WHERE charge = ?1), ?2, ?3, ?4)",
                    )?
                    .execute(params![charge, at, queries_left, unstable_left])?;
            }
            transaction.commit()?;
            Ok(withheld)
        };
        write().map_err(|error| self.failed(&error))
    }

    /// How a session went on, thinned out to at most about `most` moments, the last one among them.
    pub fn progress(&self, charge: u64, most: u64) -> Result<Vec<Progress>, Refusal> {
        let read = || {
            let sql = "SELECT at, queries, unstable FROM progress, (SELECT MAX(number) AS last FROM progress WHERE charge = ?1)
                       WHERE charge = ?1 AND (number % (last / ?2 + 1) = 0 OR number = last) ORDER BY number";
            let mut select = self.connection.prepare_cached(sql)?;
            let moments = select.query_map(params![charge, most.max(1)], |row| {
                Ok(Progress { at: row.get(0)?, queries_left: row.get(1)?, unstable_left: row.get(2)? })
            })?;
            moments.collect::<rusqlite::Result<Vec<Progress>>>()
        };
        read().map_err(|error| self.failed(&error))
    }
}

fn cannot(path: &Path, problem: &dyn std::fmt::Display) -> Refusal {
    Refusal::bad_input(format!("{}: the state of the service cannot be used ({problem})", path.display()))
}

fn allowance(connection: &Connection, token: i64) -> rusqlite::Result<Allowance> {
    let mut select =
        connection.prepare_cached("SELECT MAX(most - used, 0) FROM tokens WHERE id = ?1 AND revoked = 0")?;
    let found: Option<Option<u64>> = select.query_row([token], |row| row.get(0)).optional()?;
    Ok(match found {
        None => Allowance::Revoked,
        Some(None) => Allowance::Unlimited,
        Some(Some(left)) => Allowance::Left(left),
    })
}

/// Counts and keeps one response, unless it must not leave.
fn settle_record(
    transaction: &Connection,
    charge: u64,
    record: &ResponseRecord<'_>,
) -> rusqlite::Result<Option<WithholdReason>> {
    match allowance(transaction, record.token)? {
        Allowance::Revoked => return Ok(Some(WithholdReason::Revoked)),
        Allowance::Left(left) if left < record.queries => return Ok(Some(WithholdReason::OverLimit(left))),
        Allowance::Unlimited | Allowance::Left(_) => {}
    }
    if let Some(key) = record.key {
        let kept = transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO requests (charge, token, key, body, response) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![charge, record.token, key.name, key.body, record.response])?;
        if kept == 0 {
            return Ok(Some(WithholdReason::KeyUsed));
        }
    }
    transaction
        .prepare_cached("UPDATE tokens SET used = used + ?2 WHERE id = ?1")?
        .execute(params![record.token, record.queries])?;
    Ok(None)
}

fn token(row: &Row<'_>) -> rusqlite::Result<Token> {
    let role: String = row.get(2)?;
    Ok(Token {
        id: row.get(0)?,
        name: row.get(1)?,
        // A role that this program does not know opens the least.
        role: Role::named(&role).unwrap_or(Role::Analyst),
        hash: row.get(3)?,
        limit: row.get(4)?,
        used: row.get(5)?,
        revoked: row.get(6)?,
    })
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
