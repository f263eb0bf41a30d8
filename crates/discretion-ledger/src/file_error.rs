//! What is wrong with a ledger's file, and what to do about it.

use std::time::Duration;

/// Why a ledger's file cannot be used. After any of these nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be written.
    #[error(
        "the ledger {path} is read-only; nothing can be charged to it until this user may write it and its directory"
    )]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// The file cannot be read.
    #[error(
        "the ledger {path} cannot be read ({detail}); let its owner run this, or give this user the right to read and write it"
    )]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        detail: String,
    },
    /// The name leads to another file, or to none, since the ledger was opened.
    #[error(
        "the ledger {path} was moved, deleted or replaced while it was open; nothing was written, because nobody would see it: put the \
         ledger back in its place and run this again"
    )]
    Moved {
        /// The file's name when it was opened.
        path: String,
    },
    /// The file has several names.
    #[error(
        "the ledger {path} has {links} names (hard links) and is only written under one, because a crash under one cannot be mended \
         under another; remove the others (`find / -xdev -samefile {path}` lists them) and run this again"
    )]
    Linked {
        /// The file.
        path: String,
        /// How many names it has.
        links: u64,
    },
    /// The file is reached through a mount of its own.
    #[error(
        "the ledger {path} is mounted as a single file, so it has another name elsewhere, and a crash under one name cannot be mended \
         under another; mount the directory that the ledger is in instead of the file"
    )]
    Mounted {
        /// The file.
        path: String,
    },
    /// A journal or log beside the file belongs to another file.
    #[error(
        "{journal} is beside the ledger {path} and does not belong to it ({detail}); it would undo charges, so nothing was read, \
         charged or changed. It is an unfinished commit of another ledger that had this name. Never delete it: move it to that ledger, \
         under that ledger's name, or both into a folder of their own, and run this again"
    )]
    ForeignJournal {
        /// The file.
        path: String,
        /// The journal or log.
        journal: String,
        /// Why it is not the file's own.
        detail: String,
    },
    /// Somebody was killed while this looked.
    #[error("a run was killed while it wrote to the ledger {path}; run this again")]
    BrokenOff {
        /// The file.
        path: String,
    },
    /// A name that is none of a file.
    #[error(
        "a ledger is an ordinary file, and {path:?} names none; write the path of a file, and ./ before a name such as file:x"
    )]
    NoFileName {
        /// The name that was given.
        path: String,
    },
    /// Someone else is writing.
    #[error(
        "the ledger {path} is in use by {}, and was for {waited:?}; wait for that to finish and run this again",
        if .holders.is_empty() { "another process".to_owned() } else { .holders.join(", ") }
    )]
    Locked {
        /// The file.
        path: String,
        /// How long we waited.
        waited: Duration,
        /// Who, where the system tells.
        holders: Vec<String>,
    },
    /// No space.
    #[error(
        "the disk of the ledger {path} is full; make room and run this again, nothing was charged"
    )]
    DiskFull {
        /// The file.
        path: String,
    },
    /// The file is damaged.
    #[error(
        "the ledger {path} is damaged ({detail}); restore it from a copy, and until then count every charge since \
         that copy as spent"
    )]
    Corrupted {
        /// The file.
        path: String,
        /// What is wrong.
        detail: String,
    },
    /// Some other file.
    #[error("{path} is not a discretion ledger")]
    NotALedger {
        /// The file.
        path: String,
    },
    /// A later program's file.
    #[error(
        "the ledger {path} was written by a newer discretion (format {found}, this one knows {known}); upgrade this \
         program"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its format.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// Nothing there.
    #[error("there is no ledger at {path}; it is made by the first run that charges one")]
    Missing {
        /// The file.
        path: String,
    },
    /// The directory cannot be made or used.
    #[error("the directory of the ledger {path} cannot be used: {detail}; make it")]
    Directory {
        /// The file.
        path: String,
        /// What the system said.
        detail: String,
    },
    /// Neither a flag nor a variable nor a home.
    #[error("there is no place for the ledger; set HOME or XDG_DATA_HOME")]
    NoDataDirectory,
    /// The system failed to read or write.
    #[error("the ledger {path} could not be read or written: {detail}")]
    Storage {
        /// The file.
        path: String,
        /// What SQLite said.
        detail: String,
    },
}

impl FileError {
    /// Whether the machine failed or somebody else is in the way, as opposed to something that the
    /// caller has to repair.
    /// Whether another file would do.
    pub(crate) fn another_helps(&self) -> bool {
        matches!(
            self,
            FileError::NotALedger { .. } | FileError::Directory { .. } | FileError::NoDataDirectory
        )
    }

    pub(crate) fn is_refusal(&self) -> bool {
        !matches!(
            self,
            FileError::NotALedger { .. }
                | FileError::NoFileName { .. }
                | FileError::Missing { .. }
                | FileError::Directory { .. }
                | FileError::NoDataDirectory
        )
    }
}
