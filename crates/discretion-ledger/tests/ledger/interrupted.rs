//! A process that is killed at any write, sync or unlink. Its ledger loses nothing that it was told
//! of, and another ledger that is put under its name loses nothing at all.
#![cfg(target_os = "linux")]

use crate::common::{ONE, names_beside, place, process, pure, said};
use discretion_ledger::{Error, FileError, Ledger, Purchase};
use rusqlite::Connection;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What ends a process before its n-th change to a file, if this machine can compile it.
fn killer(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("kill.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/kill.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([library.as_os_str(), source.as_ref(), "-ldl".as_ref()])
        .output();
    match compiled {
        Ok(output) if output.status.success() => Some(library),
        other => {
            eprintln!("skipped: this machine cannot compile {source}: {other:?}");
            None
        }
    }
}

fn charges(ledger: &Ledger) -> u64 {
    ledger.list().unwrap().first().map_or(0, |account| account.charges)
}

fn charge(path: &Path) {
    let ledger = Ledger::open(path).unwrap();
    ledger.account("adult", ONE).unwrap().charge(&Purchase::new(&pure(0.01), "fit")).unwrap();
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// All files of a folder, with their bytes.
fn contents(path: &Path) -> Vec<(String, Vec<u8>)> {
    names_beside(path)
        .into_iter()
        .map(|name| (name.clone(), fs::read(path.with_file_name(name)).unwrap()))
        .collect()
}

fn is_foreign(result: Result<Ledger, Error>) -> bool {
    match result {
        Ok(_) => false,
        Err(error @ Error::File(FileError::ForeignJournal { .. })) => {
            assert!(error.is_refusal() && error.to_string().contains("-journal"), "{error}");
            true
        }
        Err(error) => panic!("{error}"),
    }
}

/// A ledger with three charges was moved away; a run makes another one and is killed; the first is
/// put back under its name.
#[test]
fn no_ledger_loses_a_charge_wherever_a_run_is_killed() {
    let tools = tempfile::tempdir().unwrap();
    let Some(library) = killer(tools.path()) else { return };
    let earlier = tools.path().join("ledger.sqlite");
    (0..3).for_each(|_| charge(&earlier));
    let bytes = fs::read(&earlier).unwrap();
    let mut refusals = 0;
    for (half, step) in [(false, 1), (true, 1)] {
        for at in (1..).step_by(step) {
            let (_directory, path) = place();
            let run = |at: usize| -> Output {
                let mut run =
                    process(&std::env::current_exe().unwrap(), "interrupted", "run", &path);
                run.env("LD_PRELOAD", &library).env("KILL_AT", at.to_string());
                if half {
                    run.env("KILL_HALF", "1");
                }
                run.output().unwrap()
            };
            let output = run(at);
            if output.status.success() {
                assert!(at > 30, "few changes were counted: {at}");
                break;
            }
            assert_eq!(output.status.signal(), Some(9), "{at}: {}", said(&output));
            let told = said(&output).matches("charged").count() as u64;
            let possible = |found: u64| found == told || found == told + 1;

            // Looking finds every charge and changes nothing.
            let before = contents(&path);
            match Ledger::peek(&path) {
                Ok(ledger) => {
                    assert!(possible(charges(&ledger)), "{at}: {} after {told}", charges(&ledger));
                    assert_eq!(ledger.verify(None).unwrap().problem, None, "{at}");
                }
                Err(Error::File(FileError::Missing { .. })) if told == 0 => {}
                Err(error) => panic!("{at}: {error}"),
            }
            let drafts = |(name, _): &(String, Vec<u8>)| name.starts_with(".discretion-");
            let kept = |all: Vec<(String, Vec<u8>)>| -> Vec<_> {
                all.into_iter().filter(|file| !drafts(file)).collect()
            };
            let is_same = kept(before) == kept(contents(&path));
            assert!(is_same, "{at}: looking changed something");

            // The other ledger under this name.
            let (away, journal) = (path.with_file_name("away.sqlite"), beside(&path, "-journal"));
            let made = path.exists();
            if made {
                fs::rename(&path, &away).unwrap();
            }
            fs::write(&path, &bytes).unwrap();
            let refused = is_foreign(Ledger::peek(&path));
            assert!(bytes == fs::read(&path).unwrap(), "{at}: looking changed the ledger");
            assert_eq!(refused, is_foreign(Ledger::open(&path)), "{at}");
            assert_eq!(charges_of(&bytes, &path, refused), 3, "{at}");
            if refused {
                refusals += 1;
                fs::rename(&journal, beside(&away, "-journal")).unwrap();
            }
            charge(&path);
            assert_eq!(charges(&Ledger::peek(&path).unwrap()), 4, "{at}");
            // And the one that was killed, where it is now.
            if made {
                let ledger = Ledger::open(&away).unwrap();
                assert!(possible(charges(&ledger)), "{at}");
                assert_eq!(ledger.verify(None).unwrap().problem, None, "{at}");
                charge(&away);
            }
            // What the run left in the folder is gone.
            assert!(names_beside(&path).iter().all(|name| !name.starts_with(".discretion-")));
        }
    }
    assert!(refusals > 10, "few journals were left: {refusals}");
}

/// How many charges there are. A refused ledger must be as it was.
fn charges_of(bytes: &[u8], path: &Path, refused: bool) -> u64 {
    if refused {
        assert!(bytes == fs::read(path).unwrap(), "a refused ledger was changed");
        return 3;
    }
    charges(&Ledger::peek(path).unwrap())
}

/// Also one that was opened before: a service that has the ledger open does not undo its charges.
#[test]
fn an_open_ledger_refuses_a_journal_that_came_later() {
    let (directory, path) = place();
    let away = directory.path().join("away.sqlite");
    charge(&path);
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    fs::rename(&path, &away).unwrap();
    charge(&path);
    broken_off(&path);
    // While another ledger has the name.
    assert!(matches!(account.standing(), Err(Error::File(FileError::Moved { .. }))));
    fs::rename(&path, directory.path().join("other.sqlite")).unwrap();
    fs::rename(&away, &path).unwrap();
    let before = contents(&path);
    let refused = [
        account.standing().map(drop),
        account.charge(&Purchase::new(&pure(0.01), "fit")).map(drop),
        ledger.list().map(drop),
        ledger.verify(None).map(drop),
        account.session("k").map(drop),
    ];
    for result in refused {
        assert!(matches!(result, Err(Error::File(FileError::ForeignJournal { .. }))), "{result:?}");
    }
    assert!(before == contents(&path));
    fs::rename(beside(&path, "-journal"), directory.path().join("other.sqlite-journal")).unwrap();
    account.charge(&Purchase::new(&pure(0.01), "fit")).unwrap();
    assert_eq!(account.standing().unwrap().charges, 2);
}

/// A journal of a ledger that goes on is not undone in the one before.
#[test]
fn a_journal_from_before_the_last_commits_is_refused() {
    let (_directory, path) = place();
    charge(&path);
    let (bytes, journal) = (fs::read(&path).unwrap(), beside(&path, "-journal"));
    broken_off(&path);
    let kept = fs::read(&journal).unwrap();
    fs::remove_file(&journal).unwrap();
    fs::write(&path, &bytes).unwrap();
    (0..2).for_each(|_| charge(&path));
    fs::write(&journal, &kept).unwrap();
    assert!(is_foreign(Ledger::peek(&path)) && is_foreign(Ledger::open(&path)));
    fs::remove_file(&journal).unwrap();
    assert_eq!(charges(&Ledger::open(&path).unwrap()), 3);
}

/// Without a ledger beside it, a journal stays for the one that it belongs to.
#[test]
fn a_journal_without_its_ledger_is_kept() {
    for is_empty in [false, true] {
        let (directory, path) = place();
        charge(&path);
        broken_off(&path);
        let away = directory.path().join("away.sqlite");
        fs::rename(&path, &away).unwrap();
        if is_empty {
            fs::write(&path, "").unwrap();
            assert!(is_foreign(Ledger::peek(&path)));
        }
        assert!(is_foreign(Ledger::open(&path)));
        let _ = fs::remove_file(&path);
        fs::rename(&away, &path).unwrap();
        assert_eq!(charges(&Ledger::open(&path).unwrap()), 1);
    }
}

/// What is beside it may also be a pipe or a link, which SQLite would open.
#[test]
fn what_is_no_journal_is_refused_at_once() {
    let makers: [fn(&Path); 3] = [
        |journal| assert!(Command::new("mkfifo").arg(journal).status().unwrap().success()),
        |journal| std::os::unix::fs::symlink("/dev/zero", journal).unwrap(),
        |journal| fs::create_dir(journal).unwrap(),
    ];
    for (make, ending) in makers.iter().flat_map(|make| [(make, "-journal"), (make, "-wal")]) {
        let (_directory, path) = place();
        charge(&path);
        make(&beside(&path, ending));
        for refused in [Ledger::peek(&path).map(drop), Ledger::open(&path).map(drop)] {
            assert!(
                matches!(refused, Err(Error::File(FileError::ForeignJournal { .. }))),
                "{refused:?}"
            );
        }
    }
}

/// Ledgers of format 3 have no identity: their journals are known by the chain of hashes.
#[test]
fn a_journal_of_an_earlier_format_is_undone_in_its_own_ledger_only() {
    let ledgers = [place(), place()];
    for (_, path) in &ledgers {
        charge(path);
        let connection = Connection::open(path).unwrap();
        connection.execute_batch("ALTER TABLE entries DROP COLUMN job").unwrap();
        connection.pragma_update(None, "schema_version", 30).unwrap();
        connection.pragma_update(None, "user_version", 3).unwrap();
        drop(connection);
        broken_off(path);
    }
    let [(_one, one), (_other, other)] = &ledgers;
    let (own, foreign) = (beside(one, "-journal"), beside(other, "-journal"));
    let (kept, bytes) = (fs::read(&own).unwrap(), fs::read(one).unwrap());
    fs::copy(&foreign, &own).unwrap();
    assert!(is_foreign(Ledger::peek(one)) && is_foreign(Ledger::open(one)));
    assert!(bytes == fs::read(one).unwrap());
    fs::write(&own, kept).unwrap();
    assert_eq!(charges(&Ledger::peek(one).unwrap()), 1);
    let ledger = Ledger::open(one).unwrap();
    assert_eq!((charges(&ledger), ledger.verify(None).unwrap().problem), (1, None));
}

/// Earlier programs had a write-ahead log, whose commits are not in the file yet.
#[test]
fn a_log_of_another_ledger_is_refused_and_its_own_is_read() {
    let ledgers = [place(), place()];
    let mut logged = Vec::new();
    for (_, path) in &ledgers {
        charge(path);
        let connection = Connection::open(path).unwrap();
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
        // It stays where it is as long as this is open.
        connection.pragma_update(None, "user_version", 4).unwrap();
        let log = beside(path, "-wal");
        logged.push((
            path,
            fs::read(path).unwrap(),
            fs::read(&log).unwrap(),
            log.clone(),
            connection,
        ));
    }
    let apart = tempfile::tempdir().unwrap();
    let path = apart.path().join("ledger.sqlite");
    fs::write(&path, &logged[0].1).unwrap();
    fs::write(beside(&path, "-wal"), &logged[1].2).unwrap();
    for refused in [Ledger::peek(&path).map(drop), Ledger::open(&path).map(drop)] {
        assert!(
            matches!(refused, Err(Error::File(FileError::ForeignJournal { .. }))),
            "{refused:?}"
        );
    }
    assert!(fs::read(&path).unwrap() == logged[0].1);
    fs::write(beside(&path, "-wal"), &logged[0].2).unwrap();
    assert_eq!(charges(&Ledger::peek(&path).unwrap()), 1);
    assert!(fs::read(&path).unwrap() == logged[0].1, "looking brought the log in");
    assert_eq!(charges(&Ledger::open(&path).unwrap()), 1);
}

/// Leaves a commit half written, with its journal.
fn broken_off(path: &Path) {
    let output =
        process(&std::env::current_exe().unwrap(), "interrupted", "half", path).output().unwrap();
    assert!(said(&output).contains("half written"), "{}", said(&output));
    assert!(beside(path, "-journal").exists());
}

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn child() {
    let path = std::env::var_os("LEDGER").unwrap();
    let path = Path::new(&path);
    let mut out = std::io::stdout();
    match std::env::var("TASK").unwrap().as_str() {
        "run" => {
            for _ in 0..2 {
                charge(path);
                writeln!(out, "\ncharged").and_then(|()| out.flush()).unwrap();
            }
        }
        "half" => {
            let connection = Connection::open(path).unwrap();
            // So small that pages are written before the commit.
            connection.pragma_update(None, "cache_size", 1).unwrap();
            let sql = "BEGIN IMMEDIATE; DROP TRIGGER entries_are_never_changed; UPDATE entries SET note = 'changed';
                       CREATE TABLE more AS WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 500)
                       SELECT n, hex(randomblob(500)) AS text FROM up";
            connection.execute_batch(sql).unwrap();
            writeln!(out, "\nhalf written").and_then(|()| out.flush()).unwrap();
            std::process::abort();
        }
        other => panic!("no task {other}"),
    }
}
