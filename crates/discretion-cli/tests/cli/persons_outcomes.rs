//! A guarantee about a person, where the outcome has several classes or is a number.

use crate::workspace::Workspace;

const PERSONS: usize = 300;

fn study(outcome: &str, model: &str) -> String {
    let other = if outcome == NUMBER { "stage" } else { "days" };
    format!(
        r#"[data]
path = "t.csv"
account = "stays"
person = "patient"
{outcome}

[budget]
epsilon = 90.0

[spend]
epsilon = 3.0

[columns]
age  = {{ min = 0, max = 100 }}
ward = {{ values = ["a", "b", "c"] }}
{other} = {{ drop = true }}

[model]
{model}
"#
    )
}

const CLASSES: &str = r#"target = "stage"
classes = ["none", "mild", "severe"]"#;
const NUMBER: &str = r#"outcome = { column = "days", min = 0, max = 60 }"#;

/// Everybody's one row, as often as is said, nobody's rows neighbours.
fn table(often: fn(usize) -> usize) -> String {
    let mut text = "age,patient,ward,stage,days\n".to_owned();
    for visit in 0..5 {
        for person in (0..PERSONS).filter(|&person| visit < often(person)) {
            let age = person * 37 % 101;
            let stage = ["none", "mild", "severe"][((age + person * 13 % 29) / 44).min(2)];
            let days = age / 3 + person * 7 % 11;
            text += &format!("{age},P{person},{},{stage},{days}\n", ["a", "b", "c"][person % 3]);
        }
    }
    text
}

/// Whoever says the same in several rows says it once: the same file but for rounding, and every
/// public number the same.
#[test]
fn rows_of_one_person_count_as_one_and_their_number_shows_nowhere() {
    for (outcome, model) in [
        (CLASSES, "lambda = 0.05"),
        (CLASSES, "lambda = \"auto\"\nmethod = \"output\""),
        (NUMBER, "loss = \"squares\""),
        (NUMBER, "loss = \"huber\""),
    ] {
        let workspace = Workspace::empty();
        workspace.write("study.toml", study(outcome, model));
        let mut found = Vec::new();
        for often in [|_: usize| 1, |person: usize| 1 + person % 5] {
            workspace.write("t.csv", table(often));
            let run = workspace.run(&["fit", "study.toml", "--seed", "7", "--force"]).succeeds();
            assert!(run.stdout.contains("persons"), "{}", run.stdout);
            found.push(workspace.json("study/seeded-model.json"));
        }
        let [one, many] = &found[..] else { unreachable!("two tables") };
        assert_eq!(one["privacy"]["unit"], "person");
        assert_eq!(one["training"]["rows"], PERSONS);
        assert_eq!(one["training"], many["training"], "{model}");
        let encoded = |model: &serde_json::Value, i: usize| {
            model["coefficients"][i]["encoded"].as_f64().unwrap()
        };
        for i in 0..one["coefficients"].as_array().unwrap().len() {
            let (a, b) = (encoded(one, i), encoded(many, i));
            assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{outcome} {model} {i}: {a} {b}");
        }
    }
    let workspace = Workspace::empty();
    workspace.write("study.toml", study(NUMBER, "loss = \"squares\""));
    workspace.write("t.csv", table(|person| 1 + person % 5));
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "300"]).succeeds();
    assert!(plan.stdout.contains("persons       300"), "{}", plan.stdout);
    let run = workspace.run(&["fit", "study.toml"]).succeeds();
    assert!(run.stdout.contains("persons"), "{}", run.stdout);
    let page = std::fs::read_to_string(workspace.path("study/report.html")).unwrap();
    assert!(page.contains("300 persons, a public number"));
}

/// Held-out persons train nothing, with any of their rows, and each counts once.
#[test]
fn persons_of_every_outcome_are_held_out() {
    for (outcome, model) in
        [(CLASSES, "lambda = 0.05"), (NUMBER, "loss = \"squares\""), (NUMBER, "loss = \"huber\"")]
    {
        let workspace = Workspace::empty();
        workspace.write(
            "study.toml",
            study(outcome, model).replace("epsilon = 3.0", "epsilon = 9.0")
                + "[evaluate]\nshare = 0.4\n",
        );
        workspace.write("t.csv", table(|person| 1 + person % 5));
        workspace.run(&["fit", "study.toml", "--seed", "7"]).succeeds();
        let fitted = workspace.json("study/seeded-model.json");
        assert_eq!(fitted["training"]["rows"], 180);
        assert_eq!(fitted["quality"]["rows"], 120, "{}", fitted["quality"]);
    }
}

/// What is not built is refused by the job, whoever asks for it: a plan, which reads nothing, and a
/// fit, before it charges.
#[test]
fn what_is_not_known_of_persons_and_of_classes_is_refused_by_plans_too() {
    let workspace = Workspace::empty();
    workspace.write("t.csv", table(|_| 1));
    let cohort = |text: String| text.replace("[data]", "[data]\nwhere = { age = { min = 40 } }");
    workspace.write("study.toml", cohort(study(NUMBER, "")));
    for command in [&["plan", "--study", "study.toml", "--rows", "300"][..], &["fit", "study.toml"]]
    {
        let (run, words) = (workspace.run(command), "an outcome that is a number");
        assert!(run.code != 0 && run.stderr.contains(words), "{command:?}: {}", run.stderr);
    }
    assert!(!workspace.run(&["ledger", "show"]).stdout.contains("fit of"));
}
