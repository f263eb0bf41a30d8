//! What `show` and `list` say.

use crate::answers::answers_of_charges;
use crate::entry::Kind;
use crate::error::Error;
use crate::explain::Explain;
use crate::log::each_entry;
use crate::purchase::what_and_job;
use crate::{state, terms};
use discretion_privacy::Unit;
use discretion_privacy::account::{Cap, Event, Filter, Reading};
use rusqlite::Connection;
use serde::Serialize;
use std::collections::HashMap;

/// One thing that happened on an account.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryEntry {
    /// Its number in the ledger.
    pub number: u64,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// What.
    #[serde(flatten)]
    pub what: Happening,
}

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Happening {
    /// The account was opened.
    Opened {
        /// Its cap.
        cap: Cap,
    },
    /// A run was paid for. Without answers and releases it is "charged, not released": the run
    /// failed, was killed, or goes on.
    Charged {
        /// What was run.
        event: Event,
        /// What for.
        what: String,
        /// The job, by a name that equal settings have in common.
        #[serde(skip_serializing_if = "Option::is_none")]
        job: Option<String>,
        /// The table's fingerprint.
        fingerprint: Option<String>,
        /// How many answers left, if it pays for a session.
        answers: u64,
        /// The files that left.
        releases: Vec<ReleasedFile>,
    },
    /// The cap was raised.
    Raised {
        /// The new cap.
        cap: Cap,
        /// Why.
        reason: String,
    },
    /// A newer program adds up otherwise.
    Upgraded {
        /// What changed.
        what: String,
    },
}

/// A file that left under a charge.
#[derive(Clone, Debug, Serialize)]
pub struct ReleasedFile {
    /// The release's number in the ledger.
    pub number: u64,
    /// When.
    pub at: String,
    /// Its name.
    pub file: String,
    /// The SHA-256 of its content.
    pub sha256: Option<String>,
}

/// Where an account stands.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The account's name.
    pub account: String,
    /// When it was opened; nothing if its first charge is still to come.
    pub opened_at: Option<String>,
    /// Its cap when it was opened.
    pub cap_at_opening: Cap,
    /// Its cap now.
    pub cap: Cap,
    /// How it adds up.
    pub filter: Filter,
    /// Whom its guarantee is about.
    #[serde(skip_serializing_if = "Unit::is_row")]
    pub unit: Unit,
    /// How many runs it paid for.
    pub charges: u64,
    /// How many of these released nothing: neither a file nor an answer.
    pub unreleased: u64,
    /// How much of the cap is gone.
    pub spent: Spending,
    /// The last charge, and how many more runs like it fit.
    pub more_like_last: Option<RunsLeft>,
    /// Whether it is past its cap by its filter. Nothing more can be charged to it.
    pub closed: bool,
}

/// How much of an account is gone: not a guarantee of that size for what was released so far, but
/// what runs of the same size leave room for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spending {
    /// In the ε or ρ of the cap.
    pub amount: f64,
    /// Every sum that the filter looks at, beside its limit.
    pub readings: Vec<Reading>,
}

/// How many more runs fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunsLeft {
    /// The charge that they are like.
    pub charge: u64,
    /// How many.
    pub runs: u64,
}

impl Standing {
    /// What is left of the cap, in its ε or ρ.
    pub fn left(&self) -> f64 {
        (self.cap.amount() - self.spent.amount).max(0.0)
    }
}

/// What a charge would cost.
#[derive(Clone, Debug, Serialize)]
pub struct Quote {
    /// The account's cap.
    pub cap: Cap,
    /// How it adds up.
    pub filter: Filter,
    /// What was spent before.
    pub before: Spending,
    /// What will have been spent after.
    pub after: Spending,
    /// What this charge adds, in the cap's ε or ρ.
    pub cost: f64,
    /// What is left after, in the cap's ε or ρ; 0 if it is not within the cap.
    pub left: f64,
    /// Whether the account can pay.
    pub within: bool,
    /// How many such runs it can pay for, this one included.
    pub runs: u64,
}

/// Everything that happened on one account, in order; a release stands with its charge.
pub(crate) fn of_account(
    connection: &Connection,
    explain: &Explain,
    name: &str,
) -> Result<Vec<HistoryEntry>, Error> {
    let answers = answers_of_charges(connection, explain)?;
    let mut history: Vec<HistoryEntry> = Vec::new();
    let mut charges = HashMap::new();
    each_entry(connection, explain, "WHERE account = ?1", [name], |entry| {
        let cap = || terms::parse(entry.cap.as_deref(), entry.number, explain).map(|(cap, ..)| cap);
        let what = match entry.kind {
            Kind::Opened => Happening::Opened { cap: cap()? },
            Kind::Raised => Happening::Raised { cap: cap()?, reason: entry.note },
            Kind::Upgraded => Happening::Upgraded { what: entry.note },
            Kind::Charged => {
                charges.insert(entry.number, history.len());
                let (what, job) = what_and_job(&entry);
                let (what, job) = (what.to_owned(), job.map(str::to_owned));
                Happening::Charged {
                    event: state::parse(&entry.event.unwrap_or_default(), explain)?,
                    what,
                    job,
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
        };
        history.push(HistoryEntry { number: entry.number, at: entry.at, what });
        Ok(())
    })?;
    Ok(history)
}
