//! A released base rate, wherever a study goes: paid for and in the model there, or refused before
//! anything is charged.

use crate::curves::knots_of;
use crate::workspace::Workspace;
use serde_json::Value;

const STUDY: &str = r#"[data]
path = "t.csv"
account = "t"
target = "y"
positive = "yes"
negative = "no"

[budget]
epsilon = 9.0

[spend]
epsilon = 2.0

[columns]
who  = { drop = true }
age  = { min = 0, max = 100 }
dose = { min = 0, max = 10 }

[model]
base_rate = "private"
"#;

/// Four rows of each person, of whom one in ten is positive.
fn workspace(study: &str) -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", study);
    let mut table = "who,age,dose,y\n".to_owned();
    for i in 0..4000 {
        let person = i / 4;
        let y = if person % 10 == 3 { "yes" } else { "no" };
        table += &format!(
            "p{person},{},{},{y}\n",
            if i % 10 == 0 { i * 37 % 101 } else { i * 37 % 20 },
            i % 11
        );
    }
    workspace.write("t.csv", table);
    workspace
}

/// The rate is what a tenth can become, and the promise is of all of the budget.
fn is_around_a_tenth(model: &Value) {
    let rate = &model["training"]["base_rate"];
    let [released, deviation] = ["released", "deviation"].map(|key| rate[key].as_f64().unwrap());
    assert!((released - 0.1).abs() < 6.0 * deviation && deviation < 0.1, "{rate}");
    assert_eq!(rate["share"], 0.05);
    assert_eq!(model["privacy"]["guarantee"]["epsilon"], 2.0);
}

#[test]
fn a_base_rate_is_released_charged_once_and_told() {
    let workspace = workspace(STUDY);
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "4000"]).succeeds();
    assert!(plan.stdout.contains("how frequent the positive class is"), "{}", plan.stdout);
    let run = workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds();
    assert!(run.stdout.contains("base rate"), "{}", run.stdout);
    is_around_a_tenth(&workspace.json("out/model.json"));
    assert!(workspace.read("out/report.html").contains("The base rate was released first"));
    let shown = workspace.run(&["ledger", "show", "t", "--json"]).succeeds().stdout;
    assert_eq!(shown.matches("\"charge\"").count(), 1, "{shown}");
    workspace.run(&["predict", "out/model.json", "t.csv", "--out", "predicted.csv"]).succeeds();
}

#[test]
fn a_person_counts_once_in_a_base_rate() {
    let workspace =
        workspace(&STUDY.replace("account = \"t\"", "account = \"t\"\nperson = \"who\""));
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "1000"]).succeeds();
    assert!(plan.stdout.contains("% of the persons"), "{}", plan.stdout);
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let model = workspace.json("out/model.json");
    is_around_a_tenth(&model);
    // √2/(sε) of 1000 persons, at sε = 0.1.
    let deviation = model["training"]["base_rate"]["deviation"].as_f64().unwrap();
    assert!((deviation - 0.01414).abs() < 1e-4, "{deviation}");
}

/// Knots come first, and the rate has its share of what they leave.
#[test]
fn a_base_rate_goes_with_private_knots() {
    let curve = "age  = { min = 0, max = 100, knots = \"private\", curve = 5, share = 0.2 }";
    let workspace = workspace(&STUDY.replace("age  = { min = 0, max = 100 }", curve));
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let model = workspace.json("out/model.json");
    is_around_a_tenth(&model);
    assert!(knots_of(&model, "age")[2] <= 25.0, "{:?}", knots_of(&model, "age"));
    // √2/(s·0.8ε) of 4000 rows.
    let deviation = model["training"]["base_rate"]["deviation"].as_f64().unwrap();
    assert!((deviation - 0.004419).abs() < 1e-5, "{deviation}");
}

/// Rows that are held out have no part in the rate. In memory or in a file, the same numbers are
/// released; also of persons.
#[test]
fn a_base_rate_knows_held_out_rows_and_files() {
    for more in ["", "\n[evaluate]\n"] {
        for person in ["", "person = \"who\"\n"] {
            let study =
                STUDY.replace("account = \"t\"\n", &format!("account = \"t\"\n{person}")) + more;
            let workspace = workspace(&study);
            let fit = |out: &str, more: &[&str]| {
                let words = ["fit", "study.toml", "--out", out, "--seed", "5"];
                workspace.run(&[&words[..], more].concat()).succeeds();
                workspace.json(&format!("{out}/seeded-model.json"))
            };
            let [held, streamed] = [fit("held", &[]), fit("streamed", &["--memory", "64MB"])];
            assert!(held["training"]["base_rate"]["released"].is_number(), "{held}");
            assert_eq!(held["quality"].is_object(), !more.is_empty());
            for part in ["coefficients", "training", "quality"] {
                assert_eq!(held[part], streamed[part], "{part}");
            }
        }
    }
}

#[test]
fn what_a_base_rate_does_not_go_with_is_refused_before_anything_is_charged() {
    let classes = "classes = [\"yes\", \"no\", \"other\"]";
    let number = "outcome = { column = \"dose\", min = 0, max = 10 }\n";
    let two = "positive = \"yes\"\nnegative = \"no\"";
    let as_number = STUDY
        .replace(&format!("target = \"y\"\n{two}\n"), number)
        .replace("dose = { min", "y = { drop = true }\nage2 = { min");
    for (study, says) in [
        (STUDY.replace(two, classes), "several classes"),
        (as_number, "an outcome that is a number"),
        (STUDY.to_owned() + "[intervals]\n", "[intervals]"),
        (STUDY.to_owned() + "lambda = [0.01, 0.1]\n", "a list of lambda"),
        (STUDY.to_owned() + "method = \"output\"\n", "method"),
        (STUDY.to_owned() + "norm = \"row\"\n", "norm"),
        (STUDY.to_owned() + "loss = \"hinge\"\n", "logistic"),
        (STUDY.replace("\"private\"", "0.1"), "base_rate"),
    ] {
        let workspace = workspace(&study);
        // Also where there is no table: nothing is read before.
        std::fs::remove_file(workspace.path("t.csv")).unwrap();
        let refused = workspace.run(&["fit", "study.toml", "--out", "out"]);
        assert!(refused.code == 2, "{says}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("base_rate") && refused.stderr.contains(says),
            "{says}: {}",
            refused.stderr
        );
        assert!(!workspace.ledger().exists(), "{says}: nothing was charged");
        assert!(!workspace.path("out/model.json").exists(), "{says}");
    }
    let workspace = workspace(STUDY);
    workspace
        .run(&["party", "simulate", "study.toml", "--parties", "2", "--out", "out"])
        .fails(2, "")
        .says("base_rate");
    assert!(!workspace.ledger().exists());
}
