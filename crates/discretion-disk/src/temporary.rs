//! Files and folders that a run works in. A run that is killed leaves them, and the next one that
//! writes there removes them.
//!
//! Whoever makes one holds a lock on it, which the system releases when the process ends, however
//! that is. What is not locked belongs to nobody: with its lock in hand another run removes it. A
//! new one is unlocked for a moment, so its maker looks, once the lock is held, whether it is still
//! there, and makes another one if not. Nothing is therefore removed that a run works with.

use crate::files::Readers;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;
use tempfile::{NamedTempFile, TempDir};

const PREFIX: &str = ".discretion-";
const SUFFIX: &str = ".draft";

/// The end of names of earlier programs, which held no locks.
const UNLOCKED: &str = ".part";

/// The age from which a draft that cannot be locked belongs to no running program.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A file in `folder` that is deleted when it is dropped.
pub fn file(folder: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    sweep(folder);
    loop {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        if readers == Readers::Anyone {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        #[cfg(not(unix))]
        let _ = readers;
        let file = builder.tempfile_in(folder)?;
        // Some systems cannot lock; there only what is old is removed.
        let _ = file.as_file().lock();
        if is_there(file.path(), file.as_file()) {
            return Ok(file);
        }
    }
}

/// A folder for its owner alone, which is deleted with all that is in it when it is dropped.
pub struct Folder {
    folder: TempDir,
    /// Locked as long as the folder is used; some systems cannot open a folder.
    _lock: Option<File>,
}

impl Folder {
    /// Makes one in `parent`.
    pub fn new(parent: &Path) -> io::Result<Folder> {
        sweep(parent);
        loop {
            let folder =
                tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(parent)?;
            let lock = File::open(folder.path()).ok();
            let there = lock.as_ref().is_none_or(|lock| {
                let _ = lock.lock();
                is_there(folder.path(), lock)
            });
            if there {
                return Ok(Folder { folder, _lock: lock });
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Whether `path` still leads to `file`.
fn is_there(path: &Path, file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        match (fs::symlink_metadata(path), file.metadata()) {
            (Ok(named), Ok(open)) => (named.dev(), named.ino()) == (open.dev(), open.ino()),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Deletes what runs that were killed have left in a folder. Making a file or a folder there does
/// so too.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        let Ok(found) = entry.metadata() else { continue };
        let is_folder = found.is_dir();
        if !is_folder && !found.is_file() {
            continue;
        }
        let is_old = || found.modified().ok()?.elapsed().ok().map(|age| age > A_DAY);
        let lock = File::open(entry.path());
        let is_nobodys = match lock.as_ref().map(File::try_lock) {
            _ if name.ends_with(UNLOCKED) => is_old() == Some(true),
            _ if !name.ends_with(SUFFIX) => false,
            Ok(Ok(())) => true,
            Ok(Err(TryLockError::WouldBlock)) => false,
            Ok(Err(TryLockError::Error(_))) | Err(_) => is_old() == Some(true),
        };
        if is_nobodys {
            // Whether it can be deleted is no concern of this run.
            let path = entry.path();
            let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        drop(lock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn leftovers_go_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let [left, folder, old, new, other] = [
            ".discretion-a.draft",
            ".discretion-b.draft",
            ".discretion-c.part",
            ".discretion-d.part",
            "e",
        ]
        .map(|name| place.path().join(name));
        for path in [&left, &new, &other] {
            fs::write(path, "").unwrap();
        }
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("ledger"), "").unwrap();
        File::create(&old).unwrap().set_modified(SystemTime::now() - 2 * A_DAY).unwrap();

        let used = file(place.path(), Readers::Owner).unwrap();
        assert!(!left.exists() && !folder.exists() && !old.exists());
        assert!(new.exists() && other.exists(), "of an earlier program, and no draft");
        let used_folder = Folder::new(place.path()).unwrap();
        drop(file(place.path(), Readers::Anyone).unwrap());
        assert!(used.path().exists() && used_folder.path().exists());
        drop((used, used_folder));
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }

    /// Many runs at once, each of which removes what is not locked.
    #[test]
    fn no_run_loses_its_file_to_another() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let mine = file(place.path(), Readers::Owner).unwrap();
                        assert!(mine.path().exists());
                        mine.close().unwrap();
                    }
                });
            }
        });
    }
}
