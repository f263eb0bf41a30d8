//! `discretion ledger`.

use super::{BudgetFlags, CapFlags, LedgerFile};
use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

/// Look at accounts: what was spent, on what, and what is left.
///
/// The ledger is one file. Every fit is charged to its account before it computes anything, and no
/// entry is ever changed or deleted.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Example:\n  discretion ledger show adult --why")]
pub struct Ledger {
    #[command(flatten)]
    pub ledger: LedgerFile,
    #[command(subcommand)]
    pub command: LedgerCommand,
}

/// What to do with the ledger.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Every account: its cap, what is spent and what is left
    #[command(after_help = "Example:\n  discretion ledger list")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// One account: what is left, and everything that happened
    #[command(
        after_help = "With a budget it says how many more runs of that size fit (with a delta: of Gaussian noise).\n\n\
                      Example:\n  discretion ledger show adult --epsilon 0.5 --delta 1e-6"
    )]
    Show {
        /// The account
        account: String,
        /// Show every sum that counts, beside its limit
        #[arg(long)]
        why: bool,
        #[command(flatten)]
        size: BudgetFlags,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check that no entry was changed, left out or put in
    #[command(after_help = "Example:\n  discretion ledger verify --noted `cat head.txt`")]
    Verify {
        /// The head that an earlier verify printed: shows whether later entries were cut off
        #[arg(long, value_name = "HEAD")]
        noted: Option<String>,
    },
    Raise(Raise),
    /// Every entry as a line of JSON
    #[command(after_help = "Example:\n  discretion ledger export --out ledger.jsonl")]
    Export {
        /// Write here, instead of to standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long, requires = "out")]
        force: bool,
    },
}

/// Raise the cap of an account, with a reason that is kept.
#[derive(Debug, ClapArgs)]
#[command(
    after_help = "Example:\n  discretion ledger raise adult --epsilon 5 --reason \"board decision of 12 March\""
)]
pub struct Raise {
    /// The account
    pub account: String,
    #[command(flatten)]
    pub cap: CapFlags,
    /// Why; asked for if it is left out
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}
