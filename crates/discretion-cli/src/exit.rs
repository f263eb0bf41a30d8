//! Exit codes, decided here and nowhere else.
//!
//! 0 done; 1 refused, or the machine failed; 2 bad input or usage (clap uses 2 as well); 3 any
//! failure after this run charged its account. A bug panics, with code 101: see
//! [`bug`](crate::bug).

use crate::words::at_the_terminal;
use discretion::{Refusal, RefusalKind};
use std::process::ExitCode;

/// Tells the user, on standard error, and gives the exit code.
pub fn code(result: Result<(), Refusal>) -> ExitCode {
    let Err(refusal) = result else { return ExitCode::SUCCESS };
    let code = match refusal.kind() {
        RefusalKind::NobodyListens => return ExitCode::SUCCESS,
        RefusalKind::Fault => 101,
        // Whatever it was, whoever runs this again may pay again.
        _ if discretion_ledger::has_charged() => 3,
        RefusalKind::AfterCharge => 3,
        RefusalKind::Refused | RefusalKind::Stopped => 1,
        RefusalKind::BadInput => 2,
    };
    crate::bug::tell(&at_the_terminal(&refusal));
    ExitCode::from(code)
}
