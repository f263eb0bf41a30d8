//! Files as this program wants them: whole or not at all, for their owner alone where they must be,
//! and on the disk when a call returns.
//!
//! - [`files`]: a file that appears whole, under its name, once it is durable; ordinary files to
//!   read.
//! - [`temporary`]: files and folders that a run works in, which the next run removes after a kill.
//! - [`folder`]: the folder a run writes into, tried before the work.
//! - `sqlite`: a SQLite file for what must not be forgotten, and SQLite files of others.
//! - [`hex`](mod@hex): bytes as people read them.
//!
//! A file that is there whole, or not at all:
//!
//! ```
//! use discretion_disk::files::{Draft, Readers};
//! use std::io::Write;
//!
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("model.json");
//! let mut draft = Draft::create(&path, Readers::Anyone)?;
//! draft.write_all(b"{}")?;
//! assert!(!path.exists()); // nobody sees half a file
//! draft.commit()?; // on the disk, and then under its name
//! assert_eq!(std::fs::read(&path)?, b"{}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod existing;
pub mod files;
pub mod folder;
pub mod hex;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod temporary;

use std::fs::OpenOptions;

/// Options for a file that its owner alone may read, to write to.
pub fn owner_only() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
