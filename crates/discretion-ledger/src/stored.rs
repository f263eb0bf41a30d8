//! A session as the file has it.

use crate::entry::{self, Hash};
use crate::error::Error;
use crate::explain::Explain;
use crate::ledger::Ledger;
use crate::seal::{SessionFacts, answer_hash};
use crate::store;
use rusqlite::{OptionalExtension, Params, params};

/// What the file says about a session, all at one moment.
pub(crate) struct Stored {
    pub(crate) charge: u64,
    pub(crate) key: String,
    pub(crate) revision: u64,
    pub(crate) state: String,
    /// The fingerprint of the table that was charged for. It is the log's: stored twice, it could
    /// disagree.
    pub(crate) table: Option<String>,
    pub(crate) answered: u64,
    /// Nothing in a file of format 2, which can only be looked at.
    pub(crate) hashes: Option<Hashes>,
}

#[derive(Clone, Copy)]
pub(crate) struct Hashes {
    pub(crate) charge: Hash,
    /// The last answer's, the charge's if there is none.
    pub(crate) last: Hash,
}

pub(crate) const SELECT: &str = "SELECT charge, key, revision, state,
    (SELECT COALESCE(MAX(number), 0) FROM answers WHERE answers.charge = sessions.charge),
    (SELECT hash FROM answers WHERE answers.charge = sessions.charge ORDER BY number DESC LIMIT 1), seal
    FROM sessions";
const SELECT_OF_FORMAT_2: &str = "SELECT charge, key, revision, state,
    (SELECT COALESCE(MAX(number), 0) FROM answers WHERE answers.charge = sessions.charge), NULL, NULL
    FROM sessions";
pub(crate) const OF_CHARGE: &str = "WHERE charge = ?1";
pub(crate) const NEWEST: &str =
    "WHERE key = ?1 AND (SELECT account FROM entries WHERE number = sessions.charge) = ?2
    ORDER BY charge DESC LIMIT 1";
const ANSWER: &str = "SELECT answer, number, hash, (SELECT hash FROM answers AS earlier
    WHERE earlier.charge = answers.charge AND earlier.number = answers.number - 1)
    FROM answers WHERE charge = ?1 AND query = ?2";
const ANSWER_OF_FORMAT_2: &str = "SELECT answer FROM answers WHERE charge = ?1 AND query = ?2";

impl Stored {
    /// Reads a session, and checks that it is what was written.
    pub(crate) fn find(
        ledger: &Ledger,
        condition: &str,
        parameters: impl Params,
    ) -> Result<Option<Stored>, Error> {
        let (connection, explain) = (ledger.reading()?, &ledger.explain);
        let sqlite = |error| explain.sqlite(error);
        let chained = store::has_chains(connection, explain)?;
        let sql = format!("{} {condition}", if chained { SELECT } else { SELECT_OF_FORMAT_2 });
        let mut select = connection.prepare_cached(&sql).map_err(sqlite)?;
        let found = select
            .query_row(parameters, |row| {
                let stored = Stored {
                    charge: row.get(0)?,
                    key: row.get(1)?,
                    revision: row.get(2)?,
                    state: row.get(3)?,
                    answered: row.get(4)?,
                    table: None,
                    hashes: None,
                };
                Ok((stored, row.get::<_, Option<Hash>>(5)?, row.get::<_, Option<Hash>>(6)?))
            })
            .optional()
            .map_err(sqlite)?;
        let Some((mut stored, last, seal)) = found else { return Ok(None) };
        let paid = entry::numbered(connection, stored.charge).map_err(sqlite)?;
        let paid = paid.ok_or_else(|| lost(explain, stored.charge))?;
        if chained {
            let last = last.unwrap_or(paid.hash);
            stored.hashes = Some(Hashes { charge: paid.hash, last });
            if paid.computed_hash() != paid.hash
                || seal != stored.seal(stored.revision, &stored.state, &last)
            {
                return Err(changed(explain, stored.charge));
            }
        }
        stored.table = paid.digest;
        Ok(Some(stored))
    }

    /// The seal of this session with another revision, state and last answer.
    pub(crate) fn seal(&self, revision: u64, state: &str, last: &Hash) -> Option<Hash> {
        let Hashes { charge, .. } = self.hashes.as_ref()?;
        Some(SessionFacts { charge, key: &self.key, revision, state, last }.seal())
    }

    /// The answer to `query`, if it has one, which must be what was written.
    pub(crate) fn answer(&self, ledger: &Ledger, query: &str) -> Result<Option<String>, Error> {
        let (connection, explain) = (ledger.reading()?, &ledger.explain);
        let charge = self.charge;
        let sqlite = |error| explain.sqlite(error);
        let prepared = |sql| connection.prepare_cached(sql).map_err(sqlite);
        let Some(hashes) = self.hashes else {
            let mut select = prepared(ANSWER_OF_FORMAT_2)?;
            return select
                .query_row(params![charge, query], |row| row.get(0))
                .optional()
                .map_err(sqlite);
        };
        let found: Option<(String, u64, Hash, Option<Hash>)> = prepared(ANSWER)?
            .query_row(params![charge, query], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()
            .map_err(sqlite)?;
        match found {
            Some((answer, number, hash, earlier)) => {
                let sound =
                    hash == answer_hash(&earlier.unwrap_or(hashes.charge), number, query, &answer);
                if sound { Ok(Some(answer)) } else { Err(changed(explain, charge)) }
            }
            None => Ok(None),
        }
    }
}

/// A session that was there is not.
pub(crate) fn lost(explain: &Explain, charge: u64) -> Error {
    explain.corrupted(format!("the session of charge {charge} is gone"))
}

fn changed(explain: &Explain, charge: u64) -> Error {
    explain.corrupted(format!(
        "the session of charge {charge} was changed after it was written; see `discretion ledger verify`"
    ))
}
