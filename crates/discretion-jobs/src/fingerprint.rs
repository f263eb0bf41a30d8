//! The table as the ledger knows it.

use discretion::Refusal;
use discretion_ledger::{Fingerprint, Fingerprinter};
use discretion_table::unreadable;
use std::fs::File;
use std::io;
use std::path::Path;

/// A table's keyed fingerprint ([`discretion_ledger::Account::fingerprint`] has the key).
pub fn fingerprint(mut keyed: Fingerprinter, table: &Path) -> Result<Fingerprint, Refusal> {
    let mut read = || {
        let mut file = io::BufReader::with_capacity(1 << 20, File::open(table)?);
        io::copy(&mut file, &mut keyed)
    };
    match read() {
        Ok(_) => Ok(keyed.finish()),
        Err(error) => Err(unreadable(table, &error).into()),
    }
}
