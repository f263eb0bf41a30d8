//! Ctrl-C ends learners too, and removes their rows. This test program starts itself, because the
//! signal ends it.

mod common;

use common::{outcome, program, two};
use discretion_learn::AnswerKind;
use discretion_table::Processes;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

const FOLDER: &str = "DISCRETION_TEST_FOLDER";

/// In the second process: trains for ever. In the first it does nothing.
#[test]
fn child() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let text = "echo \"$2\" > rows; echo $$ > new; mv new started; sleep 1000";
        let learner =
            program(Path::new(&folder), text, Processes::Chunk, 600.0, AnswerKind::Classes);
        outcome(&learner, &two(), 1);
    }
}

#[test]
fn ctrl_c_leaves_nothing_behind() {
    for signal in [Signal::INT, Signal::TERM] {
        let folder = tempfile::tempdir().unwrap();
        let mut second = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env(FOLDER, folder.path())
            .spawn()
            .unwrap();
        while !folder.path().join("started").exists() {
            assert!(second.try_wait().unwrap().is_none(), "it runs until it is told to stop");
            sleep(Duration::from_millis(10));
        }
        let read = |name: &str| {
            std::fs::read_to_string(folder.path().join(name)).unwrap().trim().to_owned()
        };
        let rows = PathBuf::from(read("rows"));
        assert!(rows.exists());
        kill_process(Pid::from_child(&second), signal).unwrap();
        assert_eq!(second.wait().unwrap().signal(), Some(signal.as_raw()));
        assert!(!rows.exists(), "the rows are gone");
        let learner = read("started");
        let state = Command::new("ps").args(["-o", "stat=", "-p", &learner]).output().unwrap();
        let state = String::from_utf8(state.stdout).unwrap();
        assert!(state.trim().is_empty() || state.trim().starts_with('Z'), "{state}");
    }
}
