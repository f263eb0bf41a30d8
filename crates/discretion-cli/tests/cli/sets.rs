//! `--set key=value` of `plan`, `fit` and `check`.

use crate::workspace::Workspace;

#[test]
fn a_setting_is_that_of_a_file_that_says_it() {
    let workspace = Workspace::new();
    let text = workspace.read("study.toml");
    workspace.write("other.toml", text.replace("\"auto\"", "\"output\""));
    let set = ["--set", "model.method=output"];
    let fit = |study: &str, out: &str, more: &[&str]| {
        let args = [&["fit", study, "--seed", "7", "--out", out][..], more].concat();
        workspace.run(&args).succeeds();
        workspace.read(&format!("{out}/seeded-model.json"))
    };
    assert_eq!(fit("study.toml", "a", &set), fit("other.toml", "b", &[]));
    let plan = |study: &str, more: &[&str]| {
        let args = [&["plan", study, "--rows", "5000", "--json"][..], more].concat();
        workspace.run(&args).succeeds().stdout
    };
    assert_eq!(plan("study.toml", &set), plan("other.toml", &[]));
    assert_ne!(plan("study.toml", &set), plan("study.toml", &[]));
}

#[test]
fn the_ledger_notes_what_was_set_and_finds_the_same_job() {
    let workspace = Workspace::new();
    let text = workspace.read("study.toml");
    workspace.write("other.toml", text.replace("\"auto\"", "\"output\""));
    let set = ["fit", "study.toml", "--out", "a", "--set", "model.method=output"];
    workspace.run(&set).succeeds();
    let shown = workspace.run(&["ledger", "show", "t", "--json"]).succeeds().stdout;
    assert!(shown.contains("fit of study.toml with model.method=output"), "{shown}");
    let repeated = workspace.run(&["fit", "other.toml", "--out", "b"]);
    assert_eq!(repeated.code, 1, "{}", repeated.stderr);
    repeated.says("--reuse");
}

#[test]
fn what_cannot_be_set_is_told_with_the_setting() {
    let workspace = Workspace::new();
    for (said, message) in [
        ("intervals.levle=0.9", "unknown key `levle` in [intervals]; did you mean `level`?"),
        ("spend.epsilon=much", "`epsilon` in [spend] must be a number, not a text"),
        ("spend", "a setting is given as table.key=value"),
    ] {
        for command in
            [&["fit", "study.toml"][..], &["check", "study.toml"], &["plan", "study.toml"]]
        {
            let args = [command, &["--set", said]].concat();
            workspace.run(&args).fails(2, &format!("--set {said}: {message}"));
        }
    }
    workspace
        .run(&["plan", "--columns", "3", "--rows", "9", "--epsilon", "1", "--set", "a.b=1"])
        .fails(2, "--set");
}
