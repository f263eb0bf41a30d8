//! Rows that go to a file release what rows in memory do, whatever the outcome is.

use discretion_disk::existing::Existing;
use discretion_jobs::Silence;
use discretion_jobs::fit::StudyFit;
use discretion_ledger::Consent;
use discretion_table::Study;
use std::fmt::Write;
use std::path::Path;

/// Enough for a first guess on a sample.
const ROWS: usize = 26_011;

/// Fewer bytes than a row has: every row is in a file.
const NONE: u64 = 4;

const CLASSES: &str = "target = \"stage\"\nclasses = [\"none\", \"mild\", \"severe\"]";
const NUMBER: &str = "outcome = { column = \"days\", min = 0, max = 60 }";
const NUMBERS: &str = "outcome = [{ column = \"days\", min = 0, max = 60 }, { column = \"cost\", min = 1, max = 900, scale = \"log\" }]";

/// What is learned follows from age and job, with something that does not.
fn table(rows: usize) -> String {
    let mut text = "age,job,days,cost,stage,who\n".to_owned();
    for row in 0..rows {
        let (age, other) = (row * 37 % 101, row * 7919 % 83);
        let stage = ["none", "mild", "severe"][((age + other / 2) / 48).min(2)];
        let (days, cost) = (age / 3 + other % 20, 1 + age * (1 + other % 9));
        let who = row * 7919 % 4001 % (1 + row % 3500);
        writeln!(text, "{age},{},{days},{cost},{stage},P{who}", ["a", "b", "?"][row % 3]).unwrap();
    }
    text
}

fn study(outcome: &str, person: bool, more: &str) -> String {
    let [budget, columns] = [
        "[budget]\nepsilon = 90\ndelta = 1e-3\n[spend]\nepsilon = 8",
        "[columns]\nage = { min = 0, max = 100 }\njob = { values = [\"a\", \"b\"] }",
    ];
    let unused: Vec<String> = ["days", "cost", "stage", "who"]
        .iter()
        .filter(|name| !(outcome.contains(&format!("\"{name}\"")) || person && **name == "who"))
        .map(|name| format!("{name} = {{ drop = true }}\n"))
        .collect();
    let person = if person { "person = \"who\"\n" } else { "" };
    let (columns, more) = (columns.to_owned() + "\n" + &unused.concat(), more.to_owned());
    let columns = match more.contains("knots") {
        true => columns.replace("max = 100 }", "max = 100, knots = \"private\", curve = 5 }"),
        false => columns,
    };
    let more = more.replace("knots", "");
    format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\n{outcome}\n{person}{budget}\n{columns}{more}\n"
    )
}

/// The text of the model under a seed.
fn model(folder: &Path, text: &str, memory: Option<u64>) -> String {
    let study = Study::parse(&folder.join("study.toml"), text).unwrap();
    let out = folder.join("out");
    let fit = StudyFit {
        study: &study,
        folder: &out,
        ledger: None,
        seed: Some(5),
        consent: Consent::default(),
        existing: Existing::Replace,
        reuse: false,
        memory,
        accepted: true,
        stop: None,
        watch: &Silence,
    };
    let files = fit.run().unwrap_or_else(|refusal| panic!("{refusal}\n{text}"));
    let written: Vec<_> =
        std::fs::read_dir(&out).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(written.len(), 2, "nothing of the rows stays: {written:?}");
    files.model.to_json()
}

fn are_the_same(cases: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), table(ROWS)).unwrap();
    for (outcome, more) in cases {
        for person in [false, true] {
            let text = study(outcome, person, more);
            let held = model(folder.path(), &text, None);
            assert!(held == model(folder.path(), &text, Some(NONE)), "persons: {person}\n{text}");
        }
    }
}

#[test]
fn of_several_classes() {
    are_the_same(&[
        (CLASSES, "[model]\nlambda = 0.001"),
        (CLASSES, "[model]\nlambda = [0.001, 0.1]\n[evaluate]\nshare = 0.2"),
        (CLASSES, "[model]\nlambda = 0.01\n[intervals]\nlevel = 0.9"),
        (
            CLASSES,
            "[model]\nlambda = 0.01\n[intervals]\nlevel = 0.9\n[evaluate]\nshare = 0.2\nby = \"job\"",
        ),
        (CLASSES, "knots[model]\nlambda = 0.01\n[evaluate]\nshare = 0.2"),
    ]);
}

#[test]
fn of_a_number() {
    are_the_same(&[
        (NUMBER, ""),
        (NUMBERS, ""),
        (NUMBER, "[evaluate]\nshare = 0.2\nby = \"job\""),
        (NUMBER, "knots[evaluate]\nshare = 0.2"),
    ]);
}

#[test]
fn of_a_number_by_huber_s_loss() {
    are_the_same(&[
        (NUMBER, "[model]\nloss = \"huber\""),
        (NUMBER, "[model]\nloss = \"huber\"\nmethod = \"output\"\n[evaluate]\nshare = 0.2"),
    ]);
}

/// Another table gives another model: the comparison can fail.
#[test]
fn the_comparison_can_fail() {
    let folder = tempfile::tempdir().unwrap();
    for outcome in [CLASSES, NUMBER] {
        let text = study(outcome, false, "[model]\nlambda = 0.01");
        std::fs::write(folder.path().join("t.csv"), table(3000)).unwrap();
        let one = model(folder.path(), &text, Some(NONE));
        let more = table(3000).replace("10,a", "90,a");
        std::fs::write(folder.path().join("t.csv"), more).unwrap();
        assert_ne!(one, model(folder.path(), &text, Some(NONE)));
    }
}
