//! An outcome that is a number: fit, predict, report; what is refused before anything is charged; a
//! class of a number.

use crate::workspace::Workspace;
use serde_json::Value;

const STUDY: &str = r#"[data]
path = "t.csv"
account = "t"
outcome = { column = "days", min = 0, max = 60 }

[budget]
epsilon = 30

[spend]
epsilon = 20

[columns]
age  = { min = 0, max = 100 }
ward = { values = ["A", "B"] }
"#;

/// days is 0.3·age + 10 in ward B, and 5 more or less.
fn workspace(study: &str) -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", study);
    let mut text = "age,ward,days\n".to_owned();
    for i in 0..3000 {
        let (age, ward) = (i * 37 % 100, if i % 3 == 0 { "B" } else { "A" });
        let days =
            0.3 * f64::from(age) + if ward == "B" { 10.0 } else { 0.0 } + f64::from(i * 13 % 11)
                - 5.0;
        text += &format!("{age},{ward},{:.2}\n", days.max(0.0));
    }
    workspace.write("t.csv", text);
    workspace
}

pub fn coefficient<'m>(model: &'m Value, name: &str) -> &'m Value {
    let found = model["coefficients"].as_array().unwrap().iter().find(|c| c["name"] == name);
    found.unwrap_or_else(|| panic!("{name}: {model}"))
}

#[test]
fn a_number_is_fitted_charged_predicted_and_shown() {
    let workspace = workspace(STUDY);
    let dry = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds();
    assert!(dry.stdout.contains("20"), "{}", dry.stdout);
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    assert!(
        plan.stdout.contains("sums") && plan.stdout.contains("in the mean of the outcome"),
        "{}",
        plan.stdout
    );
    let run = workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds();
    for words in [
        "ε = 20: replacing any one row",
        "least squares",
        "days",
        "ward=B",
        "(R²)",
        "'t' pays ε = 20",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let text = workspace.read("out/model.json");
    assert!(text.starts_with("{\n  \"format\": \"discretion-number/1\",\n"), "{text}");
    let model = workspace.json("out/model.json");
    assert_eq!(model["privacy"]["private"], true);
    assert_eq!(model["ledger"]["account"], "t");
    let age = &coefficient(&model, "age")["per_unit"];
    assert!((age.as_f64().unwrap() - 0.3).abs() < 0.05, "{age}");
    let ward = coefficient(&model, "ward=B")["effect"]["interval"].clone();
    assert!((ward["estimate"].as_f64().unwrap() - 10.0).abs() < 2.0, "{ward}");
    assert!(ward["lower"].as_f64() < ward["upper"].as_f64());
    assert!(model["fit"]["explained"].as_f64().unwrap() > 0.7, "{}", model["fit"]);
    // The rows were not private for nothing: none of their numbers is there without noise.
    assert!(model["training"]["released"].as_f64().unwrap() > 0.0);

    workspace.write("new.csv", "age,ward\n50,A\n50,B\n200,B\n");
    let predicted = workspace.run(&["predict", "out/model.json", "new.csv"]).succeeds();
    let lines: Vec<&str> = predicted.stdout.lines().collect();
    assert_eq!(lines[0], "row,prediction,lower,upper");
    let numbers: Vec<f64> = lines[1].split(',').map(|field| field.parse().unwrap()).collect();
    assert!(
        (numbers[1] - 15.0).abs() < 2.0 && numbers[2] < numbers[1] && numbers[1] < numbers[3],
        "{lines:?}"
    );
    let json = workspace.run(&["predict", "out/model.json", "new.csv", "--json"]).succeeds();
    assert!(json.stdout.starts_with("{\"row\":1,\"prediction\":"), "{}", json.stdout);

    let page = workspace.read("out/report.html");
    assert!(page.contains("What days goes with") && page.contains("ward=B"), "{page}");
    workspace
        .run(&["report", "out/model.json", "--level", "0.8", "--out", "again.html"])
        .succeeds();
    assert!(workspace.read("again.html").contains("at 80 %"));
}

#[test]
fn huber_s_loss_is_fitted_charged_predicted_and_shown() {
    let workspace = workspace(&format!("{STUDY}[model]\nloss = \"huber\"\n"));
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    assert!(
        plan.stdout.contains("objective perturbation") && plan.stdout.contains("in a prediction")
    );
    let run = workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds();
    for words in [
        "ε = 20: replacing any one row",
        "Huber's",
        "perturbation with",
        "ward=B",
        "'t' pays ε = 20",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    assert!(!run.stdout.contains("R²") && !run.stdout.contains("interval"), "{}", run.stdout);
    let model = workspace.json("out/model.json");
    assert_eq!((&model["training"]["loss"], &model["moments"]), (&"huber".into(), &Value::Null));
    let age = coefficient(&model, "age")["per_unit"].as_f64().unwrap();
    assert!((age - 0.3).abs() < 0.06, "{age}");
    workspace.write("new.csv", "age,ward\n50,A\n50,B\n");
    let predicted = workspace.run(&["predict", "out/model.json", "new.csv"]).succeeds();
    let lines: Vec<&str> = predicted.stdout.lines().collect();
    assert_eq!(lines[0], "row,prediction");
    let first: f64 = lines[1].strip_prefix("1,").unwrap().parse().unwrap();
    assert!((first - 15.0).abs() < 2.5, "{lines:?}");
    let page = workspace.read("out/report.html");
    assert!(page.contains("What days goes with") && !page.contains("Intervals are at"), "{page}");
    let level =
        workspace.run(&["report", "out/model.json", "--level", "0.8", "--out", "again.html"]);
    level.fails(2, "out/model.json: this model has no intervals").says("loss = \"squares\"");
    let run = workspace.run(&["fit", "study.toml", "--not-private", "--out", "exact"]).succeeds();
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
}

/// From the number of rows and the budget alone, and said; intervals are of least squares, however
/// noisy those are.
#[test]
fn the_loss_suits_rows_and_budget_unless_somebody_chooses() {
    let auto = STUDY.replace("epsilon = 20", "epsilon = 1");
    let of = |study: String| {
        let workspace = workspace(&study);
        let plan = workspace.run(&["plan", "study.toml", "--rows", "3000"]).succeeds().stdout;
        let run = workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
        let loss =
            workspace.json("out/model.json")["training"]["loss"].as_str().unwrap().to_owned();
        (loss, plan, run.stderr)
    };
    let said = "loss = \"auto\": Huber's";
    let (loss, plan, notes) = of(auto.clone());
    assert!(loss == "huber" && plan.contains(said) && notes.contains(said), "{plan}{notes}");
    let (loss, plan, notes) = of(STUDY.to_owned());
    assert!(loss == "squares" && plan.contains("noise of their sums small"), "{plan}{notes}");
    let (loss, plan, notes) = of(auto + "[intervals]\nlevel = 0.9\n");
    assert!(
        loss == "squares" && !plan.contains("auto") && !notes.contains("auto"),
        "{plan}{notes}"
    );
}

#[test]
fn flags_of_a_plan_go_before_what_the_study_says() {
    let workspace = workspace(&format!("{STUDY}[model]\nloss = \"huber\"\nlambda = 0.1\n"));
    let plan =
        |more: &[&str]| workspace.run(&[&["plan", "study.toml", "--rows", "3000"], more].concat());
    assert!(plan(&[]).succeeds().stdout.contains("lambda        0.1"));
    assert!(plan(&["--lambda", "0.5"]).succeeds().stdout.contains("lambda        0.5"));
    assert!(plan(&["--method", "output"]).succeeds().stdout.contains("output perturbation"));
    let refused = plan(&["--loss", "hinge"]);
    assert!(
        refused.code != 0 && refused.stderr.contains("--loss: the outcome is a number"),
        "{}",
        refused.stderr
    );
}

#[test]
fn without_noise_it_says_so_and_charges_nothing() {
    let workspace = workspace(STUDY);
    let run = workspace.run(&["fit", "study.toml", "--not-private", "--out", "out"]).succeeds();
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
    assert!(workspace.read("out/not-private-model.json").starts_with("{ \"NOT PRIVATE\""));
    assert!(!workspace.ledger().exists());
}

/// An interval leaves out 0 where its p-value says so: that of the intercept is not about the
/// middle of the outcome's range.
#[test]
fn intervals_and_p_values_are_about_the_same_number() {
    for (scale, flags) in [
        ("linear", &["--seed", "3"][..]),
        ("log", &["--seed", "3"]),
        ("linear", &["--not-private"]),
        ("log", &["--not-private"]),
    ] {
        let scaled = format!("max = 60, scale = \"{scale}\"");
        let workspace = workspace(&STUDY.replace("max = 60", &scaled));
        workspace
            .run(&[&["fit", "study.toml", "--out", "out", "--json"], flags].concat())
            .succeeds();
        let file =
            if flags.len() > 1 { "out/seeded-model.json" } else { "out/not-private-model.json" };
        let model = workspace.json(file);
        let mut compared = 0;
        for entry in model["coefficients"].as_array().unwrap() {
            for interval in
                [&entry["interval"], &entry["per_unit_interval"], &entry["effect"]["interval"]]
            {
                let number = |key: &str| interval[key].as_f64();
                let (Some(estimate), Some(p)) = (number("estimate"), number("p_value")) else {
                    continue;
                };
                let [lower, upper] = ["lower", "upper"].map(|key| number(key).unwrap());
                // 95 % are 1.96 deviations; Φ by its usual series.
                let z = estimate.abs() / ((upper - lower) / 2.0 / 1.959_963_985).max(1e-300);
                assert_eq!(p < 0.05, lower > 0.0 || upper < 0.0, "{flags:?} {scale}: {entry}");
                assert!(z > 3.0 || (p - two_sided(z)).abs() < 1e-6, "{z} {p}: {entry}");
                compared += 1;
            }
        }
        assert!(compared > 8, "{model}");
        // Nobody is of age 0 in the middle of the range.
        let intercept = &model["coefficients"][0]["per_unit_interval"];
        assert!(intercept["estimate"].as_f64() < Some(25.0), "{intercept}");
        let csv = workspace.run(&["export", file, "--format", "csv"]).succeeds().stdout;
        let p = intercept["p_value"].as_f64().unwrap().to_string();
        assert!(csv.lines().nth(1).unwrap().contains(&format!(",{p},")), "{csv}");
    }
}

/// P(|Z| > z) for z up to 3.
fn two_sided(z: f64) -> f64 {
    let (mut term, mut sum) = (z, z);
    for k in 1..60 {
        term *= z * z / f64::from(2 * k + 1);
        sum += term;
    }
    1.0 - 2.0 * sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[test]
fn what_numbers_cannot_have_yet_is_refused_before_a_charge() {
    for (more, words) in [
        ("[model]\nloss = \"squares\"\nlambda = [0.1, 0.01]\n", "one release serves every lambda"),
        ("[model]\nlambda = [0.1, 0.01]\n", "cannot be chosen from a list yet"),
        ("[model]\nloss = \"logistic\"\n", "\"squares\", \"huber\""),
        ("[model]\nloss = \"huber\"\nlambda = [0.1, 0.01]\n", "cannot be chosen from a list yet"),
        ("[model]\nloss = \"huber\"\nnorm = \"row\"\n", "scaled by constants"),
        ("[model]\nloss = \"huber\"\n[intervals]\nlevel = 0.9\n", "intervals come from the sums"),
        ("[model]\nnorm = \"row\"\n", "scaled by constants"),
        ("[model]\nsmoothing = 1\n", "the outcome is a number; remove it"),
        ("[intervals]\ncolumns = [\"age\"]\n", "leave out `columns` and `split`"),
        // As it is written, not as rows with their outcome have it.
        (
            "[model]\nloss = \"huber\"\nlambda = 2e-12\nmethod = \"objective\"\n",
            "lambda = 0.000000000002 is too small",
        ),
    ] {
        let workspace = workspace(&format!("{STUDY}{more}"));
        let run = workspace.run(&["fit", "study.toml"]);
        assert!(run.code != 0 && run.stderr.contains(words), "{more}: {}", run.stderr);
        let spent = workspace.run(&["ledger", "show"]);
        assert!(!spent.stdout.contains("charge"), "{}", spent.stdout);
    }
}

#[test]
fn outcomes_beyond_the_range_are_clipped_and_counted() {
    let workspace = workspace(&STUDY.replace("max = 60", "max = 3"));
    let run = workspace.run(&["fit", "study.toml"]);
    assert!(
        run.code != 0
            && run.stderr.contains("looks like a mistake")
            && run.stderr.contains("`days`"),
        "{}",
        run.stderr
    );
    workspace.run(&["fit", "study.toml", "--accept-check"]).succeeds();
}

#[test]
fn a_threshold_makes_a_class_of_a_number() {
    let study = STUDY.replace(
        "outcome = { column = \"days\", min = 0, max = 60 }",
        "target = \"days\"\npositive = { above = 20 }",
    );
    let workspace = workspace(&study);
    let run = workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds();
    assert!(run.stdout.contains("logistic"), "{}", run.stdout);
    workspace.write("new.csv", "age,ward\n5,A\n95,B\n");
    let predicted = workspace.run(&["predict", "out/model.json", "new.csv"]).succeeds();
    let labels: Vec<&str> =
        predicted.stdout.lines().skip(1).filter_map(|l| l.rsplit(',').next()).collect();
    assert_eq!(labels, ["at most 20", "above 20"], "{}", predicted.stdout);
}
