//! A session: one charge that pays for many answers, and the state between them. What was paid for
//! holds only while that state is never redrawn or turned back, so it is on the disk before an
//! answer leaves.

use crate::entry;
use crate::error::Error;
use crate::fault::checkpoint;
use crate::fingerprint::Fingerprint;
use crate::ledger::Ledger;
use crate::seal::{SessionFacts, answer_hash};
use crate::store;
use crate::stored::{Hashes, OF_CHARGE, Stored, lost};
use discretion_privacy::noise::Receipt;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

/// A session as it was when it was opened, read or last committed.
pub struct Session<'l> {
    ledger: &'l Ledger,
    account: String,
    stored: Stored,
}

/// A session that begins with a charge.
#[derive(Clone, Copy)]
pub(crate) struct NewSession<'a> {
    pub(crate) key: &'a str,
    pub(crate) state: &'a str,
    pub(crate) is_only: bool,
}

const BEGIN: &str =
    "INSERT INTO sessions (charge, key, revision, state, seal) VALUES (?1, ?2, 1, ?3, ?4)";
const ANSWERED: &str = "SELECT 1 FROM answers WHERE charge = ?1 AND query = ?2";
const APPEND: &str =
    "INSERT INTO answers (charge, number, query, answer, hash) VALUES (?1, ?2, ?3, ?4, ?5)";
const GO_ON: &str =
    "UPDATE sessions SET state = ?2, revision = revision + 1, seal = ?3 WHERE charge = ?1";

/// Begins a session, in the transaction of the charge that pays for it.
pub(crate) fn begin<'l>(
    (ledger, account): (&'l Ledger, &str),
    transaction: &Transaction<'_>,
    charge: u64,
    table: Option<&Fingerprint>,
    NewSession { key, state, is_only }: NewSession<'_>,
) -> Result<Session<'l>, Error> {
    let sqlite = |error| ledger.explain.sqlite(error);
    if is_only && let Some((account, charge)) = find_anywhere(transaction, key).map_err(sqlite)? {
        return Err(Error::SessionThere { account, charge });
    }
    let paid = entry::numbered(transaction, charge).map_err(sqlite)?;
    let hash = paid.ok_or_else(|| lost(&ledger.explain, charge))?.hash;
    let seal = SessionFacts { charge: &hash, key, revision: 1, state, last: &hash }.seal();
    transaction
        .prepare_cached(BEGIN)
        .and_then(|mut insert| insert.execute(params![charge, key, state, seal]))
        .map_err(sqlite)?;
    let stored = Stored {
        charge,
        key: key.to_owned(),
        revision: 1,
        state: state.to_owned(),
        table: table.map(|table| table.digest().to_owned()),
        answered: 0,
        hashes: Some(Hashes { charge: hash, last: hash }),
    };
    Ok(Session::new(ledger, account, stored))
}

impl Ledger {
    /// The account and the charge of the newest session with this key, on whichever account.
    pub fn session_anywhere(&self, key: &str) -> Result<Option<(String, u64)>, Error> {
        if !store::has_sessions(self.reading()?, &self.explain)? {
            return Ok(None);
        }
        find_anywhere(self.reading()?, key).map_err(|error| self.explain.sqlite(error))
    }
}

fn find_anywhere(connection: &Connection, key: &str) -> rusqlite::Result<Option<(String, u64)>> {
    let sql =
        "SELECT (SELECT account FROM entries WHERE number = sessions.charge), charge FROM sessions
               WHERE key = ?1 ORDER BY charge DESC LIMIT 1";
    connection
        .prepare_cached(sql)?
        .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

impl<'l> Session<'l> {
    pub(crate) fn new(ledger: &'l Ledger, account: &str, stored: Stored) -> Session<'l> {
        Session { ledger, account: account.to_owned(), stored }
    }

    /// The number of the charge that pays for it.
    pub fn charge(&self) -> u64 {
        self.stored.charge
    }

    /// The name that it was opened with.
    pub fn key(&self) -> &str {
        &self.stored.key
    }

    /// The door to the noise that its charge pays for. Whoever draws commits the session's new
    /// state before anything leaves.
    pub fn receipt(&self) -> Receipt {
        self.ledger.receipt(&self.account, self.stored.charge)
    }

    /// Its state. As secret as the rows.
    pub fn state(&self) -> &str {
        &self.stored.state
    }

    /// How many answers were given.
    pub fn answered(&self) -> u64 {
        self.stored.answered
    }

    /// Whether `table` is not the one that the session was opened with. One that was opened without
    /// a fingerprint cannot know that it is.
    pub fn table_changed(&self, table: &Fingerprint) -> bool {
        !self
            .stored
            .table
            .as_ref()
            .is_some_and(|stored| table.digests().any(|digest| digest == stored))
    }

    /// The answer that was given to `query`, by whichever process: it left, and may leave again for
    /// nothing.
    pub fn answer(&self, query: &str) -> Result<Option<String>, Error> {
        self.stored.answer(self.ledger, query)
    }

    /// Appends `answers`, pairs of a query's digest (lower-case hexadecimal) and its answer, and
    /// replaces the state, in one transaction that is on the disk when this returns. Only then may
    /// the answers leave.
    ///
    /// [`Error::SessionMoved`] if another process committed since this session was read: call
    /// [`Session::reload`] and compute again from its state. After any error the file has the old
    /// state and none of the answers.
    pub fn commit(&mut self, state: &str, answers: &[(String, String)]) -> Result<(), Error> {
        checkpoint("session:before-begin");
        let Ledger { connection, explain, .. } = self.ledger;
        let Stored { charge, revision, .. } = self.stored;
        let sqlite = |error| explain.sqlite(error);
        let transaction = store::begin(connection, explain)?;
        // What is already wrong is not built upon.
        let mut now =
            Stored::find(self.ledger, OF_CHARGE, [charge])?.ok_or_else(|| lost(explain, charge))?;
        if now.revision != revision {
            return Err(Error::SessionMoved { charge });
        }
        let mut last = now.hashes.ok_or_else(|| lost(explain, charge))?.last;
        for (number, (query, text)) in (now.answered + 1..).zip(answers) {
            if query.is_empty()
                || !query.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            {
                return Err(Error::NotADigest(query.clone()));
            }
            let answered = transaction
                .prepare_cached(ANSWERED)
                .and_then(|mut select| select.exists(params![charge, query]))
                .map_err(sqlite)?;
            if answered {
                return Err(Error::AnsweredBefore { charge, query: query.clone() });
            }
            last = answer_hash(&last, number, query, text);
            transaction
                .prepare_cached(APPEND)
                .and_then(|mut insert| insert.execute(params![charge, number, query, text, last]))
                .map_err(sqlite)?;
        }
        transaction
            .prepare_cached(GO_ON)
            .and_then(|mut update| {
                update.execute(params![charge, state, now.seal(revision + 1, state, &last)])
            })
            .map_err(sqlite)?;
        checkpoint("session:before-commit");
        transaction.commit().map_err(sqlite)?;
        checkpoint("session:after-commit");
        now.revision += 1;
        now.answered += answers.len() as u64;
        now.state = state.to_owned();
        now.hashes = now.hashes.map(|hashes| Hashes { last, ..hashes });
        self.stored = now;
        Ok(())
    }

    /// Reads the session again, as other processes left it.
    pub fn reload(&mut self) -> Result<(), Error> {
        let Stored { charge, .. } = self.stored;
        self.stored = Stored::find(self.ledger, OF_CHARGE, [charge])?
            .ok_or_else(|| lost(&self.ledger.explain, charge))?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
