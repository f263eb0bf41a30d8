//! `discretion export`: coefficients as CSV and LaTeX, and a file of ONNX (which onnxruntime opens
//! in tests/peer).

use crate::outcomes;
use crate::workspace::{STUDY, Workspace};
use serde_json::Value;

/// A model with intervals: enough budget for them from 400 rows.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let study =
        STUDY.replace("epsilon = 3.0", "epsilon = 500").replace("epsilon = 1.0", "epsilon = 100");
    workspace.write("study.toml", format!("{study}\n[intervals]\nlevel = 0.9\n"));
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    workspace
}

/// The lines of a CSV file as fields by their names; no field here has a comma in it.
fn rows(csv: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut lines = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let heading = lines.next().unwrap();
    lines
        .map(|fields| {
            assert_eq!(fields.len(), heading.len(), "{fields:?}");
            heading.iter().cloned().zip(fields).collect()
        })
        .collect()
}

#[test]
fn csv_has_every_digit_of_the_model() {
    let workspace = workspace();
    let model = workspace.json("out/model.json");
    let csv = workspace.run(&["export", "out/model.json", "--format", "csv"]).succeeds().stdout;
    let rows = rows(&csv);
    let coefficients = model["coefficients"].as_array().unwrap();
    assert_eq!(rows.len(), coefficients.len());
    for (row, coefficient) in rows.iter().zip(coefficients) {
        let same = |field: &str, value: &Value| {
            let shown = value.as_f64().map(|x| x.to_string()).unwrap_or_default();
            assert_eq!(row[field], shown, "{field} of {}", row["name"]);
        };
        assert_eq!(row["name"], coefficient["name"].as_str().unwrap());
        same("encoded", &coefficient["encoded"]);
        same("per_unit", &coefficient["per_unit"]);
        // A category beside the first of its column, which itself says nothing; a number in its own
        // unit.
        let (estimate, interval) = match row["name"].as_str() {
            "job=clerk" => (&Value::Null, &Value::Null),
            "job=nurse" => {
                (&coefficient["effect"]["interval"]["estimate"], &coefficient["effect"]["interval"])
            }
            _ => (&coefficient["per_unit_interval"]["estimate"], &coefficient["per_unit_interval"]),
        };
        same("estimate", estimate);
        for end in [
            "lower",
            "upper",
            "p_value",
            "sampling_deviation",
            "privacy_deviation",
            "matrices_deviation",
        ] {
            same(end, &interval[end]);
        }
        let [sampling, privacy] =
            ["sampling_deviation", "privacy_deviation"].map(|part| interval[part].as_f64());
        let both = sampling.zip(privacy).map(|(sampling, privacy)| sampling.hypot(privacy));
        same("deviation", &both.map_or(Value::Null, Value::from));
        let odds =
            if row["name"] == "(intercept)" { None } else { estimate.as_f64().map(f64::exp) };
        assert_eq!(row["odds_ratio"], odds.map(|x| x.to_string()).unwrap_or_default());
        assert_eq!(row["level"], if interval.is_null() { "" } else { "0.9" });
    }
    assert_eq!(rows[4]["compared_with"], "clerk");
    let wider = workspace
        .run(&["export", "out/model.json", "--format", "csv", "--level", "0.99"])
        .succeeds();
    let (narrow, wide) = (&rows[1], &self::rows(&wider.stdout)[1]);
    assert_eq!(wide["level"], "0.99");
    assert!(wide["lower"].parse::<f64>().unwrap() < narrow["lower"].parse::<f64>().unwrap());
}

#[test]
fn latex_is_a_table_with_what_a_reader_has_to_know() {
    let workspace = workspace();
    workspace.run(&["export", "out/model.json", "--out", "table.tex"]).succeeds();
    let table = workspace.read("table.tex");
    assert!(
        table.contains("\\begin{tabular}{lrrrrr}") && table.ends_with("\\end{tabular}\n"),
        "{table}"
    );
    for words in [
        " & per unit & $90$\\,\\% interval & odds ratio & $90$\\,\\% interval & $p$ \\\\",
        "job, compared with clerk",
        "\\quad nurse & $",
        "gain as ln(1 + gain) & $",
        "$400$ rows; $\\varepsilon = 100$-differentially private for one row replaced",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    // As many cells in every line as there are columns.
    for line in table.lines().filter(|line| line.ends_with("\\\\") && !line.contains("multicolumn"))
    {
        assert_eq!(line.matches(" & ").count(), 5, "{line}");
    }
    assert!(!table.contains('−') && !table.contains('ε') && !table.contains('\u{a0}'), "{table}");
}

#[test]
fn names_and_many_rows_are_no_trouble_for_latex() {
    let values: Vec<String> = (0..60).map(|i| format!("\"50%_{i} & <x>\"")).collect();
    let study = STUDY.replace("[\"clerk\", \"nurse\"]", &format!("[{}]", values.join(", ")));
    let workspace = Workspace::new();
    workspace.write("study.toml", study);
    workspace.run(&["fit", "study.toml", "--out", "out", "--accept-check"]).succeeds();
    let table = workspace.run(&["export", "out/model.json", "--format", "latex"]).succeeds().stdout;
    assert!(table.contains("% Needs \\usepackage{longtable}.\n\\begin{longtable}{lrr}"), "{table}");
    assert!(table.contains("\\quad 50\\%\\_7 \\& $<$x$>$ & $"), "{table}");
    let csv = workspace.run(&["export", "out/model.json", "--format", "csv"]).succeeds().stdout;
    assert_eq!(csv.lines().count(), 1 + 3 + 60);
}

#[test]
fn what_is_not_private_says_so_in_every_format() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out", "--not-private"]).succeeds();
    let model = "out/not-private-model.json";
    let csv = workspace.run(&["export", model, "--format", "csv"]).succeeds();
    assert!(
        csv.stderr.contains("NOT PRIVATE") && csv.stdout.contains("estimate NOT PRIVATE,"),
        "{}",
        csv.stdout
    );
    let latex = workspace.run(&["export", model, "--format", "latex"]).succeeds();
    assert!(latex.stdout.starts_with("% NOT PRIVATE: ") && latex.stdout.contains("; not private;"));
    workspace.run(&["export", model, "--out", "model.onnx"]).succeeds().says("NOT PRIVATE");
    let onnx = std::fs::read(workspace.path("model.onnx")).unwrap();
    assert!(onnx.windows(11).any(|bytes| bytes == b"NOT PRIVATE"));
}

#[test]
fn files_are_not_overwritten_and_formats_are_asked_for() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let export = |more: &[&str]| workspace.run(&[&["export", "out/model.json"], more].concat());
    export(&[]).fails(2, "say what to write: --format csv, latex or onnx");
    export(&["--out", "table.txt"]).fails(2, "say what to write");
    export(&["--format", "onnx"])
        .fails(2, "a file of ONNX is not for reading")
        .says("--out model.onnx");
    export(&["--level", "0.9", "--format", "csv"])
        .fails(2, "out/model.json: this model has no intervals");
    export(&["--out", "a.csv"]).succeeds();
    export(&["--out", "a.csv"]).fails(1, "a.csv: this file exists already");
    export(&["--out", "a.csv", "--force"]).succeeds();
    export(&["--out", "out/model.json", "--format", "csv", "--force"])
        .fails(2, "out/model.json: this run reads");
    assert_eq!(workspace.written(), ["a.csv", "out/model.json", "out/report.html"]);
}

const NUMBERS: &str = r#"[data]
path = "t.csv"
account = "t"
outcome = [{ column = "days", min = 0, max = 60 }, { column = "cost", min = 1, max = 900, scale = "log" }]
[budget]
epsilon = 90
[spend]
epsilon = 40
[columns]
age  = { min = 0, max = 100 }
ward = { values = ["A", "B"] }
"#;

fn numbers(study: &str) -> Workspace {
    let workspace = outcomes::workspace(study);
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    workspace
}

/// Every outcome with its intervals, in its own unit or in that of its logarithm.
#[test]
fn models_of_numbers_are_tables_and_files_too() {
    let workspace = numbers(NUMBERS);
    let model = workspace.json("out/model.json");
    let csv = workspace.run(&["export", "out/model.json", "--format", "csv"]).succeeds().stdout;
    let lines = rows(&csv);
    assert_eq!(lines.len(), 8);
    for (line, (outcome, coefficient)) in lines.iter().zip(
        [("days", &model["coefficients"]), ("cost", &model["others"][0]["coefficients"])]
            .into_iter()
            .flat_map(|(outcome, all)| {
                all.as_array().unwrap().iter().map(move |one| (outcome, one))
            }),
    ) {
        assert_eq!(
            (&*line["outcome"], &*line["name"]),
            (outcome, coefficient["name"].as_str().unwrap())
        );
        assert_eq!(line["per_unit"], coefficient["per_unit"].as_f64().unwrap().to_string());
        let interval = match line["name"].as_str() {
            "ward=A" => &Value::Null,
            "ward=B" => &coefficient["effect"]["interval"],
            _ => &coefficient["per_unit_interval"],
        };
        for end in ["lower", "upper", "p_value", "estimate"] {
            let shown = interval[end].as_f64().map(|x| x.to_string()).unwrap_or_default();
            assert_eq!(line[end], shown, "{end} of {}", line["name"]);
        }
        assert_eq!(line["odds_ratio"], "");
    }
    let table = workspace
        .run(&["export", "out/model.json", "--format", "latex", "--level", "0.8"])
        .succeeds();
    for words in [
        " & per unit & $80$\\,\\% interval & $p$ \\\\",
        "{\\textit{days}}",
        "{\\textit{ln(1 + cost - 1)}}",
        "ward, compared with A",
        "$3{,}000$ rows; $\\varepsilon = 40$-differentially private for one row replaced; $R^{2}$ of days is ",
    ] {
        assert!(table.stdout.contains(words), "{words}: {}", table.stdout);
    }
    workspace.run(&["export", "out/model.json", "--out", "model.onnx"]).succeeds();
    let onnx = std::fs::read(workspace.path("model.onnx")).unwrap();
    for name in ["prediction_days", "lower_days", "upper_cost"] {
        assert!(onnx.windows(name.len()).any(|bytes| bytes == name.as_bytes()), "{name}");
    }
}

#[test]
fn models_by_huber_s_loss_are_exported_without_intervals() {
    let one = "{ column = \"days\", min = 0, max = 60 }";
    let study = NUMBERS.replace("[columns]", "[columns]\ncost = { drop = true }");
    let line = study.lines().find(|line| line.starts_with("outcome")).unwrap().to_owned();
    let workspace = numbers(
        &(study.replace(&line, &format!("outcome = {one}")) + "[model]\nloss = \"huber\"\n"),
    );
    let export = |more: &[&str]| workspace.run(&[&["export", "out/model.json"], more].concat());
    let csv = export(&["--format", "csv"]).succeeds().stdout;
    assert!(
        rows(&csv).iter().all(|line| line["lower"].is_empty() && !line.contains_key("outcome")),
        "{csv}"
    );
    assert!(export(&["--format", "latex"]).succeeds().stdout.contains("\\begin{tabular}{lr}"));
    export(&["--out", "model.onnx"]).succeeds();
    export(&["--format", "csv", "--level", "0.9"])
        .fails(2, "out/model.json: this model has no intervals")
        .says("squares");
}
