//! The log as JSON lines.

use crate::entry::{Entry, Kind};
use crate::error::Error;
use crate::ledger::Ledger;
use crate::log::each_entry;
use discretion_disk::hex::hex;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::Write;

/// How many entries are read at once.
const PIECE: usize = 1000;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<&'a str>,
}

impl Ledger {
    /// Writes every entry as one line of JSON. The secret stays here.
    pub fn export(&self, mut out: impl Write) -> Result<(), Error> {
        // A piece at a time: whoever takes it may take their time, and nobody can charge while the
        // file is read.
        let mut after = 0;
        loop {
            let mut piece = Vec::with_capacity(PIECE);
            let next = "WHERE number IN (SELECT number FROM entries WHERE number > ?1 ORDER BY number LIMIT ?2)";
            each_entry(self.reading()?, &self.explain, next, [after, PIECE as u64], |entry| {
                piece.push(entry);
                Ok(())
            })?;
            let Some(last) = piece.last() else { break };
            after = last.number;
            piece.iter().try_for_each(|entry| self.write_line(entry, &mut out))?;
        }
        out.flush().map_err(Error::from)
    }

    fn write_line(&self, entry: &Entry, mut out: impl Write) -> Result<(), Error> {
        let raw = |text: &Option<String>| -> Result<Option<Box<RawValue>>, Error> {
            let parsed = text.clone().map(RawValue::from_string).transpose();
            parsed
                .map_err(|error| self.explain.corrupted(format!("entry {}: {error}", entry.number)))
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
            job: entry.job.as_deref(),
        };
        serde_json::to_writer(&mut out, &line).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(())
    }
}
