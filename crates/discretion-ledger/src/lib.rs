//! A ledger that never forgets what was spent.
//!
//! One SQLite file holds one append-only log of what happened: accounts opened with a cap, charges, files released,
//! caps raised. What an account has spent is computed from it by the filter that the account was opened with
//! ([`discretion::privacy::account::Filter`]).
//!
//! [`Ledger::open`] → [`Ledger::account`] → [`Account::charge`] (durable when it returns) → compute →
//! [`Charge::released`]. A crash in between leaves the charge. What answers one query after another takes
//! [`Account::open_session`] → compute → [`Session::commit`] (durable) → give the answers. `FORMAT.md` beside this crate describes the file.

mod account;
mod charged;
mod clock;
pub mod durable;
mod entry;
mod error;
mod explain;
mod export;
mod fault;
mod fingerprint;
pub mod hex;
mod history;
mod holder;
mod ledger;
mod location;
mod log;
#[cfg(test)]
mod many_events;
mod name;
mod seal;
mod session;
mod snapshot;
mod state;
mod store;
mod stored;
mod terms;
mod upgrade;
mod verify;
#[cfg(test)]
mod what_it_costs;

pub use account::{Account, Charge, TableChanged};
pub use charged::has_charged;
pub use clock::now as utc_now;
pub use error::Error;
pub use fault::{STEPS, checkpoint};
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use history::{Happening, HistoryEntry, Quote, ReleasedFile, RunsLeft, Spending, Standing};
pub use ledger::{DEFAULT_WAIT, Ledger};
pub use location::{LEDGER_VARIABLE, default_path};
pub use session::Session;
pub use verify::{Problem, Verification};

use sha2::{Digest, Sha256};
use std::io::{self, Read};

/// The SHA-256 of a released file's content, for [`Charge::released_with_hash`]: 64 hexadecimal digits.
pub fn content_hash(mut content: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(hex::hex(&hash.finalize())),
            read => hash.update(&buffer[..read]),
        }
    }
}
