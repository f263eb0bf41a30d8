//! Who pays for a run from Python.

use crate::budget::{CapNumbers, terms};
use crate::ledger::Ledger;
use discretion::{Refusal, RefusalKind};
use discretion_jobs::{self as jobs, Job, News, Watch, buy};
use discretion_ledger::{Account, Fingerprint};
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

/// What the user should know, as Python's notes.
#[derive(Default)]
pub struct Notes(Mutex<Vec<String>>);

impl Watch for Notes {
    fn tell(&self, news: News<'_>) {
        let note = match news {
            News::Warning(text) | News::Note(text) => text.to_owned(),
            News::TableChanged { account, changed } => format!(
                "the rows, as this schema encodes them, are not those that charge {} of account '{account}' was made on ({}); \
                 the account goes on",
                changed.first_charge, changed.at
            ),
            News::Charged { .. } | News::Working(_) | News::Done => return,
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
    /// Plans a job, charges for it and runs it. `digest` is that of the rows, which the ledger keeps under its own key; none where
    /// only some columns are looked at, which would seem to be another table each time. Returns what was made, and notes.
    pub fn spend<J: Job>(
        &self,
        job: &J,
        rows: &J::Rows,
        digest: Option<&[u8]>,
        what: &str,
    ) -> Result<(J::Artefact, Vec<String>), Refusal> {
        let (notes, count) = (Notes::default(), J::count(rows));
        // The ledger is held for the charge alone: other threads fit meanwhile.
        let paid = match self {
            &Payer::Seed(seed) => buy(job, count, jobs::Payer::Seed(seed), &notes)?,
            Payer::Account(..) => self.with_account(|account| {
                let table = digest.map(|digest| fingerprint(account, digest));
                // Frames change from one cell to the next, and nobody can be asked: what was noticed is told.
                let payer = jobs::Payer::Account { account, table: table.as_ref(), what, consent: None };
                buy(job, count, payer, &notes)
            })?,
        };
        let stopped = |refusal: Refusal| match (refusal.kind(), self) {
            (RefusalKind::Stopped, Payer::Seed(_)) => refusal.and("nothing was charged"),
            _ => refusal,
        };
        let outcome = paid.run(job, rows, &notes).map_err(stopped)?;
        Ok((outcome.artefact, notes.all()))
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
        let Payer::Account(ledger, name, cap) = self else { unreachable!("a seed pays nothing") };
        let cap = cap.clone().map(terms).transpose()?;
        ledger.get().with(|file| {
            let account = match cap {
                Some(cap) => file.account(name, cap)?,
                None => file.existing_account(name)?,
            };
            work(&account)
        })
    }
}

/// The fingerprint of rows under an account, from their digest.
pub fn fingerprint(account: &Account<'_>, rows: &[u8]) -> Fingerprint {
    let mut print = account.fingerprint();
    print.update(rows);
    print.finish_rows()
}
