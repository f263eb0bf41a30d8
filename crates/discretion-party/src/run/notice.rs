//! What a study tells people while it runs.

use discretion_ledger::Quote;

/// What happens meanwhile. Nothing in it depends on rows.
#[derive(Clone, Debug)]
pub enum Notice {
    /// These are not here yet.
    WaitingFor(Vec<String>),
    /// Everybody is here, and runs the same study.
    Everybody,
    /// The account was charged.
    Charged {
        /// The charge's number.
        charge: u64,
        /// What it cost.
        quote: Box<Quote>,
    },
    /// An earlier charge pays.
    PaidBefore {
        /// Its number.
        charge: u64,
    },
    /// A round begins.
    Round {
        /// From 1.
        number: usize,
        /// How many there are.
        of: usize,
        /// What is summed.
        what: &'static str,
    },
    /// A round is opened again from what the aggregators kept.
    Kept {
        /// From 1.
        number: usize,
        /// How many there are.
        of: usize,
    },
}
