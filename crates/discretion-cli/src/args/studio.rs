//! `studio`.

use super::LedgerFile;
use clap::Args as ClapArgs;
use std::path::PathBuf;

/// Open the custodian's page: from a table to a report without a terminal.
///
/// Serves a page on this machine alone, and opens it in the browser. It asks for a table, its
/// columns and a budget, says what everything costs before it is charged, and writes the same study
/// files, models and reports as the other commands, so that everything done there can be done again
/// with them. It ends with Ctrl-C, or with a button on the page.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion studio my-study")]
pub struct Studio {
    /// The folder for tables, study files and results; it is made if it is missing
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
    /// Print the address, and do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// The port on 127.0.0.1; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    #[command(flatten)]
    pub ledger: LedgerFile,
}
