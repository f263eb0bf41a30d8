//! The folder that a run writes into: tried before the work, not after it.

use crate::files::Readers;
use crate::temporary;
use discretion_privacy::{Refusal, Remedy, reason};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The folder a run writes into, known to be writable. If the run made it and leaves it empty, it
/// goes again.
pub struct OutputFolder {
    path: PathBuf,
    made: bool,
    /// Locked while this run has the folder to itself.
    _lock: Option<File>,
}

impl OutputFolder {
    /// Makes the folder if it is missing, and tries to write there.
    pub fn prepare(path: &Path) -> Result<OutputFolder, Refusal> {
        if path.exists() && !path.is_dir() {
            return Err(Refusal::bad_file(path, "this is a file and a folder is needed")
                .or(Remedy::AnotherFolder));
        }
        let made = !path.exists();
        fs::create_dir_all(path).map_err(|error| {
            Refusal::bad_file(path, format!("this folder cannot be created ({})", reason(&error)))
                .or(Remedy::AnotherFolder)
        })?;
        let folder = OutputFolder { path: path.to_owned(), made, _lock: None };
        // Only writing tells whether one can write: permissions, quotas and read-only mounts all
        // count.
        temporary::file(path, Readers::Owner).map_err(|error| {
            Refusal::bad_file(
                path,
                format!("this folder cannot be written to ({})", reason(&error)),
            )
            .or(Remedy::AnotherFolder)
        })?;
        Ok(folder)
    }

    /// Has the folder for this run alone: of two that are started at once, one would pay for a file
    /// that the other replaces.
    pub fn alone(mut self) -> Result<OutputFolder, Refusal> {
        // Some systems cannot lock a folder; then nothing is promised.
        if let Ok(folder) = File::open(&self.path) {
            if let Err(TryLockError::WouldBlock) = folder.try_lock() {
                let sentence = "another run is writing into this folder; wait for it to end";
                return Err(Refusal::refused(format!("{}: {sentence}", self.path.display()))
                    .or(Remedy::AnotherFolder));
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
