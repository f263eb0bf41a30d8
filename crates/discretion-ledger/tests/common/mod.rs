//! What the tests share.

use discretion_ledger::{Account, Fingerprint, Ledger, Purchase};
use discretion_privacy::Budget;
use discretion_privacy::account::Event;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A directory for one test, and a ledger's path in it.
pub fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.sqlite");
    (directory, path)
}

pub fn pure(epsilon: f64) -> Event {
    Event::Pure { epsilon, what: "test".into() }
}

pub const ONE: Budget = Budget::Pure { epsilon: 1.0 };

/// A ledger with two accounts, three charges, a release and a raise: entries of every kind.
pub fn filled(path: &Path) -> Ledger {
    let ledger = Ledger::open(path).unwrap();
    let account = ledger.account("adult", ONE).unwrap();
    let mut table = account.fingerprint();
    table.update(b"age,income\n1,2\n");
    let table = table.finish();
    let charge = account.charge(&Purchase::new(&pure(0.25), "fit adult").on(&table)).unwrap();
    ledger.release(charge.number, "model.json", Some(&"ab".repeat(32))).unwrap();
    account.charge(&Purchase::new(&pure(0.125), "fit again").on(&table)).unwrap();
    let other = Budget::Approximate { epsilon: 2.0, delta: 1e-6 };
    let other = ledger.account("other", other).unwrap();
    other
        .charge(&Purchase::new(&Event::Gaussian { sensitivity: 1.0, sigma: 20.0 }, "mean"))
        .unwrap();
    ledger
        .existing_account("adult")
        .unwrap()
        .raise(Budget::Pure { epsilon: 2.0 }, "new ethics vote")
        .unwrap();
    ledger
}

/// What [`filled`] wrote in a program of format 1 (the dump of its file), as a file.
pub fn written_by_format_1(path: &Path) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(include_str!("../format1.sql")).unwrap();
    connection.pragma_update(None, "application_id", 0x6469_7363).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
}

/// The same after a program of format 2 went on with it: charge 4 pays for a session that gave two
/// answers.
pub fn written_by_format_2(path: &Path) {
    written_by_format_1(path);
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(include_str!("../../src/sessions.sql")).unwrap();
    let sql = "INSERT INTO sessions VALUES (4, 'k', 1, '0');
               INSERT INTO answers VALUES (4, 1, 'a1', 'yes'), (4, 2, 'b2', 'no');
               UPDATE sessions SET state = '1', revision = 2";
    connection.execute_batch(sql).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
}

/// What is in the directory of a ledger.
pub fn names_beside(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

/// To run the test `child` of a module of this test program in a process of its own.
pub fn process(program: &Path, module: &str, task: &str, ledger: &Path) -> Command {
    let mut command = Command::new(program);
    command.args([
        "--exact",
        &format!("{module}::child"),
        "--ignored",
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env("TASK", task).env("LEDGER", ledger).env("RUST_BACKTRACE", "0");
    command
}

/// A copy of this test program in a folder. `cp` makes it: a process that another test starts
/// meanwhile would inherit our own open file, and a file that is open for writing cannot be run.
#[cfg(target_os = "linux")]
pub fn copied_program(folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let copied =
        Command::new("cp").args([&std::env::current_exe().unwrap(), &program]).status().unwrap();
    assert!(copied.success());
    program
}

/// What a child said: its panic message or its own words.
pub fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The same command as a user who may do nothing, if this one may do everything.
#[cfg(target_os = "linux")]
pub fn as_somebody_else(command: &Command) -> Command {
    use std::os::unix::fs::MetadataExt;
    let root = std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0);
    let mut other = if root { Command::new("setpriv") } else { Command::new("env") };
    if root {
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    other.arg(command.get_program()).args(command.get_args());
    other.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    other
}

/// The command in a namespace of its own, in which `mount` was called with these four words.
#[cfg(target_os = "linux")]
pub fn with_mount(words: [&std::ffi::OsStr; 4], command: &Command) -> Command {
    let mut outer = Command::new("unshare");
    outer.args(["--map-root-user", "--mount"]);
    outer.args(["sh", "-c", "mount \"$1\" \"$2\" \"$3\" \"$4\" && shift 4 && exec \"$@\"", "sh"]);
    outer.args(words).arg(command.get_program()).args(command.get_args());
    outer.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    outer
}

/// Whether a test may do that here.
#[cfg(target_os = "linux")]
pub fn may_mount() -> bool {
    let words = ["-t", "tmpfs", "none", "/tmp"].map(std::ffi::OsStr::new);
    let tried =
        with_mount(words, &Command::new("true")).stderr(std::process::Stdio::null()).status();
    let may = tried.is_ok_and(|status| status.success());
    if !may {
        eprintln!("skipped: this machine does not let a test mount anything");
    }
    may
}

/// What an account knows of a table with these bytes.
pub fn table(account: &Account<'_>, bytes: &[u8]) -> Fingerprint {
    let mut table = account.fingerprint();
    table.update(bytes);
    table.finish()
}
