//! An account is a filter: fixed by its first charge, in the log, the same for everybody who comes
//! later.

use crate::common::{ONE, filled, place, pure, written_by_format_1};
use discretion_ledger::{Error, FileError, Happening, Ledger, Purchase};
use discretion_privacy::Budget;
use discretion_privacy::account::{Cap, Event, FilterKind, Terms, Totals};
use rusqlite::{Connection, params};

const MILLIONTH: Budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };

fn gaussian(sigma: f64) -> Event {
    Event::Gaussian { sensitivity: 1.0, sigma }
}

fn failing(delta: f64) -> Event {
    Event::Approximate { epsilon: 0.0, delta, what: "test".into() }
}

#[test]
fn the_first_charge_fixes_the_filter_for_everybody() {
    let (_directory, path) = place();
    let opened = {
        let ledger = Ledger::open(&path).unwrap();
        let account = ledger.account("adult", MILLIONTH).unwrap();
        account.charge(&Purchase::new(&gaussian(50.0), "mean")).unwrap().quote.filter
    };
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.account("adult", MILLIONTH).unwrap();
    // A run for which another filter would have been better changes nothing.
    assert_eq!(account.price(&failing(1e-9)).unwrap().filter, opened);
    assert_eq!(account.standing().unwrap().filter, opened);
    let asked =
        |filter| ledger.account("adult", Terms { filter: Some(filter), ..Terms::from(MILLIONTH) });
    assert!(asked(opened.kind().unwrap()).is_ok());
    let error = asked(FilterKind::PlainSum).err().unwrap();
    assert!(matches!(error, Error::FilterDiffers { .. }) && error.is_refusal(), "{error}");
    let declared = Terms { filter: Some(FilterKind::Renyi), ..Terms::from(MILLIONTH) };
    let declared = ledger.account("declared", declared).unwrap();
    let filter = declared.charge(&Purchase::new(&gaussian(50.0), "mean")).unwrap().quote.filter;
    assert_eq!(filter.kind(), Some(FilterKind::Renyi));
}

/// What the filter lets pass one by one is what it said would fit, also for a process that comes
/// later.
#[test]
fn as_many_runs_pass_as_were_said_to_fit() {
    let (_directory, path) = place();
    let event = gaussian(15.0);
    let ledger = Ledger::open(&path).unwrap();
    let said = ledger.account("adult", MILLIONTH).unwrap().price(&event).unwrap().runs;
    assert!(said > 5, "{said}");
    let half = said / 2;
    for _ in 0..half {
        ledger.account("adult", MILLIONTH).unwrap().charge(&Purchase::new(&event, "mean")).unwrap();
    }
    let later = Ledger::open(&path).unwrap();
    let account = later.account("adult", MILLIONTH).unwrap();
    assert_eq!(account.standing().unwrap().more_like_last.unwrap().runs, said - half);
    for left in (half..said).rev() {
        assert_eq!(
            account.charge(&Purchase::new(&event, "mean")).unwrap().quote.runs,
            left - half + 1
        );
    }
    let error = account.charge(&Purchase::new(&event, "mean")).err().unwrap();
    assert!(matches!(error, Error::Overspent { .. }), "{error}");
}

#[test]
fn a_cap_in_rho_takes_sessions_if_it_has_a_delta() {
    let ledger = Ledger::in_memory().unwrap();
    let session = Event::GaussianTests { tests: 10, sigma: 50.0, delta: 4e-7 };
    let without = ledger.account("without", Budget::Zcdp { rho: 0.5 }).unwrap();
    let error = without.charge(&Purchase::new(&session, "vote")).err().unwrap();
    assert!(
        matches!(error, Error::NotPriced { .. }) && error.to_string().contains("beside it"),
        "{error}"
    );
    let with = ledger.account("with", Cap::Zcdp { rho: 0.5, delta: 1e-6 }).unwrap();
    for _ in 0..2 {
        with.charge(&Purchase::new(&session, "vote")).unwrap();
    }
    let error = with.charge(&Purchase::new(&session, "vote")).err().unwrap();
    assert!(matches!(error, Error::FailsTooOften { .. }) && error.is_refusal(), "{error}");
    assert!(error.to_string().contains("at most 2.0e-7"), "{error}");
    with.charge(&Purchase::new(&pure(0.5), "what has no delta still fits")).unwrap();
    assert_eq!(with.standing().unwrap().cap.delta(), 1e-6);
}

/// A run on a part of the table that nothing else touches costs nothing beside the run on the rest.
#[test]
fn runs_on_separate_parts_are_charged_once() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let parts = Event::Parallel { of: vec![pure(0.5), pure(0.375)] };
    let quote = account.charge(&Purchase::new(&parts, "fit and evaluate")).unwrap().quote;
    assert_eq!((quote.cost, quote.left), (0.5, 0.5));
}

#[test]
fn a_raise_keeps_what_runs_cost() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", MILLIONTH).unwrap();
    account.charge(&Purchase::new(&gaussian(20.0), "mean")).unwrap();
    let before = account.standing().unwrap();
    account.raise(Budget::Approximate { epsilon: 2.0, delta: 1e-6 }, "vote of the board").unwrap();
    let account = ledger.existing_account("adult").unwrap();
    let after = account.standing().unwrap();
    assert_eq!(after.filter.cost(&gaussian(20.0)), before.filter.cost(&gaussian(20.0)));
    assert!(after.more_like_last.unwrap().runs > 3 * before.more_like_last.unwrap().runs);
    let lower_delta = Budget::Approximate { epsilon: 3.0, delta: 1e-7 };
    assert!(matches!(account.raise(lower_delta, "no"), Err(Error::NotARaise { .. })));
}

/// One more charge of account 'other', chained as every format chains.
fn append_as_before(connection: &Connection) {
    use sha2::{Digest, Sha256};
    let (last, previous): (u64, Vec<u8>) = connection
        .query_row("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let event = r#"{"event":"gaussian","sensitivity":1.0,"sigma":20.0}"#;
    let (number, at) = (last + 1, "2026-01-01T00:00:00.000Z");
    let mut hash = Sha256::new().chain_update(&previous).chain_update(number.to_le_bytes());
    let fields =
        [Some(at), Some("charged"), Some("other"), None, Some(event), None, Some("mean"), None];
    for field in fields {
        hash.update([u8::from(field.is_some())]);
        let bytes = field.unwrap_or_default().as_bytes();
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    let hash: [u8; 32] = hash.finalize().into();
    connection
        .execute(
            "INSERT INTO entries (number, at, kind, account, event, note, previous, hash)
             VALUES (?1, ?2, 'charged', 'other', ?3, 'mean', ?4, ?5)",
            params![number, at, event, previous, hash],
        )
        .unwrap();
}

#[test]
fn an_account_from_before_gets_a_filter_and_a_note_that_says_so() {
    let (_directory, path) = place();
    written_by_format_1(&path);
    let before =
        Ledger::peek(&path).unwrap().existing_account("other").unwrap().standing().unwrap();
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.existing_account("other").unwrap();
    let after = account.standing().unwrap();
    assert_eq!(after.filter, before.filter, "looking and upgrading agree");
    let history = account.history().unwrap();
    let Happening::Upgraded { what } = &history.last().unwrap().what else { panic!("{history:?}") };
    assert!(what.contains("from here on") && what.contains("within it"), "{what}");
    // As if it had been opened today.
    let terms = Terms::from(Budget::Approximate { epsilon: 2.0, delta: 1e-6 });
    let new = ledger.account("new", terms).unwrap();
    assert_eq!(
        new.charge(&Purchase::new(&gaussian(20.0), "mean")).unwrap().quote.filter,
        after.filter
    );
    // Pure accounts were filters before.
    let adult = ledger.existing_account("adult").unwrap().history().unwrap();
    assert!(!adult.iter().any(|entry| matches!(entry.what, Happening::Upgraded { .. })));
    assert_eq!(ledger.verify(None).unwrap().problem, None);
}

#[test]
fn an_account_from_before_that_is_past_its_cap_is_closed() {
    let (_directory, path) = place();
    written_by_format_1(&path);
    let connection = Connection::open(&path).unwrap();
    (0..79).for_each(|_| append_as_before(&connection));
    drop(connection);
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.existing_account("other").unwrap();
    let standing = account.standing().unwrap();
    assert!(standing.closed && standing.left() == 0.0, "{standing:?}");
    let error = account.charge(&Purchase::new(&pure(1e-6), "a little")).err().unwrap();
    assert!(matches!(error, Error::Closed { .. }) && error.is_refusal(), "{error}");
    let history = account.history().unwrap();
    let Happening::Upgraded { what } = &history.last().unwrap().what else { panic!() };
    assert!(what.contains("closed"), "{what}");
    // A board that sees this may raise the cap: then that is what holds.
    account.raise(Budget::Approximate { epsilon: 3.0, delta: 1e-6 }, "board").unwrap();
    assert!(!ledger.existing_account("other").unwrap().standing().unwrap().closed);
}

/// Whichever entry is changed, the next charge notices.
#[test]
fn a_changed_entry_stops_the_next_charge_wherever_it_stands() {
    for number in 1..=7 {
        let (_directory, path) = place();
        drop(filled(&path));
        let connection = Connection::open(&path).unwrap();
        let sql = "DROP TRIGGER entries_are_never_changed";
        connection.execute_batch(sql).unwrap();
        connection
            .execute("UPDATE entries SET note = note || '.' WHERE number = ?1", [number])
            .unwrap();
        drop(connection);
        let ledger = Ledger::open(&path).unwrap();
        let error = ledger.existing_account("other").err().unwrap();
        assert!(
            matches!(&error, Error::File(FileError::Corrupted { detail, .. }) if detail.contains(&format!("entry {number} "))),
            "{error}"
        );
    }
}

/// A process that has the ledger open goes on from what it has read: entries that are gone since
/// are missed.
#[test]
fn entries_that_vanish_under_an_open_ledger_are_missed() {
    let (_directory, path) = place();
    let ledger = filled(&path);
    let account = ledger.existing_account("other").unwrap();
    assert_eq!(account.standing().unwrap().charges, 1);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "DROP TRIGGER entries_are_never_deleted; DELETE FROM entries WHERE number = 7",
        )
        .unwrap();
    let error = account.charge(&Purchase::new(&gaussian(50.0), "mean")).err().unwrap();
    assert!(matches!(error, Error::File(FileError::Corrupted { .. })), "{error}");
}

#[test]
fn nothing_used_is_nothing_spent() {
    let ledger = Ledger::in_memory().unwrap();
    for cap in [ONE, MILLIONTH, Budget::Zcdp { rho: 1.0 }] {
        let standing = ledger.account("new", cap).unwrap().standing().unwrap();
        assert_eq!((standing.spent.amount, standing.closed), (0.0, false));
        assert_eq!(standing.filter.amount(&Totals::default()), 0.0);
    }
}
