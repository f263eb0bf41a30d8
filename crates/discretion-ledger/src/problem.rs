//! What is wrong with a ledger.

use serde::Serialize;
use std::fmt;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The first bad entry, if it is an entry.
    pub number: Option<u64>,
    /// What is wrong with it.
    pub detail: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.number.map_or_else(String::new, |number| format!("entry {number}: "));
        write!(
            out,
            "the ledger does not verify: {entry}{}; restore it from a copy, and count everything since as spent",
            self.detail
        )
    }
}
