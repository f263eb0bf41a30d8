//! Who pays for a run: the one way to charge from Python. Nothing that reads rows runs before [`Payer::pay`] returns.

use crate::errors::Raise;
use crate::ledger::Ledger;
use discretion::Refusal;
use discretion::noise::{Noise, Receipt};
use discretion::privacy::Budget;
use discretion::privacy::account::{Cap, Event, FilterKind, Terms};
use discretion_formats::LedgerEntry;
use discretion_ledger::{Account, Fingerprint};
use pyo3::prelude::*;

/// ε, δ and ρ, as far as they are given.
pub type Numbers = (Option<f64>, Option<f64>, Option<f64>);

/// An account's cap, and the name of its filter if one is asked for.
pub type CapNumbers = (Option<f64>, Option<f64>, Option<f64>, Option<String>);

/// What an account is to be, checked.
pub fn terms((epsilon, delta, rho, filter): CapNumbers) -> Result<Terms, Refusal> {
    let cap = Cap::new(epsilon, delta, rho).map_err(|error| Refusal::bad_input(error.to_string()))?;
    let filter = match filter.as_deref() {
        None | Some("auto") => None,
        Some(name) => {
            let found = FilterKind::ALL.into_iter().find(|(known, _)| *known == name);
            Some(found.map(|(_, kind)| kind).ok_or_else(|| {
                let known = FilterKind::ALL.map(|(known, _)| known).join(", ");
                Refusal::bad_input(format!("filter is auto, {known}, not {name:?}"))
            })?)
        }
    };
    Ok(Terms { cap, filter })
}

/// A budget, checked.
pub fn budget((epsilon, delta, rho): Numbers) -> Result<Budget, Refusal> {
    Budget::new(epsilon, delta, rho).map_err(|error| Refusal::bad_input(error.to_string()))
}

/// Who pays.
#[derive(FromPyObject)]
pub enum Payer {
    /// Nobody: the noise is known to whoever knows the seed.
    Seed(u64),
    /// An account of a ledger, with its lifetime cap; without one the account is there already.
    Account(Py<Ledger>, String, Option<CapNumbers>),
}

/// What was paid.
pub struct Paid {
    /// For the file that is published; nothing if no file remembers the charge.
    pub entry: Option<LedgerEntry>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Said when the run fails or is stopped.
    stays: Option<String>,
    /// The noise that was paid for.
    pub source: Noise,
}

impl Payer {
    /// Charges `event`, durably. `rows` is a digest of the rows, which the ledger keeps under its own key; none where only some
    /// columns are looked at, which would seem to be another table each time.
    pub fn pay(&self, event: &Event, rows: Option<&[u8]>, what: &str) -> Result<Paid, Refusal> {
        let Payer::Account(ledger, ..) = self else { return Ok(self.unpaid()) };
        self.with_account(|account| {
            let fingerprint = rows.map(|rows| fingerprint(account, rows));
            let charge = account.charge(event, fingerprint.as_ref(), what)?;
            let notes = charge.table_changed.as_ref().map(|changed| {
                format!(
                    "the rows, as this schema encodes them, are not those that charge {} of account '{}' was made on ({}); the \
                     account goes on",
                    changed.first_charge,
                    account.name(),
                    changed.at
                )
            });
            let remembered = !ledger.get().is_in_memory();
            Ok(Paid {
                entry: remembered.then(|| LedgerEntry::of(account, &charge)),
                notes: notes.into_iter().collect(),
                stays: Some(format!("charge {} of account '{}' stays", charge.number, account.name())),
                source: self.source(),
            })
        })
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

    /// The noise that this payer pays for.
    pub fn source(&self) -> Noise {
        Receipt::unpaid(match self {
            Payer::Seed(seed) => Some(*seed),
            Payer::Account(..) => None,
        })
    }

    fn unpaid(&self) -> Paid {
        Paid { entry: None, notes: Vec::new(), stays: None, source: self.source() }
    }
}

/// The fingerprint of rows under an account, from their digest.
pub fn fingerprint(account: &Account<'_>, rows: &[u8]) -> Fingerprint {
    let mut print = account.fingerprint();
    print.update(rows);
    print.finish_rows()
}

impl Paid {
    /// A failure after the charge, which stays.
    pub fn failed(&self, failure: Refusal) -> Refusal {
        match &self.stays {
            Some(stays) => failure.after_charge(stays),
            None => failure,
        }
    }

    /// What to say when the user stops the run.
    pub fn stopped(&self) -> String {
        let stays = self.stays.as_deref().unwrap_or("nothing was charged");
        format!("stopped before anything was released; {stays}")
    }
}
