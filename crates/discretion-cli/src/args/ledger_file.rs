//! `--ledger`, the same for every command.

use std::path::{Path, PathBuf};

/// Which ledger.
#[derive(Debug, Default, clap::Args)]
pub struct LedgerFile {
    /// The ledger file [default: DISCRETION_LEDGER, else ledger.sqlite in the user's data
    /// directory]
    #[arg(long = "ledger", value_name = "FILE", global = true)]
    file: Option<PathBuf>,
}

impl LedgerFile {
    /// The file, if one was named.
    pub fn named(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

impl From<PathBuf> for LedgerFile {
    fn from(file: PathBuf) -> LedgerFile {
        LedgerFile { file: Some(file) }
    }
}
