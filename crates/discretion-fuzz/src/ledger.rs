//! Ledgers: whatever was done to the file, it is refused, or says what was written from the first
//! entry on.

use crate::{Verdict, corpus, one_line, with_file};
use discretion::privacy::account::Event;
use discretion_ledger::{Error, Ledger};
use std::path::Path;
use std::sync::LazyLock;

/// What the ledgers of the corpus say that nobody has touched.
static WRITTEN: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let whole = corpus("ledger").into_iter().filter(|(name, _)| name.starts_with("whole-"));
    let entries = |(name, bytes): (String, Vec<u8>)| {
        with_file("ledger.sqlite", &bytes, verified)
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    whole.map(entries).map(|entries| entries.expect("a whole ledger is sound")).collect()
});

/// The file of a ledger.
pub fn ledger(bytes: &[u8]) -> Verdict {
    with_file("ledger.sqlite", bytes, |path| {
        let looked = verified(path);
        if let Ok(Some(entries)) = &looked {
            // That the end was cut off cannot be told from inside the file.
            let is_known = WRITTEN.iter().any(|written| written.starts_with(entries));
            assert!(is_known, "verified, and nobody wrote it: {entries:#?}");
        }
        let opened = nobody_can_overspend(path);
        let verdict =
            if matches!(looked, Ok(Some(_))) { Verdict::Accepted } else { Verdict::Refused };
        [looked.err(), opened.err()].into_iter().flatten().for_each(one_line);
        verdict
    })
}

/// The entries, as lines, of a ledger that is found sound.
fn verified(path: &Path) -> Result<Option<Vec<String>>, Error> {
    let ledger = Ledger::peek(path)?;
    if ledger.verify(None)?.problem.is_some() {
        return Ok(None);
    }
    let mut lines = Vec::new();
    ledger.export(&mut lines)?;
    let lines = String::from_utf8(lines).expect("an export is text");
    for standing in ledger.list()? {
        ledger.existing_account(&standing.account)?.history()?;
    }
    Ok(Some(lines.lines().map(str::to_owned).collect()))
}

/// Opened to write, which brings a file of an earlier format up to date, no account pays more than
/// any cap of the corpus.
fn nobody_can_overspend(path: &Path) -> Result<(), Error> {
    let ledger = Ledger::open(path)?;
    let too_much = Event::Pure { epsilon: 1e6, what: "too much".to_owned() };
    for standing in ledger.list()? {
        let account = ledger.existing_account(&standing.account)?;
        assert!(
            account.affordable(&too_much, None).is_err(),
            "{} pays for everything",
            account.name()
        );
    }
    Ok(())
}
