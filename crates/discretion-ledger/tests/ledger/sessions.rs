//! Sessions: opened with their charge, gone on with, read again, kept apart.

use crate::common::{ONE, place, pure};
use discretion_ledger::{
    Error, FileError, Fingerprint, Happening, Ledger, Purchase, Session, SettingsName,
};

fn answers(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|&(query, answer)| (query.to_owned(), answer.to_owned())).collect()
}

fn table(ledger: &Ledger, bytes: &[u8]) -> Fingerprint {
    let mut table = ledger.account("adult", ONE).unwrap().fingerprint();
    table.update(bytes);
    table.finish()
}

fn open<'l>(ledger: &'l Ledger, key: &str) -> Session<'l> {
    let account = ledger.account("adult", ONE).unwrap();
    account
        .charge(&Purchase::new(&pure(0.25), "vote").with_session(key, "start"))
        .unwrap()
        .session
        .unwrap()
}

#[test]
fn a_session_is_found_again_with_its_state_and_answers() {
    let (_directory, path) = place();
    {
        let ledger = Ledger::open(&path).unwrap();
        let account = ledger.account("adult", ONE).unwrap();
        assert!(account.session("k").unwrap().is_none());
        let mut charge = account
            .charge(&Purchase::new(&pure(0.25), "vote").with_session("k", "threshold 7"))
            .unwrap();
        let mut session = charge.session.take().unwrap();
        assert_eq!(
            (charge.quote.cost, charge.quote.left, charge.number),
            (0.25, 0.75, session.charge())
        );
        assert_eq!((session.state(), session.answered()), ("threshold 7", 0));
        assert_eq!(account.standing().unwrap().unreleased, 1);
        session.commit("threshold 7, 1 paid", &answers(&[("a1", "yes"), ("b2", "⊥")])).unwrap();
        session.commit("threshold 9, 1 paid", &answers(&[])).unwrap();
        session.commit("threshold 9, 2 paid", &answers(&[("c3", "no")])).unwrap();
    }
    let ledger = Ledger::peek(&path).unwrap();
    let account = ledger.existing_account("adult").unwrap();
    let session = account.session("k").unwrap().unwrap();
    assert_eq!(
        (session.charge(), session.state(), session.answered()),
        (2, "threshold 9, 2 paid", 3)
    );
    for (query, answer) in
        [("a1", Some("yes")), ("b2", Some("⊥")), ("c3", Some("no")), ("d4", None)]
    {
        assert_eq!(session.answer(query).unwrap().as_deref(), answer, "{query}");
    }
    // Answers are releases: nothing is left to say about this charge.
    assert_eq!(
        (account.standing().unwrap().unreleased, ledger.list().unwrap()[0].unreleased),
        (0, 0)
    );
    let Happening::Charged { answers, .. } = account.history().unwrap()[1].what else { panic!() };
    assert_eq!(answers, 3);
    let mut exported = Vec::new();
    ledger.export(&mut exported).unwrap();
    let exported = String::from_utf8(exported).unwrap();
    assert!(exported.lines().count() == 2 && !exported.contains("threshold"), "{exported}");
    assert_eq!(ledger.verify(None).unwrap().problem, None);
}

#[test]
fn sessions_of_other_keys_and_accounts_are_apart_and_the_newest_counts() {
    let ledger = Ledger::in_memory().unwrap();
    let mut old = open(&ledger, "k");
    let (new, other) = (open(&ledger, "k"), open(&ledger, "other"));
    let elsewhere = ledger.account("elsewhere", ONE).unwrap();
    assert!(elsewhere.session("k").unwrap().is_none());
    let theirs = elsewhere
        .charge(&Purchase::new(&pure(0.25), "vote").with_session("k", "theirs"))
        .unwrap()
        .session
        .unwrap();
    let found = |key| ledger.account("adult", ONE).unwrap().session(key).unwrap().unwrap().charge();
    assert_eq!((found("k"), found("other")), (new.charge(), other.charge()));
    assert_eq!(elsewhere.session("k").unwrap().unwrap().charge(), theirs.charge());
    // By several names the newest counts too.
    let named = |name: &str, earlier: &[&str]| {
        let earlier = earlier.iter().map(|&name| name.to_owned()).collect();
        let names = SettingsName::new(name.to_owned(), earlier);
        let account = ledger.account("adult", ONE).unwrap();
        account.session_named(&names).unwrap().map(|session| session.charge())
    };
    assert_eq!(named("new", &["k"]), Some(new.charge()));
    assert_eq!(named("k", &["other"]), Some(other.charge()));
    assert_eq!((named("new", &[]), named("new", &["newer"])), (None, None));
    // An old one can still go on: it was paid for too. The same query is another one there.
    old.commit("on", &answers(&[("a1", "yes")])).unwrap();
    assert_eq!(new.answer("a1").unwrap(), None);
}

#[test]
fn a_session_that_cannot_be_paid_is_not_there() {
    let ledger = Ledger::in_memory().unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let error = account
        .charge(&Purchase::new(&pure(1.5), "vote").with_session("k", "start"))
        .err()
        .unwrap();
    assert!(matches!(error, Error::Overspent { .. }), "{error}");
    assert!(account.session("k").unwrap().is_none() && account.standing().unwrap().charges == 0);
}

#[test]
fn a_session_that_moved_on_is_refused_until_it_is_read_again() {
    let (_directory, path) = place();
    let (here, there) = (Ledger::open(&path).unwrap(), Ledger::open(&path).unwrap());
    let mut first = open(&here, "k");
    let mut second = there.account("adult", ONE).unwrap().session("k").unwrap().unwrap();
    second.commit("second", &answers(&[("a1", "yes")])).unwrap();
    let error = first.commit("first", &answers(&[("b2", "no")])).unwrap_err();
    assert!(matches!(error, Error::SessionMoved { charge: 2 }), "{error}");
    assert_eq!((first.state(), first.answer("b2").unwrap()), ("start", None));
    assert_eq!(first.answer("a1").unwrap().as_deref(), Some("yes"), "what left may leave again");
    first.reload().unwrap();
    assert_eq!((first.state(), first.answered()), ("second", 1));
    first.commit("first", &answers(&[("b2", "no")])).unwrap();
    assert!(matches!(second.commit("second", &[]), Err(Error::SessionMoved { .. })));
}

#[test]
fn a_query_has_one_answer_and_a_refused_commit_leaves_nothing() {
    let ledger = Ledger::in_memory().unwrap();
    let mut session = open(&ledger, "k");
    session.commit("one", &answers(&[("a1", "yes")])).unwrap();
    // The second of two answers is what is wrong.
    for (query, words) in [
        ("a1", "has answered query a1 before"),
        ("b2", "has answered query b2 before"),
        ("", "named by its digest"),
        ("C3", "named by its digest"),
        ("age is 7", "named by its digest"),
    ] {
        let error = session.commit("two", &answers(&[("b2", "no"), (query, "no")])).unwrap_err();
        assert!(
            matches!(error, Error::AnsweredBefore { .. } | Error::NotADigest(_)),
            "{query}: {error}"
        );
        assert!(error.to_string().contains(words), "{query}: {error}");
        assert_eq!((session.state(), session.answer("b2").unwrap()), ("one", None));
    }
    session.reload().unwrap();
    assert_eq!((session.state(), session.answered()), ("one", 1));
    session.commit("two", &answers(&[("b2", "no")])).unwrap();
}

#[test]
fn another_table_is_noticed() {
    let (_directory, path) = place();
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let (same, other) = (table(&ledger, b"1,2\n"), table(&ledger, b"1,3\n"));
    let opened = account
        .charge(&Purchase::new(&pure(0.25), "vote").on(&same).with_session("k", ""))
        .unwrap()
        .session
        .unwrap();
    let read = account.session("k").unwrap().unwrap();
    for session in [opened, read] {
        assert!(!session.table_changed(&same) && session.table_changed(&other));
    }
    let charge = account
        .charge(&Purchase::new(&pure(0.25), "vote").on(&other).with_session("k", ""))
        .unwrap();
    assert_eq!(charge.table_changed.unwrap().first_charge, 2);
    assert!(open(&ledger, "no table").table_changed(&same), "it cannot know");
}

#[test]
fn a_file_can_be_released_too_and_a_peeked_session_cannot_go_on() {
    let (_directory, path) = place();
    let ledger = Ledger::open(&path).unwrap();
    let session = open(&ledger, "k");
    ledger.release(session.charge(), "student.json", None).unwrap();
    ledger.release(session.charge(), "answers.csv", Some(&"ab".repeat(32))).unwrap();
    let account = ledger.existing_account("adult").unwrap();
    let Happening::Charged { releases, .. } = &account.history().unwrap()[1].what else { panic!() };
    assert_eq!(
        (releases[0].file.as_str(), releases[1].file.as_str()),
        ("student.json", "answers.csv")
    );
    let peeked = Ledger::peek(&path).unwrap();
    let mut session = peeked.existing_account("adult").unwrap().session("k").unwrap().unwrap();
    assert!(matches!(session.commit("x", &[]), Err(Error::File(FileError::ReadOnly { .. }))));
}
