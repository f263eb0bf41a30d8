//! How long one charge and one commit of a session take, with the waiting for the disk. A
//! benchmark, not a test: it prints and asserts nothing about time.
//!
//!     cargo test --release -p discretion-ledger what_it_costs -- --ignored --nocapture
#![allow(clippy::print_stdout)]

use crate::Purchase;
use crate::{Error, Ledger};
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use std::time::{Duration, Instant};

const TIMES: usize = 200;

fn timed(what: &str, mut once: impl FnMut(usize) -> Result<(), Error>) -> Result<(), Error> {
    let mut took = Vec::new();
    for i in 0..TIMES {
        let start = Instant::now();
        once(i)?;
        took.push(start.elapsed());
    }
    took.sort_unstable();
    let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
    println!(
        "{what}: median {:.2} ms, slowest {:.2} ms",
        millis(took[TIMES / 2]),
        millis(took[TIMES - 1])
    );
    Ok(())
}

#[test]
#[ignore = "a benchmark"]
fn what_it_costs() -> Result<(), Error> {
    let directory = tempfile::tempdir()?;
    let ledger = Ledger::open(&directory.path().join("ledger.sqlite"))?;
    let account = ledger.account("adult", Budget::Pure { epsilon: 1.0 })?;
    let event = Event::Pure { epsilon: 1e-3, what: "sum".into() };
    timed("a charge", |_| account.charge(&Purchase::new(&event, "fit")).map(drop))?;
    let charge = account.charge(&Purchase::new(&event, "vote").with_session("k", "0"))?;
    let mut session = charge.session.expect("a session was asked for");
    timed("a commit of 50 answers", |i| {
        let answers: Vec<_> =
            (0..50).map(|j| (format!("{i:04x}{j:04x}"), "yes".to_owned())).collect();
        session.commit(&i.to_string(), &answers)
    })
}
