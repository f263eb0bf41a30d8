//! Several classes, from the study file to predictions and the report.

use crate::dossier::is_whole;
use crate::workspace::{STUDY, Workspace};

/// Three stages of an illness in place of two answers.
fn study() -> String {
    let classes = "classes = [\"none\", \"mild\", \"severe\"]";
    STUDY.replace("positive = \"yes\"\nnegative = \"no\"", classes)
}

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("study.toml", study());
    let mut table = "age,gain,job,note,y\n".to_owned();
    for i in 0..3000 {
        let age = i * 37 % 101;
        let stage = ["none", "mild", "severe"][((age + i * 13 % 29) / 44).min(2)];
        table += &format!("{age},{},{},,{stage}\n", i * i % 1000, ["clerk", "nurse"][i % 2]);
    }
    workspace.write("t.csv", &table);
    workspace
}

#[test]
fn three_classes_are_fitted_charged_once_predicted_and_shown() {
    let workspace = workspace();
    let plan = workspace.run(&["fit", "study.toml", "--dry-run", "--epsilon", "3"]).succeeds();
    assert!(plan.stdout.contains("Nothing was charged"), "{}", plan.stdout);
    let run = workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    assert!(run.stdout.contains("y = severe"), "{}", run.stdout);
    let model = workspace.json("out/model.json");
    let coefficients = model["coefficients"].as_array().unwrap();
    assert_eq!(coefficients.len() % 3, 0);
    assert_eq!(coefficients[0]["class"], "none");
    assert_eq!(coefficients.last().unwrap()["class"], "severe");
    assert_eq!(model["privacy"]["private"], true);
    assert_eq!(is_whole(&workspace, "out/model.json", "board"), "classes");
    let page = workspace.read("out/report.html");
    for class in ["none", "mild", "severe"] {
        assert!(page.contains(&format!("What goes with y = {class}")), "{class}");
    }
    workspace.run(&["predict", "out/model.json", "t.csv", "--out", "predicted.csv"]).succeeds();
    let predicted = workspace.read("predicted.csv");
    let mut lines = predicted.lines();
    assert_eq!(lines.next().unwrap(), "row,probability_none,probability_mild,probability_severe,label");
    let mut right = 0;
    for (line, row) in lines.zip(workspace.read("t.csv").lines().skip(1)) {
        let fields: Vec<&str> = line.split(',').collect();
        let sum: f64 = fields[1..4].iter().map(|p| p.parse::<f64>().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        right += usize::from(row.ends_with(fields[4]));
    }
    assert!(right > 2000, "{right} of 3000");
    let json = workspace.run(&["predict", "out/model.json", "t.csv", "--json"]).succeeds().stdout;
    assert!(json.starts_with("{\"row\":1,\"probabilities\":{\"none\":"), "{}", &json[..80]);
}

#[test]
fn without_noise_too() {
    let workspace = workspace();
    workspace.run(&["fit", "study.toml", "--out", "out", "--not-private"]).succeeds();
    let model = workspace.json("out/not-private-model.json");
    let encoded = |i: usize| model["coefficients"][i]["encoded"].as_f64().unwrap();
    let each = model["coefficients"].as_array().unwrap().len() / 3;
    for i in 0..each {
        assert!((encoded(i) + encoded(each + i) + encoded(2 * each + i)).abs() < 1e-6, "classes add up to 0");
    }
}

#[test]
fn what_does_not_know_classes_refuses_before_anything_is_charged() {
    let workspace = workspace();
    let refused = |study: String, more: &[&str], words: &str| {
        workspace.write("study.toml", study);
        let run = workspace.run(&[&["fit", "study.toml", "--out", "out", "--epsilon", "3"], more].concat());
        assert!(run.code != 0 && run.stderr.contains(words), "{words}: {}", run.stderr);
    };
    refused(study() + "\n[intervals]\n", &[], "[intervals] does not know several classes yet");
    refused(study(), &["--memory", "1GB"], "fit --memory does not know several classes yet");
    refused(study().replace("lambda = 0.01", "lambda = [0.1, 1]"), &[], "does not know several classes yet");
    refused(
        study().replace("\"logistic\"", "\"hinge\""),
        &[],
        "several classes have the logistic loss alone",
    );
    let accounts = workspace.run(&["ledger", "show"]);
    assert!(!accounts.stdout.contains("fit of"), "{}", accounts.stdout);
}
