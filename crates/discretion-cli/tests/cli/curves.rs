//! Curves and crossed columns, from the study file to the report.

use crate::workspace::{STUDY, Workspace};
use serde_json::Value;

/// `age` is a curve of five knots, what is missing of `gain` has a level of its own, and jobs have
/// slopes of their own.
pub fn study() -> String {
    let study =
        STUDY.replace("age  = { min = 0, max = 100 }", "age  = { min = 0, max = 100, curve = 5 }");
    let study = study.replace("missing = 30.63858403911275 }", "missing = \"own\", curve = 3 }");
    study.replace(
        "note = { drop = true }",
        "dose = { min = 0, max = 10 }\n\n[cross]\npairs = [[\"job\", \"dose\"]]",
    )
}

pub fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("study.toml", study());
    let mut table = "age,gain,job,dose,y\n".to_owned();
    for i in 0..3000 {
        let (age, dose) = (i * 37 % 101, i * 7 % 11);
        let gain = if i % 20 == 0 { String::new() } else { (i * i % 1000).to_string() };
        let is_sick = (age as f64 - 50.0).abs() + ((i * 13 % 17) as f64) > 35.0;
        let job = ["clerk", "nurse"][i % 2];
        table += &format!("{age},{gain},{job},{dose},{}\n", if is_sick { "yes" } else { "no" });
    }
    workspace.write("t.csv", &table);
    workspace
}

#[test]
fn a_curve_is_fitted_predicted_from_and_drawn() {
    let workspace = workspace();
    let run = workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    assert!(run.stdout.contains("age at 25"), "{}", run.stdout);
    let model = workspace.json("out/model.json");
    let coefficients = model["coefficients"].as_array().unwrap();
    let knots: Vec<f64> = coefficients
        .iter()
        .filter(|coefficient| coefficient["knot"]["column"] == "age")
        .map(|coefficient| coefficient["knot"]["at"].as_f64().unwrap())
        .collect();
    assert_eq!(knots, [0.0, 25.0, 50.0, 75.0, 100.0]);
    let effect = |name: &str| {
        let of = coefficients.iter().find(|coefficient| coefficient["name"] == name).expect(name);
        of["effect"]["value"].as_f64().unwrap()
    };
    // The young and the old: no line says that.
    assert!(effect("age at 0") > 0.0 && effect("age at 100") > 0.0);
    for name in ["gain missing", "dose × job=nurse"] {
        effect(name);
    }
    let page = workspace.read("out/report.html");
    assert!(page.contains("The curve of age") && page.contains("class=\"curves\""));
    workspace.run(&["predict", "out/model.json", "t.csv", "--out", "predicted.csv"]).succeeds();
    assert_eq!(workspace.read("predicted.csv").lines().count(), 3001);
    workspace.run(&["export", "out/model.json", "--out", "model.onnx"]).succeeds();
    // Rows that are divided by their length would need the length of a curve.
    workspace.write("study.toml", study().replace("[model]", "[model]\nnorm = \"row\""));
    workspace.run(&["fit", "study.toml", "--out", "long", "--seed", "1"]).succeeds();
    let refused = workspace.run(&["export", "long/seeded-model.json", "--out", "long.onnx"]);
    assert!(
        refused.code != 0 && refused.stderr.contains("is a curve, in rows"),
        "{}",
        refused.stderr
    );
}

#[test]
fn bands_are_around_intervals_which_are_around_estimates() {
    let workspace = workspace();
    let asked = format!("{}\n[intervals]\n", study());
    workspace.write("study.toml", asked.replace("epsilon = 3.0", "epsilon = 300.0"));
    workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "100"]).succeeds();
    let model = workspace.json("out/model.json");
    let with_bands: Vec<&Value> = model["coefficients"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|coefficient| coefficient["effect"]["band"].is_array())
        .collect();
    // All knots but those in the middle; a level for what is missing is not a part of the curve.
    assert_eq!(with_bands.len(), 4 + 2);
    for coefficient in with_bands {
        let (effect, number) = (&coefficient["effect"], |value: &Value| value.as_f64().unwrap());
        let ends = [
            &effect["band"][0],
            &effect["interval"]["lower"],
            &effect["interval"]["upper"],
            &effect["band"][1],
        ];
        assert!(ends.map(number).is_sorted(), "{effect}");
    }
    assert!(workspace.read("out/report.html").contains("95 % for all of it"));
}

/// With the rows in a file in place of memory, and under the same seed, the same numbers are
/// released.
#[test]
fn a_table_that_is_not_in_memory_gives_the_same_model() {
    let workspace = workspace();
    let fit = |out: &str, more: &[&str]| {
        let words = ["fit", "study.toml", "--out", out, "--seed", "5"];
        workspace.run(&[&words[..], more].concat()).succeeds();
        workspace.json(&format!("{out}/seeded-model.json"))["coefficients"].clone()
    };
    assert_eq!(fit("held", &[]), fit("streamed", &["--memory", "64MB"]));
}

#[test]
fn a_plan_names_curves_as_columns() {
    let run = workspace().run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    for words in ["coefficients     15", "\nage ", "\ndose × job "] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
}

pub fn knots_of(model: &Value, column: &str) -> Vec<f64> {
    let coefficients = model["coefficients"].as_array().unwrap().iter();
    let of_column = coefficients.filter(|coefficient| coefficient["knot"]["column"] == column);
    of_column.map(|coefficient| coefficient["knot"]["at"].as_f64().unwrap()).collect()
}

/// nε/√m is 1225 for 3000 rows, five columns with a cross, the intercept and ε = 1: three knots. A
/// tenth of it is a line.
#[test]
fn rows_columns_and_budget_say_how_many_knots_there_are() {
    let workspace = workspace();
    workspace.write("study.toml", study().replace("curve = 5", "curve = \"auto\""));
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    assert!(plan.stdout.contains("curve = \"auto\": 3 knots"), "{}", plan.stdout);
    let run = workspace.run(&["fit", "study.toml", "--out", "bent", "--epsilon", "1"]).succeeds();
    assert!(run.stderr.contains("curve = \"auto\": 3 knots"), "{}", run.stderr);
    assert_eq!(knots_of(&workspace.json("bent/model.json"), "age"), [0.0, 50.0, 100.0]);
    let run = workspace.run(&["fit", "study.toml", "--out", "line", "--epsilon", "0.1"]).succeeds();
    assert!(run.stderr.contains("curve = \"auto\": lines"), "{}", run.stderr);
    let model = workspace.json("line/model.json");
    assert_eq!(knots_of(&model, "age"), [] as [f64; 0]);
    assert_eq!(model["coefficients"][1]["name"], "age");
}

#[test]
fn private_knots_are_released_with_the_model_for_one_charge() {
    let workspace = workspace();
    workspace.write(
        "study.toml",
        study().replace("curve = 5", "knots = \"private\", curve = 5, share = 0.1"),
    );
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    assert!(
        plan.stdout.contains("10 % of the budget find the knots of 1 curves"),
        "{}",
        plan.stdout
    );
    workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    let model = workspace.json("out/model.json");
    let knots = knots_of(&model, "age");
    assert_eq!((knots.len(), knots[0], knots[4]), (5, 0.0, 100.0));
    assert_eq!(model["schema"]["columns"][0]["curve"]["released_for"], 0.1);
    assert_eq!(model["privacy"]["guarantee"]["epsilon"], 3.0);
    assert!(model["ledger"]["charge"].is_u64());
    workspace.run(&["predict", "out/model.json", "t.csv", "--out", "predicted.csv"]).succeeds();
    assert!(workspace.read("out/report.html").contains("The curve of age"));
    workspace.run(&["fit", "study.toml", "--out", "plain", "--not-private"]).succeeds();
    let exact = knots_of(&workspace.json("plain/not-private-model.json"), "age");
    assert!((exact[2] - 50.0).abs() < 2.0, "{exact:?}");
    // Each file says where its knots are from.
    let origin = |file: &str| workspace.json(file)["origins"]["columns"][0].clone();
    let both = ["out/model.json", "plain/not-private-model.json"].map(origin);
    assert_eq!(
        both.each_ref().map(|its| its["knots"].clone()),
        ["released-privately", "taken-from-rows"]
    );
    assert_eq!(both.map(|its| its["bounds"].clone()), ["declared", "declared"]);
}
