//! A session: one charge that pays for many answers, and the state between them. What was paid for holds only while
//! that state is never redrawn or turned back, so it is on the disk before an answer leaves.

use crate::account::{Account, Charge};
use crate::error::{Error, Explain};
use crate::fault::checkpoint;
use crate::fingerprint::Fingerprint;
use crate::ledger::Ledger;
use crate::store;
use discretion::privacy::account::Event;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use std::collections::HashMap;

/// A session as it was when it was opened, read or last committed.
pub struct Session<'l> {
    ledger: &'l Ledger,
    stored: Stored,
}

/// What the file says about a session, all at one moment.
struct Stored {
    charge: u64,
    revision: u64,
    state: String,
    /// The fingerprint of the table that was charged for. It is the log's: stored twice, it could disagree.
    table: Option<String>,
    answered: u64,
}

const SELECT: &str = "SELECT charge, revision, state,
    (SELECT digest FROM entries WHERE number = sessions.charge),
    (SELECT COALESCE(MAX(number), 0) FROM answers WHERE answers.charge = sessions.charge)
    FROM sessions";
const OF_CHARGE: &str = "WHERE charge = ?1";
const NEWEST: &str = "WHERE key = ?1 AND (SELECT account FROM entries WHERE number = sessions.charge) = ?2
    ORDER BY charge DESC LIMIT 1";
const BEGIN: &str = "INSERT INTO sessions (charge, key, revision, state) VALUES (?1, ?2, 1, ?3)";
const REVISION: &str = "SELECT revision FROM sessions WHERE charge = ?1";
const ANSWER: &str = "SELECT answer FROM answers WHERE charge = ?1 AND query = ?2";
const APPEND: &str = "INSERT INTO answers (charge, number, query, answer) VALUES (?1, ?2, ?3, ?4)";
const GO_ON: &str = "UPDATE sessions SET state = ?2, revision = revision + 1 WHERE charge = ?1";

impl Stored {
    fn read(row: &Row<'_>) -> rusqlite::Result<Stored> {
        Ok(Stored {
            charge: row.get(0)?,
            revision: row.get(1)?,
            state: row.get(2)?,
            table: row.get(3)?,
            answered: row.get(4)?,
        })
    }

    fn find(ledger: &Ledger, condition: &str, parameters: impl Params) -> Result<Option<Stored>, Error> {
        let sql = format!("{SELECT} {condition}");
        let mut select =
            ledger.connection.prepare_cached(&sql).map_err(|error| ledger.explain.sqlite(error))?;
        select.query_row(parameters, Stored::read).optional().map_err(|error| ledger.explain.sqlite(error))
    }
}

impl<'l> Account<'l> {
    /// The newest session of this account that was opened with `key`.
    pub fn session(&self, key: &str) -> Result<Option<Session<'l>>, Error> {
        let ledger = self.ledger;
        if !store::has_sessions(&ledger.connection, &ledger.explain)? {
            return Ok(None);
        }
        let stored = Stored::find(ledger, NEWEST, params![key, self.name])?;
        Ok(stored.map(|stored| Session { ledger, stored }))
    }

    /// As [`Account::charge`], and begins a session with `state` in the same transaction: no crash leaves one without
    /// the other. `key` is what [`Account::session`] finds it by.
    pub fn open_session(
        &self,
        event: &Event,
        table: Option<&Fingerprint>,
        what: &str,
        key: &str,
        state: &str,
    ) -> Result<(Charge<'l>, Session<'l>), Error> {
        self.open_session_if(event, table, what, (key, state), |_| Ok(()))
    }

    /// The same, unless there is a session with this key, on whichever account: [`Error::SessionThere`]. Of two processes that open it
    /// at once one is refused.
    pub fn open_only_session(
        &self,
        event: &Event,
        table: Option<&Fingerprint>,
        what: &str,
        key: &str,
        state: &str,
    ) -> Result<(Charge<'l>, Session<'l>), Error> {
        let explain = &self.ledger.explain;
        self.open_session_if(event, table, what, (key, state), |transaction| {
            match find_anywhere(transaction, key).map_err(|error| explain.sqlite(error))? {
                Some((account, charge)) => Err(Error::SessionThere { account, charge }),
                None => Ok(()),
            }
        })
    }

    fn open_session_if(
        &self,
        event: &Event,
        table: Option<&Fingerprint>,
        what: &str,
        (key, state): (&str, &str),
        allowed: impl FnOnce(&Connection) -> Result<(), Error>,
    ) -> Result<(Charge<'l>, Session<'l>), Error> {
        let ledger = self.ledger;
        let charge = self.charge_with(event, table, what, |transaction, charge| {
            allowed(transaction)?;
            let begun = transaction
                .prepare_cached(BEGIN)
                .and_then(|mut insert| insert.execute(params![charge, key, state]));
            begun.map(drop).map_err(|error| ledger.explain.sqlite(error))
        })?;
        let stored = Stored {
            charge: charge.number,
            revision: 1,
            state: state.to_owned(),
            table: table.map(|table| table.0.clone()),
            answered: 0,
        };
        Ok((charge, Session { ledger, stored }))
    }
}

impl Ledger {
    /// The account and the charge of the newest session with this key, on whichever account.
    pub fn session_anywhere(&self, key: &str) -> Result<Option<(String, u64)>, Error> {
        if !store::has_sessions(&self.connection, &self.explain)? {
            return Ok(None);
        }
        find_anywhere(&self.connection, key).map_err(|error| self.explain.sqlite(error))
    }
}

fn find_anywhere(connection: &Connection, key: &str) -> rusqlite::Result<Option<(String, u64)>> {
    let sql = "SELECT (SELECT account FROM entries WHERE number = sessions.charge), charge FROM sessions
               WHERE key = ?1 ORDER BY charge DESC LIMIT 1";
    connection.prepare_cached(sql)?.query_row([key], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

impl Session<'_> {
    /// The number of the charge that pays for it.
    pub fn charge(&self) -> u64 {
        self.stored.charge
    }

    /// Its state. As secret as the rows.
    pub fn state(&self) -> &str {
        &self.stored.state
    }

    /// How many answers were given.
    pub fn answered(&self) -> u64 {
        self.stored.answered
    }

    /// Whether `table` is not the one that the session was opened with. One that was opened without a fingerprint
    /// cannot know that it is.
    pub fn table_changed(&self, table: &Fingerprint) -> bool {
        self.stored.table.as_ref() != Some(&table.0)
    }

    /// The answer that was given to `query`, by whichever process: it left, and may leave again for nothing.
    pub fn answer(&self, query: &str) -> Result<Option<String>, Error> {
        answer(&self.ledger.connection, &self.ledger.explain, self.stored.charge, query)
    }

    /// Appends `answers`, pairs of a query's digest (lower-case hexadecimal) and its answer, and replaces the state,
    /// in one transaction that is on the disk when this returns. Only then may the answers leave.
    ///
    /// [`Error::SessionMoved`] if another process committed since this session was read: call [`Session::reload`] and
    /// compute again from its state. After any error the file has the old state and none of the answers.
    pub fn commit(&mut self, state: &str, answers: &[(String, String)]) -> Result<(), Error> {
        checkpoint("session:before-begin");
        let Ledger { connection, explain, .. } = self.ledger;
        let Stored { charge, revision, answered, .. } = self.stored;
        let sqlite = |error| explain.sqlite(error);
        let transaction = store::begin(connection, explain)?;
        let found: Option<u64> = transaction
            .prepare_cached(REVISION)
            .and_then(|mut select| select.query_row([charge], |row| row.get(0)).optional())
            .map_err(sqlite)?;
        match found {
            None => return Err(lost(explain, charge)),
            Some(found) if found != revision => return Err(Error::SessionMoved { charge }),
            Some(_) => {}
        }
        for (number, (query, text)) in (answered + 1..).zip(answers) {
            if query.is_empty() || !query.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
                return Err(Error::NotADigest(query.clone()));
            }
            if answer(&transaction, explain, charge, query)?.is_some() {
                return Err(Error::AnsweredBefore { charge, query: query.clone() });
            }
            transaction
                .prepare_cached(APPEND)
                .and_then(|mut insert| insert.execute(params![charge, number, query, text]))
                .map_err(sqlite)?;
        }
        transaction
            .prepare_cached(GO_ON)
            .and_then(|mut update| update.execute(params![charge, state]))
            .map_err(sqlite)?;
        checkpoint("session:before-commit");
        transaction.commit().map_err(sqlite)?;
        checkpoint("session:after-commit");
        self.stored.revision += 1;
        self.stored.answered += answers.len() as u64;
        self.stored.state = state.to_owned();
        Ok(())
    }

    /// Reads the session again, as other processes left it.
    pub fn reload(&mut self) -> Result<(), Error> {
        let Stored { charge, .. } = self.stored;
        self.stored = Stored::find(self.ledger, OF_CHARGE, [charge])?
            .ok_or_else(|| lost(&self.ledger.explain, charge))?;
        Ok(())
    }

    /// Records that `file` left under the session's charge.
    pub fn released(&self, file: &str) -> Result<(), Error> {
        self.ledger.release(self.stored.charge, file, None)
    }

    /// As [`Session::released`], with the SHA-256 of the file's content ([`crate::content_hash`]).
    pub fn released_with_hash(&self, file: &str, sha256: &str) -> Result<(), Error> {
        self.ledger.release(self.stored.charge, file, Some(sha256))
    }
}

fn answer(
    connection: &Connection,
    explain: &Explain,
    charge: u64,
    query: &str,
) -> Result<Option<String>, Error> {
    connection
        .prepare_cached(ANSWER)
        .and_then(|mut select| select.query_row(params![charge, query], |row| row.get(0)).optional())
        .map_err(|error| explain.sqlite(error))
}

fn lost(explain: &Explain, charge: u64) -> Error {
    explain.corrupted(format!("the session of charge {charge} is gone"))
}

/// How many answers each session gave that gave any, by its charge.
pub(crate) fn answers_of_charges(
    connection: &Connection,
    explain: &Explain,
) -> Result<HashMap<u64, u64>, Error> {
    if !store::has_sessions(connection, explain)? {
        return Ok(HashMap::new());
    }
    // One look into an index for each session, however many answers it gave.
    let sql = "SELECT charge, last FROM (
                   SELECT charge, (SELECT MAX(number) FROM answers WHERE answers.charge = sessions.charge) AS last
                   FROM sessions)
               WHERE last IS NOT NULL";
    let mut select = connection.prepare_cached(sql).map_err(|error| explain.sqlite(error))?;
    let counts = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    counts.and_then(Iterator::collect).map_err(|error| explain.sqlite(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use discretion::privacy::Budget;
    use rusqlite::StatementStatus;

    /// SQLite's steps so far in every statement of a commit.
    fn steps(ledger: &Ledger) -> i32 {
        let of =
            |sql: &&str| ledger.connection.prepare_cached(sql).unwrap().get_status(StatementStatus::VmStep);
        [REVISION, ANSWER, APPEND, GO_ON].iter().map(of).sum()
    }

    /// Neither on this account nor on another one, however often it is tried, and nothing is charged for trying.
    #[test]
    fn what_may_be_there_once_is_there_once() {
        let ledger = Ledger::in_memory().unwrap();
        let cap = Budget::Pure { epsilon: 2.0 };
        let (one, other) = (ledger.account("one", cap).unwrap(), ledger.account("other", cap).unwrap());
        let event = Event::Pure { epsilon: 0.5, what: "sum".into() };
        assert_eq!(ledger.session_anywhere("k").unwrap(), None);
        let (charge, _) = one.open_only_session(&event, None, "sum", "k", "0").unwrap();
        assert_eq!(ledger.session_anywhere("k").unwrap(), Some(("one".to_owned(), charge.number)));
        for account in [&one, &other] {
            let Err(error) = account.open_only_session(&event, None, "sum", "k", "0") else {
                panic!("twice")
            };
            assert!(matches!(error, Error::SessionThere { charge: found, .. } if found == charge.number));
        }
        assert_eq!(one.standing().unwrap().spent.amount, 0.5);
        assert!(ledger.list().unwrap().iter().all(|standing| standing.account != "other"));
        other.open_only_session(&event, None, "sum", "another", "0").unwrap();
    }

    #[test]
    fn the_thousandth_answer_costs_what_the_first_did() {
        let ledger = Ledger::in_memory().unwrap();
        let account = ledger.account("adult", Budget::Pure { epsilon: 1.0 }).unwrap();
        let event = Event::Pure { epsilon: 0.5, what: "vote".into() };
        let (_, mut session) = account.open_session(&event, None, "vote", "k", "0").unwrap();
        let mut costs = Vec::new();
        for i in 0..1000 {
            let before = steps(&ledger);
            session.commit(&i.to_string(), &[(format!("{i:04x}"), "yes".into())]).unwrap();
            costs.push(steps(&ledger) - before);
        }
        assert_eq!((session.answered(), session.state()), (1000, "999"));
        assert!(costs[0] > 0, "nothing was counted");
        let (least, most) = (costs.iter().min().unwrap(), costs.iter().max().unwrap());
        assert!(most - least <= 10, "between {least} and {most} steps");
    }
}
