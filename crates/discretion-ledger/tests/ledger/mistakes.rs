//! What looks like a mistake is refused before a charge, unless the person who pays consents.

use crate::common::{ONE, place, pure, table};
use discretion_ledger::{Consent, Error, Happening, Ledger, Purchase, SettingsName};
use discretion_privacy::Unit;

const NO: Consent = Consent { rows_changed: false, second_account: false, again: false };

#[test]
fn other_rows_need_a_word_once() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let (old, new) = (table(&account, b"rows"), table(&account, b"newer rows"));
    let event = pure(0.1);
    let buy =
        |table, consent| account.charge(&Purchase::new(&event, "fit").on(table).only_with(consent));
    let first = buy(&old, NO).unwrap().number;
    let refused = buy(&new, NO).map(|charge| charge.number);
    assert!(
        matches!(&refused, Err(Error::RowsChanged { first_charge, .. }) if *first_charge == first),
        "{refused:?}"
    );
    assert_eq!(account.standing().unwrap().charges, 1, "a refusal charges nothing");
    let allowed = buy(&new, Consent { rows_changed: true, ..NO }).unwrap();
    assert_eq!(allowed.table_changed.unwrap().first_charge, first);
    // Both versions are the account's now.
    for known in [&new, &old] {
        assert_eq!(buy(known, NO).unwrap().table_changed, None);
    }
}

#[test]
fn rows_have_one_account() {
    let ledger = Ledger::in_memory().unwrap();
    let (one, other) = (ledger.account("one", ONE).unwrap(), ledger.account("other", ONE).unwrap());
    let event = pure(0.1);
    one.charge(&Purchase::new(&event, "fit").on(&table(&one, b"rows")).only_with(NO)).unwrap();
    let rows = table(&other, b"rows");
    let again = Purchase::new(&event, "fit").on(&rows);
    let refused = other.charge(&again.only_with(NO)).map(|charge| charge.number);
    assert!(
        matches!(&refused, Err(Error::SecondAccount { other, .. }) if other == "one"),
        "{refused:?}"
    );
    let allowed = other.charge(&again.only_with(Consent { second_account: true, ..NO })).unwrap();
    assert_eq!(allowed.also_under.unwrap().account, "one");
    // Who has said so once is not asked again, and other rows are nobody's.
    assert_eq!(other.charge(&again.only_with(NO)).unwrap().also_under, None);
    let third = ledger.account("third", ONE).unwrap();
    third
        .charge(&Purchase::new(&event, "fit").on(&table(&third, b"others")).only_with(NO))
        .unwrap();
    // Where nobody can be asked, it is told.
    let fourth = ledger.account("fourth", ONE).unwrap();
    let told = fourth.charge(&Purchase::new(&event, "fit").on(&table(&fourth, b"others"))).unwrap();
    assert_eq!(told.also_under.unwrap().account, "third");
}

#[test]
fn a_job_is_paid_for_once_unless_it_released_nothing() {
    let (_directory, path) = place();
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let rows = table(&account, b"rows");
    let event = pure(0.1);
    let buy = |job: &str, consent| {
        let job = SettingsName::from(job);
        account.charge(
            &Purchase::new(&event, "fit of study.toml").on(&rows).of_job(&job).only_with(consent),
        )
    };
    buy("a1", NO).unwrap();
    // The first run crashed: nobody has its result.
    let second = buy("a1", NO).unwrap().number;
    ledger.release(second, "model.json", None).unwrap();
    let refused = buy("a1", NO).map(|charge| charge.number);
    assert!(
        matches!(&refused, Err(Error::Repeated { charge, .. }) if *charge == second),
        "{refused:?}"
    );
    // Another process knows it too, and another job is another job.
    let other = Ledger::open(&path).unwrap();
    let same = other.account("adult", ONE).unwrap();
    assert_eq!(same.earlier_run(&rows, &"a1".into(), Unit::Row).unwrap().unwrap().charge, second);
    assert_eq!(same.earlier_run(&rows, &"b2".into(), Unit::Row).unwrap(), None);
    buy("b2", NO).unwrap();
    buy("a1", Consent { again: true, ..NO }).unwrap();
    // An account that is spent still says that its result is there for nothing.
    account.charge(&Purchase::new(&pure(0.5), "the rest")).unwrap();
    account.charge(&Purchase::new(&pure(0.1), "the rest")).unwrap();
    assert!(matches!(buy("a1", NO), Err(Error::Repeated { .. })));
    assert!(matches!(buy("c3", NO), Err(Error::Overspent { .. })));
    assert_eq!(ledger.verify(None).unwrap().problem, None);
}

/// Before format 4 the note had the job's name, and an earlier program gave the same settings
/// another name.
#[test]
fn a_job_is_found_by_the_name_that_an_earlier_program_noted() {
    let (_directory, path) = place();
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let rows = table(&account, b"rows");
    let event = pure(0.1);
    let noted = Purchase::new(&event, "fit of study.toml [job a1]").on(&rows);
    let earlier = account.charge(&noted).unwrap().number;
    ledger.release(earlier, "model.json", None).unwrap();
    let name = SettingsName::new("b2".to_owned(), vec!["a1".to_owned()]);
    let found = || account.earlier_run(&rows, &name, Unit::Row).unwrap().map(|run| run.charge);
    assert_eq!(found(), Some(earlier));
    let again = Purchase::new(&event, "fit of study.toml").on(&rows).of_job(&name);
    assert!(matches!(account.charge(&again.only_with(NO)), Err(Error::Repeated { .. })));
    // From here on the new name is written, in a column of its own, and the last run counts.
    let later = account.charge(&again).unwrap().number;
    ledger.release(later, "model.json", None).unwrap();
    assert_eq!(found(), Some(later));
    assert_eq!(
        account.earlier_run(&rows, &"b2".into(), Unit::Row).unwrap().map(|run| run.charge),
        Some(later)
    );
    let jobs = account.history().unwrap().into_iter().filter_map(|entry| match entry.what {
        Happening::Charged { what, job, .. } => Some((what, job.unwrap())),
        _ => None,
    });
    let noted = |job: &str| ("fit of study.toml".to_owned(), job.to_owned());
    assert_eq!(jobs.collect::<Vec<_>>(), [noted("a1"), noted("b2")]);
    let exported = {
        let mut lines = Vec::new();
        ledger.export(&mut lines).unwrap();
        String::from_utf8(lines).unwrap()
    };
    assert!(exported.lines().nth(3).unwrap().contains(r#""job":"b2""#), "{exported}");
    assert_eq!(ledger.verify(None).unwrap().problem, None);
    // The name is in the chain.
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DROP TRIGGER entries_are_never_changed").unwrap();
    connection.execute("UPDATE entries SET job = 'c3' WHERE number = ?1", [later]).unwrap();
    assert!(Ledger::peek(&path).unwrap().verify(None).unwrap().problem.is_some());
}
