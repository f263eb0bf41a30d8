//! The session of some settings: found, or opened and charged now.

use super::memory::Kept;
use super::numbers::Voting;
use crate::Error;
use discretion::noise::{OperatingSystem, Source};
use discretion::vote::State;
use discretion_ledger::{Account, Charge, Fingerprint};
use std::collections::HashSet;

/// Which session is wanted.
pub struct Opening<'a> {
    /// The name of its settings ([`key`](super::key) for a study): a session is found again by it.
    pub key: &'a str,
    /// The table that it is about.
    pub table: &'a Fingerprint,
    /// What the ledger notes at the charge.
    pub what: &'a str,
    /// The names of the queries that will be asked at once. There must be room for those that are new. Empty if they
    /// come later.
    pub names: &'a [String],
    /// Whether one is charged although one is there.
    pub new: bool,
    /// How a user asks for that, for messages: `--new`.
    pub how_new: &'a str,
}

/// A session, ready to answer.
pub struct Opened<'l> {
    /// Its memory.
    pub kept: Kept<'l>,
    /// What was charged just now; nothing if the session was there before.
    pub charge: Option<Charge<'l>>,
}

/// The newest session of these settings, or a new one that is charged now. Whatever is refused is refused before that.
pub fn session<'l>(
    account: &Account<'l>,
    voting: &Voting,
    opening: &Opening<'_>,
) -> Result<Opened<'l>, Error> {
    let Opening { key, table, what, names, new, how_new } = *opening;
    if let Some(session) = account.session(key)?.filter(|_| !new) {
        if session.table_changed(table) {
            return Err(Error::Refused(format!(
                "the table is not the one that the session of charge {} was opened on; its answers would no longer be one \
                 session of one table. Put the old table back, or open another session at its full price with {how_new}",
                session.charge()
            )));
        }
        let mut fresh = HashSet::new();
        for name in names {
            if session.answer(name)?.is_none() {
                fresh.insert(name);
            }
        }
        let kept = Kept::found(session, account)?;
        voting.check_number(fresh.len(), kept.state()?.queries_left())?;
        return Ok(Opened { kept, charge: None });
    }
    let distinct: HashSet<&String> = names.iter().collect();
    voting.check_number(distinct.len(), voting.numbers.queries)?;
    let design = voting.planned.design;
    let first = State::begin(design, voting.numbers.queries, OperatingSystem.provenance());
    let (charge, session) =
        account.open_session(&design.event(), Some(table), what, key, &first.to_secret_text())?;
    Ok(Opened { kept: Kept::new(session), charge: Some(charge) })
}
