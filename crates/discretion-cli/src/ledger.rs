//! The ledger, as commands use it.

use discretion::Refusal;
use discretion_jobs::study_run::PlannedRun;
pub use discretion_jobs::study_run::{about_price as about, fingerprint_while, look};
use discretion_ledger::{Account, Ledger};
use std::path::Path;

/// The ledger to charge: `--ledger`, else `DISCRETION_LEDGER`, else the user's data directory.
pub fn open(flag: Option<&Path>) -> Result<Ledger, Refusal> {
    Ok(Ledger::open_default(flag)?)
}

/// What a dry run says about a run.
pub fn quote(account: &Account<'_>, run: &PlannedRun, json: bool) -> Result<String, Refusal> {
    if json {
        return Ok(serde_json::to_string_pretty(&account.price(&run.event)?)
            .expect("a quote is plain data")
            + "\n");
    }
    let about = about(account, &run.affordable(account)?, run.budget);
    Ok(format!("{about}\nNothing was charged: this was a dry run.\n"))
}
