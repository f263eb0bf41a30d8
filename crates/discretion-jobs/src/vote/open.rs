//! The session of some settings: found, or opened and charged now.

use super::memory::LedgerMemory;
use super::numbers::Voting;
use crate::spend::pay;
use crate::watch::{Watch, warn_of_delta};
use discretion::noise::Provenance;
use discretion::privacy::Unit;
use discretion::vote::{State, Stop};
use discretion::{Refusal, Remedy};
use discretion_ledger::{Account, Charge, Consent, Fingerprint, Purchase, SettingsName};
use std::collections::HashSet;

/// Which session is wanted.
pub struct SessionRequest<'a> {
    /// The name of its settings ([`key`](super::key) for a study): a session is found again by it.
    pub key: &'a SettingsName,
    /// The table that it is about.
    pub table: &'a Fingerprint,
    /// The public number of its rows, or of its persons.
    pub units: (Unit, usize),
    /// What the ledger notes at the charge.
    pub what: &'a str,
    /// The names of the queries that will be asked at once. There must be room for those that are
    /// new. Empty if they come later.
    pub names: &'a [String],
    /// Whether one is charged although one is there.
    pub new: bool,
    /// What the person who pays allows, if there is one to ask.
    pub consent: Option<Consent>,
}

/// A session, ready to answer.
pub struct VotingSession<'l> {
    /// Its memory.
    pub memory: LedgerMemory<'l>,
    /// What was charged just now; nothing if the session was there before.
    pub charge: Option<Charge<'l>>,
}

/// The newest session of these settings, or a new one that is charged now. Whatever is refused is
/// refused before that.
pub fn session<'l>(
    account: &Account<'l>,
    voting: &Voting,
    request: &SessionRequest<'_>,
    watch: &dyn Watch,
) -> Result<VotingSession<'l>, Refusal> {
    let SessionRequest { key, table, units, what, names, new, consent } = *request;
    if let Some(session) = account.session_named(key)?.filter(|_| !new) {
        if session.table_changed(table) {
            return Err(Refusal::refused(format!(
                "the table is not the one that the session of charge {} was opened on; its answers would no longer be one \
                 session of one table. Put the old table back",
                session.charge()
            ))
            .or(Remedy::NewSession));
        }
        let mut fresh = HashSet::new();
        for name in names {
            if session.answer(name)?.is_none() {
                fresh.insert(name);
            }
        }
        let memory = LedgerMemory::found(session, account)?;
        let state = memory.state()?;
        voting.check_number(fresh.len(), state.queries_left())?;
        return Ok(VotingSession { memory, charge: None });
    }
    let distinct: HashSet<&String> = names.iter().collect();
    voting.check_number(distinct.len(), voting.numbers.queries)?;
    let design = voting.design();
    let first =
        State::begin(design, voting.numbers.queries, Provenance::OperatingSystem).to_secret_text();
    let event = design.event();
    // Who cannot pay need not be warned.
    account.affordable(&event, None)?;
    warn_of_delta(voting.budget(), units, watch);
    let purchase =
        Purchase::new(&event, what).about(units.0).on(table).with_session(key.name(), &first);
    let purchase = consent.map_or(purchase, |consent| purchase.only_with(consent));
    let mut charge = pay(account, &purchase, watch)?;
    let session = charge.session.take().expect("a session was asked for");
    Ok(VotingSession { memory: LedgerMemory::new(session), charge: Some(charge) })
}

/// Refuses queries of which a session that is over has none among its answers: there would be
/// nothing to write. Whoever asks for old answers among others still gets those.
pub fn check_over(memory: &LedgerMemory<'_>, names: &[String]) -> Result<(), Refusal> {
    let Some(stop) = memory.state()?.over() else { return Ok(()) };
    for name in names {
        if memory.session().answer(name)?.is_some() {
            return Ok(());
        }
    }
    let why = match stop {
        Stop::Paid => "as many of its answers were unstable as `unstable` in [vote] allows",
        Stop::Asked => "all its queries were asked",
    };
    Err(Refusal::refused(format!(
        "the session of charge {} is over: {why}. None of these queries was asked before, so there is no answer to write. \
         Nothing was charged",
        memory.session().charge()
    ))
    .or(Remedy::NewSession))
}
