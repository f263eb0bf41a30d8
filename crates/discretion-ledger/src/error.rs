//! Why the ledger refused; what is wrong with its file is in `file_error.rs`. Each message says
//! what to do.

use discretion_privacy::BudgetError;
use discretion_privacy::Unit;
use discretion_privacy::account::{Cap, EventError, NotPriced};
use discretion_privacy::noise::NoiseError;
use discretion_privacy::{Budget, Refusal, RefusalKind, Remedy};

pub use crate::file_error::FileError;

/// Why the ledger refused or failed. After any of these nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The charge would pass the cap.
    #[error(
        "account '{account}' cannot pay for this: it would have spent {} of its cap, {cap}, and has spent {}; {}",
        short(*.after), short(*.before), .room.fits()
    )]
    Overspent {
        /// The account.
        account: String,
        /// What was spent, in the ε or ρ of the cap.
        before: f64,
        /// What would have been spent.
        after: f64,
        /// The cap.
        cap: Cap,
        /// What of this run would fit.
        room: Room,
    },
    /// The chances of failing would add up to too much.
    #[error(
        "account '{account}' ({cap}) sets delta = {most:e} aside for runs that may fail, and has used {before:.1e} of it; \
         this run would make that {after:.1e}: take a delta of at most {:.1e}, or another account",
        (.most - .before).max(0.0)
    )]
    FailsTooOften {
        /// The account.
        account: String,
        /// Σδ before.
        before: f64,
        /// Σδ after.
        after: f64,
        /// What is set aside.
        most: f64,
        /// The cap.
        cap: Cap,
    },
    /// An account of an earlier program that is past its cap.
    #[error(
        "account '{account}' is closed: an earlier discretion added up in a way that does not hold if runs are chosen \
         after seeing results, and by the rule that does it is past its cap of {cap}; nothing more can be charged to it \
         unless its cap is raised with a reason (docs/accounts.md)"
    )]
    Closed {
        /// The account.
        account: String,
        /// Its cap.
        cap: Cap,
    },
    /// The study's filter is not the account's.
    #[error(
        "account '{account}' was opened with another filter ({filter}) than is asked for ({asked}), and a filter \
         never changes; leave the filter out, or use another account"
    )]
    FilterDiffers {
        /// The account.
        account: String,
        /// Its filter.
        filter: &'static str,
        /// The study's.
        asked: &'static str,
    },
    /// The study is about another unit than the account.
    #[error(
        "account '{account}' was opened for a guarantee about a {}, and this run has one about a {} ([data] person says which); \
         what the two cost does not add up, so use another account", unit.name(), asked.name()
    )]
    UnitDiffers {
        /// The account.
        account: String,
        /// Its unit.
        unit: Unit,
        /// The study's.
        asked: Unit,
    },
    /// The study's cap is not the account's.
    #[error("account '{account}' has a lifetime cap of {cap}, and what is asked for is {asked}")]
    CapDiffers {
        /// The account.
        account: String,
        /// The account's cap now.
        cap: Cap,
        /// The study's.
        asked: Cap,
    },
    /// The rows are others than before, and nobody said that they should be.
    #[error(
        "account '{account}' was charged for other rows (charge {first_charge}, {at}), and its budget is for all that is \
         ever released about them; people who are in both versions pay twice. Another table has an account of its own ([data] account). Nothing was charged"
    )]
    RowsChanged {
        /// The account.
        account: String,
        /// Its first charge.
        first_charge: u64,
        /// When that was.
        at: String,
    },
    /// The rows have an account, and this is another one.
    #[error(
        "these rows have an account already: '{other}' was charged for them. A second account is a second budget for the same \
         people. Write account = \"{other}\" into [data]. Nothing was charged"
    )]
    SecondAccount {
        /// The account.
        account: String,
        /// The one that was charged for these rows.
        other: String,
    },
    /// The same job was done on the same rows.
    #[error(
        "account '{account}' has paid for this very job on these rows (charge {charge}, {at}). Nothing was charged now"
    )]
    Repeated {
        /// The account.
        account: String,
        /// The earlier charge.
        charge: u64,
        /// When that was.
        at: String,
    },
    /// The event has no price in the cap's currency.
    #[error("account '{account}' (cap {cap}) cannot be charged with this: {reason}")]
    NotPriced {
        /// The account.
        account: String,
        /// Its cap.
        cap: Cap,
        /// Why.
        #[source]
        reason: NotPriced,
    },
    /// A cap is only ever raised.
    #[error(
        "the cap of account '{account}' is {cap} and can only be raised: {asked} would not cover everything that \
         the cap does now, and more"
    )]
    NotARaise {
        /// The account.
        account: String,
        /// Its cap.
        cap: Cap,
        /// What was asked for.
        asked: Cap,
    },
    /// A cap is not raised without a reason.
    #[error("raising a cap needs a reason, for whoever reviews the ledger later")]
    NoReason,
    /// No such account.
    #[error("there is no account '{name}' in this ledger; {}", known_accounts(.known))]
    NoSuchAccount {
        /// What was asked for.
        name: String,
        /// Those that exist.
        known: Vec<String>,
    },
    /// A release without a charge.
    #[error("there is no charge number {0} in this ledger, so nothing can be released under it")]
    NoSuchCharge(u64),
    /// Another process committed to the session first.
    #[error(
        "the session of charge {charge} went on in another process; nothing of this was kept and no answer of it may \
         leave: read the session again and go on from its state"
    )]
    SessionMoved {
        /// The session's charge.
        charge: u64,
    },
    /// What may be there once is there.
    #[error(
        "charge {charge} of account '{account}' pays for this already; nothing was charged again"
    )]
    SessionThere {
        /// Who pays.
        account: String,
        /// The session's charge.
        charge: u64,
    },
    /// A query has one answer.
    #[error(
        "the session of charge {charge} has answered query {query} before; give that answer again"
    )]
    AnsweredBefore {
        /// The session's charge.
        charge: u64,
        /// The query's digest.
        query: String,
    },
    /// Something else than a digest in place of one.
    #[error("a query is named by its digest in lower-case hexadecimal digits, not by {0:?}")]
    NotADigest(String),
    /// An account without a name.
    #[error("an account needs a name of 1 to 200 characters on one line, not {0:?}")]
    BadName(String),
    /// An event that cannot have happened.
    #[error(transparent)]
    BadEvent(#[from] EventError),
    /// A cap that is none.
    #[error(transparent)]
    BadCap(#[from] BudgetError),
    /// No randomness for the ledger's secret.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// Something is wrong with the file.
    #[error(transparent)]
    File(#[from] FileError),
    /// Writing an export failed.
    #[error("the export could not be written: {0}")]
    Export(#[from] std::io::Error),
}

impl Error {
    /// Whether the request was understood and refused, or the machine failed, as opposed to
    /// something that the caller has to repair.
    pub fn is_refusal(&self) -> bool {
        match self {
            Error::File(file) => file.is_refusal(),
            Error::NoReason
            | Error::NoSuchAccount { .. }
            | Error::NoSuchCharge(_)
            | Error::NotADigest(_)
            | Error::BadName(_)
            | Error::BadEvent(_)
            | Error::BadCap(_) => false,
            _ => true,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let kind = if error.is_refusal() { RefusalKind::Refused } else { RefusalKind::BadInput };
        let remedies: &[Remedy] = match &error {
            Error::CapDiffers { .. } => &[Remedy::AccountsCap],
            Error::RowsChanged { .. } => &[Remedy::RowsChanged],
            Error::SecondAccount { .. } => &[Remedy::SecondAccount],
            Error::Repeated { .. } => &[Remedy::Reuse, Remedy::PayAgain],
            Error::File(file) if file.another_helps() => &[Remedy::NameLedger],
            _ => &[],
        };
        remedies.iter().fold(Refusal::from_error(kind, error), |refusal, one| refusal.or(*one))
    }
}

/// Four digits are enough for a person.
pub(crate) fn short(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// What is known of a run with less to spend, where the run itself does not fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Room {
    /// This run would fit with this budget in place of its own.
    Run(Option<Budget>),
    /// Nothing is known of smaller runs.
    Unknown,
}

impl Room {
    fn fits(self) -> String {
        const RAISE: &str = "ask whoever owns the budget to raise the cap with a reason";
        match self {
            Room::Unknown => format!("spend less in [spend], or {RAISE}"),
            Room::Run(None) => format!("this run would not fit with less to spend; {RAISE}"),
            Room::Run(Some(Budget::Zcdp { rho })) => {
                format!("for this run rho = {rho} would fit in [spend]")
            }
            Room::Run(Some(Budget::Pure { epsilon })) => {
                format!("for this run epsilon = {epsilon} would fit in [spend]")
            }
            Room::Run(Some(Budget::Approximate { epsilon, delta })) => {
                format!(
                    "for this run epsilon = {epsilon} would fit in [spend], with delta = {delta:e}"
                )
            }
        }
    }
}

fn known_accounts(known: &[String]) -> String {
    if known.is_empty() {
        "it has none yet".to_owned()
    } else {
        format!("it has {}", known.join(", "))
    }
}
