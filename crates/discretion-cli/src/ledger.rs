//! The ledger, as commands use it.

use crate::exit::{Failure, reason};
use discretion_ledger::{Account, Error, Fingerprint, Fingerprinter, Ledger, default_path};
use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;

/// The ledger to charge: `--ledger`, else `DISCRETION_LEDGER`, else the user's data directory.
pub fn open(flag: Option<&Path>) -> Result<Ledger, Failure> {
    Ok(Ledger::open_default(flag)?)
}

/// The same ledger, to look at: nothing is made or written. Without one, an empty one stands in.
pub fn look(flag: Option<&Path>) -> Result<Ledger, Failure> {
    match Ledger::peek(&default_path(flag)?) {
        Err(Error::Missing { .. }) => Ok(Ledger::in_memory()?),
        other => Ok(other?),
    }
}

/// Computes a table's keyed fingerprint while `meanwhile` runs.
pub fn fingerprint_while<T>(
    account: &Account<'_>,
    table: &Path,
    meanwhile: impl FnOnce() -> Result<T, Failure>,
) -> Result<(Fingerprint, T), Failure> {
    let keyed = account.fingerprint();
    thread::scope(|scope| {
        let hashing = scope.spawn(move || fingerprint(keyed, table));
        let result = meanwhile()?;
        let fingerprint = hashing.join().expect("hashing does not panic").map_err(|error| {
            Failure::bad_file(table, format!("this table cannot be read ({})", reason(&error)))
        })?;
        Ok((fingerprint, result))
    })
}

fn fingerprint(mut keyed: Fingerprinter, table: &Path) -> io::Result<Fingerprint> {
    let mut file = io::BufReader::with_capacity(1 << 20, File::open(table)?);
    io::copy(&mut file, &mut keyed)?;
    Ok(keyed.finish())
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        if error.is_refusal() {
            Failure::Refused(error.to_string())
        } else {
            Failure::BadInput(error.to_string())
        }
    }
}
