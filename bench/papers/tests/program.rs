//! The real binary, in folders of its own. The library's tests look at what the experiments find.

#[path = "../../../crates/discretion-cli/tests/cli/golden.rs"]
mod golden;

use std::process::{Command, Stdio};
use tempfile::TempDir;

/// How a run ended.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run(folder: &TempDir, args: &[&str]) -> Run {
    let output = command(folder, args).output().unwrap();
    Run {
        code: output.status.code().expect("not ended by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn command(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_discretion-papers"));
    command.current_dir(folder).args(args).stdin(Stdio::null());
    command
}

/// What is in a folder of the folder; nothing if it is not there.
fn files(folder: &TempDir, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path().join(name)).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// The two experiments that take no longer than a moment on made-up rows.
/// `UPDATE_GOLDEN=1 cargo test --test program` in bench/papers writes their numbers anew.
#[test]
fn a_seed_gives_the_same_numbers_as_ever() {
    for (name, figures) in [("intervals", 4), ("voting", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let run = run(&folder, &[name, "--quick", "--seed", "7", "--json"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        let numbers = golden::numbers(&serde_json::from_str(&run.stdout).unwrap());
        golden::compare(&format!("tests/golden/{name}.txt"), &numbers);
        assert_eq!(files(&folder, "figures").len(), figures);
    }
}

#[test]
fn without_json_it_prints_a_table_and_says_where_the_figures_are() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(&folder, &["voting", "--quick", "--out", "here"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.starts_with("Queries answered by a vote"), "{}", run.stdout);
    assert!(run.stdout.ends_with("\nfigures: here/voting-made-up-rows.svg\n"), "{}", run.stdout);
    assert_eq!(files(&folder, "here"), ["voting-made-up-rows.svg"]);
}

#[test]
fn wrong_arguments_and_missing_tables_end_with_2_and_leave_nothing() {
    for (args, says) in [
        (&[][..], "Usage"),
        (&["frobnicate"], "error:"),
        (&["tuning"], "--data <DIR>"),
        (&["tuning", "--quick", "--frobnicate"], "--frobnicate"),
        (&["tuning", "--quick", "--seed", "x"], "--seed"),
        (&["tuning", "--data", "nowhere"], "error: nowhere/adult_all.csv.gz is not there; --data"),
        (
            &["voting", "--quick", "--out", "a-file"],
            "error: a-file: this is a file and a folder is needed",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a-file"), "").unwrap();
        let run = run(&folder, args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(says) && run.stdout.is_empty(), "{args:?}: {}", run.stderr);
        assert_eq!(files(&folder, "."), ["a-file"]);
    }
}

#[test]
fn help_ends_with_an_example() {
    let folder = tempfile::tempdir().unwrap();
    let help = run(&folder, &["--help"]);
    assert_eq!(help.code, 0);
    assert!(
        help.stdout.trim_end().lines().last().unwrap().starts_with("  discretion-papers tuning")
    );
    assert_eq!(run(&folder, &["--version"]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let output = command(&folder, &["voting", "--quick"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("standard output could not be written")
    );
}
