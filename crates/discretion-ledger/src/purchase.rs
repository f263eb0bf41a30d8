//! What is bought from an account, and what the buyer gets.

use crate::entry::Entry;
use crate::fingerprint::Fingerprint;
use crate::history::Quote;
use crate::session::{NewSession, Session};
use crate::settings_name::SettingsName;
use discretion_privacy::account::Event;
use discretion_privacy::noise::Receipt;
use discretion_privacy::{Budget, Unit};
use serde::Serialize;

/// What an account is to be charged for.
#[derive(Clone, Copy)]
pub struct Purchase<'a> {
    pub(crate) event: &'a Event,
    pub(crate) unit: Unit,
    pub(crate) what: &'a str,
    pub(crate) table: Option<&'a Fingerprint>,
    pub(crate) session: Option<NewSession<'a>>,
    pub(crate) job: Option<&'a SettingsName>,
    pub(crate) consent: Option<Consent>,
    pub(crate) smaller: Option<SmallerRun<'a>>,
}

/// A run with less to spend, from which a refusal learns what would fit.
#[derive(Clone, Copy)]
pub struct SmallerRun<'a> {
    /// The budget of the run as it is planned.
    pub budget: Budget,
    /// The event of the run with this ε, or ρ, in place of the budget's. Nothing if it cannot be
    /// run with so little.
    pub event: &'a dyn Fn(f64) -> Option<Event>,
}

/// What the person who pays says beforehand. Without it, what looks like a mistake is refused
/// before anything is charged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// The account goes on with other rows than before. People who are in both pay twice.
    pub rows_changed: bool,
    /// The rows have another account already: a second budget for the same people.
    pub second_account: bool,
    /// The same job on the same rows is to be paid for again.
    pub again: bool,
}

impl<'a> Purchase<'a> {
    /// A run that does this to the table, and what it is in words. Its guarantee is about a row.
    pub fn new(event: &'a Event, what: &'a str) -> Purchase<'a> {
        Purchase {
            event,
            unit: Unit::Row,
            what,
            table: None,
            session: None,
            job: None,
            consent: None,
            smaller: None,
        }
    }

    /// How the run would be with less to spend: a refusal then says what of it would fit.
    pub fn or_smaller(self, smaller: SmallerRun<'a>) -> Purchase<'a> {
        Purchase { smaller: Some(smaller), ..self }
    }

    /// The same run, whose guarantee is about this unit: an account of the other unit refuses it.
    pub fn about(self, unit: Unit) -> Purchase<'a> {
        Purchase { unit, ..self }
    }

    /// The table that it is about, so that a charge on another one is noticed.
    pub fn on(self, table: &'a Fingerprint) -> Purchase<'a> {
        Purchase { table: Some(table), ..self }
    }

    /// The job, by a name that equal settings have in common, so that doing it again is noticed.
    pub fn of_job(self, job: &'a SettingsName) -> Purchase<'a> {
        Purchase { job: Some(job), ..self }
    }

    /// Refuses what looks like a mistake ([`Error::RowsChanged`](crate::Error::RowsChanged),
    /// [`Error::SecondAccount`](crate::Error::SecondAccount),
    /// [`Error::Repeated`](crate::Error::Repeated)) unless it was consented to. Without this,
    /// nobody is asked, and the [`Charge`] tells.
    pub fn only_with(self, consent: Consent) -> Purchase<'a> {
        Purchase { consent: Some(consent), ..self }
    }

    /// The charge pays for a session, which begins with `state` in the same transaction: no crash
    /// leaves one without the other. `key` is what [`Account::session`](crate::Account::session)
    /// finds it by.
    pub fn with_session(self, key: &'a str, state: &'a str) -> Purchase<'a> {
        Purchase { session: Some(NewSession { key, state, is_only: false }), ..self }
    }

    /// The same, unless there is a session with this key, on whichever account:
    /// [`Error::SessionThere`]. Of two processes that open it at once one is refused.
    pub fn with_only_session(self, key: &'a str, state: &'a str) -> Purchase<'a> {
        Purchase { session: Some(NewSession { key, state, is_only: true }), ..self }
    }
}

/// A charge that is committed. Compute now, with the receipt's noise, then call
/// [`Ledger::release`](crate::Ledger::release).
pub struct Charge<'l> {
    /// Its number in the ledger, which model files name.
    pub number: u64,
    /// What it cost.
    pub quote: Quote,
    /// Set if earlier charges were for other rows and none for these.
    pub table_changed: Option<TableChanged>,
    /// Set if another account was charged for these rows, and this one never.
    pub also_under: Option<AlsoUnder>,
    /// The door to the noise that was paid for.
    pub receipt: Receipt,
    /// The session that it pays for, if one was asked for.
    pub session: Option<Session<'l>>,
}

/// The account was charged for other rows before, and never for these. Its budget still holds only
/// if the rows are of other people or the change is what it should be; a person decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableChanged {
    /// The account's first charge with a comparable fingerprint.
    pub first_charge: u64,
    /// When that was.
    pub at: String,
}

/// Another account that was charged for the same rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlsoUnder {
    /// The other account.
    pub account: String,
}

/// The same job, done before on the same rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EarlierRun {
    /// Its charge.
    pub charge: u64,
    /// When that was.
    pub at: String,
}

/// Returns the purpose of a charge and the name of its job. Before format 4 the note ended in that
/// name, in brackets.
pub(crate) fn what_and_job(charge: &Entry) -> (&str, Option<&str>) {
    let in_note = || charge.note.strip_suffix(']')?.rsplit_once(" [job ");
    match (charge.job.as_deref(), in_note()) {
        (None, Some((what, job))) => (what, Some(job)),
        (job, _) => (&charge.note, job),
    }
}
