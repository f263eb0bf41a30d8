//! `discretion evaluate`, and rows that a fit holds out.

use crate::dossier::is_whole;
use crate::golden::{compare, numbers};
use crate::workspace::{Run, STUDY, Workspace};

/// More rows than the other tests have: so few say nothing about a model.
fn table(rows: usize, start: usize) -> String {
    let mut text = "age,gain,job,note,y\n".to_owned();
    for i in start..start + rows {
        let (age, gain) = (i * 7 % 101, i * i % 1300);
        let job = ["clerk", "nurse", "pilot"][i % 3];
        let label = if age + 30 * (i % 3) + i % 23 > 80 { "yes" } else { "no" };
        text += &format!("{age},{gain},{job},x,{label}\n");
    }
    text
}

/// A study with a table of its own, and another of rows that never train.
fn workspace(more: &str) -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", STUDY.to_owned() + more);
    workspace.write("t.csv", table(4_000, 0));
    workspace.write("other.csv", table(3_000, 5_000));
    workspace
}

impl Run {
    /// Notes may come before a refusal.
    fn ends_with(self, code: i32) -> Run {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{}", self.stderr);
        self
    }
}

const NUMBER: &str = "outcome = { column = \"y\", min = 0, max = 30 }";

/// The same, by the other loss.
const HUBER: &str = "outcome = { column = \"y\", min = 0, max = 30.0 }";

const EVALUATE: [&str; 6] =
    ["evaluate", "study/model.json", "--data", "other.csv", "--study", "study.toml"];

#[test]
fn rows_that_never_trained_pay_for_their_own_evaluation() {
    let workspace = workspace("");
    workspace.run(&["fit", "study.toml"]).succeeds();
    let with = |more: &[&str]| workspace.run(&[&EVALUATE, more].concat());
    // The account was charged for other rows: people who are in both would pay twice.
    with(&[]).ends_with(1).says("--rows-changed");
    let dry = with(&["--account", "other", "--dry-run"]).succeeds();
    assert!(dry.stdout.contains("'other' pays ε = 1;"), "{}", dry.stdout);
    let run = with(&["--account", "other"]).succeeds();
    let run = run.says("3,000 rows for evaluation: an AUC of 0.8 would come out to");
    assert!(run.stdout.contains("AUC") && run.stdout.contains("Brier score"), "{}", run.stdout);
    let file = workspace.json("study/evaluation.json");
    assert_eq!(file["privacy"]["guarantee"]["epsilon"], 1.0);
    assert_eq!(file["ledger"]["account"], "other");
    assert_eq!(file["quality"]["rows"], 3_000);
    let auc = file["quality"]["figures"]["auc"]["value"].as_f64().unwrap();
    assert!(auc > 0.7 && auc <= 1.0, "{auc}");
    let shown = workspace.run(&["ledger", "show", "other"]).succeeds();
    assert!(shown.stdout.contains("evaluation of study/model.json"), "{}", shown.stdout);

    with(&["--account", "other"]).ends_with(1).says("evaluation.json").says("--force");
    let reused = with(&["--account", "other", "--reuse"]).succeeds();
    assert!(reused.stdout.contains("nothing was charged"), "{}", reused.stdout);
    let json = with(&["--account", "other", "--reuse", "--json"]).succeeds();
    assert!(
        json.stdout.starts_with("{\n  \"format\": \"discretion-evaluation/1\""),
        "{}",
        json.stdout
    );
}

/// `predict --threshold` calls rows positive from another probability on, and tells what was
/// released about it.
#[test]
fn a_threshold_comes_with_its_released_figures() {
    let workspace = workspace("[evaluate]\nshare = 0.3\n");
    workspace.run(&["fit", "study.toml"]).succeeds();
    let predict = |more: &[&str]| {
        workspace.run(&[&["predict", "study/model.json", "other.csv"], more].concat())
    };
    let usual = predict(&[]).succeeds();
    assert!(!usual.stderr.contains("threshold"), "{}", usual.stderr);
    let lower = predict(&["--threshold", "0.2"])
        .succeeds()
        .says("the nearest threshold")
        .says("recall")
        .says("precision");
    for line in lower.stdout.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let is_above = fields[2].parse::<f64>().unwrap() > 0.2;
        assert_eq!(fields[3] == "yes", is_above, "{line}");
    }
    let positives = |text: &str| text.lines().filter(|line| line.ends_with(",yes")).count();
    assert!(positives(&lower.stdout) > positives(&usual.stdout));
    predict(&["--threshold", "1.5"]).ends_with(2).says("between 0 and 1");
    predict(&["--threshold", "high"]).ends_with(2).says("--threshold");
}

#[test]
fn what_cannot_be_evaluated_is_refused_before_anything_is_read() {
    let workspace = workspace("");
    workspace.run(&["fit", "study.toml"]).succeeds();
    let with = |more: &[&str]| workspace.run(&[&EVALUATE, more].concat());
    with(&["--by", "age"]).ends_with(2).says("a column of categories").says("job");
    workspace.write("another.toml", STUDY.replace("max = 100 }", "max = 120 }"));
    let other = ["evaluate", "study/model.json", "--data", "gone.csv", "--study", "another.toml"];
    workspace.run(&other).ends_with(2).says("column 'age' is not declared alike");
    workspace.write("few.csv", table(40, 0));
    let few = [
        "evaluate",
        "study/model.json",
        "--data",
        "few.csv",
        "--study",
        "study.toml",
        "--account",
        "few",
    ];
    workspace.run(&few).ends_with(1).says("40 rows are too few").says("nothing was charged");
    let training =
        ["evaluate", "study/model.json", "--data", "t.csv", "--study", "study.toml", "--dry-run"];
    workspace
        .run(&training)
        .succeeds()
        .says("a model looks better than it is on rows that trained it");
    let over = [
        "evaluate",
        "study/model.json",
        "--data",
        "t.csv",
        "--study",
        "study.toml",
        "--out",
        "t.csv",
    ];
    workspace.run(&over).ends_with(2).says("does not write over it");
}

#[test]
fn held_out_rows_tell_how_good_a_model_is_for_no_budget() {
    let workspace = workspace("\n[evaluate]\nshare = 0.5\nby = \"job\"\n");
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "4000"]).succeeds();
    assert!(plan.stdout.contains("2,000 rows for evaluation"), "{}", plan.stdout);
    let dry = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds();
    let dry = dry.says("2,000 rows are held out");
    assert!(dry.stdout.contains("pays ε = 1;"), "{}", dry.stdout);
    let fit = workspace.run(&["fit", "study.toml"]).succeeds();
    assert!(fit.stdout.contains("4,000, of which 2,000 trained"), "{}", fit.stdout);
    assert!(fit.stdout.contains("AUC") && fit.stdout.contains("(all others)"), "{}", fit.stdout);
    let model = workspace.json("study/model.json");
    let cost = model["ledger"]["cost"].as_f64().unwrap();
    assert!(cost <= 1.0 && cost > 0.999_999, "{cost}");
    assert_eq!(
        (&model["training"]["rows"], &model["quality"]["rows"]),
        (&2_000.into(), &2_000.into())
    );
    assert_eq!(model["quality"]["groups"].as_array().unwrap().len(), 3);
    let page = workspace.read("study/report.html");
    assert!(page.contains("How good it is") && page.contains("ROC curve"), "{page}");
    // The figures travel with the model.
    workspace.run(&["report", "study/model.json", "--out", "again.html"]).succeeds();
    assert!(workspace.read("again.html").contains("Reliability diagram"));
    workspace
        .run(&["fit", "study.toml", "--not-private"])
        .succeeds()
        .says("without noise all rows train, and [evaluate] is left out");
}

/// Holders of one table that is dealt to them each hold out half of their rows; and the same of
/// persons.
#[test]
fn simulated_holders_hold_rows_out() {
    let workspace = workspace("\n[evaluate]\nshare = 0.5\nby = \"job\"\n");
    let simulate = ["party", "simulate", "study.toml", "--parties", "4", "--out"];
    workspace.run(&[&simulate[..], &["p"]].concat()).succeeds();
    let model = workspace.json("p/model.json");
    assert_eq!(
        (&model["training"]["rows"], &model["quality"]["rows"]),
        (&2_000.into(), &2_000.into())
    );
    assert_eq!(model["quality"]["groups"].as_array().unwrap().len(), 3);
    let cost = model["ledger"]["cost"].as_f64().unwrap();
    assert!(cost <= 1.0 && cost > 0.999, "{cost}");
    assert!(workspace.read("p/report.html").contains("How good it is"));
}

#[test]
fn numbers_under_a_seed_stay_as_they_are() {
    let workspace = workspace("\n[evaluate]\nshare = 0.5\nby = \"job\"\n");
    workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
    let model = workspace.json("out/seeded-model.json");
    compare("tests/cli/golden/seeded/fit-held-out.txt", &numbers(&model["quality"]["counts"]));
    let args = [
        "evaluate",
        "out/seeded-model.json",
        "--data",
        "other.csv",
        "--study",
        "study.toml",
        "--seed",
        "7",
    ];
    let run = workspace.run(&args).succeeds();
    compare("tests/cli/golden/output/evaluate.txt", &run.stdout);
    let file = workspace.json("out/seeded-evaluation.json");
    compare("tests/cli/golden/seeded/evaluation.txt", &numbers(&file["quality"]["counts"]));
}

/// The same model and the same figures within a limit. (A test of `discretion-jobs` has rows that
/// go to files.)
#[test]
fn rows_are_held_out_within_a_limit_of_memory() {
    let workspace = workspace("\n[evaluate]\nshare = 0.5\n");
    let fit = |out: &str, more: &[&str]| {
        workspace
            .run(&[&["fit", "study.toml", "--seed", "7", "--out", out], more].concat())
            .succeeds();
        let model = workspace.json(&format!("{out}/seeded-model.json"));
        (model["coefficients"].clone(), model["quality"].clone())
    };
    let within = fit("within", &["--memory", "64MB"]);
    assert_eq!(within, fit("memory", &[]));
    assert_eq!(within.1["rows"], 2_000);
}

/// Three classes and a number: held out by a fit, and on rows that never trained.
#[test]
fn several_classes_and_numbers_are_evaluated() {
    for (outcome, words, figure, audits) in [
        (
            "target = \"y\"\nclasses = [\"no\", \"yes\", \"perhaps\"]",
            "called by their true class",
            "accuracy",
            "classes quality-classes",
        ),
        (NUMBER, "explained (R²)", "explained", "squares quality-numbers"),
        (HUBER, "mean size of residuals", "mean_size", "huber quality-numbers"),
    ] {
        let workspace = Workspace::empty();
        let study =
            STUDY.split("[model]").next().unwrap().replace("epsilon = 3.0", "epsilon = 4.0");
        let study = study.replace("target = \"y\"\npositive = \"yes\"\nnegative = \"no\"", outcome);
        let study = match outcome {
            HUBER => study + "[model]\nloss = \"huber\"\n",
            NUMBER => study + "[model]\nloss = \"squares\"\n",
            _ => study,
        };
        let study = study.replace("epsilon = 1.0", "epsilon = 4.0");
        workspace.write("study.toml", study + "[evaluate]\nshare = 0.5\nby = \"job\"\n");
        let is_number = figure != "accuracy";
        let other_outcome = |text: String| -> String {
            let mut lines = text.lines();
            let head = lines.next().unwrap().to_owned() + "\n";
            let line = |(i, line): (usize, &str)| {
                let (rest, label) = line.rsplit_once(',').unwrap();
                let age: f64 = line.split(',').next().unwrap().parse().unwrap();
                match is_number {
                    true => format!("{rest},{}\n", age / 5.0 + (i % 9) as f64),
                    false => format!("{rest},{}\n", if i % 7 == 0 { "perhaps" } else { label }),
                }
            };
            head + &lines.enumerate().map(line).collect::<String>()
        };
        workspace.write("t.csv", other_outcome(table(4_000, 0)));
        workspace.write("other.csv", other_outcome(table(3_000, 5_000)));
        let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "4000"]).succeeds();
        assert!(plan.stdout.contains("2,000 rows for evaluation"), "{}", plan.stdout);
        let fit = workspace
            .run(&["fit", "study.toml", "--verbose"])
            .succeeds()
            .says("2,000 rows are held out");
        assert!(
            fit.stdout.contains(words) && fit.stdout.contains("(all others)"),
            "{}",
            fit.stdout
        );
        let model = workspace.json("study/model.json");
        let cost = model["ledger"]["cost"].as_f64().unwrap();
        assert!(cost <= 4.0 && cost > 3.999, "{cost}");
        assert_eq!(
            (&model["training"]["rows"], &model["quality"]["rows"]),
            (&2_000.into(), &2_000.into())
        );
        assert!(workspace.read("study/report.html").contains("How good it is"));
        assert_eq!(is_whole(&workspace, "study/model.json", "board"), audits);
        let run = workspace
            .run(&[&EVALUATE[..], &["--account", "other", "--by", "job"]].concat())
            .succeeds();
        assert!(run.stdout.contains(words), "{}", run.stdout);
        let file = workspace.json("study/evaluation.json");
        let [held_out, other] =
            [&model, &file].map(|of| of["quality"]["figures"][figure]["value"].as_f64().unwrap());
        // Sizes of residuals are not alike in the two tables, only near.
        let near = if figure == "mean_size" { 1.0 } else { 0.2 };
        assert!(held_out > 0.5 && (held_out - other).abs() < near, "{held_out} and {other}");
    }
}

/// A model of rows, asked about persons who never trained it: one row of each counts, whatever the
/// outcome is.
#[test]
fn of_every_person_one_row_is_counted() {
    for outcome in ["target = \"y\"\nclasses = [\"no\", \"yes\", \"perhaps\"]", NUMBER] {
        let workspace = Workspace::empty();
        let study =
            STUDY.split("[model]").next().unwrap().replace("epsilon = 3.0", "epsilon = 4.0");
        let study = study.replace("target = \"y\"\npositive = \"yes\"\nnegative = \"no\"", outcome);
        let study = study.replace("epsilon = 1.0", "epsilon = 4.0");
        let is_number = outcome == NUMBER;
        let value = |i: usize| match is_number {
            true => format!("{}", i * 7 % 101 / 4),
            false => ["no", "yes", "perhaps"][i * 7 % 101 / 34].to_owned(),
        };
        let rows =
            (0..6_000).map(|i| format!("{},{},{},x,{}", i * 7 % 101, i % 900, "clerk", value(i)));
        let rows: Vec<String> = rows.collect();
        workspace.write("t.csv", "age,gain,job,note,y\n".to_owned() + &rows.join("\n"));
        workspace.write("study.toml", &study);
        workspace.run(&["fit", "study.toml", "--seed", "1", "--accept-check"]).succeeds();
        // 2,000 persons with three rows each.
        let theirs: Vec<String> =
            rows.iter().enumerate().map(|(i, row)| format!("p{},{row}", i % 2_000)).collect();
        workspace.write("other.csv", "who,age,gain,job,note,y\n".to_owned() + &theirs.join("\n"));
        let with_person = study.replacen("[data]\n", "[data]\nperson = \"who\"\n", 1);
        assert_ne!(with_person, study);
        workspace.write("persons.toml", with_person);
        let evaluate = [
            "evaluate",
            "study/seeded-model.json",
            "--data",
            "other.csv",
            "--study",
            "persons.toml",
        ];
        let more = ["--account", "other", "--accept-check", "--out", "e.json"];
        workspace.run(&[&evaluate[..], &more].concat()).succeeds();
        let file = workspace.json("e.json");
        assert_eq!(
            (&file["quality"]["rows"], &file["privacy"]["unit"]),
            (&2_000.into(), &"person".into())
        );
        let figures = &file["quality"]["figures"];
        let found = if is_number { &figures["root_mean_square"] } else { &figures["accuracy"] };
        assert!(found["value"].as_f64().unwrap().is_finite(), "{figures}");
    }
}
