//! One flipped byte anywhere in the file is found by `verify`, or changes nothing that the ledger
//! says or decides.

use crate::common::{filled, pure};
use discretion_ledger::{Error, Ledger, Purchase};
use discretion_privacy::Budget;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::fs;
use std::path::Path;

const TWO: Budget = Budget::Pure { epsilon: 2.0 };

/// Accounts, charges, releases, a raise, and two sessions with answers.
fn with_everything(path: &Path) {
    let ledger = filled(path);
    let account = ledger.account("adult", TWO).unwrap();
    for key in ["k", "l"] {
        let mut session = account
            .charge(&Purchase::new(&pure(0.25), "vote").with_session(key, "threshold 7"))
            .unwrap()
            .session
            .unwrap();
        for i in 0..10 {
            let answers = [0, 1].map(|j| (format!("{i:02x}{j:02x}"), "yes".to_owned()));
            session.commit(&format!("threshold {i}"), &answers).unwrap();
        }
    }
    ledger.release(2, "again.json", None).unwrap();
}

/// Every row of every table.
fn content(path: &Path) -> rusqlite::Result<Vec<Vec<Value>>> {
    let connection = Connection::open(path)?;
    let mut rows = Vec::new();
    for table in ["entries", "sessions", "answers", "secrets"] {
        let mut select = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))?;
        let columns = select.column_count();
        let found =
            select.query_map([], |row| (0..columns).map(|column| row.get(column)).collect())?;
        rows.extend(found.collect::<rusqlite::Result<Vec<Vec<Value>>>>()?);
    }
    Ok(rows)
}

fn noticed(path: &Path) -> bool {
    let verified = Ledger::peek(path).and_then(|ledger| ledger.verify(None));
    verified.map_or(true, |verification| verification.problem.is_some())
}

/// Charges what fits and not what does not, and what is then there is sound.
fn decides_as_before(path: &Path) -> Result<bool, Error> {
    let ledger = Ledger::open(path)?;
    let account = ledger.account("adult", TWO)?;
    let refused = matches!(
        account.charge(&Purchase::new(&pure(1.2), "too much")),
        Err(Error::Overspent { .. })
    );
    let paid = account.charge(&Purchase::new(&pure(1.0), "fits"))?;
    assert!((paid.quote.before.amount - 0.875).abs() < 1e-9, "{:?}", paid.quote.before);
    Ok(refused && ledger.verify(None)?.problem.is_none())
}

#[test]
fn a_flipped_byte_is_noticed_or_changes_nothing() {
    // In memory where there is such a place: hundreds of copies are charged, and none has to
    // survive.
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let path = directory.path().join("ledger.sqlite");
    with_everything(&path);
    let copy = directory.path().join("copy.sqlite");
    let (whole, before) = (fs::read(&path).unwrap(), content(&path).unwrap());
    assert!(!noticed(&path));
    let flips: usize =
        std::env::var("DISCRETION_FLIPS").ok().and_then(|flips| flips.parse().ok()).unwrap_or(600);
    // The whole header, and then bytes all over the file. 2654435761/2³² is the golden ratio's: no
    // two are close.
    let spread =
        (0..flips as u64).map(|i| ((i * 2_654_435_761 % (1 << 32)) as usize * whole.len()) >> 32);
    let (mut found, mut harmless) = (0, 0);
    for (i, place) in (0..100).chain(spread).enumerate() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (i % 8);
        fs::write(&copy, &bytes).unwrap();
        for beside in ["-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(directory.path().join(format!("copy.sqlite{beside}")));
        }
        if noticed(&copy) {
            found += 1;
            continue;
        }
        assert_eq!(content(&copy).as_ref(), Ok(&before), "byte {place}, bit {}", i % 8);
        // Also what it decides; not every time, because that takes a while. A bit that makes it
        // read-only or the like loses nothing.
        if place < 100 || i % 7 == 0 {
            match decides_as_before(&copy) {
                Ok(same) => assert!(same, "byte {place}, bit {}", i % 8),
                Err(error) => assert!(error.is_refusal(), "byte {place}, bit {}: {error}", i % 8),
            }
        }
        harmless += 1;
    }
    // Some bytes of either kind, or this has tested nothing.
    assert!(found > flips / 10 && harmless > flips / 10, "{found} found, {harmless} harmless");
}
