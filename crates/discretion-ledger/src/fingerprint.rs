//! A keyed fingerprint of a table. Without the ledger's secret it says nothing, not even whether a
//! guessed table is the one; with it, whether the table is still the same, and whether another
//! account has it too.

use blake3::{Hash, Hasher};
use std::fmt;
use std::io::{self, Write};

/// The fingerprint of a table under one account of one ledger: what it is of and how it was made,
/// then 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// As the ledger has it.
    digest: String,
    /// As ledgers of former programs have it, if this account has such.
    former: Option<String>,
    /// The same for every account. It is not written down: whoever reads a ledger must not see
    /// which accounts are about one table.
    whole: Hash,
    of: Of,
}

/// What was fingerprinted. A file's bytes and the rows in it have different fingerprints, and
/// comparing them would call every table changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    File,
    Rows,
    /// Some columns of rows. Others are not another table, so they are compared with nothing but
    /// themselves.
    Columns,
}

impl Of {
    /// Before the digits.
    fn mark(self) -> &'static str {
        match self {
            Of::File => "file:blake3-2:",
            Of::Rows => "rows:blake3-2:",
            Of::Columns => "columns:blake3-2:",
        }
    }

    /// The same, when an account's fingerprint was taken of the bytes themselves. (Nothing at all:
    /// by HMAC-SHA256.)
    fn former_mark(self) -> &'static str {
        match self {
            Of::File => "blake3:",
            Of::Rows => "rows:blake3:",
            Of::Columns => "columns:blake3:",
        }
    }
}

/// Whether two fingerprints, as the ledger has them, can be compared at all.
pub(crate) fn comparable(one: &str, other: &str) -> bool {
    let kind = |fingerprint: &str| fingerprint.rfind(':');
    one[..kind(one).unwrap_or(0)] == other[..kind(other).unwrap_or(0)]
}

/// Whether a former program made this fingerprint.
pub(crate) fn is_former(digest: &str) -> bool {
    [Of::File, Of::Rows].iter().any(|of| digest.starts_with(of.former_mark()))
}

impl Fingerprint {
    /// As it is written down.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether another fingerprint of its kind is that of another table.
    pub(crate) fn tells_tables_apart(&self) -> bool {
        self.of != Of::Columns
    }

    /// Every text that stands for this table under its account.
    pub(crate) fn digests(&self) -> impl Iterator<Item = &str> {
        [Some(self.digest.as_str()), self.former.as_deref()].into_iter().flatten()
    }

    /// The same table's digest under another account.
    pub(crate) fn under(&self, secret: &[u8], account: &str) -> String {
        digest(self.of, self.whole, secret, account)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.digest)
    }
}

/// Takes a table's bytes, in any pieces. Write the file into it (`std::io::copy`), then
/// [`Fingerprinter::finish`].
///
/// BLAKE3 with a key: as safe as HMAC-SHA256, and a table is passed over in less time.
pub struct Fingerprinter {
    secret: [u8; 32],
    account: String,
    whole: Hasher,
    former: Option<Hasher>,
}

impl Fingerprinter {
    /// `former` also takes the fingerprint as former programs did.
    pub(crate) fn new(secret: &[u8; 32], account: &str, former: bool) -> Fingerprinter {
        let keyed = |about, key: &[u8]| Hasher::new_keyed(&blake3::derive_key(about, key));
        Fingerprinter {
            secret: *secret,
            account: account.to_owned(),
            whole: keyed("discretion ledger: a table, whatever its account", secret),
            former: former.then(|| {
                keyed("discretion ledger: fingerprint of a table", &account_key(secret, account))
            }),
        }
    }

    /// More of the table.
    pub fn update(&mut self, bytes: &[u8]) {
        self.whole.update(bytes);
        if let Some(former) = &mut self.former {
            former.update(bytes);
        }
    }

    /// The fingerprint of all bytes so far, which were a file's.
    pub fn finish(self) -> Fingerprint {
        self.finished(Of::File)
    }

    /// The fingerprint of all bytes so far, which were encoded rows, or stand for them.
    pub fn finish_rows(self) -> Fingerprint {
        self.finished(Of::Rows)
    }

    /// The fingerprint of all bytes so far, which were some columns of rows, or stand for them.
    pub fn finish_columns(self) -> Fingerprint {
        self.finished(Of::Columns)
    }

    fn finished(self, of: Of) -> Fingerprint {
        let whole = self.whole.finalize();
        let former = self.former.map(|former| format!("{}{}", of.former_mark(), former.finalize()));
        Fingerprint { digest: digest(of, whole, &self.secret, &self.account), former, whole, of }
    }
}

/// The account's name, where it ends, and the secret. The key under which an account's persons are
/// put in order. Nobody who lacks the ledger can choose a place by choosing an identifier, and
/// every run of the account has the same order.
pub(crate) fn person_key(secret: &[u8], account: &str) -> [u8; 32] {
    blake3::derive_key("discretion ledger: the order of persons", &account_key(secret, account))
}

fn account_key(secret: &[u8], account: &str) -> Vec<u8> {
    [&(account.len() as u64).to_le_bytes(), account.as_bytes(), secret].concat()
}

/// The same table under two accounts has two fingerprints.
fn digest(of: Of, whole: Hash, secret: &[u8], account: &str) -> String {
    let key = blake3::derive_key(
        "discretion ledger: a table of an account",
        &account_key(secret, account),
    );
    format!("{}{}", of.mark(), blake3::keyed_hash(&key, whole.as_bytes()))
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

    fn of(secret: &[u8; 32], account: &str, bytes: &[u8]) -> Fingerprinter {
        let mut table = Fingerprinter::new(secret, account, true);
        table.update(bytes);
        table
    }

    #[test]
    fn only_fingerprints_of_one_kind_are_compared() {
        let table = || of(&[7; 32], "a", b"rows");
        let (file, rows) = (table().finish(), table().finish_rows());
        let before = "0f".repeat(32);
        let kinds = [file.digest(), rows.digest(), &before]
            .into_iter()
            .chain([file.former.as_deref().unwrap(), rows.former.as_deref().unwrap()]);
        let kinds: Vec<&str> = kinds.collect();
        for (i, one) in kinds.iter().enumerate() {
            for (j, other) in kinds.iter().enumerate() {
                assert_eq!(comparable(one, other), i == j, "{one} {other}");
            }
        }
        assert!(comparable(file.digest(), &format!("{}ff", Of::File.mark())));
        assert!(file.former.as_deref().is_some_and(is_former) && !is_former(file.digest()));
    }

    /// The secret, the account's name and where it ends all count, and so does every byte.
    #[test]
    fn another_key_is_another_fingerprint() {
        let one = of(&[1; 32], "a", b"rows").finish();
        assert_eq!(one, of(&[1; 32], "a", b"rows").finish());
        for other in
            [of(&[2; 32], "a", b"rows"), of(&[1; 32], "b", b"rows"), of(&[1; 32], "a", b"Rows")]
        {
            let other = other.finish();
            assert_ne!(one.digest, other.digest);
            assert_ne!(one.former, other.former);
        }
    }

    #[test]
    fn a_table_is_known_under_another_account() {
        let (here, there) =
            (of(&[1; 32], "a", b"rows").finish(), of(&[1; 32], "b", b"rows").finish());
        assert_eq!(here.under(&[1; 32], "b"), there.digest);
        assert_ne!(here.under(&[2; 32], "b"), there.digest);
        assert_ne!(of(&[1; 32], "a", b"Rows").finish().under(&[1; 32], "b"), there.digest);
        // Rows are not a file.
        assert_ne!(of(&[1; 32], "a", b"rows").finish_rows().under(&[1; 32], "b"), there.digest);
    }
}
