//! Rows that do not count: what they change, what is public, and what refuses them.

use crate::workspace::Workspace;
use serde_json::Value;

const STUDY: &str = r#"[data]
path = "t.csv"
account = "stays"
target = "back"
positive = "1"
negative = "0"
missing_outcome = "left out"
where = { sex = "F", age = { min = 40 }, site = ["n", "s"] }

[budget]
epsilon = 99.0

[spend]
epsilon = 2.0

[columns]
age  = { min = 0, max = 100 }
sex  = { values = ["F", "M"] }
site = { drop = true }
patient = { drop = true }

[model]
lambda = 0.05
"#;

const ROWS: usize = 400;

/// A row, and whether it counts: a third of all do, unless a number says that fewer shall.
fn row(i: usize, counting: usize) -> ([String; 4], bool) {
    let age = i * 37 % 101;
    let sex = if i % 5 < counting { "F" } else { "M" };
    let site = ["n", "s", " s", "w"][i % 4];
    let back = match i % 11 {
        10 => "",
        _ if age + 20 * (i % 3) > 70 => "1",
        _ => "0",
    };
    let counts = age >= 40 && sex == "F" && i % 4 != 3 && i % 11 != 10;
    ([age.to_string(), sex.to_owned(), site.to_owned(), back.to_owned()], counts)
}

/// Three rows of each patient in a row of patients, of whom one in eight has none that counts.
fn table(counting: usize, other: impl Fn([String; 4]) -> [String; 4]) -> String {
    let mut text = "age,sex,site,back,patient\n".to_owned();
    for i in 0..ROWS {
        let (fields, counts) = row(i, counting);
        let fields = if counts { fields } else { other(fields) };
        text += &format!("{},{}\n", fields.join(","), i * 7 % (ROWS / 3));
    }
    text
}

fn workspace(study: &str, text: &str) -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", study);
    workspace.write("t.csv", text);
    workspace
}

/// Everything that can look at a row: each kind of noise, each way to λ, intervals, persons.
fn studies() -> Vec<String> {
    let persons = |study: &str| {
        study
            .replace("patient = { drop = true }\n", "")
            .replace("account", "person = \"patient\"\naccount")
    };
    let rho = STUDY.replace("epsilon = 99.0", "rho = 99.0").replace("epsilon = 2.0", "rho = 2.0");
    let chosen = STUDY.replace("lambda = 0.05", "lambda = [0.1, 1]");
    let stopped = format!(
        "{}[tune]\nrule = \"random-stopping\"\n",
        STUDY.replace("lambda = 0.05", "lambda = [0.1, 1]")
    );
    let intervals = format!("{}[intervals]\n", STUDY.replace("epsilon = 2.0", "epsilon = 60.0"));
    let row_norm =
        STUDY.replace("lambda = 0.05", "lambda = 0.05\nnorm = \"row\"\nmethod = \"output\"");
    let of_persons = [STUDY, &stopped, &intervals].map(persons);
    [STUDY.to_owned(), rho, chosen, stopped, intervals, row_norm]
        .into_iter()
        .chain(of_persons)
        .collect()
}

fn without_released(mut model: Value) -> Value {
    for coefficient in model["coefficients"].as_array_mut().unwrap() {
        *coefficient = coefficient["name"].take();
    }
    for released in ["intervals", "evidence", "tuning"] {
        model[released] = Value::Null;
    }
    if model.to_string().contains("chosen") {
        model["training"] = Value::Null;
    }
    model
}

/// Rows outside the cohort may hold anything: not a bit of what is released changes. And how many
/// rows are inside shows nowhere.
#[test]
fn rows_outside_change_nothing_and_how_many_are_inside_shows_nowhere() {
    for study in studies() {
        let fitted = |text: String| {
            let workspace = workspace(&study, &text);
            let dry = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds().stdout;
            workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
            let model = workspace.json("out/seeded-model.json");
            assert_eq!(model["schema"]["cohort"]["known_outcome"], true);
            (dry, model)
        };
        let usual = fitted(table(2, |fields| fields));
        let others = fitted(table(2, |[age, sex, site, back]| match age.len() {
            // Young women, old men, and women of another place, with the other outcome.
            1 => ["3".to_owned(), sex, site, "1".to_owned()],
            _ => [
                "99".to_owned(),
                "M".to_owned(),
                site,
                if back == "1" { "0" } else { "1" }.to_owned(),
            ],
        }));
        assert_eq!(usual, others, "{study}");
        let fewer = fitted(table(1, |fields| fields));
        assert_eq!(
            (&usual.0, without_released(usual.1.clone())),
            (&fewer.0, without_released(fewer.1.clone()))
        );
        assert_ne!(usual.1["coefficients"], fewer.1["coefficients"], "{study}");
    }
}

/// Without noise, a cohort is the table that has it alone, with λ for the mean over all rows; for
/// persons too.
#[test]
fn a_cohort_is_the_table_that_has_it_alone() {
    let whole = "age,sex,site,back,patient\n".to_owned();
    let text = table(2, |fields| fields);
    let inside: Vec<&str> = text
        .lines()
        .skip(1)
        .enumerate()
        .filter(|(i, _)| row(*i, 2).1)
        .map(|(_, line)| line)
        .collect();
    for person in [false, true] {
        let study = if person { studies()[6].clone() } else { STUDY.to_owned() };
        let counted = |lines: &[&str]| match person {
            false => lines.len(),
            true => lines
                .iter()
                .map(|line| line.rsplit(',').next())
                .collect::<std::collections::HashSet<_>>()
                .len(),
        };
        let all: Vec<&str> = text.lines().skip(1).collect();
        let larger = 0.05 * counted(&all) as f64 / counted(&inside) as f64;
        let alone = study
            .replace("where = { sex = \"F\", age = { min = 40 }, site = [\"n\", \"s\"] }\n", "")
            .replace("lambda = 0.05", &format!("lambda = {larger:?}"));
        let fitted = [(&study, text.clone()), (&alone, whole.clone() + &inside.join("\n") + "\n")]
            .map(|(study, text)| {
                let workspace = workspace(study, &text);
                workspace
                    .run(&[
                        "fit",
                        "study.toml",
                        "--not-private",
                        "--with-lambda",
                        "--accept-check",
                        "--out",
                        "out",
                    ])
                    .succeeds();
                let model = workspace.json("out/not-private-model.json");
                let values = model["coefficients"].as_array().unwrap().iter();
                values.map(|entry| entry["encoded"].as_f64().unwrap()).collect::<Vec<f64>>()
            });
        for (one, other) in fitted[0].iter().zip(&fitted[1]) {
            assert!((one - other).abs() < 1e-6, "person {person}: {fitted:?}");
        }
        assert!(fitted[0].iter().any(|value| value.abs() > 0.1), "{fitted:?}");
    }
}

#[test]
fn check_and_model_say_which_rows_count_and_check_alone_how_many() {
    let workspace = workspace(STUDY, &table(2, |fields| fields));
    let inside = (0..ROWS).filter(|&i| row(i, 2).1).count();
    let said = workspace.run(&["check", "study.toml"]).succeeds().stdout;
    assert!(said.contains(&format!("{inside} of 400 rows are in the cohort")), "{said}");
    let run = workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    assert!(run.stdout.contains("rows          400\n"), "{}", run.stdout);
    let words = "sex is F and age is at least 40 and site is n or s and the outcome is known";
    assert!(run.stdout.contains(&format!("where         {words}\n")), "{}", run.stdout);
    let page = workspace.read("out/report.html");
    assert!(page.contains(&format!("only rows where {words} were learned from")), "{page}");
    // The model is asked about anybody.
    workspace.write("new.csv", "age,sex,site\n20,M,w\n");
    workspace.run(&["predict", "out/model.json", "new.csv", "--out", "p.csv"]).succeeds();
}

#[test]
fn what_cannot_leave_rows_out_refuses_before_anything_is_read() {
    let says = |study: &str, command: &[&str], start: &str| {
        let workspace = Workspace::empty();
        workspace.write("study.toml", study);
        workspace.run(command).fails(2, "").says(start);
    };
    let fit = ["fit", "study.toml", "--out", "out"];
    let takes = "counts every row the same, and this study leaves rows out or weighs them";
    says(STUDY, &["density", "study.toml", "--column", "age", "--out", "d"], takes);
    says(&format!("{STUDY}[evaluate]\nshare = 0.3\n"), &fit, takes);
    says(
        &format!("{STUDY}[vote]\nqueries = 9\n"),
        &["answer", "study.toml", "--queries", "q.csv", "--out", "a.csv"],
        takes,
    );
    let number = STUDY
        .replace("positive = \"1\"\nnegative = \"0\"\n", "")
        .replace("target = \"back\"", "outcome = { column = \"back\", min = 0, max = 1 }");
    assert!(number.contains("outcome = {"));
    says(&number, &fit, takes);
    let wrong = |from: &str, to: &str, start: &str| says(&STUDY.replace(from, to), &fit, start);
    wrong(
        "sex = \"F\"",
        "sexx = \"F\"",
        "`where` names column `sexx`, which [columns] does not declare",
    );
    wrong("sex = \"F\"", "sex = \"f\"", "\"f\" is none of the values that column `sex` declares");
    wrong("sex = \"F\"", "sex = { min = 1 }", "column `sex` has values");
    wrong("min = 40 }", "min = 400 }", "no row can meet \"age is at least 400\"");
    wrong("min = 40 }", "min = 40, max = 30 }", "no row can meet \"age is from 40 to 30\"");
    wrong("age = { min = 40 }", "age = \"40\"", "column `age` has numbers; give bounds");
    wrong("age = { min = 40 }", "age = { }", "the key `min` is missing");
    wrong("sex = \"F\"", "back = \"1\"", "`where` names \"back\", which is the outcome");
    wrong("\"left out\"", "\"ignored\"", "missing_outcome");
}

/// A row counts as its part of the largest weight: with all weights at it, or beyond it, the model
/// is that without weights.
#[test]
fn weights_are_parts_of_the_largest_that_was_declared() {
    let plain = STUDY
        .replace("where = { sex = \"F\", age = { min = 40 }, site = [\"n\", \"s\"] }\n", "")
        .replace("patient = { drop = true }\n", "");
    let weighed = plain.replace("account", "weight = { column = \"patient\", max = 0.5 }\naccount");
    let intervals = weighed.replace("epsilon = 2.0", "epsilon = 60.0") + "[intervals]\n";
    let dropped = plain.replace("[model]", "patient = { drop = true }\n[model]");
    let fitted = |study: &str, weight: fn(usize) -> &'static str| {
        let mut text = "age,sex,site,back,patient\n".to_owned();
        for i in 0..ROWS {
            text += &format!("{},{}\n", row(i, 2).0.join(","), weight(i));
        }
        let workspace = workspace(study, &text);
        let fit = ["fit", "study.toml", "--seed", "7", "--accept-check", "--out", "out"];
        let said = workspace.run(&fit).succeeds().stdout;
        (said, workspace.json("out/seeded-model.json"))
    };
    let values = |model: &Value| -> Vec<f64> {
        model["coefficients"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["encoded"].as_f64().unwrap())
            .collect()
    };
    let (said, most) = fitted(&weighed, |i| if i % 2 == 0 { "0.5" } else { "7" });
    assert!(said.contains("weighed       by patient, as parts of 0.5\n"), "{said}");
    let (_, without) = fitted(&dropped, |_| "1");
    for (one, other) in values(&most).iter().zip(values(&without)) {
        assert!((one - other).abs() < 1e-6, "{most} {without}");
    }
    let (_, uneven) = fitted(&weighed, |i| if i % 3 == 0 { "0.5" } else { "0.1" });
    assert_ne!(values(&most), values(&uneven));
    assert_eq!(without_released(most), without_released(uneven), "weights show nowhere");
    // What weighs nothing may be anything.
    let (_, one) = fitted(&intervals, |i| if i % 3 == 0 { "0.5" } else { "0" });
    assert!(one["intervals"].to_string().contains("level"), "{one}");
    let refused = |study: String, start: &str| {
        let workspace = Workspace::empty();
        workspace.write("study.toml", study);
        workspace.run(&["fit", "study.toml", "--out", "out"]).fails(2, "").says(start);
    };
    refused(
        weighed.replace("lambda = 0.05", "lambda = [0.1, 1]"),
        "lambda cannot be chosen from a list where rows have weights",
    );
    refused(weighed.replace("max = 0.5", "max = 0"), "a number above 0");
    refused(weighed.replace("column = \"patient\"", "column = \"age\""), "a weight is no feature");
}
