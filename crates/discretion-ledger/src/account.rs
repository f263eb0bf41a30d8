//! An account: price, charge, raise, look back.

use crate::charged;
use crate::entry::{self, Kind, Record};
use crate::error::Error;
use crate::fault::checkpoint;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::history::{HistoryEntry, Quote, Standing};
use crate::ledger::Ledger;
use crate::state::{self, State};
use crate::store;
use discretion::privacy::Budget;
use discretion::privacy::account::{Event, NotPriced, Spend, amount};
use rusqlite::Transaction;
use serde::Serialize;

/// An account of a ledger. It holds no numbers of its own: every call reads the file.
pub struct Account<'l> {
    pub(crate) ledger: &'l Ledger,
    pub(crate) name: String,
    /// The cap of the study, which must be the account's; nothing for a command that only looks or raises.
    pub(crate) asked: Option<Budget>,
}

/// A charge that is committed. Compute now, then call [`Charge::released`].
pub struct Charge<'l> {
    ledger: &'l Ledger,
    /// Its number in the ledger, which model files name.
    pub number: u64,
    /// What it cost.
    pub quote: Quote,
    /// Set if the table is not the one of the account's first charge with a comparable fingerprint.
    pub table_changed: Option<TableChanged>,
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

impl<'l> Account<'l> {
    /// The account's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes the table's bytes for [`Account::charge`].
    pub fn fingerprint(&self) -> Fingerprinter {
        Fingerprinter::new(&self.ledger.secret, &self.name)
    }

    /// What charging `event` would cost. Charges and writes nothing.
    pub fn price(&self, event: &Event) -> Result<Quote, Error> {
        let (cap, _, spend) = self.read()?;
        self.quote(cap, spend, event)
    }

    /// The same, or the refusal that charging it would meet.
    pub fn affordable(&self, event: &Event) -> Result<Quote, Error> {
        let (cap, _, spend) = self.read()?;
        let quote = self.quote(cap, spend.clone(), event)?;
        if quote.within { Ok(quote) } else { Err(self.overspent(quote, &spend)) }
    }

    /// Checks that the account can pay for `event` and charges it, in one transaction that is on the disk when this
    /// returns. An account that does not exist yet is opened in the same transaction.
    ///
    /// Postcondition: whatever other processes do, everything ever charged is within the cap.
    pub fn charge(
        &self,
        event: &Event,
        table: Option<&Fingerprint>,
        what: &str,
    ) -> Result<Charge<'l>, Error> {
        self.charge_with(event, table, what, |_, _| Ok(()))
    }

    /// The only way to charge. `also` writes what must not be there without the charge, whose number it is given, nor
    /// the charge without it.
    pub(crate) fn charge_with(
        &self,
        event: &Event,
        table: Option<&Fingerprint>,
        what: &str,
        also: impl FnOnce(&Transaction<'_>, u64) -> Result<(), Error>,
    ) -> Result<Charge<'l>, Error> {
        checkpoint("charge:before-begin");
        let Ledger { connection, explain, secret } = self.ledger;
        let transaction = store::begin(connection, explain)?;
        let (cap, state, spend) = self.read()?;
        let quote = self.quote(cap, spend.clone(), event)?;
        if !quote.within {
            // Finding what would fit takes a while, and others may charge meanwhile.
            drop(transaction);
            return Err(self.overspent(quote, &spend));
        }
        let record = |kind| Record {
            kind,
            account: &self.name,
            cap: None,
            event: None,
            charge: None,
            note: "",
            digest: None,
        };
        if state.is_none() {
            let opened = Record { cap: Some(json(&cap)), ..record(Kind::Opened) };
            entry::append(&transaction, explain, secret, opened)?;
        }
        let digest = table.map(|table| table.0.as_str());
        let charged = Record { event: Some(json(event)), note: what, digest, ..record(Kind::Charged) };
        let number = entry::append(&transaction, explain, secret, charged)?;
        also(&transaction, number)?;
        checkpoint("charge:before-commit");
        transaction.commit().map_err(|error| explain.sqlite(error))?;
        charged::remember(explain);
        checkpoint("charge:after-commit");
        let first =
            digest.and_then(|now| state.as_ref()?.first_table(now).filter(|(_, _, first)| first != now));
        let table_changed =
            first.map(|(charge, at, _)| TableChanged { first_charge: *charge, at: at.clone() });
        Ok(Charge { ledger: self.ledger, number, quote, table_changed })
    }

    /// Where the account stands.
    pub fn standing(&self) -> Result<Standing, Error> {
        let (cap, state, spend) = self.read()?;
        match state {
            Some(state) => self.ledger.standing_of(&self.name, &state),
            None => standing(&self.name, None, (cap, cap), &spend),
        }
    }

    /// Everything that happened on the account, the oldest first.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, Error> {
        state::history(&self.ledger.connection, &self.ledger.explain, &self.name)
    }

    /// The largest size up to `at_most` for which `event(size)` could be charged now, to about three digits;
    /// nothing if none could. A larger size must cost more.
    pub fn largest(&self, at_most: f64, event: impl Fn(f64) -> Event) -> Result<Option<f64>, Error> {
        let (cap, _, spend) = self.read()?;
        Ok(spend.largest(cap, at_most, event))
    }

    /// Raises the cap of an account that exists and returns the entry's number. The new cap must cover the old one.
    pub fn raise(&self, cap: Budget, reason: &str) -> Result<u64, Error> {
        if reason.trim().is_empty() {
            return Err(Error::NoReason);
        }
        let Ledger { connection, explain, secret } = self.ledger;
        let transaction = store::begin(connection, explain)?;
        let (old, state, _) = self.read()?;
        if state.is_none() {
            return Err(self.ledger.no_such_account(&self.name)?);
        }
        if !cap.covers(old) || cap == old {
            return Err(Error::NotARaise { account: self.name.clone(), cap: old, asked: cap });
        }
        let raised = Record {
            kind: Kind::Raised,
            account: &self.name,
            cap: Some(json(&cap)),
            event: None,
            charge: None,
            note: reason,
            digest: None,
        };
        let number = entry::append(&transaction, explain, secret, raised)?;
        transaction.commit().map_err(|error| explain.sqlite(error))?;
        Ok(number)
    }

    /// The cap, the state if the account exists, and everything spent; refuses a study that asks for another cap.
    fn read(&self) -> Result<(Budget, Option<State>, Spend), Error> {
        let explain = &self.ledger.explain;
        let state = state::of_account(&self.ledger.connection, explain, &self.name)?;
        match (state, self.asked) {
            (None, Some(asked)) => Ok((asked, None, Spend::new())),
            (None, None) => Err(self.ledger.no_such_account(&self.name)?),
            (Some(state), _) => {
                let (cap, _) = state.caps(&self.name, explain)?;
                self.same_cap(cap)?;
                let spend = state.spend(explain)?;
                Ok((cap, Some(state), spend))
            }
        }
    }

    fn overspent(&self, Quote { before, after, cap, .. }: Quote, spend: &Spend) -> Error {
        let (before, after) = (Box::new(before), Box::new(after));
        Error::Overspent { account: self.name.clone(), before, after, cap, room: room(spend, cap) }
    }

    fn quote(&self, cap: Budget, spend: Spend, event: &Event) -> Result<Quote, Error> {
        let priced = |spend: &Spend| spend.prices(cap).map_err(|reason| not_priced(&self.name, cap, reason));
        let before = priced(&spend)?[0];
        let after = priced(&spend.and(event)?)?;
        Ok(Quote::new(cap, before, after))
    }

    /// Refuses an account that is not there, or has another cap than the study.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match state::cap_of(&self.ledger.connection, &self.ledger.explain, &self.name)? {
            Some(cap) => self.same_cap(cap),
            None if self.asked.is_some() => Ok(()),
            None => Err(self.ledger.no_such_account(&self.name)?),
        }
    }

    fn same_cap(&self, cap: Budget) -> Result<(), Error> {
        match self.asked {
            Some(asked) if asked != cap => Err(Error::CapDiffers { account: self.name.clone(), cap, asked }),
            _ => Ok(()),
        }
    }
}

impl Charge<'_> {
    /// Records that `file` left under this charge. A charge may release several files.
    pub fn released(&self, file: &str) -> Result<(), Error> {
        self.ledger.release(self.number, file, None)
    }

    /// As [`Charge::released`], with the SHA-256 of the file's content ([`crate::content_hash`]).
    pub fn released_with_hash(&self, file: &str, sha256: &str) -> Result<(), Error> {
        self.ledger.release(self.number, file, Some(sha256))
    }
}

pub(crate) fn standing(
    name: &str,
    state: Option<&State>,
    (cap, cap_at_opening): (Budget, Budget),
    spend: &Spend,
) -> Result<Standing, Error> {
    let mut prices = spend.prices(cap).map_err(|reason| not_priced(name, cap, reason))?;
    let spent = prices.remove(0);
    Ok(Standing {
        account: name.to_owned(),
        opened_at: state.map(|state| state.opened_at.clone()),
        cap_at_opening,
        cap,
        charges: state.map_or(0, |state| state.charges),
        unreleased: state.map_or(0, |state| state.unreleased.len() as u64),
        spent,
        alternatives: prices,
    })
}

/// What an error can offer: the largest pure ε, or ρ, that still fits.
fn room(spend: &Spend, cap: Budget) -> Option<f64> {
    let what = String::new;
    spend
        .largest(cap, amount(cap), |size| match cap {
            Budget::Zcdp { .. } => Event::Concentrated { rho: size, what: what() },
            _ => Event::Pure { epsilon: size, what: what() },
        })
        // What is left after spending a cap in decimal parts is rounding, and no offer.
        .filter(|&room| room > 1e-6 * amount(cap))
}

fn not_priced(account: &str, cap: Budget, reason: NotPriced) -> Error {
    Error::NotPriced { account: account.to_owned(), cap, reason }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("budgets and events are plain data")
}
