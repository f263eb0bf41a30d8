//! What looks like a mistake before a charge, and how to say that it is none.

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
