//! The ledger, as commands use it.

use discretion::Refusal;
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion_jobs::fingerprint;
use discretion_ledger::{Account, Error, FileError, Fingerprint, Ledger, Quote, default_path};
use discretion_report::numbers::plain::short;
use discretion_report::words;
use discretion_table::Table;
use std::path::Path;
use std::thread;

/// The ledger to charge: `--ledger`, else `DISCRETION_LEDGER`, else the user's data directory.
pub fn open(flag: Option<&Path>) -> Result<Ledger, Refusal> {
    Ok(Ledger::open_default(flag)?)
}

/// The same ledger, to look at: nothing is made or written. Without one, an empty one stands in.
pub fn look(flag: Option<&Path>) -> Result<Ledger, Refusal> {
    match Ledger::peek(&default_path(flag)?) {
        Err(Error::File(FileError::Missing { .. })) => Ok(Ledger::in_memory()?),
        other => Ok(other?),
    }
}

/// Computes a table's keyed fingerprint while `meanwhile` runs.
pub fn fingerprint_while<T>(
    account: &Account<'_>,
    table: &(impl Table + Sync + ?Sized),
    meanwhile: impl FnOnce() -> Result<T, Refusal>,
) -> Result<(Fingerprint, T), Refusal> {
    let keyed = account.fingerprint();
    thread::scope(|scope| {
        let hashing = scope.spawn(move || fingerprint(keyed, table));
        let result = meanwhile()?;
        Ok((hashing.join().expect("hashing does not panic")?, result))
    })
}

/// What a dry run says about the event of a run.
pub fn quote(account: &Account<'_>, event: &Event, run: Budget, json: bool) -> Result<String, Refusal> {
    if json {
        return Ok(
            serde_json::to_string_pretty(&account.price(event)?).expect("a quote is plain data") + "\n"
        );
    }
    let quote = account.affordable(event)?;
    Ok(format!("{}\nNothing was charged: this was a dry run.\n", about(account, &quote, run)))
}

/// What a run costs its account, and what it leaves; and why that is not what the run promises, where it is not.
pub fn about(account: &Account<'_>, quote: &Quote, run: Budget) -> String {
    let symbol = words::symbol(quote.cap);
    let why = words::price(symbol, quote.cost, run, &run.to_string());
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    format!(
        "'{}' pays {symbol} = {}; {} of {} is spent, {} is left{why}",
        account.name(),
        short(quote.cost),
        short(quote.after.amount),
        quote.cap,
        short(quote.left)
    )
}
