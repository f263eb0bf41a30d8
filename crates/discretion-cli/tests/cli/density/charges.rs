//! What a density is charged for, and what is refused before.

use super::{DENSITY, account};
use crate::workspace::Workspace;
use discretion_ledger::STEPS;
use serde_json::json;

#[test]
fn an_existing_density_is_kept_unless_forced() {
    let workspace = Workspace::new();
    let density = |more: &[&str]| workspace.run(&[&["density", "study.toml"], more].concat());
    density(&["--column", "age"]).succeeds();
    let before = workspace.read("study/density.json");
    density(&["--column", "job"])
        .fails(1, "study/density.json: ")
        .says("spend the budget again")
        .says("--force");
    assert_eq!(workspace.read("study/density.json"), before);
    density(&["--column", "job", "--column", "age", "--column", "y", "--force"]).succeeds();
    assert_ne!(workspace.read("study/density.json"), before);
    assert!(
        !workspace.path("study/density.svg").exists(),
        "the old picture showed another density"
    );
}

#[test]
fn a_density_is_charged_like_a_fit_and_file_and_ledger_name_each_other() {
    let workspace = Workspace::new();
    let dry = workspace.run(&[&DENSITY[..], &["--dry-run"]].concat()).succeeds();
    assert!(
        dry.stdout.contains("'t' pays ε = 1") && dry.stdout.contains("Nothing was charged"),
        "{}",
        dry.stdout
    );
    assert!(!workspace.ledger().exists() && workspace.written().is_empty());
    workspace.run(&DENSITY).succeeds();
    let charge = account(&workspace).unwrap()["history"][1].clone();
    assert_eq!(charge["number"], workspace.json("out/density.json")["ledger"]["charge"]);
    assert_eq!(charge["releases"][0]["file"], "out/density.json");

    // The same account pays for models.
    workspace.run(&["fit", "study.toml", "--out", "model"]).succeeds();
    workspace.run(&DENSITY).succeeds();
    let before = workspace.read("out/density.json");
    let run = workspace.run(&DENSITY);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("account 't' cannot pay for this"), "{}", run.stderr);
    assert_eq!(workspace.read("out/density.json"), before);
    assert_eq!(account(&workspace).unwrap()["charges"], 3);
}

/// Killed at every step: the charge is there exactly once or the run never began, and there is
/// never a density without a charge.
#[test]
fn a_crash_can_waste_budget_and_never_forgets_it() {
    // It opens no session.
    let steps = STEPS.iter().copied().filter(|step| !step.starts_with("session:"));
    let steps = steps.chain(["density: charged", "density: computed", "density: written"]);
    for step in steps {
        let workspace = Workspace::new();
        let status =
            workspace.command(&DENSITY).env("DISCRETION_ABORT_AT", step).output().unwrap().status;
        assert_eq!(status.code(), None, "{step}: the process was to be killed");
        let charged = !["charge:before-begin", "charge:before-commit"].contains(&step);
        let written = step == "density: written" || step.starts_with("release:");
        let after = account(&workspace);
        assert_eq!(
            after.as_ref().map(|after| after["charges"].clone()),
            charged.then(|| json!(1)),
            "{step}"
        );
        assert_eq!(workspace.path("out/density.json").exists(), written, "{step}");
        workspace.run(&DENSITY).succeeds();
        workspace.run(&["ledger", "verify"]).succeeds();
        assert_eq!(account(&workspace).unwrap()["charges"], 1 + u64::from(charged), "{step}");
    }
}

#[test]
fn arguments_that_do_not_fit_the_study() {
    let many: Vec<String> = (0..200).map(|i| format!("\"{i}\"")).collect();
    let many = format!(
        "job  = {{ values = [{}] }}\nward = {{ values = [{}] }}\nunit",
        many.join(","),
        many.join(",")
    );
    for (args, start, words) in [
        (
            &["--column", "agee"][..],
            "--column: no column `agee` is declared",
            "did you mean `age`?",
        ),
        (&["--column", "zebra"], "--column: no column `zebra` is declared", "study.toml"),
        (&["--column", "note"], "--column: column `note` is dropped", "declare its { min, max }"),
        (&["--column", "age", "--column", "age"], "--column: column `age` is named twice", "once"),
        (
            &["--column", "job", "--bins", "4"],
            "--bins: these columns have categories",
            "leave it out",
        ),
        (
            &["--column", "age", "--bins", "100000"],
            "--bins: [100000] bins make more than",
            "fewer bins",
        ),
        (
            &["--column", "age", "--column", "gain", "--bins", "4,300"],
            "--bins: [300, 300] bins make more",
            "fewer",
        ),
    ] {
        let workspace = Workspace::new();
        // The table is never looked at.
        std::fs::remove_file(workspace.path("t.csv")).unwrap();
        workspace.run(&[&["density", "study.toml"], args].concat()).fails(2, start).says(words);
        assert!(workspace.written().is_empty() && !workspace.ledger().exists());
    }
    let workspace =
        Workspace::with_study("job  = { values = [\"clerk\", \"nurse\"] }\nnote", &many);
    let args = ["density", "study.toml", "--column", "job", "--column", "ward", "--column", "age"];
    workspace
        .run(&args)
        .fails(2, "--column: [201, 201, 4] bins make more than")
        .says("fewer columns");
    for bins in ["", "0", "-4", "2.5", "8,,16", "8,16,8", "many"] {
        let run =
            Workspace::new().run(&["density", "study.toml", "--column", "age", "--bins", bins]);
        assert_eq!(run.code, 2, "{bins}: {}", run.stderr);
        assert!(run.stderr.contains("--bins"), "{}", run.stderr);
    }
    assert_eq!(Workspace::new().run(&["density", "study.toml"]).code, 2, "no column is named");
}

#[test]
fn too_few_rows_are_refused_with_what_would_do_and_not_charged() {
    let density = |epsilon: &str, more: &[&str]| {
        let workspace = Workspace::with_study(
            "[spend]\nepsilon = 1.0",
            &format!("[spend]\nepsilon = {epsilon}"),
        );
        let run = workspace.run(&[&["density", "study.toml", "--column", "age"], more].concat());
        assert!(account(&workspace).is_none() || run.code == 0, "refused before the charge");
        run
    };
    let refusal = density("0.001", &[]);
    let refusal =
        refusal.fails(1, "study.toml:11:2: 400 rows are too few for ε = 0.001 and 4 cells").stderr;
    assert!(refusal.contains("or fewer bins; nothing was charged"), "{refusal}");
    // What it says is enough.
    let enough = refusal.split(" or ε = ").nth(1).unwrap().split(',').next().unwrap();
    density(enough, &[]).succeeds();
    density("0.1", &["--bins", "1000"])
        .fails(1, "study.toml:11:2: 400 rows are too few")
        .says("1,000 cells");
}

#[test]
fn bad_tables_are_found_before_anything_is_charged() {
    for (contents, place, words) in [
        (
            "age,gain,job,note,y\nold,1,clerk,,yes\n".to_owned(),
            "t.csv:2: ",
            "`age` must be a number",
        ),
        ("gain,job,note,y\n".to_owned(), "t.csv:1: ", "lacks the declared column `age`"),
        ("age,gain,job,note,y\n".to_owned(), "t.csv: ", "no rows"),
        (String::new(), "t.csv: ", "empty"),
    ] {
        let workspace = Workspace::new();
        workspace.write("t.csv", contents);
        workspace.run(&DENSITY).fails(2, place).says(words);
        assert!(account(&workspace).is_none() && workspace.written().is_empty());
        assert!(!workspace.path("out").exists());
    }
    let workspace = Workspace::with_study("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 5");
    workspace.run(&DENSITY).fails(1, "study.toml:11:2: [spend] is ε = 5, more than the ε = 3");
}
