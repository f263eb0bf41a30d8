//! Sessions of processes that die, race, or find the disk full.
#![cfg(unix)]

use crate::common::{ONE, place, process, pure, said};
use discretion_ledger::{Error, FileError, Ledger, Purchase, STEPS};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Barrier;

/// A ledger whose account "adult" has a session "k" with state "0".
fn begun(path: &Path) {
    let ledger = Ledger::open(path).unwrap();
    ledger
        .account("adult", ONE)
        .unwrap()
        .charge(&Purchase::new(&pure(0.5), "vote").with_session("k", "0"))
        .unwrap();
}

fn run(task: &str, path: &Path, variable: (&str, &str)) -> Output {
    let program = std::env::current_exe().unwrap();
    process(&program, "sessions_crash", task, path).env(variable.0, variable.1).output().unwrap()
}

/// A process that opens a session, gives two answers and releases a file dies at each step.
#[test]
fn a_process_that_dies_leaves_the_old_state_or_the_new_one_with_its_answers() {
    // Charges, those without a release, and the session's state with how many answers.
    let expected = |step: &str| match step {
        "charge:before-begin" | "charge:before-commit" => (0, 0, None),
        "charge:after-commit" | "session:before-begin" | "session:before-commit" => {
            (1, 1, Some(("0".to_owned(), 0)))
        }
        "session:after-commit"
        | "release:before-begin"
        | "release:before-commit"
        | "release:after-commit" => (1, 0, Some(("1".to_owned(), 2))),
        other => panic!("no expectation for {other}"),
    };
    for step in STEPS {
        let (_directory, path) = place();
        let output = run("run", &path, ("DISCRETION_ABORT_AT", step));
        assert_eq!(output.status.signal(), Some(6), "{step}: {}", said(&output));
        let ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.verify(None).unwrap().problem, None, "{step}");
        let account = ledger.account("adult", ONE).unwrap();
        let standing = account.standing().unwrap();
        let session = account.session("k").unwrap();
        let found =
            session.as_ref().map(|session| (session.state().to_owned(), session.answered()));
        assert_eq!((standing.charges, standing.unreleased, found), expected(step), "{step}");
        let Some(mut session) = session else { continue };
        let given = session.answered() > 0;
        for query in ["a1", "b2"] {
            assert_eq!(session.answer(query).unwrap().is_some(), given, "{step}: {query}");
        }
        // Life goes on.
        session.commit("next", &[("c3".into(), "yes".into())]).unwrap();
        assert_eq!(ledger.verify(None).unwrap().problem, None, "{step}");
    }
}

#[test]
fn of_two_that_commit_at_once_exactly_one_wins() {
    let (_directory, path) = place();
    begun(&path);
    for round in 1..=30 {
        let barrier = Barrier::new(2);
        let racer = |name: &str| {
            let ledger = Ledger::open(&path).unwrap();
            let mut session = ledger.account("adult", ONE).unwrap().session("k").unwrap().unwrap();
            let answer = (format!("{round:02}{name}"), "yes".to_owned());
            barrier.wait();
            match session.commit(name, std::slice::from_ref(&answer)) {
                Ok(()) => true,
                Err(Error::SessionMoved { .. }) => {
                    assert_eq!(session.answer(&answer.0).unwrap(), None);
                    false
                }
                Err(error) => panic!("{error}"),
            }
        };
        let wins = std::thread::scope(|scope| {
            let racers = ["a", "b"].map(|name| scope.spawn(move || (name, racer(name))));
            racers.map(|racer| racer.join().unwrap())
        });
        let winners: Vec<&str> =
            wins.iter().filter(|(_, won)| *won).map(|(name, _)| *name).collect();
        assert_eq!(winners.len(), 1, "round {round}: {wins:?}");
        let ledger = Ledger::open(&path).unwrap();
        let session = ledger.account("adult", ONE).unwrap().session("k").unwrap().unwrap();
        assert_eq!((session.state(), session.answered()), (winners[0], round));
    }
}

/// Each adds one to a number in the state and answers once. A lost update would leave a smaller
/// number.
#[test]
fn six_processes_lose_no_state() {
    const PROCESSES: u64 = 6;
    const COMMITS: u64 = 20;
    let (_directory, path) = place();
    begun(&path);
    let program = std::env::current_exe().unwrap();
    let children: Vec<_> = (0..PROCESSES)
        .map(|i| {
            let mut command = process(&program, "sessions_crash", "count", &path);
            command.env("COMMITS", COMMITS.to_string()).env("NAME", i.to_string());
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }
    let ledger = Ledger::open(&path).unwrap();
    let session = ledger.account("adult", ONE).unwrap().session("k").unwrap().unwrap();
    let all = PROCESSES * COMMITS;
    assert_eq!((session.state(), session.answered()), (all.to_string().as_str(), all));
    assert_eq!(ledger.verify(None).unwrap().problem, None);
}

#[test]
fn a_full_disk_leaves_the_old_state() {
    let (_directory, path) = place();
    begun(&path);
    let output = run("fill", &path, ("DISCRETION_LEDGER_PAGES", "16"));
    let ledger = Ledger::open(&path).unwrap();
    let session = ledger.account("adult", ONE).unwrap().session("k").unwrap().unwrap();
    let last = format!("DiskFull after {} commits", session.state());
    assert!(said(&output).contains(&last), "{last}: {}", said(&output));
    assert_eq!(session.state(), session.answered().to_string());
    assert_eq!(ledger.verify(None).unwrap().problem, None);
}

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn child() {
    let path = std::env::var_os("LEDGER").unwrap();
    let ledger = Ledger::open(Path::new(&path)).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let variable = |name| std::env::var(name).unwrap();
    match variable("TASK").as_str() {
        "run" => {
            let mut session = account
                .charge(&Purchase::new(&pure(0.5), "vote").with_session("k", "0"))
                .unwrap()
                .session
                .unwrap();
            let answers =
                [("a1", "yes"), ("b2", "no")].map(|(query, answer)| (query.into(), answer.into()));
            session.commit("1", &answers).unwrap();
            ledger.release(session.charge(), "answers.csv", None).unwrap();
        }
        "count" => {
            let mut session = account.session("k").unwrap().unwrap();
            for i in 0..variable("COMMITS").parse().unwrap() {
                loop {
                    let state: u64 = session.state().parse().unwrap();
                    let answer = (format!("{}{i:03}", variable("NAME")), state.to_string());
                    match session.commit(&(state + 1).to_string(), &[answer]) {
                        Ok(()) => break,
                        Err(Error::SessionMoved { .. }) => session.reload().unwrap(),
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        }
        "fill" => {
            use std::io::Write;
            let mut session = account.session("k").unwrap().unwrap();
            for commits in 1.. {
                let answer = (format!("{commits:04x}"), "a long story ".repeat(50));
                match session.commit(&commits.to_string(), &[answer]) {
                    Ok(()) => {}
                    Err(Error::File(FileError::DiskFull { .. })) => {
                        assert_eq!(session.state(), (commits - 1).to_string());
                        writeln!(
                            std::io::stdout().lock(),
                            "\nDiskFull after {} commits",
                            commits - 1
                        )
                        .unwrap();
                        return;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
        other => panic!("no task {other}"),
    }
}
