//! After every charge the ledger's file alone has it: nothing is beside it, and a copy of it is a
//! ledger with all charges. What a crash broke off is undone.
#![cfg(unix)]

use crate::common::{ONE, names_beside, place, process, pure, said};
use discretion_ledger::{Ledger, Purchase};
use discretion_privacy::Budget;
use rusqlite::Connection;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

#[test]
fn a_copy_of_the_file_alone_has_everything_up_to_the_last_call() {
    let (_directory, path) = place();
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join("copy.sqlite");
    let ledger = Ledger::open(&path).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let copied = |what: &str| {
        assert_eq!(names_beside(&path), ["ledger.sqlite"], "{what}");
        // By another process: if this one closed a descriptor of the file, its own locks would be
        // gone.
        assert!(std::process::Command::new("cp").args([&path, &copy]).status().unwrap().success());
        let ledger = Ledger::peek(&copy).unwrap();
        assert_eq!(ledger.verify(None).unwrap().problem, None, "{what}");
        let account = ledger.existing_account("adult").unwrap();
        let session = account.session("k").unwrap();
        let session = session.map(|session| (session.state().to_owned(), session.answered()));
        (account.standing().unwrap().charges, account.standing().unwrap().cap.budget(), session)
    };
    for charges in 1..=5 {
        let charge = account.charge(&Purchase::new(&pure(0.01), "fit")).unwrap();
        ledger.release(charge.number, "model.json", None).unwrap();
        assert_eq!(copied("a charge and a release"), (charges, ONE, None));
    }
    let mut session = account
        .charge(&Purchase::new(&pure(0.01), "vote").with_session("k", "0"))
        .unwrap()
        .session
        .unwrap();
    for commits in 1..=5 {
        session.commit(&commits.to_string(), &[(format!("{commits:02x}"), "yes".into())]).unwrap();
        assert_eq!(copied("a commit"), (6, ONE, Some((commits.to_string(), commits))));
    }
    let two = Budget::Pure { epsilon: 2.0 };
    ledger.existing_account("adult").unwrap().raise(two, "agreed").unwrap();
    assert_eq!(copied("a raise"), (6, two, Some(("5".to_owned(), 5))));
}

/// The process says a number when its charge has returned, and is killed at any moment.
#[test]
fn a_killed_process_loses_no_charge_that_it_was_told_of() {
    let rounds =
        std::env::var("DISCRETION_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12);
    let (_directory, path) = place();
    let mut least = 0;
    for round in 0..rounds {
        let mut child = process(&std::env::current_exe().unwrap(), "one_file", "charge", &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // A moment that differs from round to round: after some charges, and somewhere within the
        // next one.
        let mut told = 0;
        while told < 3 + round % 4 {
            let line = lines.next().expect("it charges until it is killed").unwrap();
            told += u64::from(line.contains("charged"));
        }
        std::thread::sleep(std::time::Duration::from_micros(700 * (round % 7)));
        child.kill().unwrap();
        child.wait().unwrap();
        told += lines
            .filter(|line| line.as_ref().is_ok_and(|line| line.contains("charged")))
            .count() as u64;
        let ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.verify(None).unwrap().problem, None);
        let found = ledger.account("adult", ONE).unwrap().standing().unwrap().charges;
        assert!(
            found >= least + told && found <= least + told + 1,
            "{found} after {least} and {told}"
        );
        least = found;
    }
}

/// The worst moment: some pages of a commit are in the file and others are not.
#[test]
fn what_a_crash_broke_off_is_undone() {
    let (_directory, path) = place();
    let ledger = Ledger::open(&path).unwrap();
    ledger.account("adult", ONE).unwrap().charge(&Purchase::new(&pure(0.25), "fit")).unwrap();
    drop(ledger);
    let before = std::fs::read(&path).unwrap();
    let output =
        process(&std::env::current_exe().unwrap(), "one_file", "half", &path).output().unwrap();
    assert!(
        !output.status.success() && said(&output).contains("half written"),
        "{}",
        said(&output)
    );
    assert!(before != std::fs::read(&path).unwrap(), "nothing was half written");
    assert_eq!(names_beside(&path), ["ledger.sqlite", "ledger.sqlite-journal"]);
    let ledger = Ledger::peek(&path).unwrap();
    assert_eq!(ledger.verify(None).unwrap().problem, None);
    assert_eq!(ledger.list().unwrap()[0].charges, 1);
    // What it looks at is a copy, as long as it looks.
    drop(ledger);
    let ledger = Ledger::open(&path).unwrap();
    ledger.account("adult", ONE).unwrap().charge(&Purchase::new(&pure(0.25), "fit")).unwrap();
    assert_eq!(names_beside(&path), ["ledger.sqlite"]);
    assert_eq!(ledger.verify(None).unwrap().problem, None);
}

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn child() {
    let path = std::env::var_os("LEDGER").unwrap();
    let path = Path::new(&path);
    let mut out = std::io::stdout();
    match std::env::var("TASK").unwrap().as_str() {
        "charge" => {
            let ledger = Ledger::open(path).unwrap();
            let account = ledger.account("adult", ONE).unwrap();
            loop {
                account.charge(&Purchase::new(&pure(1e-4), "fit")).unwrap();
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
