//! What looks like a mistake before a charge, and how to say that it is none.

use super::{BudgetFlags, IN_PLACE_OF_SPEND, LedgerFile, ORDINARY};
use discretion_ledger::Consent;

/// For every command that charges an account.
#[derive(Debug, Default, clap::Args)]
pub struct RowsConsent {
    /// The account was charged for other rows before: go on with these. People who are in both
    /// versions pay twice
    #[arg(long)]
    pub rows_changed: bool,
    /// These rows have another account already: open a second budget for the same people
    #[arg(long)]
    pub second_account: bool,
}

impl RowsConsent {
    /// As the ledger asks for it.
    pub fn consent(&self) -> Consent {
        Consent {
            rows_changed: self.rows_changed,
            second_account: self.second_account,
            again: false,
        }
    }
}

/// For commands whose result is a file.
#[derive(Debug, Default, clap::Args)]
pub struct RepeatConsent {
    /// If this very job was done on these rows before, take the file that it released: nothing is
    /// charged
    #[arg(long, conflicts_with = "again")]
    pub reuse: bool,
    /// Pay for this very job again, for another result
    #[arg(long)]
    pub again: bool,
}

/// For commands that run what a study asks for: what the run may spend, which ledger pays, and what
/// is allowed that looks like a mistake.
#[derive(Debug, Default, clap::Args)]
pub struct ChargeFlags {
    #[command(flatten, next_help_heading = IN_PLACE_OF_SPEND)]
    pub spend: BudgetFlags,
    #[command(flatten, next_help_heading = ORDINARY)]
    pub ledger: LedgerFile,
    #[command(flatten)]
    pub rows: RowsConsent,
    #[command(flatten)]
    pub repeat: RepeatConsent,
}

impl ChargeFlags {
    /// As the ledger asks for it.
    pub fn consent(&self) -> Consent {
        Consent { again: self.repeat.again, ..self.rows.consent() }
    }
}
