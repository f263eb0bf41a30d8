//! What a run spends, said at the command instead of in the study.

use crate::answer;
use crate::workspace::{STUDY, Workspace};
use serde_json::{Value, json};

/// A study that says nothing about what a run spends.
fn without_spend() -> Workspace {
    Workspace::with_study("[spend]\nepsilon = 1.0\n", "")
}

#[test]
fn a_fit_spends_what_the_command_says_and_its_files_say_so() {
    for (workspace, flags, guarantee, cost) in [
        (without_spend(), &["--epsilon", "0.5"][..], json!({"kind": "pure", "epsilon": 0.5}), 0.5),
        // What the command says goes before what the study says, up or down.
        (Workspace::new(), &["--epsilon", "2"], json!({"kind": "pure", "epsilon": 2.0}), 2.0),
    ] {
        workspace.run(&[&["fit", "study.toml", "--out", "out"], flags].concat()).succeeds();
        let model = workspace.json("out/model.json");
        assert_eq!(model["privacy"]["guarantee"], guarantee);
        assert_eq!(model["ledger"]["cost"].as_f64().unwrap().max(cost), cost);
        let shown = workspace.run(&["ledger", "show", "t", "--json"]).succeeds().stdout;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(shown["spent"]["amount"], model["ledger"]["spent"], "{shown}");
        let page = workspace.read("out/report.html").replace('\u{a0}', " ");
        assert!(page.contains(&format!("ε = {cost}")), "{page}");
    }
}

#[test]
fn other_kinds_of_budgets_are_given_the_same_way() {
    let workspace = Workspace::empty();
    workspace.write("t.csv", crate::workspace::table());
    let study = STUDY.replace("[spend]\nepsilon = 1.0\n", "");
    workspace.write("study.toml", study.replace("epsilon = 3.0", "epsilon = 9.0\ndelta = 1e-4"));
    let run =
        workspace.run(&["fit", "study.toml", "--out", "a", "--epsilon", "1", "--delta", "1e-6"]);
    assert!(run.succeeds().stdout.starts_with("ε = 1, δ = 1e-6: "));
    let guarantee = json!({"kind": "approximate", "epsilon": 1.0, "delta": 1e-6});
    assert_eq!(workspace.json("a/model.json")["privacy"]["guarantee"], guarantee);
    workspace.run(&["fit", "study.toml", "--out", "b", "--rho", "0.05"]).succeeds();
    assert_eq!(
        workspace.json("b/model.json")["privacy"]["guarantee"],
        json!({"kind": "zcdp", "rho": 0.05})
    );
    workspace
        .run(&["density", "study.toml", "--column", "job", "--out", "c", "--rho", "0.1"])
        .succeeds();
    let density = workspace.json("c/density.json");
    assert_eq!(density["privacy"]["guarantee"], json!({"kind": "zcdp", "rho": 0.1}));
}

#[test]
fn a_vote_is_paid_for_as_the_command_says() {
    let workspace = Workspace::empty();
    let study = answer::STUDY;
    assert!(study.contains("[spend]\nepsilon = 8\ndelta = 1e-3\n"));
    workspace.write("study.toml", study.replace("[spend]\nepsilon = 8\ndelta = 1e-3\n", ""));
    workspace.write("t.csv", answer::table(6000));
    workspace.write("q.csv", "age,job\n3,clerk\n");
    let answer = ["answer", "study.toml", "--queries", "q.csv", "--force", "--json", "--epsilon"];
    let run = |flags: &[&str]| {
        let run = workspace.run(&[&answer[..], flags].concat()).succeeds();
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    let first = run(&["5", "--delta", "1e-4"]);
    assert_eq!(first["budget"], json!({"kind": "approximate", "epsilon": 5.0, "delta": 1e-4}));
    let charge = &first["ledger"]["charge"];
    assert!(charge.is_u64(), "{first}");
    // The same spend is the same session, another is another.
    assert_eq!(run(&["5", "--delta", "1e-4"])["ledger"]["charge"], *charge);
    assert_ne!(run(&["6", "--delta", "1e-5"])["ledger"]["charge"], *charge);
}

#[test]
fn plans_take_a_study_without_spend() {
    let workspace = without_spend();
    let plan = ["plan", "--study", "study.toml", "--rows", "400"];
    let shown = workspace.run(&[&plan[..], &["--epsilon", "0.5"]].concat()).succeeds().stdout;
    assert!(shown.starts_with("ε = 0.5: ") && shown.contains("6 such runs fit"), "{shown}");
    workspace
        .run(&plan)
        .fails(2, "study.toml: nothing says what this run may spend")
        .says("--epsilon 1.0");
}

#[test]
fn what_cannot_be_spent_is_refused_before_anything_is_read() {
    let workspace = without_spend();
    std::fs::remove_file(workspace.path("t.csv")).unwrap();
    for command in [&["fit", "study.toml"][..], &["density", "study.toml", "--column", "age"]] {
        let run = |flags: &[&str]| workspace.run(&[command, flags].concat());
        run(&[]).fails(2, "study.toml: nothing says what this run may spend");
        run(&["--epsilon", "5"]).fails(
            1,
            "study.toml: the command spends ε = 5, more than the ε = 3 of [budget]; spend less",
        );
        run(&["--epsilon", "1", "--delta", "1e-6"])
            .fails(1, "study.toml: the command spends")
            .says("a cap without delta pays for no delta");
        run(&["--epsilon", "-1"]).fails(2, "--epsilon, --delta, --rho: ");
        assert_eq!(run(&["--delta", "1e-6"]).code, 2);
        assert_eq!(run(&["--epsilon", "1", "--rho", "1"]).code, 2);
    }
    // A table that is not used is checked all the same.
    workspace.write("study.toml", STUDY.replace("epsilon = 1.0", "epsilon = 0"));
    workspace
        .run(&["fit", "study.toml", "--epsilon", "1"])
        .fails(2, "study.toml:12:1: epsilon must be");
}
