//! One server for one session.

use crate::state_files;
use discretion::Refusal;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// Held while a service runs. The system lets go of it when the process ends, however that happens.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of an account's session of this key, beside the ledger, whose path is
    /// canonical.
    pub fn take(ledger: &Path, account: &str, key: &str) -> Result<Lock, Refusal> {
        let path = path(ledger, account, key);
        let file = discretion_disk::owner_only().create(true).truncate(false).open(&path);
        let file = file.map_err(|error| failed(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Refusal::refused(format!(
                "another server answers for this session already ({} is locked); end it first, or serve another study. \
                 Nothing was charged",
                path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(failed(&path, &error)),
        }
    }

    /// Whether it could be taken. Makes no file.
    pub fn check(ledger: &Path, account: &str, key: &str) -> Result<(), Refusal> {
        match path(ledger, account, key).exists() {
            true => Lock::take(ledger, account, key).map(drop),
            false => Ok(()),
        }
    }
}

fn path(ledger: &Path, account: &str, key: &str) -> PathBuf {
    ledger.with_file_name(state_files::named(&[account, key], "lock"))
}

fn failed(path: &Path, problem: &dyn std::fmt::Display) -> Refusal {
    Refusal::refused(format!(
        "{}: this lock cannot be taken ({problem}); nothing was charged",
        path.display()
    ))
}
