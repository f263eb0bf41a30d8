//! Who pays for a run from Python.

use crate::budget::{CapNumbers, terms};
use crate::ledger::Ledger;
use crate::repeat::keep;
use discretion::erm::matrix::{Matrix, Rows};
use discretion::privacy::Unit;
use discretion::privacy::account::Terms;
use discretion::{Refusal, RefusalKind};
use discretion_formats::Artefact;
use discretion_jobs::{self as jobs, Job, News, Watch, buy};
use discretion_ledger::{Account, Fingerprint, Ledger as File};
use discretion_table::PersonKey;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Who pays.
#[derive(FromPyObject)]
pub enum Payer {
    /// Nobody: the noise is known to whoever knows the seed.
    Seed(u64),
    /// An account of a ledger, with its lifetime cap; without one the account is there already.
    Account(Py<Ledger>, String, Option<CapNumbers>),
}

/// What the user should know, as Python's notes, and the number of the charge.
#[derive(Default)]
pub struct Notes(Mutex<Vec<String>>, Mutex<Option<u64>>);

impl Watch for Notes {
    fn tell(&self, news: News<'_>) {
        let note = match news {
            News::Warning(text) | News::Note(text) | News::Forecast(text) => text.to_owned(),
            News::TableChanged { account, changed } => format!(
                "the rows, as this schema encodes them, are not those that charge {} of account '{account}' was made on ({}); \
                 the account goes on",
                changed.first_charge, changed.at
            ),
            News::Charged { number, .. } => {
                *self.1.lock().unwrap_or_else(PoisonError::into_inner) = Some(number);
                return;
            }
            News::Working(_) | News::Done => return,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }
}

impl Notes {
    /// All of them.
    pub fn all(self) -> Vec<String> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Payer {
    /// Plans a job, charges for it and runs it. Returns what was made, which is kept for who asks
    /// again, and notes.
    pub fn spend<J: Job>(
        &self,
        job: &J,
        rows: &J::Rows,
        table: &Table,
        what: &str,
    ) -> Result<(J::Artefact, Vec<String>), Refusal> {
        let (notes, count) = (Notes::default(), J::count(rows));
        // The ledger is held for the charge alone: other threads fit meanwhile.
        let paid = match self {
            &Payer::Seed(seed) => buy(job, count, jobs::Payer::Seed(seed), &notes)?,
            Payer::Account(..) => self.with_account_about(job.unit(), |account| {
                let table = table.fingerprint(account);
                // Frames change from one cell to the next, and nobody can be asked: what was
                // noticed is told.
                let payer =
                    jobs::Payer::Account { account, table: Some(&table), what, consent: None };
                buy(job, count, payer, &notes)
            })?,
        };
        let stopped = |refusal: Refusal| match (refusal.kind(), self) {
            (RefusalKind::Stopped, Payer::Seed(_)) => refusal.and("nothing was charged"),
            _ => refusal,
        };
        let outcome = paid.run(job, rows, &notes).map_err(stopped)?;
        let charge = *notes.1.lock().unwrap_or_else(PoisonError::into_inner);
        let unkept = match (self, charge) {
            (Payer::Account(ledger, ..), Some(charge)) => {
                keep(ledger.get(), charge, outcome.artefact.to_json())
            }
            _ => None,
        };
        Ok((outcome.artefact, notes.all().into_iter().chain(unkept).collect()))
    }

    /// Rows by the persons that they belong to, in the order that the account has for them.
    pub fn group(&self, rows: Matrix, persons: &[u128]) -> Result<Rows<'static>, Refusal> {
        Ok(Rows::group(rows, &self.places(persons)?.1))
    }

    /// The key of that order, and the place of each person in it.
    pub fn places(&self, persons: &[u128]) -> Result<(PersonKey, Vec<u128>), Refusal> {
        let key = self.person_key()?;
        Ok((key, persons.iter().map(|&person| key.place(person)).collect()))
    }

    /// The key of that order.
    pub fn person_key(&self) -> Result<PersonKey, Refusal> {
        match self {
            &Payer::Seed(seed) => Ok(PersonKey::of_seed(seed)),
            Payer::Account(..) => self.with_account_about(Unit::Person, |account| {
                Ok(PersonKey::new(account.person_key()))
            }),
        }
    }

    /// The seed, if nobody pays.
    pub fn seed(&self) -> Option<u64> {
        match self {
            &Payer::Seed(seed) => Some(seed),
            Payer::Account(..) => None,
        }
    }

    /// Calls `work` with the account. A seed has none.
    pub fn with_account<T>(
        &self,
        work: impl FnOnce(&Account<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.with_account_about(Unit::Row, work)
    }

    /// The same. An account that is not opened yet would be about this unit.
    pub fn with_account_about<T>(
        &self,
        unit: Unit,
        work: impl FnOnce(&Account<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let Payer::Account(ledger, name, cap) = self else { unreachable!("a seed pays nothing") };
        let cap = cap.clone().map(terms).transpose()?;
        ledger.get().with(|file| work(&account(file, name, cap, unit)?))
    }
}

/// An account, with its cap or as it is. One that is there keeps its unit; another is to have this
/// one.
pub fn account<'f>(
    file: &'f File,
    name: &str,
    cap: Option<Terms>,
    unit: Unit,
) -> Result<Account<'f>, discretion_ledger::Error> {
    let existing = file.existing_account(name);
    match (cap, existing) {
        (None, existing) => existing,
        (Some(cap), Ok(existing)) => file.account(name, cap.about(existing.standing()?.unit)),
        (Some(cap), Err(_)) => file.account(name, cap.about(unit)),
    }
}

/// A digest of what is looked at, which the ledger keeps under its own key.
pub enum Table {
    /// All rows.
    Rows(Vec<u8>),
    /// Some of their columns: other columns are not another table.
    Columns(Vec<u8>),
}

impl Table {
    /// The fingerprint under an account.
    pub fn fingerprint(&self, account: &Account<'_>) -> Fingerprint {
        match self {
            Table::Rows(digest) => fingerprint(account, digest),
            Table::Columns(digest) => {
                let mut print = account.fingerprint();
                print.update(digest);
                print.finish_columns()
            }
        }
    }
}

/// The fingerprint of rows under an account, from their digest.
pub fn fingerprint(account: &Account<'_>, rows: &[u8]) -> Fingerprint {
    let mut print = account.fingerprint();
    print.update(rows);
    print.finish_rows()
}
