//! Files that appear whole or not at all, and never on top of another by accident.

use crate::exit::{Failure, reason};
use discretion_publish::files::temporary;
pub use discretion_publish::files::{Draft, Readers, parent};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder a run writes into, known to be writable. If the run made it and leaves it empty, it goes again.
pub struct OutputFolder {
    path: PathBuf,
    made: bool,
}

impl OutputFolder {
    /// Makes the folder if it is missing, and tries to write there.
    pub fn prepare(path: &Path) -> Result<OutputFolder, Failure> {
        let advice = "choose another folder with --out";
        if path.exists() && !path.is_dir() {
            return Err(Failure::bad_file(path, format!("this is a file and a folder is needed; {advice}")));
        }
        let made = !path.exists();
        fs::create_dir_all(path).map_err(|error| {
            Failure::bad_file(path, format!("this folder cannot be created ({}); {advice}", reason(&error)))
        })?;
        let folder = OutputFolder { path: path.to_owned(), made };
        // Only writing tells whether one can write: permissions, quotas and read-only mounts all count.
        temporary(path, Readers::Owner).map_err(|error| {
            Failure::bad_file(
                path,
                format!("this folder cannot be written to ({}); {advice}", reason(&error)),
            )
        })?;
        Ok(folder)
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
    pub fn check(self, path: &Path, advice: &str) -> Result<(), Failure> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => {
                Err(Failure::bad_file(path, format!("nothing can be written here ({})", reason(&error))))
            }
            // Renaming onto a device would replace the device.
            Ok(found) if !found.is_file() => {
                Err(Failure::bad_file(path, "this is not an ordinary file; name another one"))
            }
            Ok(_) if self == Existing::Replace => Ok(()),
            Ok(_) => Err(Failure::Refused(format!("{}: this file exists already; {advice}", path.display()))),
        }
    }
}

/// A whole file at once.
pub fn write(path: &Path, readers: Readers, text: &str) -> Result<(), Failure> {
    Ok(discretion_publish::files::write(path, readers, text)?)
}
