//! `discretion predict`.

use crate::workspace::{STUDY, Workspace, table};
use serde_json::Value;
use std::process::Stdio;

/// Scores by hand, from the coefficients in the columns' own units.
fn scores_by_hand(model: &Value) -> Vec<f64> {
    let coefficient = |of: &str| -> f64 {
        let found = model["coefficients"].as_array().unwrap().iter().find(|c| c["of"] == of);
        found.unwrap()["per_unit"].as_f64().unwrap()
    };
    let rows =
        table().replace("\"a note\nof two lines\"", "").replace("\"pilot, retired\"", "pilot");
    rows.lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let age: f64 = fields[0].parse().unwrap();
            // A missing number is the middle of the encoded range: of the logarithms, here.
            let log_gain = match fields[1].parse::<f64>() {
                Ok(gain) => gain.min(1000.0).ln_1p(),
                Err(_) => 0.5 * 1000f64.ln_1p(),
            };
            let job = match fields[2] {
                "clerk" => coefficient("job=clerk"),
                "nurse" => coefficient("job=nurse"),
                _ => 0.0,
            };
            let numbers =
                coefficient("age") * age.min(100.0) + coefficient("ln(1 + gain)") * log_gain;
            coefficient("(intercept)") + numbers + job
        })
        .collect()
}

#[test]
fn scores_are_those_of_the_published_coefficients() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let run = workspace.run(&["predict", "out/model.json", "t.csv"]).succeeds();
    assert_eq!(run.stderr, "");
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some("row,score,probability,label"));
    let expected = scores_by_hand(&workspace.json("out/model.json"));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), expected.len());
    for (i, (line, expected)) in lines.iter().zip(expected).enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let [score, probability] = [1, 2].map(|j| fields[j].parse::<f64>().unwrap());
        assert_eq!(fields[0], (i + 1).to_string());
        assert!((score - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{line}: {expected}");
        assert!((probability - 1.0 / (1.0 + (-score).exp())).abs() < 1e-15, "{line}");
        assert_eq!(fields[3], if score > 0.0 { "yes" } else { "no" });
    }
}

#[test]
fn the_target_is_not_needed_and_other_columns_are_ignored() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    workspace.write("new.csv", "zip,job,gain,age\n8001,clerk,10,44\n");
    workspace.write("old.csv", "age,gain,job,note,y\n44,10,clerk,,no\n");
    let predict = |file| workspace.run(&["predict", "out/model.json", file]).succeeds().stdout;
    assert_eq!(predict("new.csv"), predict("old.csv"));
}

#[test]
fn labels_are_quoted_and_a_hinge_has_no_probability() {
    let workspace = Workspace::new();
    let labels = "positive = \"yes\"\nnegative = \"no\"";
    let study = STUDY
        .replace(labels, "positive = [\"yes, \\\"sir\\\"\", \"yes\"]\nnegative = \"any other\"")
        .replace("logistic", "hinge");
    workspace.write("study.toml", study);
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let csv = workspace.run(&["predict", "out/model.json", "t.csv"]).succeeds().stdout;
    assert!(csv.starts_with("row,score,label\n1,"), "{csv}");
    for line in csv.lines().skip(1) {
        assert!(
            line.ends_with(",\"yes, \"\"sir\"\" or yes\"")
                || line.ends_with(",\"not yes, \"\"sir\"\" or yes\""),
            "{line}"
        );
    }
    let json = workspace.run(&["predict", "out/model.json", "t.csv", "--json"]).succeeds().stdout;
    for (i, line) in json.lines().enumerate() {
        let row: Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["row"], i + 1);
        assert!(
            row["label"].as_str().unwrap().ends_with("yes, \"sir\" or yes")
                && row.get("probability").is_none()
        );
    }
}

#[test]
fn columns_are_copied_as_they_are_if_they_are_named() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let table = "patient_id,job,gain,age,y\n007,clerk,10,44,yes\n\"a, b\",nurse,,3,no\n,\"pilot \"\"x\"\"\",5,6,no\n";
    workspace.write("new.csv", table);
    let predict =
        |more: &[&str]| workspace.run(&[&["predict", "out/model.json", "new.csv"], more].concat());
    let plain = predict(&[]).succeeds().stdout;
    let kept = predict(&["--keep", "patient_id", "--keep", "job"]).succeeds().stdout;
    let copied = ["patient_id,job,", "007,clerk,", "\"a, b\",nurse,", ",\"pilot \"\"x\"\"\","];
    for ((plain, kept), copied) in plain.lines().zip(kept.lines()).zip(copied) {
        let (row, scores) = plain.split_once(',').unwrap();
        assert_eq!(kept, format!("{row},{copied}{scores}"));
    }
    assert_eq!(kept.lines().count(), 4);
    let json = predict(&["--keep", "patient_id", "--json"]).succeeds().stdout;
    let ids: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["patient_id"].clone())
        .collect();
    assert_eq!(ids, ["007", "a, b", ""]);
    // The target is a column like others here, and copied only if it is named.
    assert!(
        plain.starts_with("row,score,")
            && predict(&["--keep", "y"]).succeeds().stdout.starts_with("row,y,score,")
    );
    for (name, words) in [
        ("patientid", "the table has no column `patientid`; did you mean `patient_id`?"),
        ("job\0--keep\0job", "column `job` is named twice"),
    ] {
        let more: Vec<&str> = std::iter::once("--keep").chain(name.split('\0')).collect();
        predict(&more).fails(2, &format!("new.csv: {words}"));
    }
    predict(&["--keep", "score"]).fails(2, "--keep: the output has a column `score` of its own");
}

#[test]
fn many_rows_keep_their_own_texts() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    // More than are read ahead, in more than one block of the reader.
    let rows: String = (0..40_000)
        .map(|i| format!("id-{i},clerk,{},44,a rather long remark\n", i % 900))
        .collect();
    workspace.write("long.csv", format!("id,job,gain,age,remark\n{rows}"));
    let run =
        workspace.run(&["predict", "out/model.json", "long.csv", "--keep", "id", "--out", "s.csv"]);
    run.succeeds();
    let scores = workspace.read("s.csv");
    for (i, line) in scores.lines().skip(1).enumerate() {
        assert!(line.starts_with(&format!("{},id-{i},", i + 1)), "{line}");
    }
    assert_eq!(scores.lines().count(), 40_001);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(workspace.path("s.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "names of patients are for the owner alone");
    }
}

#[test]
fn a_file_is_written_whole_and_never_over_another() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let predict =
        |more: &[&str]| workspace.run(&[&["predict", "out/model.json", "t.csv"], more].concat());
    let shown = predict(&[]).succeeds().stdout;
    assert_eq!(predict(&["--out", "scores.csv"]).succeeds().stdout, "");
    assert_eq!(workspace.read("scores.csv"), shown);
    predict(&["--out", "t.csv"]).fails(1, "t.csv: this file exists already").says("--force");
    predict(&["--out", "out"]).fails(2, "out: this is not an ordinary file");
    predict(&["--out", "nowhere/scores.csv"])
        .fails(2, "nowhere/scores.csv: this file cannot be created");
    workspace.write("bad.csv", "age,gain,job\n1,2,clerk\nx,2,clerk\n");
    let bad = workspace.run(&["predict", "out/model.json", "bad.csv", "--out", "new.csv"]);
    bad.fails(2, "bad.csv:3: ");
    assert_eq!(workspace.written(), ["bad.csv", "out/model.json", "out/report.html", "scores.csv"]);
}

#[test]
fn scores_of_a_model_that_is_not_private_say_so() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out", "--not-private"]).succeeds();
    let run = workspace.run(&["predict", "out/not-private-model.json", "t.csv"]).succeeds();
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
}

#[test]
fn files_that_are_not_models_are_refused() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let good = workspace.read("out/model.json");
    for (text, words) in [
        (good.replace("discretion-model/1", "discretion-model/2"), "\"discretion-model/2\""),
        (good.replace("\"format\"", "\"form\""), "no \"format\""),
        (good[..good.len() / 2].to_owned(), "damaged"),
        (good.replacen("\"job=clerk\"", "\"job=cook\"", 1), "do not belong to its schema"),
        (good.replace("\"max\": 100.0", "\"max\": -100.0"), "not below max"),
        ("age\n1\n".to_owned(), "not a model file"),
        (String::new(), "not a model file"),
    ] {
        workspace.write("model.json", text);
        workspace.run(&["predict", "model.json", "t.csv"]).fails(2, "model.json: ").says(words);
    }
    workspace.run(&["predict", "no.json", "t.csv"]).fails(2, "no.json: ");
    workspace.run(&["predict", "out", "t.csv"]).fails(2, "out: ");
    workspace
        .run(&["predict", "out/model.json", "no.csv"])
        .fails(2, "no.csv: there is no such file");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    // More than a pipe holds, so that the program notices.
    workspace.write("long.csv", "age,gain,job\n".to_owned() + &"44,10,clerk\n".repeat(50_000));
    let mut command = workspace.command(&["predict", "out/model.json", "long.csv"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
