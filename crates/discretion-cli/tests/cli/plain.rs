//! `fit --not-private`: ordinary regression, or a refusal that names columns.

use crate::number::coefficient;
use crate::workspace::{Workspace, table};
use serde_json::Value;

fn fitted(workspace: &Workspace, flags: &[&str]) -> (Value, String) {
    let all = ["fit", "study.toml", "--not-private", "--out", "out", "--force", "--verbose"];
    let run = workspace.run(&[&all[..], flags].concat()).succeeds();
    (workspace.json("out/not-private-model.json"), run.stdout + &run.stderr)
}

#[test]
fn there_is_no_penalty_unless_it_is_kept() {
    let workspace = Workspace::new();
    let (model, said) = fitted(&workspace, &[]);
    assert_eq!(model["training"]["lambda"], 0.0);
    assert_eq!(model["training"]["lambda_from"], "none");
    // Errors come without being asked for.
    assert!(model["intervals"]["covers"].as_str().unwrap().contains("HC0"), "{model}");
    assert!(said.contains("the intercept is for job not declared"), "{said}");
    workspace.run(&["report", "out/not-private-model.json", "--level", "0.5"]).succeeds();

    let (kept, said) = fitted(&workspace, &["--with-lambda"]);
    assert_eq!(kept["training"]["lambda"], 0.01);
    assert!(!kept.to_string().contains("Wald") && !said.contains("note: "), "{said}");
    let size = |model: &Value| coefficient(model, "age")["per_unit"].as_f64().unwrap().abs();
    assert!(size(&kept) < 0.8 * size(&model), "{kept}");
    let alone = workspace.run(&["fit", "study.toml", "--with-lambda"]);
    assert!(alone.code == 2 && alone.stderr.contains("--not-private"), "{}", alone.stderr);
}

#[test]
fn a_column_that_always_has_a_declared_value_has_a_reference() {
    let declared = "[\"clerk\", \"nurse\", \"pilot, retired\"]";
    let workspace = Workspace::with_study("[\"clerk\", \"nurse\"]", declared);
    workspace.write("t.csv", table().replace(",,\"a note", ",clerk,\"a note"));
    let (model, said) = fitted(&workspace, &[]);
    let clerk = coefficient(&model, "job=clerk");
    assert_eq!((&clerk["encoded"], &clerk["interval"]["p_value"]), (&0.0.into(), &1.0.into()));
    assert!(said.contains("the intercept is for job=clerk"), "{said}");
    assert!(coefficient(&model, "job=nurse")["effect"]["interval"]["p_value"].as_f64() < Some(1.0));
}

#[test]
fn rows_without_a_finite_or_unique_fit_are_refused_and_columns_named() {
    let refused = |study: (&str, &str),
                   change: fn(usize, [String; 4]) -> [String; 4],
                   words: &str| {
        let workspace = Workspace::with_study(study.0, study.1);
        let mut text = "age,gain,job,note,y\n".to_owned();
        for i in 0..300 {
            let (age, job) = (i * 7 % 101, ["clerk", "nurse", "pilot"][i % 3]);
            let y = if age + i * 13 % 90 > 90 { "yes" } else { "no" };
            let usual = [age.to_string(), (i * i % 900).to_string(), job.to_owned(), y.to_owned()];
            let [age, gain, job, y] = change(i, usual);
            text += &format!("{age},{gain},{job},,{y}\n");
        }
        workspace.write("t.csv", text);
        let run = workspace.run(&["fit", "study.toml", "--not-private", "--accept-check"]);
        assert_eq!(run.code, 2, "{words}: {}{}", run.stdout, run.stderr);
        for words in ["there is no fit without a penalty: ", "NOT PRIVATE", "--with-lambda", words]
        {
            assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
        }
        assert!(!workspace.path("study/not-private-model.json").exists());
        let kept = ["fit", "study.toml", "--not-private", "--with-lambda", "--accept-check"];
        workspace.run(&kept).succeeds();
    };
    let same = ("clerk", "clerk");
    refused(
        same,
        |i, [age, gain, job, _]| {
            let y = if i * 7 % 101 > 50 { "yes" } else { "no" };
            [age, gain, job, y.to_owned()]
        },
        "rows are separated by `age`",
    );
    refused(
        same,
        |i, [age, gain, job, y]| {
            let y = if i % 3 == 1 { "yes".to_owned() } else { y };
            [age, gain, job, y]
        },
        "rows are separated by `job=nurse`",
    );
    refused(("\"nurse\"", "\"nurse\", \"cook\""), |_, row| row, "no row has `job=cook`");
    refused(
        same,
        |_, [_, gain, job, y]| ["30".to_owned(), gain, job, y],
        "`age` is the same in every row",
    );
    refused(
        ("scale = \"log\", missing = 30.63858403911275", "missing = 1"),
        |_, [age, _, job, y]| {
            let gain = age.clone() + "0";
            [age, gain, job, y]
        },
        "`gain` is a linear combination of `age`",
    );
}
