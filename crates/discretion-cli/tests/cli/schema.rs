//! `discretion schema`.

use crate::workspace::{Workspace, table};

#[test]
fn a_draft_leaves_bounds_open_and_fit_says_what_is_missing() {
    let workspace = Workspace::new();
    let draft = workspace.run(&["schema", "t.csv"]).succeeds().stdout;
    assert!(draft.contains("age = { min = \"?\", max = \"?\" }"), "{draft}");
    assert!(!draft.contains("clerk"), "{draft}");
    let run = workspace.run(&["schema", "t.csv", "--out", "draft.toml"]).succeeds();
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("discretion fit draft.toml"), "{}", run.stderr);
    assert_eq!(workspace.read("draft.toml"), draft);
    workspace.run(&["fit", "draft.toml"]).fails(2, "draft.toml:").says("`age`");
}

#[test]
fn a_draft_from_the_rows_can_be_fitted_and_is_marked() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("studies")).unwrap();
    let run = workspace
        .run(&["schema", "t.csv", "--from-data", "--account", "t", "--out", "studies/s.toml"])
        .succeeds();
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
    assert!(workspace.read("studies/s.toml").contains("NOT PRIVATE"));
    // The draft is in another folder than the table, and still finds it.
    workspace.run(&["fit", "studies/s.toml"]).succeeds();
}

#[test]
fn nothing_is_overwritten() {
    let workspace = Workspace::new();
    workspace
        .run(&["schema", "t.csv", "--out", "study.toml"])
        .fails(1, "study.toml: this file exists already");
    workspace
        .run(&["schema", "t.csv", "--out", "t.csv"])
        .fails(1, "t.csv: this file exists already");
    assert_eq!(workspace.read("t.csv"), table());
    workspace.run(&["schema", "t.csv", "--out", "study.toml", "--force"]).succeeds();
    workspace.run(&["schema", "no.csv"]).fails(2, "no.csv: there is no such file");
}

#[test]
fn a_row_is_not_taken_for_a_header() {
    let workspace = Workspace::new();
    workspace.write("t.csv", "35,clerk,1\n40,nurse,0\n");
    workspace
        .run(&["schema", "t.csv"])
        .fails(2, "t.csv:")
        .says("it looks like a row and not like a header");
    workspace.write("t.csv", "id,age\r1,50\r2,60\r");
    workspace
        .run(&["schema", "t.csv"])
        .fails(2, "t.csv:")
        .says("lines end in carriage returns alone");
    workspace
        .run(&["fit", "study.toml"])
        .fails(2, "t.csv:")
        .says("lines end in carriage returns alone");
}

#[test]
fn a_table_is_not_written_over_even_by_force() {
    let workspace = Workspace::new();
    let before = workspace.read("t.csv");
    workspace
        .run(&["schema", "t.csv", "--out", "./t.csv", "--force"])
        .fails(2, "./t.csv: this run reads this file");
    assert_eq!(workspace.read("t.csv"), before);
    std::fs::create_dir(workspace.path("there")).unwrap();
    workspace.write("there/t.csv", before);
    workspace.run(&["schema", "there/t.csv", "--out", "there/s.toml"]).succeeds();
    assert!(
        workspace.read("there/s.toml").contains("path     = \"t.csv\"  # relative to this file")
    );
}
