//! What fails is named for what it is: a full disk, a ledger that cannot be read, something else in
//! its place. Tried for real.
#![cfg(target_os = "linux")]

use crate::common::{
    ONE, as_somebody_else, copied_program, filled, may_mount, place, process, pure, said,
    with_mount,
};
use discretion_ledger::{Error, FileError, Ledger, Purchase};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn what_is_no_file_is_no_ledger() {
    let (directory, _) = place();
    let folder = directory.path().join("folder");
    fs::create_dir(&folder).unwrap();
    for path in [folder.as_path(), Path::new("/dev/full"), Path::new("/dev/zero")] {
        for refused in [Ledger::open(path).err().unwrap(), Ledger::peek(path).err().unwrap()] {
            assert!(
                matches!(refused, Error::File(FileError::NotALedger { .. }))
                    && !refused.is_refusal(),
                "{refused}"
            );
        }
    }
    assert!(fs::read_dir(&folder).unwrap().next().is_none());
}

/// Root may read anything, so the child runs as someone else.
#[test]
fn a_ledger_that_cannot_be_read_says_so() {
    for mode in [0o000, 0o200] {
        let (directory, path) = place();
        drop(filled(&path));
        let program = copied_program(directory.path());
        for (what, mode) in
            [(&program, 0o755), (&path, mode), (&directory.path().to_owned(), 0o777)]
        {
            fs::set_permissions(what, fs::Permissions::from_mode(mode)).unwrap();
        }
        let output =
            as_somebody_else(&process(&program, "failures", "unreadable", &path)).output().unwrap();
        assert!(
            said(&output).contains("Permission denied (os error 13)); let its owner run this"),
            "{}",
            said(&output)
        );
        assert!(output.status.success(), "{}", said(&output));
    }
}

/// Also when there is no room for a name any more: then SQLite cannot open its journal, and does
/// not say why.
#[test]
fn a_full_disk_is_called_full() {
    if !may_mount() {
        return;
    }
    for size in ["-osize=200k", "-osize=1m,nr_inodes=2"] {
        let (directory, _) = place();
        let path = directory.path().join("ledger.sqlite");
        let child = process(&std::env::current_exe().unwrap(), "failures", "fill", &path);
        let words =
            ["-ttmpfs".as_ref(), size.as_ref(), "none".as_ref(), directory.path().as_os_str()];
        let output = with_mount(words, &child).output().unwrap();
        assert!(output.status.success(), "{size}: {}", said(&output));
        assert!(
            said(&output).contains("is full; make room and run this again, nothing was charged"),
            "{size}"
        );
    }
}

#[test]
#[ignore = "the other tests run it in a process of its own"]
fn child() {
    use std::io::Write;
    let path = std::env::var_os("LEDGER").unwrap();
    let path = Path::new(&path);
    let mut out = std::io::stdout();
    if std::env::var("TASK").unwrap() == "unreadable" {
        for refused in [Ledger::open(path).err().unwrap(), Ledger::peek(path).err().unwrap()] {
            assert!(
                matches!(refused, Error::File(FileError::Unreadable { .. }))
                    && refused.is_refusal(),
                "{refused}"
            );
            writeln!(out, "{refused}").unwrap();
        }
        return;
    }
    let charged = |ledger: &Ledger| -> Result<u64, Error> {
        let account = ledger.account("fill", ONE)?;
        account
            .charge(&Purchase::new(&pure(1e-9), &"a long story ".repeat(50)))
            .map(|charge| charge.number)
    };
    let mut last = 0;
    let error = loop {
        match Ledger::open(path).and_then(|ledger| charged(&ledger)) {
            Ok(number) => last = number,
            Err(error) => break error,
        }
    };
    writeln!(out, "{error}").unwrap();
    assert!(matches!(error, Error::File(FileError::DiskFull { .. })), "{error}");
    // What was charged before is there.
    if last > 0 {
        let verification = Ledger::peek(path).unwrap().verify(None).unwrap();
        assert_eq!((verification.problem, verification.entries), (None, last));
    }
}
