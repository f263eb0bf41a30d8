//! Indicator columns that are declared as one category: check, fit and predict.

use crate::workspace::{STUDY, Workspace};

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let job = "job  = { values = [\"clerk\", \"nurse\"] }";
    assert!(STUDY.contains(job), "{STUDY}");
    workspace.write("study.toml", STUDY.replace(job, "job  = { one_of = [\"clerk\", \"nurse\"] }"));
    let mut table = "age,gain,clerk,note,nurse,y\n".to_owned();
    for i in 0..2000 {
        let (clerk, nurse) = [(1, 0), (0, 1), (0, 1), (0, 1), (1, 1), (0, 0)][i % 6];
        let y = if (i % 100) + 30 * nurse > 60 { "yes" } else { "no" };
        table += &format!("{},{},{clerk},-,{nurse},{y}\n", i % 100, i % 7);
    }
    workspace.write("t.csv", &table);
    workspace
}

#[test]
fn indicators_are_checked_fitted_and_predicted_from_as_one_column() {
    let workspace = workspace();
    let check = workspace.run(&["check", "study.toml", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&check.stdout).expect(&check.stdout);
    let job = report["columns"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (job["name"].as_str(), job["other"].as_u64(), job["missing"].as_u64()),
        (Some("job"), Some(333), Some(333))
    );
    let text = workspace.run(&["check", "study.toml"]).stdout;
    assert!(
        text.contains("333 with several 1s (\"other\"), 333 without a 1 of 2,000 values"),
        "{text}"
    );

    workspace.run(&["fit", "study.toml", "--out", "out", "--epsilon", "3"]).succeeds();
    let model = workspace.json("out/model.json");
    let names: Vec<&str> = model["coefficients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[3..], ["job=clerk", "job=nurse"]);
    workspace.run(&["predict", "out/model.json", "t.csv", "--out", "predicted.csv"]).succeeds();
    let absent = workspace.read("t.csv").replace("clerk", "porter");
    workspace.write("other.csv", &absent);
    let refused =
        workspace.run(&["predict", "out/model.json", "other.csv", "--out", "predicted2.csv"]);
    assert!(refused.code != 0 && refused.stderr.contains("`clerk`"), "{}", refused.stderr);
}
