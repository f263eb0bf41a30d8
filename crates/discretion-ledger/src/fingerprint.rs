//! A keyed fingerprint of a table. Without the ledger's secret it says nothing, not even whether a guessed table is
//! the one; with it, whether the table is still the same.

use crate::hex::hex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use std::io::{self, Write};

/// The fingerprint of a table under one account of one ledger: 64 hexadecimal digits, after `rows:` for a table that was no
/// file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub(crate) String);

/// Before the fingerprint of encoded rows. A file's bytes and the rows in it have different fingerprints, and comparing them
/// would call every table changed.
const OF_ROWS: &str = "rows:";

/// Whether two fingerprints, as the ledger has them, can be compared at all.
pub(crate) fn comparable(one: &str, other: &str) -> bool {
    one.starts_with(OF_ROWS) == other.starts_with(OF_ROWS)
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Takes a table's bytes, in any pieces. Write the file into it (`std::io::copy`), then [`Fingerprinter::finish`].
pub struct Fingerprinter(Hmac<Sha256>);

impl Fingerprinter {
    pub(crate) fn new(secret: &[u8], account: &str) -> Fingerprinter {
        let mut mac = Hmac::new_from_slice(secret).expect("HMAC takes keys of any length");
        // The same table under two accounts has two fingerprints.
        mac.update(&(account.len() as u64).to_le_bytes());
        mac.update(account.as_bytes());
        Fingerprinter(mac)
    }

    /// More of the table.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The fingerprint of all bytes so far, which were a file's.
    pub fn finish(self) -> Fingerprint {
        Fingerprint(hex(&self.0.finalize().into_bytes()))
    }

    /// The fingerprint of all bytes so far, which were encoded rows, or stand for them.
    pub fn finish_rows(self) -> Fingerprint {
        Fingerprint(format!("{OF_ROWS}{}", self.finish()))
    }
}

impl Write for Fingerprinter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
