//! A guarantee about persons: chunks are of whole ones.

use super::{ANSWER, STUDY, given, queries, table, workspace};
use serde_json::Value;

fn of_persons(more: &str) -> String {
    STUDY.replace("target =", "person = \"who\"\ntarget =") + more
}

/// 3,000 persons with two rows each, and one of them with so many more.
fn rows(more: usize) -> String {
    let mut text = String::new();
    for (number, line) in table(6000).lines().enumerate() {
        let who = if number == 0 { "who".to_owned() } else { format!("P{}", number % 3000) };
        text += &format!("{line},{who}\n");
    }
    text + &"99,clerk,yes,p17\n".repeat(more)
}

#[test]
fn nothing_that_is_public_tells_how_many_rows_persons_have() {
    let runs = [0, 500].map(|more| {
        let workspace = workspace(&of_persons(""));
        workspace.write("t.csv", rows(more));
        workspace.write("q.csv", queries(100, 0));
        let run = workspace.run(&[&ANSWER[..], &["--student", "student"]].concat()).succeeds();
        let check = workspace.run(&["serve", "study.toml", "--check"]).succeeds();
        let model: Value = serde_json::from_str(&workspace.read("student/model.json")).unwrap();
        assert_eq!(model["privacy"]["unit"], "person", "{model}");
        assert!(
            model["training"]["why"].as_str().unwrap().contains("On invented persons"),
            "{model}"
        );
        assert_eq!(given(&workspace.read("a.csv")).len(), 100);
        (run.stdout, run.stderr, check.stdout)
    });
    assert_eq!(runs[0], runs[1]);
    let (said, _, checked) = &runs[0];
    assert!(said.contains("replacing all rows of any one person"), "{said}");
    assert!(said.contains("120 models voted on 100 queries: 100 answered"), "{said}");
    assert!(checked.contains("120 models of 25 persons"), "{checked}");
}

#[test]
fn plans_and_refusals_speak_of_persons() {
    let workspace = workspace(&of_persons(""));
    let plan = workspace
        .run(&["plan", "vote", "--study", "study.toml", "--rows", "3000"])
        .succeeds()
        .stdout;
    assert!(
        plan.contains("persons for each 25") && plan.contains("3,000 persons leave 25"),
        "{plan}"
    );
    workspace.write("t.csv", rows(0));
    let json = workspace.run(&[&ANSWER[..], &["--json"]].concat()).succeeds().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["protects"], "persons", "{json}");
    workspace.write("study.toml", of_persons("protect = \"labels\"\n"));
    for command in [&["answer", "study.toml"][..], &["plan", "vote", "--study", "study.toml"]] {
        workspace
            .run(command)
            .fails(2, "study.toml: `protect = \"labels\"` is about the label of one row");
    }
}
