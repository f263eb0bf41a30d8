//! A keyed fingerprint of a table. Without the ledger's secret it says nothing, not even whether a guessed table is
//! the one; with it, whether the table is still the same.

use blake3::Hasher;
use std::fmt;
use std::io::{self, Write};

/// The fingerprint of a table under one account of one ledger: what it is of and how it was made, then 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub(crate) String);

/// Before the fingerprint of a file. (Without it: by HMAC-SHA256, as ledgers have from before.)
const OF_FILE: &str = "blake3:";

/// Before the fingerprint of encoded rows. A file's bytes and the rows in it have different fingerprints, and comparing them
/// would call every table changed.
const OF_ROWS: &str = "rows:blake3:";

/// Whether two fingerprints, as the ledger has them, can be compared at all.
pub(crate) fn comparable(one: &str, other: &str) -> bool {
    let kind = |fingerprint: &str| fingerprint.rfind(':');
    one[..kind(one).unwrap_or(0)] == other[..kind(other).unwrap_or(0)]
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Takes a table's bytes, in any pieces. Write the file into it (`std::io::copy`), then [`Fingerprinter::finish`].
///
/// BLAKE3 with a key: as safe as HMAC-SHA256, and a table is passed over in less time.
pub struct Fingerprinter(Hasher);

impl Fingerprinter {
    pub(crate) fn new(secret: &[u8], account: &str) -> Fingerprinter {
        // The same table under two accounts has two fingerprints.
        let key = [&(account.len() as u64).to_le_bytes(), account.as_bytes(), secret].concat();
        Fingerprinter(Hasher::new_keyed(&blake3::derive_key(
            "discretion ledger: fingerprint of a table",
            &key,
        )))
    }

    /// More of the table.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The fingerprint of all bytes so far, which were a file's.
    pub fn finish(self) -> Fingerprint {
        Fingerprint(format!("{OF_FILE}{}", self.0.finalize()))
    }

    /// The fingerprint of all bytes so far, which were encoded rows, or stand for them.
    pub fn finish_rows(self) -> Fingerprint {
        Fingerprint(format!("{OF_ROWS}{}", self.0.finalize()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_fingerprints_of_one_kind_are_compared() {
        let [mut file, mut rows] = [Fingerprinter::new(b"secret", "a"), Fingerprinter::new(b"secret", "a")];
        file.update(b"rows");
        rows.update(b"rows");
        let (file, rows, before) = (file.finish().0, rows.finish_rows().0, "0f".repeat(32));
        assert_eq!(file.strip_prefix(OF_FILE), rows.strip_prefix(OF_ROWS));
        assert!(file.ends_with(|c: char| c.is_ascii_hexdigit()) && file.len() == OF_FILE.len() + 64);
        for (one, other) in [(&file, &rows), (&file, &before), (&rows, &before)] {
            assert!(!comparable(one, other) && !comparable(other, one), "{one} {other}");
        }
        assert!(comparable(&file, &format!("{OF_FILE}ff")) && comparable(&before, &"1f".repeat(32)));
    }

    /// The secret, the account's name and where it ends all count.
    #[test]
    fn another_key_is_another_fingerprint() {
        let of = |secret: &[u8], account: &str| Fingerprinter::new(secret, account).finish();
        assert_eq!(of(b"bc", "a"), of(b"bc", "a"));
        for other in [of(b"bd", "a"), of(b"bc", "b"), of(b"c", "ab")] {
            assert_ne!(of(b"bc", "a"), other);
        }
    }
}
