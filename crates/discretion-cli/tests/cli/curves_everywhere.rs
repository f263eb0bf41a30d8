//! Curves that are not settled in the study file, wherever a study goes: settled there, or refused
//! before anything is charged.

use crate::curves::{knots_of, study, workspace};
use crate::workspace::Workspace;
use serde_json::Value;

const PRIVATE: &str = "knots = \"private\", curve = 5, share = 0.1";

/// The study of the curves, whose `age` bends where this says.
fn with_age(curve: &str) -> Workspace {
    let workspace = workspace();
    workspace.write("study.toml", study().replace("curve = 5", curve));
    workspace
}

/// Rows of persons, three each, or of three classes.
fn other_table(workspace: &Workspace) {
    let mut table = "who,age,gain,job,dose,y\n".to_owned();
    for i in 0..3000 {
        // Nine in ten are young.
        let age = if i % 10 == 0 { i * 37 % 101 } else { i * 37 % 20 };
        let y = ["none", "mild", "severe"][(age + i * 13 % 7) / 9 % 3];
        table += &format!(
            "p{},{age},{},{},{},{y}\n",
            i / 3,
            i * i % 1000,
            ["clerk", "nurse"][i % 2],
            i * 7 % 11
        );
    }
    workspace.write("t.csv", table);
}

fn bent_where_rows_are(model: &Value) {
    let knots = knots_of(model, "age");
    assert!(knots[0] == 0.0 && knots[4] == 100.0 && knots[2] <= 20.0, "{knots:?}");
    assert_eq!(model["privacy"]["guarantee"]["epsilon"], 3.0);
}

#[test]
fn private_knots_of_persons_count_each_person_once() {
    let workspace = with_age(PRIVATE);
    other_table(&workspace);
    let text = workspace
        .read("study.toml")
        .replace("account = \"t\"", "account = \"t\"\nperson = \"who\"");
    let text = text
        .replace("positive = \"yes\"", "positive = [\"mild\", \"severe\"]")
        .replace("\"no\"", "\"none\"");
    workspace.write("study.toml", text);
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "1000"]).succeeds();
    // 2/(sε)·√2 persons, at s = 0.1 and ε = 1.
    assert!(plan.stdout.contains("a noise of 28.3 persons"), "{}", plan.stdout);
    workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    let model = workspace.json("out/model.json");
    bent_where_rows_are(&model);
    assert_eq!(model["privacy"]["unit"], "person");
}

#[test]
fn private_knots_of_several_classes_are_those_of_all_rows() {
    let workspace = with_age(PRIVATE);
    other_table(&workspace);
    let classes = "classes = [\"none\", \"mild\", \"severe\"]";
    let text =
        workspace.read("study.toml").replace("positive = \"yes\"\nnegative = \"no\"", classes);
    workspace.write("study.toml", text.replace("[columns]", "[columns]\nwho = { drop = true }"));
    workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    let model = workspace.json("out/model.json");
    // Those of the first class.
    bent_where_rows_are(&model);
    workspace.run(&["fit", "study.toml", "--out", "plain", "--not-private"]).succeeds();
}

/// The promise is of knots and sums together. What is held out beside them is refused before
/// anything is read.
#[test]
fn private_knots_of_a_number_are_paid_for_with_its_sums() {
    let workspace = with_age(PRIVATE);
    other_table(&workspace);
    let text = workspace.read("study.toml").replace("positive = \"yes\"\nnegative = \"no\"\n", "");
    let text = text.replace("target = \"y\"", "outcome = { column = \"dose\", min = 0, max = 10 }");
    let (columns, _) = text.split_once("dose = ").unwrap();
    let text = format!("{columns}who = {{ drop = true }}\ny = {{ drop = true }}\n");
    workspace.write("study.toml", &text);
    workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    bent_where_rows_are(&workspace.json("out/model.json"));
    workspace.write("study.toml", text + "\n[evaluate]\n");
    workspace
        .run(&["fit", "study.toml", "--out", "held", "--epsilon", "3", "--seed", "1"])
        .succeeds();
    let model = workspace.json("held/seeded-model.json");
    assert!(model["quality"]["figures"].is_object(), "{model}");
}

/// Who is not in the cohort is in no count: clerks are young, and nurses are not.
#[test]
fn private_knots_of_a_cohort_are_where_its_rows_are() {
    let workspace = with_age(PRIVATE);
    let mut table = "age,gain,job,dose,y\n".to_owned();
    for i in 0..3000 {
        let (job, age) =
            if i % 2 == 0 { ("clerk", i * 37 % 20) } else { ("nurse", 60 + i * 37 % 41) };
        table +=
            &format!("{age},{},{job},{},{}\n", i * i % 1000, i * 7 % 11, ["no", "yes"][i / 2 % 2]);
    }
    workspace.write("t.csv", table);
    let cohort = "account = \"t\"\nwhere = { job = \"clerk\" }";
    workspace.write("study.toml", workspace.read("study.toml").replace("account = \"t\"", cohort));
    let fit = ["fit", "study.toml", "--epsilon", "3", "--out"];
    workspace.run(&[&fit[..], &["out"]].concat()).succeeds();
    let model = workspace.json("out/model.json");
    bent_where_rows_are(&model);
    workspace.run(&[&fit[..], &["file", "--memory", "64MB", "--seed", "1"]].concat()).succeeds();
    for model in [model, workspace.json("file/seeded-model.json")] {
        assert!(knots_of(&model, "age")[3] <= 25.0);
    }
}

/// Rows that are held out have no part in the knots, and are scored by them. In memory or in a
/// file, the same numbers are released.
#[test]
fn private_knots_know_held_out_rows_and_files() {
    let workspace = with_age(PRIVATE);
    workspace.write("study.toml", workspace.read("study.toml") + "\n[evaluate]\n");
    let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
    for words in ["find the knots of 1 curves", "for evaluation"] {
        assert!(plan.stdout.contains(words), "{words}: {}", plan.stdout);
    }
    workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    let model = workspace.json("out/model.json");
    assert_eq!(knots_of(&model, "age").len(), 5);
    // The curve is a V, and an AUC of 0.5 would say that rows were scored by other knots.
    let auc = model["quality"]["figures"]["auc"]["value"].as_f64().unwrap();
    assert!(auc > 0.7, "{auc}");
    for evaluate in ["", "\n[evaluate]\n"] {
        workspace.write("study.toml", study().replace("curve = 5", PRIVATE) + evaluate);
        let fit = |out: &str, more: &[&str]| {
            let words = ["fit", "study.toml", "--force", "--out", out, "--seed", "5"];
            workspace.run(&[&words[..], more].concat()).succeeds();
            workspace.json(&format!("{out}/seeded-model.json"))
        };
        let [held, streamed] = [fit("held", &[]), fit("streamed", &["--memory", "64MB"])];
        for part in ["coefficients", "schema", "quality"] {
            assert_eq!(held[part], streamed[part], "{part}");
        }
    }
}

/// The first free check comes before the first look at rows.
#[test]
fn files_in_the_way_are_seen_before_rows_are_counted() {
    let workspace = with_age("curve = \"auto\"");
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    std::fs::remove_file(workspace.path("t.csv")).unwrap();
    let again = workspace.run(&["fit", "study.toml", "--out", "out"]);
    assert!(again.code != 0 && again.stderr.contains("--force"), "{}", again.stderr);
}

#[test]
fn a_dry_run_says_once_what_is_settled() {
    let workspace = with_age("curve = \"auto\"");
    let run = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds();
    assert_eq!(run.stderr.matches("curve = \"auto\": 3 knots").count(), 1, "{}", run.stderr);
}

#[test]
fn several_holders_settle_curves_by_their_rows() {
    let workspace = with_age("curve = \"auto\"");
    let run = workspace
        .run(&["party", "simulate", "study.toml", "--parties", "2", "--out", "out"])
        .succeeds();
    assert!(run.stderr.contains("curve = \"auto\": 3 knots"), "{}", run.stderr);
    assert_eq!(knots_of(&workspace.json("out/model.json"), "age"), [0.0, 50.0, 100.0]);
    let workspace = with_age(PRIVATE);
    let refused = workspace.run(&["party", "simulate", "study.toml", "--parties", "2"]);
    assert!(
        refused.code == 2 && refused.stderr.contains("knots = \"private\""),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_vote_refuses_what_is_not_settled() {
    for curve in ["curve = \"auto\"", PRIVATE] {
        let workspace = with_age(curve);
        let text = workspace
            .read("study.toml")
            .replace("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 1.0\ndelta = 1e-6");
        let text = text.replace("[budget]\nepsilon = 3.0", "[budget]\nepsilon = 3.0\ndelta = 1e-5");
        workspace.write(
            "study.toml",
            text + "\n[vote]\nlearner = \"logistic\"\nqueries = 10\nunstable = 5\n",
        );
        let refused = workspace.run(&["answer", "study.toml", "--queries", "t.csv"]);
        assert!(
            refused.code == 2 && refused.stderr.contains("is not known here"),
            "{}",
            refused.stderr
        );
    }
}

/// n = 3000, two columns, the intercept and ε = 1: nε/√m is 1732, five knots.
#[test]
fn an_outcome_that_is_a_number_settles_curves_everywhere() {
    let workspace = workspace();
    let study = "[data]\npath = \"t.csv\"\naccount = \"t\"\noutcome = { column = \"dose\", min = 0, max = 10 }\n[budget]\n\
                 epsilon = 3\n[spend]\nepsilon = 1\n[columns]\nage = { min = 0, max = 100, CURVE }\n\
                 job = { values = [\"clerk\", \"nurse\"] }\ngain = { drop = true }\ny = { drop = true }\n";
    let settled = "curve = \"auto\": 5 knots";
    for more in ["", "[evaluate]\nshare = 0.3\n"] {
        workspace.write("study.toml", study.replace("CURVE", "curve = \"auto\"") + more);
        let plan = workspace.run(&["plan", "--study", "study.toml", "--rows", "3000"]).succeeds();
        assert!(plan.stdout.contains(settled), "{}", plan.stdout);
        let run = workspace.run(&["fit", "study.toml", "--force", "--out", "out"]).succeeds();
        assert!(run.stderr.contains(settled), "{}", run.stderr);
        assert_eq!(
            workspace.json("out/model.json")["coefficients"].as_array().unwrap().len(),
            1 + 5 + 2
        );
    }
    for curve in ["curve = \"auto\"", "knots = \"private\", curve = 5"] {
        workspace.write("study.toml", study.replace("CURVE", curve));
        workspace
            .run(&["fit", "study.toml", "--force", "--out", "out", "--not-private"])
            .succeeds();
        let model = workspace.json("out/not-private-model.json");
        assert_eq!(model["coefficients"].as_array().unwrap().len(), 1 + 5 + 2);
        workspace
            .run(&["predict", "out/not-private-model.json", "t.csv", "--out", "p.csv", "--force"])
            .succeeds();
    }
}
