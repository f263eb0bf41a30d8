//! By which words a ledger is named: it is an ordinary file under that name, whatever SQLite makes
//! of the word.

use crate::common::{ONE, names_beside, process, pure, said};
use discretion_ledger::{Error, FileError, Ledger, Purchase, default_path};
use std::path::Path;
use std::process::Command;

/// Charges until the cap, and returns how often that was possible.
fn spend(path: &Path) -> usize {
    (0..8)
        .filter(|_| {
            let ledger = Ledger::open(path).unwrap();
            let account = ledger.account("adult", ONE).unwrap();
            account.charge(&Purchase::new(&pure(0.3), "fit")).is_ok()
        })
        .count()
}

#[test]
fn what_is_no_name_of_a_file_is_refused() {
    for name in [
        "",
        ":memory:",
        "file::memory:",
        "file:x?mode=memory",
        "file:y?vfs=memdb",
        "file:L?vfs=unix-none",
        "file:///tmp/x",
        "FILE:x",
    ] {
        let path = Path::new(name);
        for refused in [
            Ledger::open(path).map(drop),
            Ledger::peek(path).map(drop),
            default_path(Some(path)).map(drop),
        ] {
            let error = refused.unwrap_err();
            assert!(
                matches!(error, Error::File(FileError::NoFileName { .. })) && !error.is_refusal(),
                "{error}"
            );
        }
        assert!(name.is_empty() || !path.exists(), "{name}");
    }
}

#[test]
fn a_strange_name_is_that_of_an_ordinary_file() {
    for name in [
        ":memory",
        "a?mode=memory",
        "b#c",
        "d%20e%3ff",
        "file",
        " g ",
        "h'i\"j",
        "k\nl",
        "-journal",
        "m?vfs=memdb&immutable=1",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        assert_eq!(spend(&path), 3, "{name}");
        assert_eq!(names_beside(&path), [name]);
        let found = Ledger::peek(&path).unwrap().list().unwrap();
        assert_eq!(found[0].charges, 3, "{name}");
    }
}

#[test]
fn relative_names_are_of_the_folder_that_they_were_opened_in() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["plain.sqlite", "./file:x?mode=memory", "./:memory:", "sub/ledger.sqlite"] {
        let mut command: Command =
            process(&std::env::current_exe().unwrap(), "file_names", "relative", Path::new(name));
        let output = command.current_dir(folder.path()).output().unwrap();
        assert!(said(&output).contains("charged 3"), "{name}: {}", said(&output));
        assert_eq!(Ledger::peek(&folder.path().join(name)).unwrap().list().unwrap()[0].charges, 3);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 5, "with elsewhere");
    assert_eq!(std::fs::read_dir(folder.path().join("elsewhere")).unwrap().count(), 0);
}

/// The name of a descriptor leads to the file itself.
#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_is_the_file_that_it_is_of() {
    use std::os::fd::AsRawFd;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger.sqlite");
    drop(Ledger::open(&path).unwrap());
    let file = std::fs::File::open(&path).unwrap();
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    assert_eq!(spend(Path::new(&name)), 3);
    assert_eq!(Ledger::peek(&path).unwrap().list().unwrap()[0].charges, 3);
    std::fs::remove_file(&path).unwrap();
    assert!(Ledger::open(Path::new(&name)).is_err(), "a deleted file");
}

#[test]
#[ignore = "another test runs it in a process of its own"]
fn child() {
    use std::io::Write;
    let path = std::env::var_os("LEDGER").unwrap();
    let ledger = Ledger::open(Path::new(&path)).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    std::fs::create_dir_all("elsewhere").unwrap();
    std::env::set_current_dir("elsewhere").unwrap();
    let charges =
        (0..8).filter(|_| account.charge(&Purchase::new(&pure(0.3), "fit")).is_ok()).count();
    writeln!(std::io::stdout().lock(), "\ncharged {charges}").unwrap();
}
