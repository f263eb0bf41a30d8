//! The log as JSON lines.

use crate::entry::Kind;
use crate::error::Error;
use crate::hex::hex;
use crate::ledger::Ledger;
use crate::walk::each_entry;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::Write;

/// An entry with all that its hash covers. Caps and events are the stored text, byte for byte.
#[derive(Serialize)]
struct Line<'a> {
    number: u64,
    at: &'a str,
    kind: Kind,
    account: &'a str,
    cap: Option<&'a RawValue>,
    event: Option<&'a RawValue>,
    charge: Option<u64>,
    note: &'a str,
    digest: Option<&'a str>,
    previous: String,
    hash: String,
}

impl Ledger {
    /// Writes every entry as one line of JSON. The secret stays here.
    pub fn export(&self, mut out: impl Write) -> Result<(), Error> {
        each_entry(&self.connection, &self.explain, "", [], |entry| {
            let raw = |text: &Option<String>| -> Result<Option<Box<RawValue>>, Error> {
                let parsed = text.clone().map(RawValue::from_string).transpose();
                parsed.map_err(|error| self.explain.corrupted(format!("entry {}: {error}", entry.number)))
            };
            let (cap, event) = (raw(&entry.cap)?, raw(&entry.event)?);
            let line = Line {
                number: entry.number,
                at: &entry.at,
                kind: entry.kind,
                account: &entry.account,
                cap: cap.as_deref(),
                event: event.as_deref(),
                charge: entry.charge,
                note: &entry.note,
                digest: entry.digest.as_deref(),
                previous: hex(&entry.previous),
                hash: hex(&entry.hash),
            };
            serde_json::to_writer(&mut out, &line).map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
            Ok(())
        })?;
        out.flush().map_err(Error::from)
    }
}
