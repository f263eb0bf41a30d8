//! How long a ledger of 100,000 events takes to open and list, to price one more run, to charge it
//! and to verify. A benchmark, not a test: it prints and asserts nothing about time.
//!
//!     cargo test --release -p discretion-ledger many_events -- --ignored --nocapture
#![allow(clippy::print_stdout)]

use crate::Purchase;
use crate::entry::{self, Kind, Record};
use crate::{Error, Ledger, store};
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use std::time::Instant;

const EVENTS: u32 = 100_000;
const CAP: Budget = Budget::Approximate { epsilon: 1e3, delta: 1e-6 };

fn event(i: u32, kinds: u32) -> Event {
    let size = 1e-3 * (1.0 + f64::from(i / 2 % kinds) / f64::from(kinds));
    if i.is_multiple_of(2) {
        Event::Pure { epsilon: size, what: "query".into() }
    } else {
        Event::Gaussian { sensitivity: size, sigma: 1.0 }
    }
}

/// Charges without pricing and in one transaction, which would otherwise take hours.
fn fill(ledger: &Ledger, kinds: u32) -> Result<(), Error> {
    ledger.account("adult", CAP)?.charge(&Purchase::new(&event(0, kinds), "first"))?;
    let transaction = store::begin(&ledger.connection, &ledger.explain)?;
    for i in 1..EVENTS {
        let record = Record {
            kind: Kind::Charged,
            account: "adult",
            cap: None,
            event: Some(serde_json::to_string(&event(i, kinds)).unwrap()),
            charge: None,
            note: "fit",
            digest: None,
            job: None,
        };
        entry::append(&transaction, &ledger.explain, &ledger.secret, record)?;
    }
    transaction.commit().map_err(|error| ledger.explain.sqlite(error))
}

#[test]
#[ignore = "a benchmark"]
fn many_events() -> Result<(), Error> {
    for kinds in [4, 400, 50_000] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.sqlite");
        let timed =
            |what: &str, work: &dyn Fn(&Ledger) -> Result<String, Error>| -> Result<(), Error> {
                let start = Instant::now();
                let said = work(&Ledger::open(&path)?)?;
                println!("  open and {what:<8} {:>10.1?}  {said}", start.elapsed());
                Ok(())
            };
        println!("{EVENTS} events, {} different ones:", 2 * kinds);
        timed("fill", &|ledger| fill(ledger, kinds).map(|()| String::new()))?;
        timed("list", &|ledger| Ok(format!("ε = {:.4}", ledger.list()?[0].spent.amount)))?;
        timed("history", &|ledger| {
            Ok(format!("{} entries", ledger.existing_account("adult")?.history()?.len()))
        })?;
        let next = event(7, kinds);
        timed("price", &|ledger| {
            Ok(format!("cost {:.3e}", ledger.account("adult", CAP)?.price(&next)?.cost))
        })?;
        timed("charge", &|ledger| {
            Ok(format!(
                "number {}",
                ledger.account("adult", CAP)?.charge(&Purchase::new(&next, "one more"))?.number
            ))
        })?;
        timed("verify", &|ledger| Ok(format!("{:?}", ledger.verify(None)?.problem)))?;
    }
    Ok(())
}
