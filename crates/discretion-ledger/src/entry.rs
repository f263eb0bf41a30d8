//! An entry of the log, and the chain of hashes through all of them.

use crate::clock;
use crate::error::Error;
use crate::explain::Explain;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(crate) type Hash = [u8; 32];

/// What an entry records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An account with its cap.
    Opened,
    /// A charge, before anything was computed.
    Charged,
    /// A file that left under a charge.
    Released,
    /// A higher cap.
    Raised,
    /// Another way to add up, by a newer program.
    Upgraded,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Opened => "opened",
            Kind::Charged => "charged",
            Kind::Released => "released",
            Kind::Raised => "raised",
            Kind::Upgraded => "upgraded",
        }
    }

    fn named(name: &str) -> Option<Kind> {
        [Kind::Opened, Kind::Charged, Kind::Released, Kind::Raised, Kind::Upgraded]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// What is to be recorded.
pub(crate) struct Record<'a> {
    pub(crate) kind: Kind,
    pub(crate) account: &'a str,
    pub(crate) cap: Option<String>,
    pub(crate) event: Option<String>,
    pub(crate) charge: Option<u64>,
    pub(crate) note: &'a str,
    pub(crate) digest: Option<&'a str>,
    pub(crate) job: Option<&'a str>,
}

/// A row of the log.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) at: String,
    pub(crate) kind: Kind,
    pub(crate) account: String,
    pub(crate) cap: Option<String>,
    pub(crate) event: Option<String>,
    pub(crate) charge: Option<u64>,
    pub(crate) note: String,
    pub(crate) digest: Option<String>,
    pub(crate) previous: Hash,
    pub(crate) hash: Hash,
    /// The job's name. Charges of formats before 4 have it in their note.
    pub(crate) job: Option<String>,
}

/// The number of columns before format 4, whose last one is the job.
const COLUMNS_BEFORE_JOBS: usize = 11;

impl Entry {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Entry> {
        let kind: String = row.get(2)?;
        Ok(Entry {
            number: row.get(0)?,
            at: row.get(1)?,
            kind: Kind::named(&kind).ok_or_else(|| {
                rusqlite::Error::FromSqlConversionFailure(
                    2,
                    Type::Text,
                    format!("unknown kind '{kind}'").into(),
                )
            })?,
            account: row.get(3)?,
            cap: row.get(4)?,
            event: row.get(5)?,
            charge: row.get(6)?,
            note: row.get(7)?,
            digest: row.get(8)?,
            previous: row.get(9)?,
            hash: row.get(10)?,
            job: match row.as_ref().column_count() {
                COLUMNS_BEFORE_JOBS => None,
                _ => row.get(COLUMNS_BEFORE_JOBS)?,
            },
        })
    }

    /// SHA-256 over the hash before and every field. A field is a byte for its presence, its length
    /// and its bytes, so that no two entries have the same encoding.
    pub(crate) fn computed_hash(&self) -> Hash {
        let mut hash = Sha256::new();
        hash.update(self.previous);
        hash.update(self.number.to_le_bytes());
        let charge = self.charge.map(|charge| charge.to_string());
        let fields = [
            Some(self.at.as_str()),
            Some(self.kind.name()),
            Some(self.account.as_str()),
            self.cap.as_deref(),
            self.event.as_deref(),
            charge.as_deref(),
            Some(self.note.as_str()),
            self.digest.as_deref(),
        ];
        fields.into_iter().for_each(|field| add_text(&mut hash, field));
        // An entry without a job has the hash that it has in earlier formats.
        if self.job.is_some() {
            add_text(&mut hash, self.job.as_deref());
        }
        hash.finalize().into()
    }
}

/// Adds a text to what is hashed, so that no two lists of texts look the same.
pub(crate) fn add_text(hash: &mut Sha256, text: Option<&str>) {
    hash.update([u8::from(text.is_some())]);
    let bytes = text.unwrap_or_default().as_bytes();
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

/// What the first entry has as the hash before it. It binds the secret into the chain.
pub(crate) fn genesis(secret: &[u8; 32]) -> Hash {
    Sha256::new()
        .chain_update(b"discretion ledger, format 1")
        .chain_update(secret)
        .finalize()
        .into()
}

/// The last entry.
pub(crate) fn head(connection: &Connection) -> rusqlite::Result<Option<Entry>> {
    let sql = "SELECT * FROM entries ORDER BY number DESC LIMIT 1";
    connection.prepare_cached(sql)?.query_row([], Entry::read).optional()
}

/// The entry of this number.
pub(crate) fn numbered(connection: &Connection, number: u64) -> rusqlite::Result<Option<Entry>> {
    let sql = "SELECT * FROM entries WHERE number = ?1";
    connection.prepare_cached(sql)?.query_row([number], Entry::read).optional()
}

/// Appends an entry and returns its number.
pub(crate) fn append(
    transaction: &Transaction<'_>,
    explain: &Explain,
    secret: &[u8; 32],
    record: Record<'_>,
) -> Result<u64, Error> {
    let sqlite = |error| explain.sqlite(error);
    let head = head(transaction).map_err(sqlite)?;
    let (number, previous) = match &head {
        None => (1, genesis(secret)),
        // What is already wrong is not built upon.
        Some(head) if head.computed_hash() != head.hash => {
            let detail = format!(
                "entry {} was changed after it was written; see `discretion ledger verify`",
                head.number
            );
            return Err(explain.corrupted(detail));
        }
        Some(head) => (head.number + 1, head.hash),
    };
    let mut entry = Entry {
        number,
        at: if record.kind == Kind::Released { clock::today() } else { clock::now() },
        kind: record.kind,
        account: record.account.to_owned(),
        cap: record.cap,
        event: record.event,
        charge: record.charge,
        note: record.note.to_owned(),
        digest: record.digest.map(str::to_owned),
        previous,
        hash: [0; 32],
        job: record.job.map(str::to_owned),
    };
    entry.hash = entry.computed_hash();
    let sql = "INSERT INTO entries (number, at, kind, account, cap, event, charge, note, digest, previous, hash, job)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let row = params![
        entry.number,
        entry.at,
        entry.kind.name(),
        entry.account,
        entry.cap,
        entry.event,
        entry.charge,
        entry.note,
        entry.digest,
        entry.previous,
        entry.hash,
        entry.job,
    ];
    transaction.prepare_cached(sql).and_then(|mut insert| insert.execute(row)).map_err(sqlite)?;
    Ok(number)
}
