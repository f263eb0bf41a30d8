//! What helps against a refusal, as data: a terminal has flags for it, a page boxes, Python
//! keywords.

use std::fmt::{self, Display};

/// What helps against a refusal. Each front says it in its own words
/// ([`Refusal::said_with`](crate::Refusal::said_with)), and so does [`Display`], for those who call
/// the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Use again what an earlier run of this job released.
    Reuse,
    /// Pay for another result of the same job.
    PayAgain,
    /// Say that these are newer rows of the same table.
    RowsChanged,
    /// Say that a second account for the same rows is meant.
    SecondAccount,
    /// Accept what looks like a mistake in the table.
    AcceptFindings,
    /// Open another voting session.
    NewSession,
    /// Write into another folder.
    AnotherFolder,
    /// Write the student's model into another folder.
    AnotherStudentFolder,
    /// Write another file.
    AnotherFile,
    /// Overwrite what is there.
    Overwrite,
    /// Overwrite what is there, which pays for it once more.
    OverwriteAndPay,
    /// Name a file for the ledger.
    NameLedger,
    /// Say what separates fields, as a command line spells it.
    SayDelimiter(&'static str),
    /// Say what this run may spend.
    SaySpend,
    /// Name a file of queries.
    NameQueries,
    /// Name no file of queries.
    NoQueries,
    /// Say nothing about the account's cap, or what it is.
    AccountsCap,
}

impl Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::Reuse => "use again what that released, for nothing",
            Remedy::PayAgain => "pay for another result",
            Remedy::RowsChanged => "say so if these are newer rows of the same table",
            Remedy::SecondAccount => "say so if another account is meant",
            Remedy::AcceptFindings => "accept it if all is as it should be",
            Remedy::NewSession => "open another session at its full price",
            Remedy::AnotherFolder | Remedy::AnotherStudentFolder => "choose another folder",
            Remedy::AnotherFile => "choose another file",
            Remedy::Overwrite => "overwrite it",
            Remedy::OverwriteAndPay => "overwrite it if that is what you want",
            Remedy::NameLedger => "name a file for the ledger",
            Remedy::SayDelimiter(_) => "say what separates the fields",
            Remedy::SaySpend => "say what the run may spend",
            Remedy::NameQueries => {
                "name a file of queries: the public points to answer, with the study's columns and without labels"
            }
            Remedy::NoQueries => "leave the file of queries out",
            Remedy::AccountsCap => "write the account's cap into [budget], or raise it",
        })
    }
}
