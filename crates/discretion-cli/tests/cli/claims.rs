//! Files that claim what cannot be, and files that are long: refused in one short line.

use crate::workspace::{Run, STUDY, Workspace};
use serde_json::{Value, json};

const LONG: usize = 200_000;

/// Two places at most quote a file, with 60 characters each.
fn is_short(run: Run) -> Run {
    assert!(run.stderr.len() < 1_000, "{} bytes: {:.2000}", run.stderr.len(), run.stderr);
    run
}

#[test]
fn a_model_that_claims_what_cannot_be_is_refused_by_every_command() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml"]).succeeds();
    let good = workspace.json("study/model.json");
    let noise = |law: Value| ("/training/noise", law);
    let columns = |last: u64| json!([{ "coefficients": 1, "size": 0.5 }, { "coefficients": last, "size": 0.5 }]);
    let most = u64::MAX;
    let groups = |group_of: Value, epsilons: Value| {
        noise(
            json!({ "law": "groups", "columns": columns(4), "group_of": group_of, "epsilons": epsilons }),
        )
    };
    for (place, claim) in [
        noise(json!({ "law": "row-norm", "columns": columns(2_147_483_648), "epsilon": 1.0 })),
        noise(json!({ "law": "row-norm", "columns": columns(most), "epsilon": 1.0 })),
        noise(json!({ "law": "row-norm", "columns": columns(3), "epsilon": 1.0 })),
        groups(json!([0, 0]), json!([])),
        groups(json!([0, 4_000_000_000u64]), json!([1.0])),
        groups(json!([0]), json!([1.0])),
        noise(json!({ "law": "spherical", "scale": 0.0 })),
        ("/training/dimension", json!(0)),
        ("/training/dimension", json!(most)),
        ("/training/rows", json!(0)),
        ("/training/rows", json!(most)),
        ("/training/lambda", json!(-1.0)),
        ("/coefficients", json!([])),
        ("/privacy/guarantee", Value::Null),
    ] {
        let mut model = good.clone();
        *model.pointer_mut(place).unwrap() = claim.clone();
        workspace.write("model.json", model.to_string());
        for args in [
            &["report", "model.json"][..],
            &["export", "model.json", "--format", "csv"],
            &["export", "model.json", "--format", "latex"],
            &["export", "model.json", "--out", "m.onnx"],
            &["predict", "model.json", "t.csv"],
            &["dossier", "model.json"],
            &["evaluate", "model.json", "--data", "t.csv", "--study", "study.toml"],
        ] {
            let run = is_short(workspace.run(args));
            assert!(
                run.code == 2 && run.stderr.contains("model.json: "),
                "{claim}: {}",
                run.stderr
            );
        }
    }
}

/// Each of these was read, and took `report` and `export` down or was shown.
#[test]
fn intervals_that_nobody_has_are_refused() {
    let workspace = Workspace::new();
    workspace.write("study.toml", STUDY.to_owned() + "[intervals]\ndraws = 10000\n");
    workspace.run(&["fit", "study.toml"]).succeeds();
    let good = workspace.json("study/model.json");
    for (key, claim) in [
        ("columns", json!([])),
        ("columns", json!(["nobody"])),
        ("columns", json!(["(intercept)"])),
        ("columns", json!(["age", "age"])),
        ("largest_effect", json!(-1.0)),
        ("largest_effect", json!(1e308)),
        ("largest_effect", Value::Null),
        ("steps", json!(1u64 << 60)),
        ("reference", json!("yes")),
        ("findings", json!({"told_from_zero": ["nobody"], "not_estimable": [], "same": []})),
        ("findings", json!({"told_from_zero": ["(intercept)"], "not_estimable": [], "same": []})),
        ("findings", json!({"told_from_zero": vec!["age"; 9], "not_estimable": [], "same": []})),
        (
            "findings",
            json!({"told_from_zero": [], "not_estimable": [], "same": [["age", "nobody"]]}),
        ),
        ("findings", json!({"told_from_zero": [], "not_estimable": [], "same": [["age", "age"]]})),
    ] {
        let mut model = good.clone();
        model["intervals"][key] = claim.clone();
        workspace.write("model.json", model.to_string());
        for args in [
            &["report", "model.json", "--level", "0.8"][..],
            &["export", "model.json", "--format", "csv"],
        ] {
            let run = is_short(workspace.run(args));
            assert!(
                run.code == 2 && run.stderr.contains("model.json: this model is damaged: "),
                "{key} = {claim}: {}",
                run.stderr
            );
        }
    }
    workspace.write("model.json", good.to_string());
    workspace.run(&["report", "model.json", "--level", "0.8"]).succeeds();
}

#[test]
fn messages_quote_little_of_a_file() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml"]).succeeds();
    let good = workspace.json("study/model.json");
    let long = "x".repeat(LONG);
    for place in [
        "/format",
        "/privacy/statement",
        "/privacy/neighbours",
        "/privacy/guarantee",
        "/training/loss",
        "/training/rows",
        "/schema/norm",
        "/schema/columns/0/name",
        "/schema/columns/0/kind",
        "/schema/columns/2/kind/category/values/0",
        "/schema/target/column",
        "/coefficients/1/name",
    ] {
        let mut model = good.clone();
        *model.pointer_mut(place).unwrap_or_else(|| panic!("{place}: {good:#}")) =
            Value::from(long.as_str());
        workspace.write("model.json", model.to_string());
        is_short(workspace.run(&["predict", "model.json", "t.csv"]));
    }
    let mut more = good.clone();
    more["schema"][&long] = json!(1);
    workspace.write("model.json", more.to_string());
    is_short(workspace.run(&["predict", "model.json", "t.csv"])).fails(2, "model.json: ");

    for (from, to) in [
        ("age  = {", format!("\"{long}\" = {{ min = 9, max = 1 }}\nage  = {{")),
        ("age  = {", format!("\"{long}\" = {{ wrong = 1 }}\nage  = {{")),
        ("age  = {", format!("\"{long}\" = {{ values = [\"a\", \"a\"] }}\nage  = {{")),
        ("\"clerk\", \"nurse\"", format!("\"{long}\", \"{long}\"")),
        ("account = \"t\"", format!("account = \"t\"\n{long} = 1")),
        ("loss = \"logistic\"", format!("loss = \"{long}\"")),
        ("positive = \"yes\"", format!("positive = [\"{long}\", \"{long}\"]")),
        ("[model]", format!("[{long}]\n[model]")),
        ("target = \"y\"", format!("target = \"{long}\"")),
        ("lambda = 0.01", format!("lambda = \"{long}\"")),
    ] {
        assert!(STUDY.contains(from), "{from}");
        workspace.write("study.toml", STUDY.replacen(from, &to, 1));
        is_short(workspace.run(&["fit", "study.toml", "--out", "out"])).fails(2, "");
    }
}

#[test]
fn a_file_that_is_too_long_for_a_study_is_refused() {
    let workspace = Workspace::new();
    workspace.write("study.toml", STUDY.to_owned() + &"# a long remark\n".repeat(1_100_000));
    let run = is_short(workspace.run(&["fit", "study.toml"]));
    run.fails(2, "study.toml: this file has more than 16 MB");
}
