//! Files that leave.

use crate::errors::Raise;
use crate::ledger::Ledger;
use discretion_disk::files::{self, Readers};
use discretion_formats::content_hash;
use pyo3::prelude::*;
use std::path::Path;

/// Writes a file, whole or not at all, for the owner alone if it is not private, and notes in the
/// ledger under which charge it left. The file is out and paid for, so a ledger that cannot note
/// its name is a note to the user and no failure.
pub fn save(
    py: Python<'_>,
    path: &Path,
    text: &str,
    private: bool,
    charge: Option<(Py<Ledger>, u64)>,
) -> PyResult<Option<String>> {
    let readers = if private { Readers::Anyone } else { Readers::Owner };
    files::write(path, readers, text).map_err(|error| error.raise(py))?;
    let Some((ledger, charge)) = charge else { return Ok(None) };
    let hash = content_hash(text.as_bytes());
    let name = path.display().to_string();
    let noted =
        py.detach(|| ledger.get().with(|file| Ok(file.release(charge, &name, Some(&hash))?)));
    Ok(noted.err().map(|failure| {
        format!("the ledger has the charge and could not note the name of the file: {}", failure)
    }))
}
