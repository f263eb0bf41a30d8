//! What `show` and `list` say.

use discretion::privacy::Budget;
use discretion::privacy::account::{Event, Price, amount};
use serde::Serialize;

/// One thing that happened on an account.
#[derive(Clone, Debug, Serialize)]
pub struct HistoryEntry {
    /// Its number in the ledger.
    pub number: u64,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// What.
    #[serde(flatten)]
    pub what: Happening,
}

/// What happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Happening {
    /// The account was opened.
    Opened {
        /// Its cap.
        cap: Budget,
    },
    /// A run was paid for. Without answers and releases it is "charged, not released": the run failed, was killed, or goes on.
    Charged {
        /// What was run.
        event: Event,
        /// What for.
        what: String,
        /// The table's fingerprint.
        fingerprint: Option<String>,
        /// How many answers left, if it pays for a session.
        answers: u64,
        /// The files that left.
        releases: Vec<ReleasedFile>,
    },
    /// The cap was raised.
    Raised {
        /// The new cap.
        cap: Budget,
        /// Why.
        reason: String,
    },
}

/// A file that left under a charge.
#[derive(Clone, Debug, Serialize)]
pub struct ReleasedFile {
    /// The release's number in the ledger.
    pub number: u64,
    /// When.
    pub at: String,
    /// Its name.
    pub file: String,
    /// The SHA-256 of its content.
    pub sha256: Option<String>,
}

/// Where an account stands.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The account's name.
    pub account: String,
    /// When it was opened; nothing if its first charge is still to come.
    pub opened_at: Option<String>,
    /// Its cap when it was opened.
    pub cap_at_opening: Budget,
    /// Its cap now.
    pub cap: Budget,
    /// How many runs it paid for.
    pub charges: u64,
    /// How many of these released nothing: neither a file nor an answer.
    pub unreleased: u64,
    /// What was spent: the tightest valid price.
    pub spent: Price,
    /// The other valid prices, for `--why`.
    pub alternatives: Vec<Price>,
}

impl Standing {
    /// What is left of the cap, in its ε or ρ.
    pub fn left(&self) -> f64 {
        (amount(self.cap) - self.spent.amount).max(0.0)
    }
}

/// What a charge would cost.
#[derive(Clone, Debug, Serialize)]
pub struct Quote {
    /// The account's cap.
    pub cap: Budget,
    /// What was spent before.
    pub before: Price,
    /// What will have been spent after.
    pub after: Price,
    /// The other valid prices after, for `--why`.
    pub alternatives: Vec<Price>,
    /// What this charge adds, in the cap's ε or ρ.
    pub cost: f64,
    /// What is left after, in the cap's ε or ρ; 0 if it is not within the cap.
    pub left: f64,
    /// Whether the account can pay.
    pub within: bool,
}

impl Quote {
    pub(crate) fn new(cap: Budget, before: Price, mut after: Vec<Price>) -> Quote {
        let price = after.remove(0);
        Quote {
            cap,
            before,
            after: price,
            alternatives: after,
            cost: (price.amount - before.amount).max(0.0),
            left: (amount(cap) - price.amount).max(0.0),
            within: price.within(cap),
        }
    }
}
