//! Many processes on one ledger, and processes that die.
#![cfg(unix)]

use crate::common::{ONE, place, process, pure, said};
use discretion_ledger::{Error, Ledger, Purchase, STEPS};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

#[test]
fn sixteen_processes_never_pass_the_cap_together() {
    const PROCESSES: usize = 16;
    const ATTEMPTS: usize = 200;
    let (_directory, path) = place();
    let program = std::env::current_exe().unwrap();
    // Not even the file exists before they start.
    let children: Vec<_> = (0..PROCESSES)
        .map(|i| {
            let attempts = ATTEMPTS / PROCESSES + usize::from(i < ATTEMPTS % PROCESSES);
            let mut command = process(&program, "processes", "charge", &path);
            command.env("ATTEMPTS", attempts.to_string());
            command
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let (mut paid, mut refused) = (0, 0);
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let said = said(&output);
        let line = said.lines().find_map(|line| line.split_once("counted ")).unwrap().1;
        let (p, r) = line.split_once(' ').unwrap();
        paid += p.parse::<usize>().unwrap();
        refused += r.parse::<usize>().unwrap();
    }
    assert_eq!((paid, refused), (50, ATTEMPTS - 50));
    let ledger = Ledger::open(&path).unwrap();
    let verification = ledger.verify(None).unwrap();
    assert_eq!((verification.problem, verification.entries), (None, 51));
    let standing = ledger.account("adult", ONE).unwrap().standing().unwrap();
    assert_eq!(standing.charges, 50);
    assert!(standing.spent.amount <= 1.0 + 1e-9);
}

/// (charges, unreleased) after a process died at each step of charge, compute and release.
#[test]
fn a_process_that_dies_leaves_its_charge_exactly_once_or_never_began() {
    let expected = |step: &str| match step {
        "charge:before-begin" | "charge:before-commit" => (0, 0),
        "charge:after-commit" | "release:before-begin" | "release:before-commit" => (1, 1),
        "release:after-commit" => (1, 0),
        other => panic!("no expectation for {other}"),
    };
    // What a commit of a session leaves is in sessions_crash.rs.
    for step in STEPS.into_iter().filter(|step| !step.starts_with("session:")) {
        let (_directory, path) = place();
        let output = process(&std::env::current_exe().unwrap(), "processes", "run", &path)
            .env("DISCRETION_ABORT_AT", step)
            .output()
            .unwrap();
        assert_eq!(output.status.signal(), Some(6), "{step}: {}", said(&output));
        let ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.verify(None).unwrap().problem, None, "{step}");
        let standing = ledger.account("adult", ONE).unwrap().standing().unwrap();
        assert_eq!((standing.charges, standing.unreleased), expected(step), "{step}");
        // Life goes on.
        let account = ledger.account("adult", ONE).unwrap();
        let next = account.charge(&Purchase::new(&pure(0.25), "next")).unwrap();
        ledger.release(next.number, "b", None).unwrap();
        assert_eq!(ledger.verify(None).unwrap().problem, None, "{step}");
    }
}

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn child() {
    let path = std::env::var_os("LEDGER").unwrap();
    let ledger = Ledger::open(Path::new(&path)).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    match std::env::var("TASK").unwrap().as_str() {
        "charge" => {
            let attempts: usize = std::env::var("ATTEMPTS").unwrap().parse().unwrap();
            let (mut paid, mut refused) = (0, 0);
            for _ in 0..attempts {
                match account.charge(&Purchase::new(&pure(0.02), "fit")) {
                    Ok(_) => paid += 1,
                    Err(Error::Overspent { .. }) => refused += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            use std::io::Write;
            writeln!(std::io::stdout().lock(), "\ncounted {paid} {refused}").unwrap();
        }
        "run" => {
            let charge = account.charge(&Purchase::new(&pure(0.5), "fit")).unwrap();
            ledger.release(charge.number, "model.json", None).unwrap();
        }
        other => panic!("no task {other}"),
    }
}
