//! Files that appear whole or not at all, and never on top of another by accident.

use discretion::{Refusal, reason};
use discretion_disk::files::temporary;
pub use discretion_disk::files::{Draft, Readers, parent};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The folder a run writes into, known to be writable. If the run made it and leaves it empty, it goes again.
pub struct OutputFolder {
    path: PathBuf,
    made: bool,
    /// Locked while this run has the folder to itself.
    _lock: Option<File>,
}

impl OutputFolder {
    /// Makes the folder if it is missing, and tries to write there.
    pub fn prepare(path: &Path) -> Result<OutputFolder, Refusal> {
        let advice = "choose another folder with --out";
        if path.exists() && !path.is_dir() {
            return Err(Refusal::bad_file(path, format!("this is a file and a folder is needed; {advice}")));
        }
        let made = !path.exists();
        fs::create_dir_all(path).map_err(|error| {
            Refusal::bad_file(path, format!("this folder cannot be created ({}); {advice}", reason(&error)))
        })?;
        let folder = OutputFolder { path: path.to_owned(), made, _lock: None };
        // Only writing tells whether one can write: permissions, quotas and read-only mounts all count.
        temporary(path, Readers::Owner).map_err(|error| {
            Refusal::bad_file(
                path,
                format!("this folder cannot be written to ({}); {advice}", reason(&error)),
            )
        })?;
        Ok(folder)
    }

    /// Has the folder for this run alone: of two that are started at once, one would pay for a file that the other replaces.
    pub fn alone(mut self) -> Result<OutputFolder, Refusal> {
        // Some systems cannot lock a folder; then nothing is promised.
        if let Ok(folder) = File::open(&self.path) {
            if let Err(TryLockError::WouldBlock) = folder.try_lock() {
                let sentence =
                    "another run is writing into this folder; wait for it, or choose another with --out";
                return Err(Refusal::refused(format!("{}: {sentence}", self.path.display())));
            }
            self._lock = Some(folder);
        }
        Ok(self)
    }

    /// A file in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.made {
            // Fails, as it should, when something is in it.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Whether the user said --force.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    pub fn check(self, path: &Path, advice: &str) -> Result<(), Refusal> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => {
                Err(Refusal::bad_file(path, format!("nothing can be written here ({})", reason(&error))))
            }
            // Renaming onto a device would replace the device.
            Ok(found) if !found.is_file() => {
                Err(Refusal::bad_file(path, "this is not an ordinary file; name another one"))
            }
            Ok(_) if self == Existing::Replace => Ok(()),
            Ok(_) => Err(Refusal::refused(format!("{}: this file exists already; {advice}", path.display()))),
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

/// The page beside a model: report.html for model.json, seeded-report.html for seeded-model.json.
pub fn page_of(model: &Path) -> PathBuf {
    let name = model.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = name.strip_suffix("model.json").unwrap_or_default();
    model.with_file_name(format!("{kind}report.html"))
}

/// A whole file at once.
pub fn write(path: &Path, readers: Readers, text: &str) -> Result<(), Refusal> {
    Ok(discretion_disk::files::write(path, readers, text)?)
}
