//! What must outlive the process beside the ledger: tokens and their counts, requests that were answered, and how the
//! session went on. On the disk before a response leaves.

use crate::desk::Key;
use crate::failure::Failure;
use crate::tokens::{self, Role, Token};
use discretion_ledger::utc_now;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// "serv" in ASCII, in SQLite's application id.
const APPLICATION_ID: i64 = 0x7365_7276;
const FORMAT: i64 = 1;

/// The state of the services of one account.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// A response that is about to leave.
pub(crate) struct Settled<'a> {
    pub token: i64,
    /// How many queries it answers.
    pub queries: u64,
    pub key: Option<&'a Key>,
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
pub(crate) enum Known {
    New,
    /// The same request: its response.
    Answered(String),
    /// Another body.
    Other,
}

impl Store {
    /// The state of an account's services: a file beside its ledger, readable by its owner alone.
    pub fn of_account(ledger: &Path, account: &str) -> Result<Store, Failure> {
        let digest = Sha256::digest(account.as_bytes());
        let name: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Store::open(&ledger.with_file_name(format!("serve-{name}.sqlite")))
    }

    fn open(path: &Path) -> Result<Store, Failure> {
        let cannot = |problem: &dyn std::fmt::Display| {
            Failure::BadInput(format!(
                "{}: the state of the service cannot be used ({problem})",
                path.display()
            ))
        };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map_err(|error| cannot(&error))?;
        let connection = Connection::open(path).map_err(|error| cannot(&error))?;
        let store = Store { connection, path: path.to_owned() };
        store.prepare().map_err(|error| cannot(&error))?;
        Ok(store)
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        let connection = &self.connection;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        // As in the ledger: a commit returns when its bytes are on the disk.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "fullfsync", true)?;
        let transaction = self.begin()?;
        let format: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if format == 0 {
            transaction.execute_batch(include_str!("store.sql"))?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()
    }

    fn begin(&self) -> rusqlite::Result<Transaction<'_>> {
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
    }

    fn failed(&self, error: &rusqlite::Error) -> Failure {
        Failure::BadInput(format!(
            "{}: the state of the service cannot be used ({error})",
            self.path.display()
        ))
    }

    /// Makes a token and returns it. It cannot be shown a second time.
    pub fn new_token(&self, name: &str, role: Role, limit: Option<u64>) -> Result<String, Failure> {
        if !(1..=100).contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(Failure::BadInput(format!(
                "a token is named after its owner in 1 to 100 characters on one line, not {name:?}"
            )));
        }
        let token = tokens::draw().map_err(|error| Failure::Refused(error.to_string()))?;
        let hash = tokens::hash(&token);
        let inserted = self.connection.execute(
            "INSERT INTO tokens (name, role, hash, most, made_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![name, role.name(), hash, limit, utc_now()],
        );
        match inserted {
            Ok(_) => Ok(token),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                Err(Failure::Refused(format!(
                    "there is a token named '{name}' already, also if it was revoked; choose another name"
                )))
            }
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// All tokens, in the order in which they were made.
    pub fn tokens(&self) -> Result<Vec<Token>, Failure> {
        let read = || {
            let sql = "SELECT id, name, role, hash, most, used, revoked FROM tokens ORDER BY id";
            let mut select = self.connection.prepare_cached(sql)?;
            select.query_map([], token)?.collect::<rusqlite::Result<Vec<Token>>>()
        };
        read().map_err(|error| self.failed(&error))
    }

    /// Makes a token open nothing any more.
    pub fn revoke(&self, name: &str) -> Result<(), Failure> {
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
        Err(Failure::BadInput(format!("there is no token named '{name}'; {known}")))
    }

    /// What became of a request with this key.
    pub(crate) fn known(&self, charge: u64, token: i64, key: &Key) -> Result<Known, Failure> {
        let found: Option<([u8; 32], String)> = self
            .connection
            .prepare_cached(
                "SELECT body, response FROM requests WHERE charge = ?1 AND token = ?2 AND key = ?3",
            )
            .and_then(|mut select| {
                select
                    .query_row(params![charge, token, key.name], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })
            .map_err(|error| self.failed(&error))?;
        Ok(match found {
            None => Known::New,
            Some((body, response)) if body == key.body => Known::Answered(response),
            Some(_) => Known::Other,
        })
    }

    /// How many more queries a token may ask; nothing if any number.
    pub(crate) fn room(&self, token: i64) -> Result<Option<u64>, Failure> {
        self.connection
            .prepare_cached("SELECT MAX(most - used, 0) FROM tokens WHERE id = ?1")
            .and_then(|mut select| select.query_row([token], |row| row.get(0)))
            .map_err(|error| self.failed(&error))
    }

    /// Counts the queries and keeps the responses of one tick, all in one transaction. Returns the places of those whose
    /// token has no room any more: another service of the account may have used it up meanwhile. They must not leave.
    pub(crate) fn settle(
        &self,
        charge: u64,
        settled: &[Settled<'_>],
        progress: Option<&Progress>,
    ) -> Result<HashSet<usize>, Failure> {
        let write = || -> rusqlite::Result<HashSet<usize>> {
            let transaction = self.begin()?;
            let mut refused = HashSet::new();
            for (place, Settled { token, queries, key, response }) in settled.iter().enumerate() {
                let counted = transaction
                    .prepare_cached(
                        "UPDATE tokens SET used = used + ?2 WHERE id = ?1 AND (most IS NULL OR used + ?2 <= most)",
                    )?
                    .execute(params![token, queries])?;
                if counted == 0 {
                    refused.insert(place);
                } else if let Some(key) = key {
                    transaction
                        .prepare_cached(
                            "INSERT INTO requests (charge, token, key, body, response) VALUES (?1, ?2, ?3, ?4, ?5)",
                        )?
                        .execute(params![charge, token, key.name, key.body, response])?;
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
            Ok(refused)
        };
        write().map_err(|error| self.failed(&error))
    }

    /// How a session went on, thinned out to at most about `most` moments, the last one among them.
    pub fn progress(&self, charge: u64, most: u64) -> Result<Vec<Progress>, Failure> {
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
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of_account(&folder.path().join("ledger.sqlite"), "a").unwrap();
        (folder, store)
    }

    #[test]
    fn tokens_are_kept_as_hashes_and_named_once() {
        let (folder, store) = store();
        let text = store.new_token("ann", Role::Analyst, Some(5)).unwrap();
        let found = tokens::find(&store.tokens().unwrap(), Some(&text)).cloned().unwrap();
        assert_eq!(
            (found.name.as_str(), found.role, found.limit, found.used),
            ("ann", Role::Analyst, Some(5), 0)
        );
        assert!(matches!(store.new_token("ann", Role::Custodian, None), Err(Failure::Refused(_))));
        assert!(matches!(store.new_token("", Role::Analyst, None), Err(Failure::BadInput(_))));
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(64).any(|window| window == &text.as_bytes()[11..]), "{}", path.display());
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o077, 0, "{}", path.display());
            }
        }
        store.revoke("ann").unwrap();
        assert!(tokens::find(&store.tokens().unwrap(), Some(&text)).is_none());
        assert!(store.revoke("bob").is_err());
    }

    #[test]
    fn a_key_gives_its_response_again_and_limits_hold_at_the_commit() {
        let (_folder, store) = store();
        store.new_token("ann", Role::Analyst, Some(5)).unwrap();
        let id = store.tokens().unwrap()[0].id;
        let key = Key { name: "k".to_owned(), body: [7; 32] };
        let settled = Settled { token: id, queries: 3, key: Some(&key), response: "{}" };
        let moment = Progress { at: utc_now(), queries_left: 7, unstable_left: 2 };
        assert!(store.settle(1, &[settled], Some(&moment)).unwrap().is_empty());
        assert!(matches!(store.known(1, id, &key).unwrap(), Known::Answered(text) if text == "{}"));
        assert!(matches!(store.known(2, id, &key).unwrap(), Known::New), "another session");
        let other = Key { body: [8; 32], ..key };
        assert!(matches!(store.known(1, id, &other).unwrap(), Known::Other));
        assert_eq!(store.room(id).unwrap(), Some(2));
        let late = |queries| Settled { token: id, queries, key: None, response: "" };
        assert_eq!(store.settle(1, &[late(2), late(1)], None).unwrap(), HashSet::from([1]));
        assert_eq!((store.room(id).unwrap(), store.tokens().unwrap()[0].used), (Some(0), 5));
        assert_eq!(store.progress(1, 100).unwrap(), [moment]);
    }
}
