//! Walking the chain.

use crate::entry::{Entry, genesis};
use crate::error::Error;
use crate::explain::Explain;
use crate::ledger::Ledger;
use crate::problem::Problem;
use crate::{seal, store};
use discretion_disk::hex::hex;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;

/// What a walk over the whole ledger found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// How many entries are sound, from the first on.
    pub entries: u64,
    /// The hash of the last sound entry. Write it down elsewhere: it fixes everything up to here.
    pub head: String,
    /// The first thing that is wrong.
    pub problem: Option<Problem>,
}

impl Ledger {
    /// Walks the whole chain of hashes. `noted` is the head of an earlier walk, written down
    /// elsewhere: without one, nobody can tell a ledger whose last entries were cut off from a
    /// younger one.
    pub fn verify(&self, noted: Option<&str>) -> Result<Verification, Error> {
        verify(self, noted)
    }
}

fn verify(ledger: &Ledger, noted: Option<&str>) -> Result<Verification, Error> {
    let sqlite = |error| ledger.explain.sqlite(error);
    // One snapshot: what others append meanwhile is not looked at.
    let snapshot = ledger.reading()?.unchecked_transaction().map_err(sqlite)?;
    let mut previous = genesis(&ledger.secret);
    let mut entries = 0;
    let wanted = noted.map(|noted| noted.trim().to_lowercase());
    let mut seen = wanted.as_deref().is_none_or(|wanted| wanted == hex(&previous));

    let mut select = snapshot.prepare("SELECT * FROM entries ORDER BY number").map_err(sqlite)?;
    let mut rows = select.query([]).map_err(sqlite)?;
    let mut problem = None;
    while let Some(row) = rows.next().map_err(sqlite)? {
        let number = entries + 1;
        let found = match Entry::read(row) {
            Ok(entry) => check(&entry, number, &previous).map(|()| entry.hash),
            Err(error) if error.sqlite_error_code().is_some() => return Err(sqlite(error)),
            Err(error) => Err(format!("it cannot be read ({error})")),
        };
        match found {
            Ok(hash) => (previous, entries) = (hash, number),
            Err(detail) => {
                problem = Some(Problem { number: Some(number), detail });
                break;
            }
        }
        seen = seen || wanted.as_deref() == Some(hex(&previous).as_str());
    }
    let whole = |detail: String| Problem { number: None, detail };
    if problem.is_none() && !seen {
        problem = Some(whole(
            "the noted head is not in this ledger: entries were cut off or rewritten since".into(),
        ));
    }
    if problem.is_none() {
        let format = store::recognise(&snapshot, &ledger.explain)?.format();
        problem = schema_problem(&snapshot, &ledger.explain, format)?.map(whole);
    }
    if problem.is_none() {
        let report: String = snapshot
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(sqlite)?;
        problem =
            (report != "ok").then(|| whole(format!("SQLite finds the file damaged: {report}")));
    }
    if problem.is_none() && store::has_sessions(&snapshot, &ledger.explain)? {
        problem = session_problem(&snapshot).map_err(sqlite)?;
    }
    if problem.is_none() && store::has_chains(&snapshot, &ledger.explain)? {
        problem = seal::problem(&snapshot).map_err(sqlite)?;
    }
    Ok(Verification { entries, head: hex(&previous), problem })
}

fn check(entry: &Entry, number: u64, previous: &[u8; 32]) -> Result<(), String> {
    if entry.number != number {
        Err(format!("it is missing: the next one has number {}", entry.number))
    } else if entry.previous != *previous {
        Err("it does not follow from the entry before".to_owned())
    } else if entry.computed_hash() != entry.hash {
        Err("its content is not what was written".to_owned())
    } else {
        Ok(())
    }
}

/// Tables and triggers must be those that the program makes: without its triggers a ledger is not
/// append-only.
fn schema_problem(
    connection: &Connection,
    explain: &Explain,
    format: usize,
) -> Result<Option<String>, Error> {
    let sqlite = |error| explain.sqlite(error);
    let fresh = Connection::open_in_memory().map_err(sqlite)?;
    store::make_tables(&fresh, explain, 0, format)?;
    let (wanted, found) = (schema(&fresh).map_err(sqlite)?, schema(connection).map_err(sqlite)?);
    let differs = |all: &[Item], other: &[Item]| {
        all.iter().find(|item| !other.contains(item)).map(|item| item.name.clone())
    };
    Ok(differs(&wanted, &found)
        .map(|name| format!("'{name}' was removed from the file or changed in it"))
        .or_else(|| differs(&found, &wanted).map(|name| format!("'{name}' was added to the file"))))
}

/// Each session must have been paid for, and its answers be numbered without a gap, in every format
/// that has them.
fn session_problem(connection: &Connection) -> rusqlite::Result<Option<Problem>> {
    let checks = [
        (
            "SELECT charge FROM sessions WHERE NOT EXISTS
                 (SELECT 1 FROM entries WHERE number = sessions.charge AND kind = 'charged')",
            "a session names it as its charge, and it is none",
        ),
        (
            "SELECT charge FROM answers WHERE NOT EXISTS
                 (SELECT 1 FROM sessions WHERE sessions.charge = answers.charge)",
            "the session that gave answers under it is missing",
        ),
        (
            "SELECT charge FROM answers GROUP BY charge HAVING MIN(number) <> 1 OR MAX(number) <> COUNT(*)",
            "answers of its session are missing",
        ),
    ];
    for (sql, detail) in checks {
        let charge = connection.query_row(sql, [], |row| row.get(0)).optional()?;
        if let Some(number) = charge {
            return Ok(Some(Problem { number: Some(number), detail: detail.to_owned() }));
        }
    }
    Ok(None)
}

/// A table, an index or a trigger.
#[derive(PartialEq)]
struct Item {
    name: String,
    /// What it is, the table that it belongs to, and how it was made.
    rest: (String, String, Option<String>),
}

fn schema(connection: &Connection) -> rusqlite::Result<Vec<Item>> {
    let mut select = connection.prepare(
        "SELECT name, type, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'",
    )?;
    let items = select.query_map([], |row| {
        Ok(Item { name: row.get(0)?, rest: (row.get(1)?, row.get(2)?, row.get(3)?) })
    })?;
    items.collect()
}
