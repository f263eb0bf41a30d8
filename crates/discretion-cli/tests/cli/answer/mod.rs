//! `discretion answer` and `discretion plan vote`.

mod all;
mod persons;
mod scores;
mod sessions;

use crate::workspace::Workspace;
use serde_json::Value;

/// So many models that noise decides nothing: clear queries are 40 votes above what they need.
pub const STUDY: &str = r#"[data]
path = "t.csv"
account = "t"
target = "y"
positive = "yes"
negative = "no"

[budget]
epsilon = 12
delta = 1e-3

[spend]
epsilon = 8
delta = 1e-3

[columns]
age = { min = 0, max = 100 }
job = { values = ["clerk", "nurse"] }

[vote]
queries = 130
unstable = 4
chunks = 120
"#;

/// Clerks say yes from 50 on; nurses always do in one half of the 120 chunks, and never in the
/// other.
pub fn table(rows: usize) -> String {
    let mut text = "age,job,y\n".to_owned();
    for i in 0..rows {
        let age = i * 37 % 101;
        let (job, yes) =
            if (i / 7) % 2 == 0 { ("clerk", age >= 50) } else { ("nurse", i % 120 < 60) };
        text += &format!("{age},{job},{}\n", if yes { "yes" } else { "no" });
    }
    text
}

/// Clerks far from 50, with `unclear` nurses among them.
fn queries(clear: usize, unclear: usize) -> String {
    let mut text = "age,job\n".to_owned();
    for i in 0..clear {
        let age = if i % 2 == 0 { i as f64 / 20.0 } else { 100.0 - i as f64 / 20.0 };
        text += &format!("{age},clerk\n");
        if i < unclear {
            text += &format!("{},nurse\n", 40 + i);
        }
    }
    text
}

fn workspace(study: &str) -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", study);
    workspace.write("t.csv", table(6000));
    workspace.write("q.csv", queries(100, 3));
    workspace
}

fn replaced(from: &str, to: &str) -> String {
    assert!(STUDY.contains(from), "{from}");
    STUDY.replacen(from, to, 1)
}

/// The answers of a file, in its order.
fn given(answers: &str) -> Vec<&str> {
    answers.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect()
}

const ANSWER: [&str; 7] =
    ["answer", "study.toml", "--queries", "q.csv", "--out", "a.csv", "--force"];

/// Charges on the account so far.
fn charges(workspace: &Workspace, account: &str) -> u64 {
    let run = workspace.run(&["ledger", "list", "--json"]);
    let list: Value = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
    let found =
        list.as_array().into_iter().flatten().find(|standing| standing["account"] == account);
    found.map_or(0, |standing| standing["charges"].as_u64().unwrap())
}

#[test]
fn clear_queries_are_answered_and_the_file_holds_answers_alone() {
    let workspace = workspace(STUDY);
    let run = workspace.run(&ANSWER).succeeds();
    assert!(run.stdout.contains("103 queries"), "{}", run.stdout);
    let answers = workspace.read("a.csv");
    assert!(answers.starts_with("row,label,status\n1,"), "{answers}");
    let labels = given(&answers);
    assert_eq!(labels.len(), 103);
    assert!(labels.iter().all(|label| ["yes", "no", ""].contains(label)), "{answers}");
    let asked = queries(100, 3);
    for (query, answer) in
        asked.lines().skip(1).zip(&labels).filter(|(query, _)| query.ends_with("clerk"))
    {
        let age: f64 = query.split(',').next().unwrap().parse().unwrap();
        assert!(
            answer.is_empty() || *answer == if age > 50.0 { "yes" } else { "no" },
            "{query}: {answer}"
        );
    }
    let answered = labels.iter().filter(|label| !label.is_empty()).count();
    assert_eq!(answers.lines().filter(|line| line.ends_with(",answered")).count(), answered);
    // At most four lines are unstable by design, and the session may end at the fourth.
    assert!(run.stdout.contains(&format!("{answered} answered")), "{}", run.stdout);
    assert_eq!(charges(&workspace, "t"), 1);
    workspace.run(&["ledger", "verify"]).succeeds();
}

#[test]
fn a_student_learns_from_the_answers_alone() {
    let workspace = workspace(STUDY);
    workspace.run(&[&ANSWER[..], &["--student", "student"]].concat()).succeeds();
    let model = workspace.json("student/model.json");
    assert_eq!(model["privacy"]["private"], true);
    assert_eq!(model["privacy"]["guarantee"]["epsilon"], 8.0);
    assert_eq!(model["ledger"]["charge"], 2);
    assert!(workspace.read("student/report.html").contains("<svg"));
    let predicted = workspace.run(&["predict", "student/model.json", "q.csv"]).succeeds().stdout;
    assert_eq!(predicted.lines().count(), 104);
}

#[test]
fn scores_are_middles_of_bins() {
    let workspace =
        workspace(&replaced("unstable = 4", "unstable = 4\nscores = true\ngamma = 0.25"));
    workspace.run(&ANSWER).succeeds();
    let answers = workspace.read("a.csv");
    assert_eq!(answers.lines().next(), Some("row,score,status"));
    let middles = ["", "0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875"];
    let scores = given(&answers);
    assert!(scores.iter().all(|score| middles.contains(score)), "{answers}");
    assert!(scores.contains(&"0.875") && scores.contains(&"0.125"), "{answers}");
    // Another width for every query, if asked for.
    workspace.write("widths", "0.5\n".repeat(103));
    let wide = [
        "answer",
        "study.toml",
        "--queries",
        "q.csv",
        "--out",
        "b.csv",
        "--gammas",
        "widths",
        "--seed",
        "1",
    ];
    workspace.run(&wide).succeeds();
    assert!(
        given(&workspace.read("b.csv"))
            .iter()
            .all(|score| ["", "0.25", "0.5", "0.75"].contains(score))
    );
    workspace.write("widths", "0.5\n");
    workspace.run(&wide).fails(1, "b.csv: this file exists already");
    workspace
        .run(&[&wide[..], &["--force"]].concat())
        .fails(2, "widths: there are 1 widths for 103 queries");
}

#[test]
fn more_than_two_classes_are_voted_on() {
    for learner in ["logistic", "trees"] {
        let settings = format!(
            "unstable = 4\nlearner = \"{learner}\"\nclasses = [\"low\", \"middle\", \"high\"]"
        );
        let workspace = workspace(&replaced("unstable = 4", &settings));
        let class = |age: usize| ["low", "middle", "high"][age / 34];
        let rows: String = (0..6000)
            .map(|i| i * 37 % 101)
            .map(|age| format!("{age},clerk,{}\n", class(age)))
            .collect();
        workspace.write("t.csv", format!("age,job,y\n{rows}"));
        workspace.write("q.csv", "age,job\n2,clerk\n98,clerk\n50,clerk\n");
        workspace.run(&ANSWER).succeeds();
        let answers = workspace.read("a.csv");
        // A line cannot tell the middle from both sides: logistic models, one against the rest, are
        // divided there.
        let ends =
            if learner == "trees" { vec!["low", "high", "middle"] } else { vec!["low", "high"] };
        assert_eq!(given(&answers)[..ends.len()], ends, "{learner}");
    }
}

#[test]
fn with_public_features_half_of_the_rows_are_the_queries() {
    let workspace = workspace(&replaced("unstable = 4", "unstable = 100\nprotect = \"labels\""));
    let run =
        workspace.run(&["answer", "study.toml", "--out", "a.csv", "--student", "s"]).succeeds();
    assert!(run.stdout.contains("only labels are protected"), "{}", run.stdout);
    assert_eq!(workspace.json("s/model.json")["privacy"]["neighbours"], "replace-one-label");
    let shown = workspace.run(&["ledger", "show", "t"]).succeeds().stdout;
    assert!(shown.contains("protecting labels only"), "{shown}");
    workspace.run(&ANSWER).fails(2, "q.csv: with `protect = \"labels\"` every second row");
}

#[test]
fn a_seed_charges_nothing_and_says_that_it_is_not_private() {
    let workspace = workspace(STUDY);
    let seeded = ["answer", "study.toml", "--queries", "q.csv", "--seed", "7", "--force"];
    let run = workspace.run(&seeded).succeeds();
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
    let answers = workspace.read("study/seeded-answers.csv");
    assert!(answers.starts_with("row,label NOT PRIVATE,status\n"));
    workspace.run(&seeded).succeeds();
    assert_eq!(workspace.read("study/seeded-answers.csv"), answers);
    assert_eq!(charges(&workspace, "t"), 0);
}

#[test]
fn learners_that_fail_vote_the_first_class_and_do_not_stop_the_run() {
    let learner = "#!/bin/sh\n[ \"$1\" = train ] && { [ \"$4\" = 3 ] && exit 9; echo m > \"$3\"; exit 0; }\n\
                   lines=$(($(wc -l < \"$3\") - 1)); i=0; while [ $i -lt $lines ]; do echo yes; i=$((i + 1)); done > \"$4\"\n";
    let command = "unstable = 4\nlearner = { command = [\"sh\", \"learn.sh\"] }";
    let workspace = workspace(&replaced("unstable = 4", command));
    workspace.write("learn.sh", learner);
    let run = workspace.run(&ANSWER).succeeds();
    assert!(run.stderr.contains("NOT PRIVATE, for you alone: 1 of "), "{}", run.stderr);
    assert!(given(&workspace.read("a.csv")).iter().all(|label| *label == "yes"));
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_charged() {
    let fresh = |study: &str| workspace(study);
    let study = |to: &str| replaced("queries = 130\nunstable = 4\nchunks = 120", to);

    let workspace = fresh(STUDY);
    workspace.write("q.csv", "age,work\n50,clerk\n");
    workspace.run(&ANSWER).fails(2, "q.csv:");
    workspace.write("q.csv", queries(131, 0));
    workspace
        .run(&ANSWER)
        .fails(1, "there are 131 new queries, and this session may still answer 130");
    workspace.run(&["answer", "study.toml"]).fails(2, "there are no queries; say --queries FILE");
    assert_eq!(charges(&workspace, "t"), 0);

    fresh(&study("queries = 130\nchunks = 6001"))
        .run(&ANSWER)
        .fails(1, "6,000 rows are too few: 6,001 models need");
    fresh(&study("queries = 130\nchunks = 2"))
        .run(&ANSWER)
        .fails(1, "2 models are too few for this budget");
    let missing = "queries = 130\nlearner = { command = [\"no-such-program\"] }";
    fresh(&study(missing)).run(&ANSWER).fails(2, "study.toml: ").says("no-such-program");
    let broken = fresh(&study(
        "queries = 130\nchunks = 100\nlearner = { command = [\"sh\", \"no-such-script.sh\"] }",
    ));
    broken.run(&ANSWER).fails(2, "study.toml: the learner fails on ").says("no-such-script.sh");
    assert_eq!(charges(&broken, "t"), 0);
    let gamma = "queries = 130\nscores = true\ngamma = 0.3";
    fresh(&study(gamma)).run(&ANSWER).fails(2, "study.toml").says("0.333");
    fresh(&replaced("[spend]\nepsilon = 8\ndelta = 1e-3", "[spend]\nepsilon = 8"))
        .run(&ANSWER)
        .fails(2, "voting needs an epsilon and a delta");
    let without = STUDY.split("[vote]").next().unwrap();
    let run = fresh(without).run(&ANSWER);
    assert!(
        run.code == 2 && run.stderr.contains("this study has no [vote] table"),
        "{}",
        run.stderr
    );
    let poor = fresh(&replaced("[budget]\nepsilon = 12", "[budget]\nepsilon = 7"));
    poor.run(&ANSWER).fails(1, "study.toml");
    assert_eq!(charges(&poor, "t"), 0);
}

#[test]
fn the_planner_says_how_many_models_it_takes() {
    let workspace = Workspace::empty();
    let plan = [
        "plan",
        "vote",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--queries",
        "1000",
        "--unstable",
        "50",
    ];
    let text = workspace.run(&plan).succeeds().stdout;
    assert!(text.contains("95,317") && text.contains("one noisy threshold"), "{text}");
    let json = |more: &[&str]| -> Value {
        let run = workspace.run(&[&plan[..], more, &["--json"]].concat()).succeeds();
        serde_json::from_str(&run.stdout).unwrap()
    };
    assert!(json(&[])["chunks"].as_u64().unwrap() <= 4200);
    let given = json(&["--chunks", "2000"]);
    assert_eq!(given["serves"], false);
    assert!((10..50).contains(&given["most_unstable"].as_u64().unwrap()), "{given}");
    let few = workspace.run(&[&plan[..], &["--rows", "32561"]].concat()).succeeds().stdout;
    assert!(
        few.contains("32,561 rows leave 8 to each of") && few.contains("this would do: epsilon = "),
        "{few}"
    );
    assert!(
        workspace
            .run(&[&plan[..], &["--rows", "500"]].concat())
            .succeeds()
            .stdout
            .contains("500 rows are too few")
    );
    workspace
        .run(&["plan", "vote", "--epsilon", "1", "--queries", "10"])
        .fails(2, "voting needs an epsilon and a delta");
    workspace
        .run(&[&plan[..], &["--agreement", "0.5"]].concat())
        .fails(2, "--agreement is the winner's share");
    workspace
        .run(&[&plan[..4], &["--delta", "1e-6", "--queries", "10", "--unstable", "11"]].concat())
        .fails(2, "there must be");
}
