//! A ledger of an earlier format: read as it is, brought up to date when it is opened to be
//! written, never half.

use crate::common::{
    names_beside, place, process, pure, said, written_by_format_1, written_by_format_2,
};
use discretion_ledger::{Error, FileError, Ledger, Purchase};
use discretion_privacy::Budget;
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;

/// The head of the ledger in format1.sql, as the program that wrote it said.
const HEAD: &str = "ace69df42e4c9f36ea6e2d9a66e3e23f7f304c3d7efea217dbd33a28f8c3572b";
const TWO: Budget = Budget::Pure { epsilon: 2.0 };

fn format(path: &Path) -> i64 {
    Connection::open(path).unwrap().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

fn schema(path: &Path) -> Vec<(String, Option<String>)> {
    let connection = Connection::open(path).unwrap();
    let mut select =
        connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").unwrap();
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Everything that looking does.
fn looked_at(ledger: &Ledger) -> (usize, usize, String) {
    let verification = ledger.verify(Some(HEAD)).unwrap();
    assert_eq!(verification.problem, None);
    let account = ledger.existing_account("adult").unwrap();
    assert!(account.session("k").unwrap().is_none());
    let mut exported = Vec::new();
    ledger.export(&mut exported).unwrap();
    let exported = String::from_utf8(exported).unwrap();
    // What a later format made of an account comes after what was there.
    let exported = exported.lines().filter(|line| !line.contains(r#""kind":"upgraded""#)).collect();
    (ledger.list().unwrap().len(), account.history().unwrap().len(), exported)
}

#[test]
fn looking_leaves_it_and_writing_brings_it_up_to_date() {
    let (directory, path) = place();
    written_by_format_1(&path);
    let before = looked_at(&Ledger::peek(&path).unwrap());
    assert_eq!((before.0, before.1, format(&path)), (2, 4, 1));
    // As long as somebody has its write-ahead log open it stays as it is.
    let looking = Ledger::peek(&path).unwrap();
    looked_at(&looking);
    let error = Ledger::open_waiting(&path, Duration::from_millis(50)).err().unwrap();
    assert!(
        matches!(error, Error::File(FileError::Locked { .. })) && format(&path) == 1,
        "{error}"
    );
    drop(looking);
    Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .unwrap();
    // Without one, a process looks on while another brings the file up to date.
    let looking = Ledger::peek(&path).unwrap();
    looked_at(&looking);
    let ledger = Ledger::open(&path).unwrap();
    assert_eq!((looked_at(&ledger), format(&path)), (before.clone(), 4));
    assert_eq!(looked_at(&looking), before);
    let account = ledger.account("adult", TWO).unwrap();
    let mut charge =
        account.charge(&Purchase::new(&pure(0.5), "vote").with_session("k", "0")).unwrap();
    let mut session = charge.session.take().unwrap();
    session.commit("1", &[("a1".into(), "yes".into())]).unwrap();
    assert_eq!(charge.number, 9, "entry 8 gives account 'other' its filter");
    assert!((charge.quote.before.amount - 0.375).abs() < 1e-9, "what was spent before counts");
    assert_eq!(ledger.verify(Some(HEAD)).unwrap().problem, None);
    assert_eq!(
        looking.existing_account("adult").unwrap().session("k").unwrap().unwrap().state(),
        "1"
    );

    let new = directory.path().join("new.sqlite");
    drop(Ledger::open(&new).unwrap());
    assert_eq!(schema(&path), schema(&new));
}

#[test]
fn many_that_open_it_at_once_bring_it_up_to_date_once() {
    let (_directory, path) = place();
    written_by_format_1(&path);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| looked_at(&Ledger::open(&path).unwrap()));
        }
    });
    assert_eq!(format(&path), 4);
    assert_eq!(names_beside(&path), ["ledger.sqlite"]);
}

#[test]
fn sessions_of_format_2_get_their_hashes_and_go_on() {
    let (_directory, path) = place();
    written_by_format_2(&path);
    let given = |ledger: &Ledger| {
        let account = ledger.existing_account("adult").unwrap();
        let session = account.session("k").unwrap().unwrap();
        assert_eq!((session.charge(), session.state(), session.answered()), (4, "1", 2));
        assert_eq!(session.answer("b2").unwrap().as_deref(), Some("no"));
        assert_eq!(ledger.verify(Some(HEAD)).unwrap().problem, None);
    };
    given(&Ledger::peek(&path).unwrap());
    assert_eq!(format(&path), 2);
    let ledger = Ledger::open(&path).unwrap();
    given(&ledger);
    let account = ledger.account("adult", TWO).unwrap();
    let mut session = account.session("k").unwrap().unwrap();
    session.commit("2", &[("c3".into(), "yes".into())]).unwrap();
    assert_eq!(ledger.verify(Some(HEAD)).unwrap().problem, None);
    assert_eq!((format(&path), names_beside(&path)), (4, vec!["ledger.sqlite".to_owned()]));
}

/// An earlier program, or a person, may turn the log on again.
#[test]
fn a_write_ahead_log_is_left_before_anything_is_charged() {
    let (_directory, path) = place();
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.account("adult", TWO).unwrap();
    account.charge(&Purchase::new(&pure(0.25), "fit")).unwrap();
    Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        .unwrap();
    account.charge(&Purchase::new(&pure(0.25), "fit")).unwrap();
    assert_eq!(names_beside(&path), ["ledger.sqlite"]);
    assert_eq!(account.standing().unwrap().charges, 2);
}

#[test]
fn a_full_disk_leaves_format_1() {
    let (_directory, path) = place();
    written_by_format_1(&path);
    let output = process(&std::env::current_exe().unwrap(), "formats", "open", &path)
        .env("DISCRETION_LEDGER_PAGES", "7")
        .output()
        .unwrap();
    assert!(
        output.status.success() && said(&output).contains("found the disk full"),
        "{}",
        said(&output)
    );
    assert_eq!(format(&path), 1);
    looked_at(&Ledger::peek(&path).unwrap());
}

#[test]
fn a_format_turned_back_is_noticed() {
    let (_directory, path) = place();
    drop(Ledger::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 1).unwrap();
    let problem = Ledger::peek(&path).unwrap().verify(None).unwrap().problem.unwrap();
    assert!(problem.detail.contains("changed in it"), "{problem:?}");
    assert!(matches!(Ledger::open(&path), Err(Error::File(FileError::Corrupted { .. }))));
}

#[test]
#[ignore = "another test runs it in a process of its own"]
fn child() {
    use std::io::Write;
    let path = std::env::var_os("LEDGER").unwrap();
    let error = Ledger::open(Path::new(&path)).err().unwrap();
    assert!(matches!(error, Error::File(FileError::DiskFull { .. })), "{error}");
    writeln!(std::io::stdout().lock(), "\nfound the disk full").unwrap();
}
