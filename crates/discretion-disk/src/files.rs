//! Files that appear whole or not at all.

use discretion_privacy::{Refusal, reason};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// Who may read a new file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Whoever the user's umask lets in.
    Anyone,
    /// The user alone: for what is not private.
    Owner,
}

/// A file in the making: under a hidden name in the same folder until [`commit`](Draft::commit),
/// and deleted if that never comes.
pub struct Draft {
    path: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl Draft {
    /// Starts a file that will be at `path`.
    pub fn create(path: &Path, readers: Readers) -> Result<Draft, Refusal> {
        sweep(parent(path));
        let file = temporary(parent(path), readers).map_err(|error| {
            Refusal::bad_file(
                path,
                format!("this file cannot be created ({}); name another place", reason(&error)),
            )
        })?;
        Ok(Draft { path: path.to_owned(), writer: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Makes the file durable and gives it its name, in this order.
    pub fn commit(self) -> Result<(), Refusal> {
        let Draft { path, writer } = self;
        let finish = || -> io::Result<()> {
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            // The name is durable too once its folder is; some systems cannot sync a folder.
            let _ = File::open(parent(&path)).and_then(|folder| folder.sync_all());
            Ok(())
        };
        finish().map_err(|error| Refusal::unwritten(&path, error))
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// A whole file at once.
pub fn write(path: &Path, readers: Readers, text: &str) -> Result<(), Refusal> {
    let mut draft = Draft::create(path, readers)?;
    draft.write_all(text.as_bytes()).map_err(|error| Refusal::unwritten(path, error))?;
    draft.commit()
}

/// The folder a file is in: `.` for a bare name.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

const PREFIX: &str = ".discretion-";
const SUFFIX: &str = ".part";

/// Deletes what runs that were killed have left. A file of today may belong to a run that goes on.
fn sweep(folder: &Path) {
    const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours =
            name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if ours && age().is_some_and(|age| age > A_DAY) {
            // Whether it can be deleted is no concern of this run.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file in `folder` that is deleted when it is dropped.
pub(crate) fn temporary(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    if readers == Readers::Anyone {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = readers;
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_file_appears_when_it_is_committed_and_leftovers_of_other_days_go() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new, path] = [".discretion-old.part", ".discretion-new.part", "model.json"]
            .map(|name| folder.path().join(name));
        fs::write(&new, "").unwrap();
        let two_days_ago = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
        File::create(&old).unwrap().set_modified(two_days_ago).unwrap();

        let mut draft = Draft::create(&path, Readers::Anyone).unwrap();
        draft.write_all(b"{}").unwrap();
        assert!(!path.exists() && !old.exists() && new.exists());
        draft.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");

        drop(Draft::create(&folder.path().join("never"), Readers::Owner).unwrap());
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            2,
            "model.json and the new leftover"
        );
    }
}
