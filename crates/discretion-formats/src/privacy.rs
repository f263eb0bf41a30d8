//! What a file promises, and who paid for it.

use crate::claim::{ensure, not_negative};
use discretion::noise::Provenance;
use discretion::privacy::account::Cap;
use discretion::privacy::{Budget, Unit};
use serde::{Deserialize, Serialize};

/// What is promised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Privacy {
    /// Whether anything is.
    pub private: bool,
    /// What the training cost; nothing is promised without it.
    pub guarantee: Option<Budget>,
    /// What "one row" means.
    pub neighbours: Neighbours,
    /// Whom the guarantee is about, and what is counted where the file says rows. Not written for
    /// rows.
    #[serde(default, skip_serializing_if = "Unit::is_row")]
    pub unit: Unit,
    /// The guarantee in plain words.
    pub statement: String,
    /// Where the noise came from.
    pub randomness: Option<Provenance>,
}

impl Privacy {
    /// Takes a promise back for this reason, which is returned as the file's warning. What promises
    /// nothing stays as it is.
    pub fn withdraw(&mut self, reason: &str) -> Option<String> {
        if !self.private {
            return None;
        }
        let statement = format!("NOT PRIVATE: {reason}; of this run alone: {}", self.statement);
        (self.private, self.guarantee, self.statement) = (false, None, statement);
        Some(reason.to_owned())
    }

    /// Refuses a promise without a guarantee or without real noise, and a file that warns although
    /// it promises something, or does not although it promises nothing.
    pub(crate) fn check(&self, warning: Option<&str>) -> Result<(), String> {
        let is_kept = self.randomness == Some(Provenance::OperatingSystem);
        let fits = match self.private {
            true => self.guarantee.is_some() && is_kept,
            false => self.guarantee.is_none(),
        };
        ensure(fits, "its guarantee is not that of its noise")?;
        ensure(
            warning.is_some() != self.private,
            "what it promises and its first line do not go together",
        )
    }
}

/// The entry of a ledger that a model was charged with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The account.
    pub account: String,
    /// The number of the charge.
    pub charge: u64,
    /// What the account may spend in all, as it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Cap>,
    /// What this run cost the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How much of the cap was gone then, this run included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<f64>,
}

impl LedgerEntry {
    /// Refuses a charge below nothing.
    pub(crate) fn check(&self) -> Result<(), String> {
        not_negative(self.cost.unwrap_or(0.0), "what was charged")?;
        not_negative(self.spent.unwrap_or(0.0), "what was spent")
    }
}

/// Between which tables the guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbours {
    /// Same number of rows, one of them replaced.
    ReplaceOne,
    /// The same rows, one with another label.
    ReplaceOneLabel,
}
