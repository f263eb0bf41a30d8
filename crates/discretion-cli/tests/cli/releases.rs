//! Several releases of one study: planned together, charged once, and finished after a crash.

use crate::workspace::{Workspace, table};
use serde_json::Value;

/// A table with two outcomes, of rows.
const STUDY: &str = r#"[data]
path = "t.csv"
account = "t"

[budget]
epsilon = 3.0
delta = 1e-5

[spend]
epsilon = 1.0
delta = 1e-6

[columns]
age  = { min = 0, max = 100 }
gain = { min = 0, max = 1000, scale = "log", missing = 30.63858403911275 }
job  = { values = ["clerk", "nurse"] }
note = { drop = true }

[[release]]
name = "ill"
target = "y"
positive = "yes"
negative = "no"
intervals = { level = 0.9 }
share = 0.5

[[release]]
name = "old"
target = "age"
positive = { above = 60 }
lambda = 0.05

[[release]]
name = "jobs"
kind = "density"
columns = ["job", "gain"]
"#;

fn workspace(study: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("study.toml", study);
    workspace.write("t.csv", table());
    workspace
}

fn charges(workspace: &Workspace) -> u64 {
    let run = workspace.run(&["ledger", "show", "t", "--json"]).succeeds();
    serde_json::from_str::<Value>(&run.stdout).unwrap()["charges"].as_u64().unwrap()
}

#[test]
fn two_outcomes_and_a_density_cost_one_charge() {
    let workspace = workspace(STUDY);
    let dry = workspace.run(&["release", "study.toml", "--dry-run"]).succeeds();
    assert!(
        dry.stdout.contains("ill") && dry.stdout.contains("Nothing was charged"),
        "{}",
        dry.stdout
    );
    let said = workspace.run(&["release", "study.toml", "--out", "out"]).succeeds();
    assert!(
        said.stdout.contains("jobs.json") && said.stdout.contains("'t' pays"),
        "{}",
        said.stdout
    );
    assert_eq!(charges(&workspace), 1);
    assert_eq!(
        workspace.written(),
        [
            "ill.html",
            "ill.json",
            "index.json",
            "jobs.html",
            "jobs.json",
            "old.html",
            "old.json",
            "report.html"
        ]
        .map(|name| format!("out/{name}"))
    );
    let index = workspace.json("out/index.json");
    let of = |key: &str| -> Vec<Value> {
        index["releases"].as_array().unwrap().iter().map(|one| one[key].clone()).collect()
    };
    assert_eq!(of("name"), ["ill", "old", "jobs"]);
    assert_eq!(of("share"), [0.5, 0.25, 0.25]);
    // With a δ the exact price of all together leaves more for each than its share.
    let epsilon: f64 = of("budget").iter().map(|one| one["epsilon"].as_f64().unwrap()).sum();
    assert!((1.0..2.0).contains(&epsilon), "{epsilon}");
    let (ill, old) = (workspace.json("out/ill.json"), workspace.json("out/old.json"));
    for model in [&ill, &old] {
        assert_eq!(model["ledger"]["charge"], index["ledger"]["charge"]);
    }
    // No outcome is a feature of the other model.
    let columns = |model: &Value| model["coefficients"].to_string();
    assert!(!columns(&ill).contains("\"age\"") && !columns(&old).contains("\"y\""));
    assert!(columns(&old).contains("gain"));
    // What was paid for is had again for nothing, wherever it goes.
    let again = workspace.run(&["release", "study.toml", "--out", "copy", "--reuse"]).succeeds();
    assert!(again.stdout.contains("nothing was charged"), "{}", again.stdout);
    for name in ["ill.json", "old.json", "jobs.json"] {
        assert_eq!(workspace.read(&format!("out/{name}")), workspace.read(&format!("copy/{name}")));
    }
    workspace
        .run(&["release", "study.toml", "--out", "more"])
        .fails(1, "")
        .says("has paid for this very job")
        .says("--reuse");
    assert_eq!(charges(&workspace), 1);
    // The parts are ordinary files.
    workspace.run(&["predict", "out/ill.json", "t.csv", "--out", "p.csv"]).succeeds();
    workspace.run(&["report", "out/old.json"]).succeeds();
}

/// All together are within what the study spends, as an account adds them up.
#[test]
fn together_they_cost_what_the_study_spends() {
    let budgets = [("", "epsilon"), ("delta = 1e-6\n", "epsilon")];
    for (delta, _) in budgets {
        let study = STUDY.replace(
            "[spend]\nepsilon = 1.0\ndelta = 1e-6\n",
            &format!("[spend]\nepsilon = 1.0\n{delta}"),
        );
        let cap = study.replace(
            "[budget]\nepsilon = 3.0\ndelta = 1e-5\n",
            &format!("[budget]\nepsilon = 1.0\n{delta}"),
        );
        let workspace = workspace(&cap);
        workspace.run(&["release", "study.toml", "--out", "out"]).succeeds();
        assert_eq!(charges(&workspace), 1);
    }
}

#[test]
fn a_crash_in_the_middle_leaves_what_was_paid_for_and_reuse_finishes() {
    // Behind the charge, in the middle, and between the ledger and the file.
    for step in ["release: charged", "fit: computed", "release: kept", "release: written"] {
        let workspace = workspace(STUDY);
        let crashed = workspace
            .command(&["release", "study.toml", "--out", "out"])
            .env("DISCRETION_ABORT_AT", step)
            .output()
            .unwrap();
        assert!(!crashed.status.success(), "{step}");
        assert_eq!(charges(&workspace), 1, "{step}");
        let left: Vec<(String, String)> = workspace
            .written()
            .into_iter()
            .filter(|name| name.ends_with(".json"))
            .map(|name| (name.clone(), workspace.read(&name)))
            .collect();
        assert_eq!(left.len(), usize::from(step == "release: written"), "{step}");
        workspace.run(&["release", "study.toml", "--out", "out", "--reuse"]).succeeds();
        assert_eq!(charges(&workspace), 1, "{step}");
        for (name, text) in left {
            assert_eq!(workspace.read(&name), text, "{step}: {name}");
        }
        assert_eq!(workspace.json("out/index.json")["releases"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn other_rows_go_on_with_nothing() {
    let workspace = workspace(STUDY);
    workspace.run(&["release", "study.toml", "--out", "out"]).succeeds();
    workspace.write("t.csv", table().replacen("clerk", "nurse", 1));
    workspace
        .run(&["release", "study.toml", "--out", "more", "--reuse"])
        .fails(1, "")
        .says("the table is not the one that these releases were paid for on");
    assert_eq!(charges(&workspace), 1);
}

#[test]
fn mistakes_are_told_before_anything_is_read() {
    for (from, to, said) in [
        ("name = \"old\"", "name = \"ill\"", "two releases are called `ill`"),
        ("name = \"old\"", "name = \"../x\"", "cannot be a file's name"),
        ("share = 0.5", "share = 1.0", "the shares of all releases"),
        ("share = 0.5", "share = 1.5", "share"),
        ("lambda = 0.05", "lamda = 0.05", "did you mean `lambda`"),
        ("kind = \"density\"", "kind = \"densities\"", "did you mean `density`"),
        ("columns = [\"job\", \"gain\"]", "columns = [\"jobs\"]", "jobs"),
        ("target = \"y\"", "", "target"),
    ] {
        assert!(STUDY.contains(from));
        let workspace = workspace(&STUDY.replace(from, to));
        std::fs::remove_file(workspace.path("t.csv")).unwrap();
        let refused = workspace.run(&["release", "study.toml", "--out", "out"]);
        assert!(refused.code == 2 && refused.stderr.contains(said), "{to}: {}", refused.stderr);
    }
    let workspace = workspace(STUDY);
    workspace.run(&["fit", "study.toml"]).fails(2, "study.toml:").says("`discretion release`");
}

#[test]
fn what_is_planned_and_checked_is_each_release() {
    let workspace = workspace(STUDY);
    let plan = workspace.run(&["plan", "study.toml", "--rows", "400"]).succeeds();
    assert!(plan.stdout.contains("ill") && plan.stdout.contains("50.00 %"), "{}", plan.stdout);
    workspace.run(&["plan", "study.toml"]).fails(2, "").says("--rows");
    let check = workspace.run(&["check", "study.toml"]).succeeds();
    assert!(check.stdout.contains("Release old:"), "{}", check.stdout);
    assert_eq!(workspace.written(), [""; 0]);
}

/// One of each needs no name.
#[test]
fn a_model_and_a_density_of_one_study() {
    let study =
        crate::workspace::STUDY.to_owned() + "\n[density]\ncolumns = [\"job\"]\nshare = 0.2\n";
    let workspace = workspace(&study);
    workspace.run(&["release", "study.toml", "--out", "out", "--seed", "7"]).succeeds();
    let index = workspace.json("out/seeded-index.json");
    assert!(index["NOT PRIVATE"].is_string() && index["private"] == false);
    assert_eq!(index["releases"][0]["name"], "model");
    assert_eq!(index["releases"][1]["budget"]["epsilon"], 0.2);
    assert!(workspace.read("out/seeded-report.html").contains("NOT PRIVATE"));
    // `fit` and `density` take the same file, and the whole budget.
    workspace.run(&["fit", "study.toml", "--out", "fit", "--seed", "7"]).succeeds();
}

#[test]
fn persons_get_one_promise_for_all_releases() {
    let study = STUDY.replace("account = \"t\"\n", "account = \"t\"\nperson = \"id\"\n");
    let workspace = workspace(&study);
    let mut text = "id,age,gain,job,note,y\n".to_owned();
    for i in 0..900 {
        let (age, job) = (i * 7 % 100, ["clerk", "nurse"][i % 2]);
        let label = if age + 30 * (i % 3) > 70 { "yes" } else { "no" };
        text += &format!("p{},{age},{},{job},,{label}\n", i % 400, i * i % 1000);
    }
    workspace.write("t.csv", text);
    workspace.run(&["release", "study.toml", "--out", "out"]).succeeds();
    assert_eq!(charges(&workspace), 1);
    let index = workspace.json("out/index.json");
    assert_eq!(index["unit"], "person");
    for name in ["ill", "old", "jobs"] {
        let file = workspace.json(&format!("out/{name}.json"));
        assert_eq!(file["privacy"]["unit"], "person", "{name}");
    }
    assert!(workspace.read("out/report.html").contains("the same persons"));
}
