//! What is bought from an account, and what the buyer gets.

use crate::fingerprint::Fingerprint;
use crate::history::Quote;
use crate::session::{NewSession, Session};
use discretion_privacy::account::Event;
use discretion_privacy::noise::Receipt;
use serde::Serialize;

/// What an account is to be charged for.
#[derive(Clone, Copy)]
pub struct Purchase<'a> {
    pub(crate) event: &'a Event,
    pub(crate) what: &'a str,
    pub(crate) table: Option<&'a Fingerprint>,
    pub(crate) session: Option<NewSession<'a>>,
}

impl<'a> Purchase<'a> {
    /// A run that does this to the table, and what it is in words.
    pub fn new(event: &'a Event, what: &'a str) -> Purchase<'a> {
        Purchase { event, what, table: None, session: None }
    }

    /// The table that it is about, so that a charge on another one is noticed.
    pub fn on(self, table: &'a Fingerprint) -> Purchase<'a> {
        Purchase { table: Some(table), ..self }
    }

    /// The charge pays for a session, which begins with `state` in the same transaction: no crash leaves one without the other.
    /// `key` is what [`Account::session`](crate::Account::session) finds it by.
    pub fn with_session(self, key: &'a str, state: &'a str) -> Purchase<'a> {
        Purchase { session: Some(NewSession { key, state, is_only: false }), ..self }
    }

    /// The same, unless there is a session with this key, on whichever account: [`Error::SessionThere`]. Of two processes that
    /// open it at once one is refused.
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
    /// Set if the table is not the one of the account's first charge with a comparable fingerprint.
    pub table_changed: Option<TableChanged>,
    /// The door to the noise that was paid for.
    pub receipt: Receipt,
    /// The session that it pays for, if one was asked for.
    pub session: Option<Session<'l>>,
}

/// The table is not the one that the account began with. Its budget still holds only if the rows are of other people
/// or the change is what it should be; a person decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableChanged {
    /// The account's first charge with a comparable fingerprint.
    pub first_charge: u64,
    /// When that was.
    pub at: String,
}
