//! Files that cannot be used: a clear error, and nothing charged.

use crate::common::{
    ONE, as_somebody_else, copied_program, filled, place, process, pure, said, written_by_format_1,
    written_by_format_2,
};
use discretion_ledger::{Error, FileError, Ledger, Purchase};
use rusqlite::Connection;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn refused(path: &Path) -> Error {
    let opened = Ledger::open(path).err().unwrap();
    let peeked = Ledger::peek(path).err().unwrap();
    assert_eq!(opened.to_string(), peeked.to_string());
    opened
}

#[test]
fn a_missing_directory_is_made_and_the_file_is_private() {
    let (directory, _) = place();
    let path = directory.path().join("a/b/ledger.sqlite");
    assert!(matches!(Ledger::peek(&path), Err(Error::File(FileError::Missing { .. }))));
    assert!(!path.exists(), "looking makes nothing");
    drop(Ledger::open(&path).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let inside_a_file = path.join("ledger.sqlite");
    assert!(matches!(Ledger::open(&inside_a_file), Err(Error::File(FileError::Directory { .. }))));
}

#[test]
fn a_newer_ledger_is_refused() {
    let (_directory, path) = place();
    drop(filled(&path));
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 5).unwrap();
    assert!(matches!(refused(&path), Error::File(FileError::Newer { found: 5, known: 4, .. })));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let (directory, path) = place();
    std::fs::write(&path, "age,income\n".repeat(500)).unwrap();
    assert!(matches!(refused(&path), Error::File(FileError::NotALedger { .. })));

    let foreign = directory.path().join("foreign.sqlite");
    Connection::open(&foreign)
        .unwrap()
        .execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        .unwrap();
    let before = std::fs::read(&foreign).unwrap();
    assert!(matches!(refused(&foreign), Error::File(FileError::NotALedger { .. })));
    assert!(before == std::fs::read(&foreign).unwrap(), "a foreign file was changed");
}

#[test]
fn a_damaged_ledger_is_refused() {
    let (_directory, path) = place();
    drop(filled(&path));
    let whole = std::fs::read(&path).unwrap();
    // Every page after the first, overwritten: what can be opened cannot be read.
    let mut damaged = whole.clone();
    damaged[4096..].fill(0xa5);
    std::fs::write(&path, &damaged).unwrap();
    let error = Ledger::open(&path).and_then(|ledger| ledger.list().map(drop)).err().unwrap();
    assert!(matches!(error, Error::File(FileError::Corrupted { .. })), "{error}");
    let charged = Ledger::open(&path).and_then(|ledger| {
        ledger.account("adult", ONE)?.charge(&Purchase::new(&pure(0.1), "fit")).map(drop)
    });
    assert!(matches!(charged, Err(Error::File(FileError::Corrupted { .. }))));

    let mut damaged = whole.clone();
    damaged[18..100].fill(0xff);
    std::fs::write(&path, &damaged).unwrap();
    let error = Ledger::open(&path).err().unwrap();
    assert!(
        matches!(
            error,
            Error::File(FileError::Corrupted { .. }) | Error::File(FileError::NotALedger { .. })
        ),
        "{error}"
    );

    std::fs::write(&path, &whole[..5000]).unwrap();
    let error = Ledger::open(&path).and_then(|ledger| ledger.list().map(drop)).err().unwrap();
    assert!(matches!(error, Error::File(FileError::Corrupted { .. })), "{error}");
}

#[test]
fn a_locked_ledger_is_waited_for_only_so_long_and_the_error_names_who() {
    let (_directory, path) = place();
    drop(filled(&path));
    let mut holder = process(&std::env::current_exe().unwrap(), "files", "hold", &path)
        .stdout(Stdio::piped())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    while !lines.next().unwrap().unwrap().contains("holding") {}

    let start = Instant::now();
    let ledger = Ledger::open_waiting(&path, Duration::from_millis(300)).unwrap();
    let error = ledger.release(2, "model.json", None).err().unwrap();
    let waited = start.elapsed();
    assert!(matches!(error, Error::File(FileError::Locked { .. })), "{error}");
    assert!(waited >= Duration::from_millis(290) && waited < Duration::from_secs(5), "{waited:?}");
    #[cfg(target_os = "linux")]
    assert!(error.to_string().contains(&format!("process {}", holder.id())), "{error}");
    assert_eq!(ledger.list().unwrap().len(), 2, "reading needs no lock");

    drop(holder.stdin.take());
    holder.wait().unwrap();
    ledger.release(2, "model.json", None).unwrap();
}

#[test]
fn a_full_disk_charges_nothing() {
    let (_directory, path) = place();
    drop(filled(&path));
    let output = process(&std::env::current_exe().unwrap(), "files", "fill", &path)
        .env("DISCRETION_LEDGER_PAGES", "20")
        .output()
        .unwrap();
    assert!(said(&output).contains("DiskFull after"), "{}", said(&output));
    let ledger = Ledger::open(&path).unwrap();
    let verification = ledger.verify(None).unwrap();
    assert_eq!(verification.problem, None);
    let succeeded = format!(
        "DiskFull after {} charges",
        ledger.account("fill", ONE).unwrap().standing().unwrap().charges
    );
    assert!(said(&output).contains(&succeeded), "{succeeded}: {}", said(&output));
}

/// Root may write anything, so the child runs as someone else.
#[cfg(target_os = "linux")]
#[test]
fn a_read_only_ledger_can_be_read_and_not_charged() {
    read_but_not_charged(|path| drop(filled(path)));
    read_but_not_charged(written_by_format_1);
    read_but_not_charged(written_by_format_2);
}

#[cfg(target_os = "linux")]
fn read_but_not_charged(write: impl Fn(&Path)) {
    use std::os::unix::fs::PermissionsExt;
    let (directory, path) = place();
    write(&path);
    let program = copied_program(directory.path());
    for (what, mode) in [(&program, 0o755), (&path, 0o444), (&directory.path().to_owned(), 0o555)] {
        std::fs::set_permissions(what, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let output =
        as_somebody_else(&process(&program, "files", "read-only", &path)).output().unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(said(&output).contains("refused, and read 2 accounts"), "{}", said(&output));
}

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn child() {
    let path = std::env::var_os("LEDGER").unwrap();
    let path = Path::new(&path);
    match std::env::var("TASK").unwrap().as_str() {
        "hold" => {
            let connection = Connection::open(path).unwrap();
            connection.execute_batch("BEGIN IMMEDIATE").unwrap();
            say("holding");
            std::io::stdin().lines().for_each(drop);
        }
        "fill" => {
            let ledger = Ledger::open(path).unwrap();
            let account = ledger.account("fill", ONE).unwrap();
            for charges in 0.. {
                match account.charge(&Purchase::new(&pure(1e-9), &"a long story ".repeat(50))) {
                    Ok(_) => {}
                    Err(Error::File(FileError::DiskFull { .. })) => {
                        return say(&format!("DiskFull after {charges} charges"));
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
        "read-only" => {
            let opened = Ledger::open(path).and_then(|ledger| {
                ledger
                    .existing_account("adult")?
                    .charge(&Purchase::new(&pure(0.1), "fit"))
                    .map(drop)
            });
            assert!(matches!(opened, Err(Error::File(FileError::ReadOnly { .. }))), "{opened:?}");
            let ledger = Ledger::peek(path).unwrap();
            assert_eq!(ledger.verify(None).unwrap().problem, None);
            let account = ledger.existing_account("adult").unwrap();
            assert!(
                account.session("none").unwrap().is_none() && account.history().unwrap().len() == 4
            );
            ledger.export(std::io::sink()).unwrap();
            say(&format!("refused, and read {} accounts", ledger.list().unwrap().len()));
        }
        other => panic!("no task {other}"),
    }
}

/// Not `println!`: the harness may hold that back.
fn say(words: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{words}").and_then(|()| out.flush()).unwrap();
}
