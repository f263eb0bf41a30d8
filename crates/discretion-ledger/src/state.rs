//! What the log says about an account: its cap, everything it paid for, and what that costs now. Nothing of it is
//! stored.

use crate::entry::{COLUMNS, Entry, Kind};
use crate::error::{Error, Explain};
use crate::fingerprint::comparable;
use crate::history::{Happening, HistoryEntry, ReleasedFile};
use crate::session::answers_of_charges;
use discretion::privacy::Budget;
use discretion::privacy::account::{Event, Spend};
use rusqlite::{Connection, Params};
use std::collections::{BTreeMap, HashMap, HashSet};

/// An account that was opened.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) opened_at: String,
    cap_at_opening: Option<Budget>,
    cap: Option<Budget>,
    /// The text of each event with how often it was charged: equal events are parsed and priced once.
    events: HashMap<String, u64>,
    pub(crate) charges: u64,
    /// Charges that nothing was released under.
    pub(crate) unreleased: HashSet<u64>,
    /// The first charge with a fingerprint of each kind.
    first_tables: Vec<(u64, String, String)>,
}

impl State {
    fn take(&mut self, entry: Entry, explain: &Explain) -> Result<(), Error> {
        match entry.kind {
            Kind::Opened => {
                self.opened_at = entry.at;
                self.cap = Some(parse(entry.cap.as_deref(), entry.number, explain)?);
                self.cap_at_opening = self.cap;
            }
            Kind::Raised => self.cap = Some(parse(entry.cap.as_deref(), entry.number, explain)?),
            Kind::Charged => {
                self.charges += 1;
                self.unreleased.insert(entry.number);
                if let Some(digest) = entry.digest.filter(|digest| self.first_table(digest).is_none()) {
                    self.first_tables.push((entry.number, entry.at, digest));
                }
                *self.events.entry(entry.event.unwrap_or_default()).or_default() += 1;
            }
            Kind::Released => {
                self.unreleased.remove(&entry.charge.unwrap_or_default());
            }
            Kind::Upgraded => {}
        }
        Ok(())
    }

    /// The first charge with a fingerprint that this one can be compared with.
    pub(crate) fn first_table(&self, digest: &str) -> Option<&(u64, String, String)> {
        self.first_tables.iter().find(|(_, _, first)| comparable(first, digest))
    }

    /// An answer that left is a release too.
    fn take_answers(&mut self, answers: &HashMap<u64, u64>) {
        self.unreleased.retain(|charge| !answers.contains_key(charge));
    }

    /// The cap now and the cap at opening; an account whose first entry is missing has none.
    pub(crate) fn caps(&self, name: &str, explain: &Explain) -> Result<(Budget, Budget), Error> {
        self.cap
            .zip(self.cap_at_opening)
            .ok_or_else(|| explain.corrupted(format!("account '{name}' was charged but never opened")))
    }

    /// Everything the account paid for.
    pub(crate) fn spend(&self, explain: &Explain) -> Result<Spend, Error> {
        let mut spend = Spend::new();
        for (text, &times) in &self.events {
            let event: Event =
                serde_json::from_str(text).map_err(|error| unreadable(text, &error, explain))?;
            spend.add(&event, times)?;
        }
        Ok(spend)
    }
}

/// The state of one account, if it was opened.
pub(crate) fn of_account(
    connection: &Connection,
    explain: &Explain,
    name: &str,
) -> Result<Option<State>, Error> {
    let mut state: Option<State> = None;
    each_entry(connection, explain, "WHERE account = ?1", [name], |entry| {
        state.get_or_insert_default().take(entry, explain)
    })?;
    if let Some(state) = &mut state {
        state.take_answers(&answers_of_charges(connection, explain)?);
    }
    Ok(state)
}

/// The cap of one account now, if it was opened.
pub(crate) fn cap_of(
    connection: &Connection,
    explain: &Explain,
    name: &str,
) -> Result<Option<Budget>, Error> {
    let mut cap = None;
    let condition = "WHERE account = ?1 AND kind IN ('opened', 'raised')";
    each_entry(connection, explain, condition, [name], |entry| {
        cap = Some(parse(entry.cap.as_deref(), entry.number, explain)?);
        Ok(())
    })?;
    Ok(cap)
}

/// The state of every account, by name.
pub(crate) fn of_all(connection: &Connection, explain: &Explain) -> Result<BTreeMap<String, State>, Error> {
    let mut states: BTreeMap<String, State> = BTreeMap::new();
    each_entry(connection, explain, "", [], |entry| {
        // Most entries are of accounts already seen: look before cloning the name.
        if !states.contains_key(&entry.account) {
            states.insert(entry.account.clone(), State::default());
        }
        states.get_mut(&entry.account).expect("just inserted").take(entry, explain)
    })?;
    let answers = answers_of_charges(connection, explain)?;
    states.values_mut().for_each(|state| state.take_answers(&answers));
    Ok(states)
}

/// Everything that happened on one account, in order; a release stands with its charge.
pub(crate) fn history(
    connection: &Connection,
    explain: &Explain,
    name: &str,
) -> Result<Vec<HistoryEntry>, Error> {
    let answers = answers_of_charges(connection, explain)?;
    let mut history: Vec<HistoryEntry> = Vec::new();
    let mut charges = HashMap::new();
    each_entry(connection, explain, "WHERE account = ?1", [name], |entry| {
        let what = match entry.kind {
            Kind::Opened => Happening::Opened { cap: parse(entry.cap.as_deref(), entry.number, explain)? },
            Kind::Raised => Happening::Raised {
                cap: parse(entry.cap.as_deref(), entry.number, explain)?,
                reason: entry.note,
            },
            Kind::Charged => {
                let text = entry.event.unwrap_or_default();
                let event =
                    serde_json::from_str(&text).map_err(|error| unreadable(&text, &error, explain))?;
                charges.insert(entry.number, history.len());
                Happening::Charged {
                    event,
                    what: entry.note,
                    fingerprint: entry.digest,
                    answers: answers.get(&entry.number).copied().unwrap_or_default(),
                    releases: Vec::new(),
                }
            }
            Kind::Released => {
                let charge = entry.charge.and_then(|charge| charges.get(&charge));
                if let Some(Happening::Charged { releases, .. }) =
                    charge.map(|&index| &mut history[index].what)
                {
                    releases.push(ReleasedFile {
                        number: entry.number,
                        at: entry.at,
                        file: entry.note,
                        sha256: entry.digest,
                    });
                }
                return Ok(());
            }
            Kind::Upgraded => return Ok(()),
        };
        history.push(HistoryEntry { number: entry.number, at: entry.at, what });
        Ok(())
    })?;
    Ok(history)
}

/// Calls `take` with each entry that `condition` selects, in order.
pub(crate) fn each_entry(
    connection: &Connection,
    explain: &Explain,
    condition: &str,
    parameters: impl Params,
    mut take: impl FnMut(Entry) -> Result<(), Error>,
) -> Result<(), Error> {
    let sqlite = |error| explain.sqlite(error);
    let sql = format!("SELECT {COLUMNS} FROM entries {condition} ORDER BY number");
    let mut select = connection.prepare_cached(&sql).map_err(sqlite)?;
    let mut rows = select.query(parameters).map_err(sqlite)?;
    while let Some(row) = rows.next().map_err(sqlite)? {
        take(Entry::read(row).map_err(sqlite)?)?;
    }
    Ok(())
}

fn parse(cap: Option<&str>, number: u64, explain: &Explain) -> Result<Budget, Error> {
    serde_json::from_str(cap.unwrap_or_default())
        .map_err(|error| explain.corrupted(format!("the cap of entry {number} cannot be read: {error}")))
}

fn unreadable(text: &str, error: &serde_json::Error, explain: &Explain) -> Error {
    explain.corrupted(format!("an event cannot be read, or is of a newer discretion ({error}): {text}"))
}
