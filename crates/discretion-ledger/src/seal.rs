//! Sessions and answers in the chain of hashes: each answer has a hash over the one before it, the
//! first over its charge's, and a session a seal over its charge, its state and its last answer. So
//! reading a session takes one look, and `verify` finds every change.

use crate::entry::{self, Hash, Kind, add_text};
use crate::error::Error;
use crate::explain::Explain;
use crate::problem::Problem;
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};

/// The hash of an answer after `previous`, the hash of the answer before or of the charge.
pub(crate) fn answer_hash(previous: &Hash, number: u64, query: &str, answer: &str) -> Hash {
    let mut hash = Sha256::new();
    hash.update(previous);
    hash.update(number.to_le_bytes());
    [query, answer].into_iter().for_each(|text| add_text(&mut hash, Some(text)));
    hash.finalize().into()
}

/// What is sealed of a session.
pub(crate) struct SessionFacts<'a> {
    /// The hash of the charge that pays for it.
    pub(crate) charge: &'a Hash,
    pub(crate) key: &'a str,
    pub(crate) revision: u64,
    pub(crate) state: &'a str,
    /// The hash of the last answer, the charge's if there is none.
    pub(crate) last: &'a Hash,
}

impl SessionFacts<'_> {
    pub(crate) fn seal(&self) -> Hash {
        let mut hash = Sha256::new();
        hash.update(self.charge);
        hash.update(self.revision.to_le_bytes());
        [self.key, self.state].into_iter().for_each(|text| add_text(&mut hash, Some(text)));
        hash.update(self.last);
        hash.finalize().into()
    }
}

/// Gives the sessions and answers of an earlier format their hashes, in the middle of the step to
/// this one.
pub(crate) fn carry_over(connection: &Connection, explain: &Explain) -> Result<(), Error> {
    let sqlite = |error| explain.sqlite(error);
    let select = |sql| connection.prepare(sql).map_err(sqlite);
    let mut sessions = select("SELECT charge, key, revision, state FROM sessions_before")?;
    let mut answers = select(
        "SELECT number, query, answer FROM answers_before WHERE charge = ?1 ORDER BY number",
    )?;
    let mut insert = select(
        "INSERT INTO answers (charge, number, query, answer, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let mut rows = sessions.query([]).map_err(sqlite)?;
    while let Some(row) = rows.next().map_err(sqlite)? {
        let read =
            || Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?, row.get::<_, String>(3)?));
        let (charge, key, revision, state) = read().map_err(sqlite)?;
        let paid = entry::numbered(connection, charge).map_err(sqlite)?;
        let paid = paid
            .ok_or_else(|| explain.corrupted(format!("charge {charge} of a session is missing")))?;
        let mut last = paid.hash;
        let mut given = answers.query([charge]).map_err(sqlite)?;
        while let Some(row) = given.next().map_err(sqlite)? {
            let read = || Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?));
            let (number, query, answer) = read().map_err(sqlite)?;
            last = answer_hash(&last, number, &query, &answer);
            insert.execute(params![charge, number, query, answer, last]).map_err(sqlite)?;
        }
        let seal =
            SessionFacts { charge: &paid.hash, key: &key, revision, state: &state, last: &last }
                .seal();
        let begin =
            "INSERT INTO sessions (charge, key, revision, state, seal) VALUES (?1, ?2, ?3, ?4, ?5)";
        connection.execute(begin, params![charge, key, revision, state, seal]).map_err(sqlite)?;
    }
    Ok(())
}

/// The first session that is not what was written, or whose answers are not.
pub(crate) fn problem(connection: &Connection) -> rusqlite::Result<Option<Problem>> {
    let mut sessions = connection
        .prepare("SELECT charge, key, revision, state, seal FROM sessions ORDER BY charge")?;
    let mut answers = connection.prepare(
        "SELECT number, query, answer, hash FROM answers WHERE charge = ?1 ORDER BY number",
    )?;
    let mut rows = sessions.query([])?;
    while let Some(row) = rows.next()? {
        let charge: u64 = row.get(0)?;
        let found = |detail: String| Ok(Some(Problem { number: Some(charge), detail }));
        let Some(paid) =
            entry::numbered(connection, charge)?.filter(|entry| entry.kind == Kind::Charged)
        else {
            return found("a session names it as its charge, and it is none".to_owned());
        };
        let (mut last, mut count) = (paid.hash, 0);
        let mut given = answers.query([charge])?;
        while let Some(row) = given.next()? {
            count += 1;
            let (query, answer): (String, String) = (row.get(1)?, row.get(2)?);
            let hash = answer_hash(&last, count, &query, &answer);
            if row.get::<_, u64>(0)? != count || row.get::<_, Hash>(3)? != hash {
                return found(format!("answer {count} of its session is not what was written"));
            }
            last = hash;
        }
        let (key, state): (String, String) = (row.get(1)?, row.get(3)?);
        let sealed = SessionFacts {
            charge: &paid.hash,
            key: &key,
            revision: row.get(2)?,
            state: &state,
            last: &last,
        };
        if row.get::<_, Hash>(4)? != sealed.seal() {
            return found(
                "its session is not what was written, or answers are missing at its end".to_owned(),
            );
        }
    }
    Ok(None)
}
