//! One server for one session.

use crate::failure::Failure;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Held while a service runs. The system lets go of it when the process ends, however that happens.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of the session of this key, beside its ledger.
    pub fn take(ledger: &Path, key: &str) -> Result<Lock, Failure> {
        let path: PathBuf = ledger.with_file_name(format!("serve-{}.lock", &key[..16]));
        let failed = |problem: &dyn std::fmt::Display| {
            Failure::Refused(format!(
                "{}: this lock cannot be taken ({problem}); nothing was charged",
                path.display()
            ))
        };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::Refused(format!(
                "another server answers for this session already ({} is locked); end it first, or serve another study. \
                 Nothing was charged",
                path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(failed(&error)),
        }
    }
}
