//! A ledger that is reached by several names: locks hold whatever it is called, and it is written
//! under one name only.
#![cfg(unix)]

use crate::common::{ONE, filled, names_beside, place, process, pure, said};
use discretion_ledger::{Error, FileError, Ledger, Purchase};
use discretion_privacy::Budget;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const TWO: Budget = Budget::Pure { epsilon: 2.0 };

fn charge(ledger: &Ledger) -> Result<(), Error> {
    ledger.account("adult", TWO)?.charge(&Purchase::new(&pure(0.1), "fit")).map(drop)
}

#[test]
fn a_second_link_stops_writing_and_not_looking() {
    let (directory, path) = place();
    let link = directory.path().join("link.sqlite");
    drop(filled(&path));
    fs::hard_link(&path, &link).unwrap();
    for name in [&path, &link] {
        let error = Ledger::open(name).err().unwrap();
        assert!(
            matches!(error, Error::File(FileError::Linked { links: 2, .. })) && error.is_refusal(),
            "{error}"
        );
        assert!(error.to_string().contains("remove the others"), "{error}");
        assert_eq!(Ledger::peek(name).unwrap().list().unwrap().len(), 2);
    }
    fs::remove_file(&link).unwrap();
    let ledger = Ledger::open(&path).unwrap();
    charge(&ledger).unwrap();
    // Also if it is made while the ledger is open.
    fs::hard_link(&path, &link).unwrap();
    assert!(matches!(charge(&ledger), Err(Error::File(FileError::Linked { .. }))));
    assert!(matches!(
        ledger.release(2, "model.json", None),
        Err(Error::File(FileError::Linked { .. }))
    ));
    fs::remove_file(&link).unwrap();
    charge(&ledger).unwrap();
    assert_eq!(ledger.account("adult", TWO).unwrap().standing().unwrap().charges, 4);
}

#[test]
fn a_session_does_not_go_on_under_two_names() {
    let (directory, path) = place();
    let link = directory.path().join("link.sqlite");
    let here = Ledger::open(&path).unwrap();
    let account = here.account("adult", ONE).unwrap();
    let mut session = account
        .charge(&Purchase::new(&pure(0.5), "vote").with_session("k", "0"))
        .unwrap()
        .session
        .unwrap();
    fs::hard_link(&path, &link).unwrap();
    assert!(matches!(Ledger::open(&link), Err(Error::File(FileError::Linked { .. }))));
    let answer = [("a1".to_owned(), "yes".to_owned())];
    assert!(matches!(session.commit("1", &answer), Err(Error::File(FileError::Linked { .. }))));
    // Whoever looks by the other name looks at the same session.
    let there = Ledger::peek(&link).unwrap();
    let seen = there.existing_account("adult").unwrap().session("k").unwrap().unwrap();
    assert_eq!((seen.state(), seen.answered()), ("0", 0));
    fs::remove_file(&link).unwrap();
    session.commit("1", &answer).unwrap();
}

#[test]
fn what_was_moved_deleted_or_replaced_is_not_written() {
    let changes: [fn(&Path); 4] = [
        |path| fs::rename(path, path.with_extension("moved")).unwrap(),
        |path| fs::remove_file(path).unwrap(),
        |path| {
            fs::rename(path, path.with_extension("moved")).unwrap();
            fs::copy(path.with_extension("moved"), path).unwrap();
        },
        |path| {
            fs::rename(path, path.with_extension("moved")).unwrap();
            symlink("nowhere", path).unwrap();
        },
    ];
    for change in changes {
        let (_directory, path) = place();
        let ledger = filled(&path);
        change(&path);
        let error = charge(&ledger).unwrap_err();
        assert!(
            matches!(error, Error::File(FileError::Moved { .. })) && error.is_refusal(),
            "{error}"
        );
        assert!(names_beside(&path).iter().all(|name| !name.contains("journal")));
    }
    // A link that leads elsewhere now.
    let (directory, path) = place();
    let link = directory.path().join("link.sqlite");
    drop(filled(&path));
    symlink(&path, &link).unwrap();
    let ledger = Ledger::open(&link).unwrap();
    charge(&ledger).unwrap();
    fs::remove_file(&link).unwrap();
    let other = directory.path().join("other.sqlite");
    drop(Ledger::open(&other).unwrap());
    symlink(&other, &link).unwrap();
    assert!(matches!(charge(&ledger), Err(Error::File(FileError::Moved { .. }))));
}

/// A process that opens a ledger by `name`, says so, waits, and tries to spend more than half of
/// its cap.
fn racer(mut command: Command) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("opened") && !line.contains("refused") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "the racer ended");
    }
    (child, out)
}

/// How many of the racers paid, when they start at once.
fn paid(racers: Vec<(Child, BufReader<std::process::ChildStdout>)>) -> usize {
    let mut racers = racers;
    racers.iter_mut().for_each(|(child, _)| drop(child.stdin.take()));
    let outcomes = racers.iter_mut().map(|(child, out)| {
        let mut said = String::new();
        out.read_to_string(&mut said).unwrap();
        assert!(child.wait().unwrap().success(), "{said}");
        said.contains("paid")
    });
    outcomes.filter(|&paid| paid).count()
}

fn by_name(name: &Path) -> Command {
    process(&std::env::current_exe().unwrap(), "names", "race", name)
}

#[test]
fn of_two_that_race_for_the_cap_by_whichever_names_at_most_one_pays() {
    for round in 0..4 {
        let (directory, path) = place();
        let (link, soft) =
            (directory.path().join("link.sqlite"), directory.path().join("soft.sqlite"));
        drop(Ledger::open(&path).unwrap());
        symlink(&path, &soft).unwrap();
        let both = |one: &Path, other: &Path| vec![racer(by_name(one)), racer(by_name(other))];
        let charges = || {
            Ledger::peek(&path).unwrap().list().unwrap().first().map_or(0, |found| found.charges)
        };
        // A link before they open it: neither. One that is made after both opened it: neither.
        fs::hard_link(&path, &link).unwrap();
        assert_eq!((paid(both(&path, &link)), charges()), (0, 0), "round {round}");
        fs::remove_file(&link).unwrap();
        let racers = both(&path, &soft);
        fs::hard_link(&path, &link).unwrap();
        assert_eq!((paid(racers), charges()), (0, 0), "round {round}");
        fs::remove_file(&link).unwrap();
        // By a name and a symbolic link to it, which is one name: one.
        assert_eq!((paid(both(&path, &soft)), charges()), (1, 1), "round {round}");
        assert_eq!(Ledger::open(&path).unwrap().verify(None).unwrap().problem, None);
    }
}

/// The command where `what` is mounted at `place` too.
#[cfg(target_os = "linux")]
fn bound(what: &Path, place: &Path, command: &Command) -> Command {
    crate::common::with_mount(
        ["-o".as_ref(), "bind".as_ref(), what.as_os_str(), place.as_os_str()],
        command,
    )
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_mounted_by_itself_is_not_written_and_a_directory_is() {
    let (directory, path) = place();
    let mounted = directory.path().join("mounted.sqlite");
    fs::write(&mounted, "").unwrap();
    if !crate::common::may_mount() {
        return;
    }
    drop(Ledger::open(&path).unwrap());
    let inside = racer(bound(&path, &mounted, &by_name(&mounted)));
    assert_eq!(paid(vec![racer(by_name(&path)), inside]), 1, "the one outside");
    let look = bound(
        &path,
        &mounted,
        &process(&std::env::current_exe().unwrap(), "names", "look", &mounted),
    )
    .output();
    let look = said(&look.unwrap());
    assert!(look.contains("1 charge") && look.contains("mount the directory"), "{look}");

    // The same file by two paths, in the same directory: they exclude each other.
    let (whole, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (path, mounted) =
        (whole.path().join("ledger.sqlite"), elsewhere.path().join("ledger.sqlite"));
    drop(Ledger::open(&path).unwrap());
    let inside = racer(bound(whole.path(), elsewhere.path(), &by_name(&mounted)));
    assert_eq!(paid(vec![racer(by_name(&path)), inside]), 1);
    let ledger = Ledger::open(&path).unwrap();
    assert_eq!(
        (ledger.list().unwrap()[0].charges, ledger.verify(None).unwrap().problem),
        (1, None)
    );
}

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn child() {
    let path = std::env::var_os("LEDGER").unwrap();
    let path = Path::new(&path);
    let say = |words: &str| {
        let mut out = std::io::stdout();
        writeln!(out, "\n{words}").and_then(|()| out.flush()).unwrap();
    };
    if std::env::var("TASK").unwrap() == "look" {
        let ledger = Ledger::peek(path).unwrap();
        return say(&format!(
            "{} charge; {}",
            ledger.list().unwrap()[0].charges,
            Ledger::open(path).err().unwrap()
        ));
    }
    let ledger = match Ledger::open(path) {
        Ok(ledger) => ledger,
        Err(
            error
            @ (Error::File(FileError::Linked { .. }) | Error::File(FileError::Mounted { .. })),
        ) => {
            return say(&format!("refused: {error}"));
        }
        Err(error) => panic!("{error}"),
    };
    say("opened");
    std::io::stdin().lines().for_each(drop);
    match ledger.account("adult", ONE).unwrap().charge(&Purchase::new(&pure(0.6), "fit")) {
        Ok(_) => say("paid"),
        Err(Error::File(FileError::Linked { .. }) | Error::Overspent { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}
