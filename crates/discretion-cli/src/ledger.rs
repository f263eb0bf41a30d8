//! The ledger, as commands use it.

use crate::exit::Failure;
use crate::interrupt::OnInterrupt;
use crate::numbers::short;
use crate::words;
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion_ledger::{
    Account, Charge, Error, Fingerprint, Ledger, Quote, Session, content_hash, default_path,
};
use discretion_publish::table::fingerprint;
use std::path::Path;
use std::thread;

/// The ledger to charge: `--ledger`, else `DISCRETION_LEDGER`, else the user's data directory.
pub fn open(flag: Option<&Path>) -> Result<Ledger, Failure> {
    Ok(Ledger::open_default(flag)?)
}

/// The same ledger, to look at: nothing is made or written. Without one, an empty one stands in.
pub fn look(flag: Option<&Path>) -> Result<Ledger, Failure> {
    match Ledger::peek(&default_path(flag)?) {
        Err(Error::Missing { .. }) => Ok(Ledger::in_memory()?),
        other => Ok(other?),
    }
}

/// Computes a table's keyed fingerprint while `meanwhile` runs.
pub fn fingerprint_while<T>(
    account: &Account<'_>,
    table: &Path,
    meanwhile: impl FnOnce() -> Result<T, Failure>,
) -> Result<(Fingerprint, T), Failure> {
    let keyed = account.fingerprint();
    thread::scope(|scope| {
        let hashing = scope.spawn(move || fingerprint(keyed, table));
        let result = meanwhile()?;
        Ok((hashing.join().expect("hashing does not panic")?, result))
    })
}

/// A charge may be made on another table than the first one was. That is said, and no reason to stop.
pub fn say_if_table_changed(account: &Account<'_>, charge: &Charge<'_>) {
    if let Some(changed) = &charge.table_changed {
        eprintln!(
            "note: the table is not the one that charge {} of account '{}' was made on ({}); the account goes on",
            changed.first_charge,
            account.name(),
            changed.at
        );
    }
}

/// Notes the name of a file that left under a charge.
pub fn note_release(charge: &Charge<'_>, path: &Path, json: &str) {
    note("the charge", path, json, |file, hash| charge.released_with_hash(file, hash));
}

/// The same for a charge that is known by its number.
pub fn note_release_of(ledger: &Ledger, charge: u64, path: &Path, json: &str) {
    note("the charge", path, json, |file, hash| ledger.release(charge, file, Some(hash)));
}

/// Notes the name of a file of answers.
pub fn note_session_release(session: &Session<'_>, path: &Path, text: &str) {
    note("the answers", path, text, |file, hash| session.released_with_hash(file, hash));
}

/// The file is out and paid for, so a ledger that cannot note its name is a pity and no failure.
fn note(kept: &str, path: &Path, text: &str, release: impl FnOnce(&str, &str) -> Result<(), Error>) {
    let hash = content_hash(text.as_bytes()).expect("reading from memory does not fail");
    if let Err(error) = release(&path.display().to_string(), &hash) {
        eprintln!("note: the ledger has {kept} and could not note the name of the file: {error}");
    }
}

/// A δ of 1 over the number of rows lets a run publish somebody's row as it is.
pub fn say_if_delta_is_large(spend: Budget, rows: usize) {
    if let Budget::Approximate { delta, .. } = spend
        && delta * rows as f64 >= 1.0
    {
        eprintln!(
            "warning: delta = {delta:e} with {rows} rows promises next to nothing: publishing one person's row at random would \
             satisfy it; take it well below {:.0e}",
            1.0 / rows as f64
        );
    }
}

/// What Ctrl-C says from now on, wherever between the charge and the end it comes.
pub fn say_if_stopped(charge: &Charge<'_>, path: &Path) -> OnInterrupt {
    OnInterrupt::say(format!(
        "charge {} stays in the ledger; unless {} is there, nothing was released for it, and another run is charged again",
        charge.number,
        path.display()
    ))
}

/// What a dry run says about an event.
pub fn quote(account: &Account<'_>, event: &Event, json: bool) -> Result<String, Failure> {
    if json {
        return Ok(
            serde_json::to_string_pretty(&account.price(event)?).expect("a quote is plain data") + "\n"
        );
    }
    let quote = account.affordable(event)?;
    Ok(format!("{}\nNothing was charged: this was a dry run.\n", about(account, &quote)))
}

/// What a run costs its account, and what it leaves.
pub fn about(account: &Account<'_>, quote: &Quote) -> String {
    let symbol = words::symbol(quote.cap);
    format!(
        "'{}' pays {symbol} = {}; {} of {} is spent, {} is left",
        account.name(),
        short(quote.cost),
        short(quote.after.amount),
        quote.cap,
        short(quote.left)
    )
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        if error.is_refusal() {
            Failure::Refused(error.to_string())
        } else {
            Failure::BadInput(error.to_string())
        }
    }
}
