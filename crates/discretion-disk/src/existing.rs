//! Files that are there already, and must not go by accident.

use discretion_privacy::{Refusal, Remedy, reason};
use std::fs;
use std::io;
use std::path::Path;

/// Whether the user said that a file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse to overwrite.
    Keep,
    /// Overwrite.
    Replace,
}

impl Existing {
    /// From the flag.
    pub fn new(force: bool) -> Existing {
        if force { Existing::Replace } else { Existing::Keep }
    }

    /// Refuses if something is at `path` that must not be overwritten.
    pub fn check(self, path: &Path, remedies: &[Remedy]) -> Result<(), Refusal> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Refusal::bad_file(
                path,
                format!("nothing can be written here ({})", reason(&error)),
            )),
            // Renaming onto a device would replace the device.
            Ok(found) if !found.is_file() => {
                Err(Refusal::bad_file(path, "this is not an ordinary file; name another one"))
            }
            Ok(_) if self == Existing::Replace => Ok(()),
            Ok(_) => {
                let there = format!("{}: this file exists already", path.display());
                Err(remedies.iter().fold(Refusal::refused(there), |there, one| there.or(*one)))
            }
        }
    }
}

/// Refuses to write over a table that this run reads, even with --force.
pub fn keep_input(output: &Path, input: &Path) -> Result<(), Refusal> {
    match (output.canonicalize(), input.canonicalize()) {
        (Ok(one), Ok(other)) if one == other => Err(Refusal::bad_file(
            output,
            "this run reads this file and does not write over it; name another one",
        )),
        _ => Ok(()),
    }
}
