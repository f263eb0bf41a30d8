//! What helps against a refusal, as somebody at the terminal asks for it.

use discretion::{Refusal, Remedy};
use std::borrow::Cow;

/// A refusal as a line for the terminal.
pub fn at_the_terminal(refusal: &Refusal) -> String {
    refusal.said_with(|argument| format!("--{argument}"), |remedy| Some(flag(remedy).into_owned()))
}

fn flag(remedy: Remedy) -> Cow<'static, str> {
    Cow::Borrowed(match remedy {
        Remedy::Reuse => "say --reuse to use again what that released, for nothing",
        Remedy::PayAgain => "say --again to pay for another result",
        Remedy::RowsChanged => "say --rows-changed if these are newer rows of the same table",
        Remedy::SecondAccount => "say --second-account if this account is meant",
        Remedy::AcceptFindings => {
            "`discretion check` with the study file shows more; if all is as it should be, say --accept-check"
        }
        Remedy::NewSession => "open another session at its full price with --new",
        Remedy::AnotherFolder => "choose another folder with --out",
        Remedy::AnotherStudentFolder => "choose another folder with --student",
        Remedy::AnotherFile => "choose another file with --out",
        Remedy::Overwrite => "overwrite it with --force",
        Remedy::OverwriteAndPay => "say --force to overwrite it and spend the budget again",
        Remedy::NameLedger => "name another file with --ledger or DISCRETION_LEDGER",
        Remedy::SayDelimiter(delimiter) => {
            return Cow::Owned(format!("say --delimiter {delimiter} where there is no study yet"));
        }
        Remedy::SaySpend => "give a command --epsilon 1.0",
        Remedy::NameQueries => {
            "say --queries FILE: the public points to answer, with the study's columns and without labels"
        }
        Remedy::NoQueries => "leave --queries out",
        Remedy::AccountsCap => {
            "write the account's cap into [budget], or raise it with `discretion ledger raise`"
        }
    })
}
