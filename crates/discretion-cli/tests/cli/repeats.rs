//! What looks like a mistake is asked about before it is charged: the same job again, other rows, a
//! second account.

use crate::workspace::{STUDY, Workspace, table};

fn charges(workspace: &Workspace, account: &str) -> usize {
    let run = workspace.run(&["ledger", "show", account, "--json"]).succeeds();
    let shown: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    shown["charges"].as_u64().unwrap() as usize
}

#[test]
fn the_same_job_is_charged_again_only_with_a_yes() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "a"]).succeeds();
    let refused = workspace
        .run(&["fit", "study.toml", "--out", "b"])
        .fails(1, "")
        .says("has paid for this very job on these rows");
    refused.says("--reuse").says("--again").says("Nothing was charged");
    assert_eq!(charges(&workspace, "t"), 1);
    assert_eq!(workspace.written(), ["a/model.json", "a/report.html"]);
    workspace.run(&["fit", "study.toml", "--out", "b", "--again"]).succeeds();
    assert_eq!(charges(&workspace, "t"), 2);
    // Another job is another job, and a comment makes none.
    workspace.write("study.toml", STUDY.replace("lambda = 0.01", "lambda = 0.02"));
    workspace.run(&["fit", "study.toml", "--out", "c"]).succeeds();
    workspace.write("study.toml", STUDY.replace("lambda = 0.01", "lambda = 0.02 # as before"));
    workspace
        .run(&["fit", "study.toml", "--out", "d"])
        .fails(1, "")
        .says("has paid for this very job");
}

#[test]
fn what_was_released_is_used_again_for_nothing() {
    let workspace = Workspace::new();
    // There is nothing yet, so this is an ordinary run.
    workspace.run(&["fit", "study.toml", "--out", "a", "--reuse"]).succeeds();
    let run = workspace.run(&["fit", "study.toml", "--out", "b", "--reuse"]).succeeds();
    assert!(
        run.stdout.contains("paid for this result before; nothing was charged"),
        "{}",
        run.stdout
    );
    assert_eq!(workspace.read("a/model.json"), workspace.read("b/model.json"));
    assert_eq!(charges(&workspace, "t"), 1);
    // In its own place, too, and its page is made again.
    std::fs::remove_file(workspace.path("a/report.html")).unwrap();
    workspace.run(&["fit", "study.toml", "--out", "a", "--reuse"]).succeeds();
    assert!(workspace.read("a/report.html").contains("<html"));
    // A file that somebody changed is nobody's release.
    let changed = workspace.read("a/model.json").replace("0.01", "0.02");
    workspace.write("a/model.json", changed);
    let refused = workspace
        .run(&["fit", "study.toml", "--out", "c", "--reuse"])
        .fails(1, "")
        .says("was changed since");
    refused.says("--again");
    std::fs::remove_file(workspace.path("a/model.json")).unwrap();
    workspace
        .run(&["fit", "study.toml", "--out", "c", "--reuse"])
        .fails(1, "")
        .says("cannot be read");
    assert_eq!(charges(&workspace, "t"), 1);
}

#[test]
fn a_density_is_paid_for_once() {
    let workspace = Workspace::new();
    let density = |out: &str, more: &[&str]| {
        let args = [&["density", "study.toml", "--column", "age", "--out", out], more].concat();
        workspace.run(&args)
    };
    density("a", &[]).succeeds();
    density("b", &[]).fails(1, "").says("has paid for this very job");
    density("b", &["--reuse"]).succeeds();
    assert_eq!(workspace.read("a/density.json"), workspace.read("b/density.json"));
    density("c", &["--bins", "4"]).succeeds();
    density("d", &["--again"]).succeeds();
    assert_eq!(charges(&workspace, "t"), 3);
}

#[test]
fn other_rows_are_asked_about_before_the_charge() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "a"]).succeeds();
    workspace.write("t.csv", table() + "50,10,clerk,x,yes\n");
    let refused = workspace
        .run(&["fit", "study.toml", "--out", "b"])
        .fails(1, "")
        .says("was charged for other rows (charge 2,");
    refused.says("--rows-changed").says("Nothing was charged");
    assert_eq!(charges(&workspace, "t"), 1);
    workspace.run(&["fit", "study.toml", "--out", "b", "--rows-changed"]).succeeds();
    // From now on both versions are the account's.
    workspace.run(&["fit", "study.toml", "--out", "c", "--again"]).succeeds();
}

#[test]
fn the_same_rows_under_a_second_name_are_noticed() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "a"]).succeeds();
    workspace.write("other.toml", STUDY.replace("account = \"t\"", "account = \"u\""));
    let refused = workspace
        .run(&["fit", "other.toml", "--out", "b"])
        .fails(1, "")
        .says("'t' was charged for them");
    refused.says("--second-account");
    let run = workspace.run(&["fit", "other.toml", "--out", "b", "--second-account"]).succeeds();
    assert!(run.stderr.contains("two budgets for the same people"), "{}", run.stderr);
}

/// A draft of another table of the same name asks for another account.
#[test]
fn an_account_is_not_named_after_the_file_alone() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("hospital")).unwrap();
    workspace.write("hospital/train.csv", table());
    let draft = workspace.run(&["schema", "hospital/train.csv"]).succeeds().stdout;
    assert!(draft.contains("account  = \"?\"") && draft.contains("\"hospital-train\""), "{draft}");
    workspace.write("draft.toml", &draft);
    workspace.run(&["fit", "draft.toml"]).fails(2, "").says("`account` in [data] is still open");
}

#[test]
fn bounds_that_were_looked_up_in_the_rows_are_told_in_model_and_report() {
    let workspace = Workspace::new();
    workspace
        .run(&["schema", "t.csv", "--from-data", "--account", "t", "--out", "s.toml"])
        .succeeds();
    // Somebody tidies up: every comment is gone, and the marks are not.
    let tidy: Vec<String> = workspace
        .read("s.toml")
        .lines()
        .map(|line| line.split("  #").next().unwrap().to_owned())
        .filter(|line| !line.starts_with('#'))
        .collect();
    workspace.write("s.toml", tidy.join("\n"));
    let run = workspace.run(&["fit", "s.toml", "--out", "a"]).succeeds();
    assert!(
        run.stderr.contains("looked up in the rows; the guarantee does not cover them"),
        "{}",
        run.stderr
    );
    let marked = workspace.json("a/model.json")["schema"]["from_rows"].clone();
    assert_eq!(marked, serde_json::json!(["age", "gain", "job", "note", "y"]));
    let page = workspace.read("a/report.html");
    assert!(page.contains("were looked up in the rows: they are published as they are"), "{page}");
    assert!(!page.contains("not taken from the rows"));
}
