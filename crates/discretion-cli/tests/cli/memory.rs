//! `discretion fit --memory`: the same numbers from rows that are not in memory.

use crate::workspace::Workspace;
use serde_json::Value;
use std::fmt::Write;
use std::process::Stdio;

const COLUMNS: usize = 12;

/// A study of numbers alone, with a table of this many rows.
fn wide_table(rows: usize, lambda: &str) -> Workspace {
    let workspace = Workspace::empty();
    let mut study =
        "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n\
                     [budget]\nepsilon = 100\n[spend]\nepsilon = 1\n[columns]\n"
            .to_owned();
    let mut header = String::new();
    for column in 0..COLUMNS {
        writeln!(study, "x{column} = {{ min = 0, max = 9 }}").unwrap();
        write!(header, "x{column},").unwrap();
    }
    writeln!(study, "[model]\nlambda = {lambda}").unwrap();
    workspace.write("study.toml", study);
    let mut text = header + "y\n";
    for row in 0..rows {
        let digit = |column: usize| (row * (column + 7) * 7919 + row / 13 * column) % 10;
        (0..COLUMNS).for_each(|column| write!(text, "{},", digit(column)).unwrap());
        writeln!(text, "{}", u8::from(digit(0) + digit(3) > 9 + row % 2)).unwrap();
    }
    workspace.write("t.csv", text);
    workspace
}

/// Everything in a model file that was released.
fn numbers(model: &Value) -> (&Value, &Value, &Value) {
    (&model["coefficients"], &model["training"], &model["intervals"])
}

#[test]
fn rows_in_a_file_release_what_rows_in_memory_do() {
    // 49 bytes a row; 64 MB allow 16 MB of rows.
    for lambda in ["1e-3", "[1e-3, 1e-2]"] {
        let workspace = wide_table(360_000, lambda);
        let fit = |out: &str, more: &[&str]| {
            let args = [&["fit", "study.toml", "--seed", "5", "--out", out], more].concat();
            workspace.run(&args).succeeds();
            workspace.json(&format!("{out}/seeded-model.json"))
        };
        let (held, streamed) = (fit("held", &[]), fit("streamed", &["--memory", "64MB"]));
        assert_eq!(numbers(&held), numbers(&streamed), "lambda = {lambda}");
        let written = workspace.written();
        assert!(
            written.iter().all(|name| !name.contains("tmp")),
            "nothing of the rows stays: {written:?}"
        );
    }
}

#[test]
fn memory_stays_below_what_was_asked_for() {
    let workspace = wide_table(1_400_000, "1e-3");
    let peak = |more: &[&str]| {
        let args = [&["fit", "study.toml", "--seed", "5", "--force"], more].concat();
        let mut command = workspace.command(&args);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kilobytes =
                line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
            most = most.max(kilobytes.unwrap_or(0));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(child.wait().unwrap().success());
        most
    };
    let (held, streamed) = (peak(&[]), peak(&["--memory", "64MB"]));
    assert!(held > 68_000, "the rows alone are 68 MB, and {held} kB were used");
    assert!(streamed < 64_000, "64 MB were allowed, and {streamed} kB used");
}

#[test]
fn sizes_that_mean_nothing_are_refused() {
    let workspace = Workspace::new();
    for size in ["512", "lots", "-1GB", "1MB", "NaNGB"] {
        let run = workspace.run(&["fit", "study.toml", &format!("--memory={size}")]);
        assert_eq!(run.code, 2, "{size}: {}", run.stderr);
    }
    workspace.run(&["fit", "study.toml", "--memory", "0.5GiB"]).succeeds();
}
