//! The table as the ledger knows it.

use discretion::Refusal;
use discretion_disk::files;
use discretion_ledger::{Fingerprint, Fingerprinter};
use discretion_table::{Table, unreadable};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A table's keyed fingerprint ([`discretion_ledger::Account::fingerprint`] has the key): over the
/// bytes of its files, in their order. Where there are several, each is followed by its length, so
/// that what stands in which file counts. Of a database the query counts as well, and what the file
/// has not taken up yet.
pub fn fingerprint(
    mut keyed: Fingerprinter,
    table: &(impl Table + ?Sized),
) -> Result<Fingerprint, Refusal> {
    let mut files = table.files()?;
    if table.query().is_some() {
        files = files
            .into_iter()
            .flat_map(|file| [Some(file.clone()), log_of(&file)])
            .flatten()
            .collect();
    }
    for file in &files {
        let length = read(file, &mut keyed).map_err(|error| unreadable(file, &error))?;
        if files.len() > 1 {
            keyed.write_all(&length.to_le_bytes()).map_err(|error| unreadable(file, &error))?;
        }
    }
    if let Some(query) = table.query() {
        keyed.write_all(query.as_bytes()).map_err(|error| unreadable(&files[0], &error))?;
    }
    Ok(keyed.finish())
}

/// The log of changes beside an SQLite file, if it has one.
fn log_of(file: &Path) -> Option<PathBuf> {
    let mut name = file.file_name()?.to_owned();
    name.push("-wal");
    let log = file.with_file_name(name);
    log.exists().then_some(log)
}

fn read(file: &Path, keyed: &mut Fingerprinter) -> io::Result<u64> {
    io::copy(&mut io::BufReader::with_capacity(1 << 20, files::open(file)?), keyed)
}
