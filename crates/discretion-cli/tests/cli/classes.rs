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
    assert_eq!(
        lines.next().unwrap(),
        "row,probability_none,probability_mild,probability_severe,label"
    );
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
fn lambda_is_chosen_from_a_list() {
    let workspace = workspace();
    for (rule, out) in [("generalised", "by-score"), ("random-stopping", "stopped")] {
        let text = study()
            .replace("lambda = 0.01", "lambda = [0.05, 30]")
            .replace("epsilon = 3.0", "epsilon = 30");
        workspace.write("study.toml", text + &format!("\n[tune]\nrule = \"{rule}\"\n"));
        workspace
            .run(&["fit", "study.toml", "--out", out, "--epsilon", "20", "--seed", "1"])
            .succeeds();
        let model = workspace.json(&format!("{out}/seeded-model.json"));
        // One run of random stopping may be all there is.
        let found = &model["training"]["lambda"];
        assert!(*found == 0.05 || (rule == "random-stopping" && *found == 30.0), "{rule}: {found}");
        assert_eq!(model["tuning"]["candidates"], serde_json::json!([0.05, 30.0]), "{rule}");
    }
}

#[test]
fn several_holders_average_models_of_classes() {
    let workspace = workspace();
    let simulate = ["party", "simulate", "study.toml", "--parties", "3", "--out", "joint"];
    workspace.run(&simulate).succeeds();
    let model = workspace.json("joint/model.json");
    let encoded = |i: usize| model["coefficients"][i]["encoded"].as_f64().unwrap();
    let each = model["coefficients"].as_array().unwrap().len() / 3;
    assert!(
        (0..each).all(|i| (encoded(i) + encoded(each + i) + encoded(2 * each + i)).abs() < 1e-9)
    );
    assert_eq!(model["privacy"]["private"], true);
    workspace.run(&["predict", "joint/model.json", "t.csv", "--out", "predicted.csv"]).succeeds();
    workspace.write("study.toml", study() + "\n[intervals]\n");
    workspace.run(&simulate).fails(1, "").says("--force");
    let again = ["party", "simulate", "study.toml", "--parties", "3", "--out", "other"];
    workspace.run(&again).fails(2, "").says("nothing follows the average");
}

#[test]
fn classes_have_intervals_beside_a_reference() {
    let workspace = workspace();
    workspace.write("study.toml", study() + "\n[intervals]\nreference = \"mild\"\n");
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    assert!(plan.stdout.contains("8 parts"), "{}", plan.stdout);
    let run = workspace
        .run(&["fit", "study.toml", "--verbose", "--out", "out", "--epsilon", "3"])
        .succeeds();
    assert!(run.stdout.contains("y = severe, beside mild"), "{}", run.stdout);
    let model = workspace.json("out/model.json");
    assert_eq!(
        (&model["intervals"]["reference"], &model["training"]["rows"]),
        (&"mild".into(), &3000.into())
    );
    assert_eq!(model["parts"].as_array().unwrap().len(), 8);
    let coefficients = model["coefficients"].as_array().unwrap();
    let each = coefficients.len() / 3;
    for (i, coefficient) in coefficients.iter().enumerate() {
        let interval = &coefficient["interval"];
        assert_eq!(interval.is_null(), (each..2 * each).contains(&i), "{coefficient}");
        if !interval.is_null() {
            let difference = coefficient["encoded"].as_f64().unwrap()
                - coefficients[each + i % each]["encoded"].as_f64().unwrap();
            assert!(
                (interval["estimate"].as_f64().unwrap() - difference).abs() < 1e-9,
                "{coefficient}"
            );
        }
    }
    one_truth(&workspace, coefficients, &run.stdout);
    let page = workspace.read("out/report.html");
    assert!(
        page.contains("What goes with y = severe beside mild") && !page.contains("y = mild beside")
    );
    let narrow = ["report", "out/model.json", "--level", "0.5", "--out", "narrow.html"];
    workspace.run(&narrow).succeeds();
    assert!(workspace.read("narrow.html").contains("Estimates with 50\u{a0}% intervals"));
    workspace.run(&["predict", "out/model.json", "t.csv", "--out", "predicted.csv"]).succeeds();
    assert_eq!(is_whole(&workspace, "out/model.json", "board"), "classes");
}

#[test]
fn without_noise_too() {
    let workspace = workspace();
    workspace.run(&["fit", "study.toml", "--out", "out", "--not-private"]).succeeds();
    let model = workspace.json("out/not-private-model.json");
    let encoded = |i: usize| model["coefficients"][i]["encoded"].as_f64().unwrap();
    let each = model["coefficients"].as_array().unwrap().len() / 3;
    for i in 0..each {
        assert!(
            (encoded(i) + encoded(each + i) + encoded(2 * each + i)).abs() < 1e-6,
            "classes add up to 0"
        );
    }
}

#[test]
fn what_does_not_know_classes_refuses_before_anything_is_charged() {
    let workspace = workspace();
    let refused = |study: String, more: &[&str], words: &str| {
        workspace.write("study.toml", study);
        let run = workspace
            .run(&[&["fit", "study.toml", "--out", "out", "--epsilon", "3"], more].concat());
        assert!(run.code != 0 && run.stderr.contains(words), "{words}: {}", run.stderr);
    };
    let split = "\n[intervals]\nsplit = [0.8, 0.1, 0.1]\n";
    refused(study() + split, &[], "split in [intervals] does not know several classes yet");
    refused(
        study() + "\n[intervals]\nreference = \"dead\"\n",
        &[],
        "the classes are `none`, `mild`, `severe`",
    );
    let list = study().replace("lambda = 0.01", "lambda = [0.1, 1]") + "\n[intervals]\n";
    refused(list, &[], "a list of lambda beside [intervals] does not know several classes yet");
    refused(
        study().replace("\"logistic\"", "\"hinge\""),
        &[],
        "several classes have the logistic loss alone",
    );
    let accounts = workspace.run(&["ledger", "show"]);
    assert!(!accounts.stdout.contains("fit of"), "{}", accounts.stdout);
}

/// The terminal and the table for other programs show the numbers of the file, also of each class's
/// intercept.
fn one_truth(workspace: &Workspace, coefficients: &[serde_json::Value], terminal: &str) {
    let csv = workspace.run(&["export", "out/model.json", "--format", "csv"]).succeeds().stdout;
    let mut lines = csv.lines();
    let heading: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut compared = 0;
    for (entry, line) in coefficients.iter().zip(lines) {
        let fields: Vec<&str> = line.split(',').collect();
        let field =
            |name: &str| fields[heading.iter().position(|known| *known == name).expect(name)];
        let interval = match (&entry["effect"]["against"], &entry["effect"]) {
            (serde_json::Value::String(_), _) => &entry["effect"]["interval"],
            (_, serde_json::Value::Null) if entry["name"] != "(intercept)" => continue,
            _ => &entry["per_unit_interval"],
        };
        for name in ["estimate", "lower", "upper", "p_value", "deviation"] {
            let shown = interval[name].as_f64().map(|x| x.to_string()).unwrap_or_default();
            assert_eq!(field(name), shown, "{name} of {entry}");
        }
        assert_eq!((field("sampling_deviation"), field("privacy_deviation")), ("", ""));
        if let Some(estimate) = interval["estimate"].as_f64() {
            // Four digits behind the point, or three that say something.
            let digits = 2 - estimate.abs().log10().floor() as i32;
            let shown = [4, digits.max(4) as usize].map(|digits| format!("{estimate:.digits$}"));
            assert!(
                shown.iter().any(|shown| terminal.contains(shown)),
                "{estimate} is not in {terminal}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * 4, "the intercept, two numbers and a category of two classes");
}
