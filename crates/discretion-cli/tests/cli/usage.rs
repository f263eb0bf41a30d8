//! Arguments and standard streams.

use crate::workspace::Workspace;
use std::process::Stdio;

#[test]
fn wrong_arguments_end_with_2() {
    for args in [
        &["--frobnicate"][..],
        &["frobnicate"],
        &["fit"],
        &["fit", "study.toml", "--frobnicate"],
        &["fit", "study.toml", "--seed", "x"],
        &["fit", "study.toml", "--seed", "1", "--not-private"],
        &["fit", "study.toml", "--threads", "0"],
        &["plan", "--rows", "0", "--columns", "3", "--epsilon", "1"],
        &["plan", "--rows", "10", "--epsilon", "1"],
        &["plan", "--rows", "10", "--columns", "3", "--epsilon", "1", "--rho", "1"],
        &["plan", "--rows", "10", "--columns", "3", "--epsilon", "1", "--loss", "square"],
        &["predict", "model.json"],
        &[],
    ] {
        let run = Workspace::new().run(args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.stderr);
        assert!(
            run.stderr.contains("Usage") || run.stderr.contains("error:"),
            "{args:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn reproduce_says_where_it_went_whatever_it_is_asked() {
    let workspace = Workspace::empty();
    for args in [&["reproduce"][..], &["reproduce", "tuning", "--quick"], &["reproduce", "--help"]]
    {
        workspace
            .run(args)
            .fails(2, "the papers' experiments")
            .says("bench/papers/Cargo.toml -- tuning");
    }
    let help = workspace.run(&["--help"]).succeeds();
    assert!(!help.stdout.contains("reproduce"), "{}", help.stdout);
}

#[test]
fn every_help_ends_with_an_example() {
    for command in [
        "demo", "schema", "check", "fit", "predict", "evaluate", "plan", "density", "sample",
        "audit", "party",
    ] {
        let run = Workspace::empty().run(&[command, "--help"]).succeeds();
        let last = run.stdout.trim_end().lines().last().unwrap().to_owned();
        assert!(last.starts_with(&format!("  discretion {command}")), "{last}");
    }
    Workspace::empty().run(&["--version"]).succeeds();
}

#[test]
fn output_without_a_terminal_has_no_colours_or_bars() {
    let workspace = Workspace::new();
    let fit = workspace.run(&["fit", "study.toml"]).succeeds();
    let help = workspace.run(&["fit", "--help"]).succeeds();
    for text in [fit.stdout, fit.stderr, help.stdout] {
        assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text}");
    }
}

#[test]
fn a_closed_pipe_does_not_lose_the_model() {
    let workspace = Workspace::new();
    let mut child =
        workspace.command(&["fit", "study.toml"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(workspace.written(), ["study/model.json", "study/report.html"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Workspace::new()
        .command(&["plan", "--rows", "10", "--columns", "3", "--epsilon", "1"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("standard output could not be written")
    );
}
