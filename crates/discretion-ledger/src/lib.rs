//! A ledger that never forgets what was spent.
//!
//! One SQLite file holds one append-only log of what happened: accounts opened with a cap, charges,
//! files released, caps raised. What an account has spent is computed from it by the filter that
//! the account was opened with ([`discretion_privacy::account::Filter`]).
//!
//! [`Ledger::open`] → [`Ledger::account`] → [`Account::charge`] (durable when it returns) → compute
//! → [`Charge::released`]. A crash in between leaves the charge. What answers one query after
//! another takes [`Purchase::with_session`] → compute → [`Session::commit`] (durable) → give the
//! answers. `FORMAT.md` beside this crate describes the file.
//!
//! An account that can pay for one of two runs:
//!
//! ```
//! use discretion_ledger::{Error, Ledger, Purchase};
//! use discretion_privacy::noise::{IntegerNoise, Sensitive};
//! use discretion_privacy::{Budget, Pure};
//!
//! # let folder = tempfile::tempdir()?;
//! let ledger = Ledger::open(&folder.path().join("ledger.sqlite"))?;
//! let account = ledger.account("patients", Budget::Pure { epsilon: 1.0 })?;
//!
//! let noise = IntegerNoise::Laplace { sensitivity: 1, budget: Pure { epsilon: 0.6 } };
//! let event = noise.event();
//! let mut charge = account.charge(&Purchase::new(&event, "how many are ill"))?; // on the disk
//! let count = noise.release(Sensitive::new(vec![42]), charge.receipt.noise())?;
//! ledger.release(charge.number, "count.txt", None)?;
//!
//! let again = account.charge(&Purchase::new(&event, "once more"));
//! assert!(matches!(again, Err(Error::Overspent { .. }))); // 1.2 is more than the cap
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod answers;
mod charged;
mod clock;
mod entry;
mod error;
mod explain;
mod export;
mod fault;
mod file_error;
mod fingerprint;
mod history;
mod holder;
mod journal;
mod ledger;
mod location;
mod log;
#[cfg(test)]
mod many_events;
mod name;
mod notice;
mod problem;
mod purchase;
mod raw;
mod seal;
mod session;
mod settings_name;
mod snapshot;
mod state;
mod store;
mod stored;
mod terms;
mod upgrade;
mod verify;
#[cfg(test)]
mod what_it_costs;

pub use account::Account;
pub use charged::has_charged;
pub use clock::now as utc_now;
pub use error::{Error, FileError, Room};
pub use fault::{STEPS, checkpoint};
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use history::{Happening, HistoryEntry, Quote, ReleasedFile, RunsLeft, Spending, Standing};
pub use ledger::{DEFAULT_WAIT, Ledger};
pub use location::{LEDGER_VARIABLE, default_path};
pub use problem::Problem;
pub use purchase::{AlsoUnder, Charge, Consent, EarlierRun, Purchase, SmallerRun, TableChanged};
pub use session::Session;
pub use settings_name::SettingsName;
pub use verify::Verification;
