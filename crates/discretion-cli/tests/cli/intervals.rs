//! Confidence intervals and the report.

use crate::workspace::{STUDY, Workspace};
use serde_json::Value;

/// Enough budget for intervals from 400 rows.
fn with_intervals(settings: &str) -> Workspace {
    let workspace = Workspace::new();
    let study =
        STUDY.replace("epsilon = 3.0", "epsilon = 500").replace("epsilon = 1.0", "epsilon = 100");
    workspace.write("study.toml", format!("{study}\n[intervals]\n{settings}\n"));
    workspace
}

fn entries(model: &Value) -> &Vec<Value> {
    model["coefficients"].as_array().unwrap()
}

#[test]
fn every_coefficient_has_an_interval_on_both_scales() {
    let workspace = with_intervals("level = 0.9");
    let run = workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds();
    assert!(
        run.stdout.contains("90 %, for the coefficients of the ordinary regression"),
        "{}",
        run.stdout
    );
    let model = workspace.json("out/model.json");
    assert_eq!(model["intervals"]["level"], 0.9);
    assert!(model["intervals"]["all_at_once"].as_f64().unwrap() >= 1.0);
    for entry in entries(&model) {
        for interval in ["interval", "per_unit_interval"] {
            let [low, middle, high] =
                ["lower", "estimate", "upper"].map(|part| entry[interval][part].as_f64().unwrap());
            assert!(
                (0.5 * (low + high) - middle).abs() < 1e-9 * (1.0 + middle.abs()) && low < high,
                "{entry}"
            );
        }
    }
    // The second category is compared with the first, which is compared with nothing.
    let nurse = entries(&model).iter().find(|entry| entry["name"] == "job=nurse").unwrap();
    assert_eq!(nurse["effect"]["against"], "clerk");
    let clerk = entries(&model).iter().find(|entry| entry["name"] == "job=clerk").unwrap();
    assert!(clerk.get("effect").is_none());
    let difference = nurse["per_unit"].as_f64().unwrap() - clerk["per_unit"].as_f64().unwrap();
    assert!((nurse["effect"]["value"].as_f64().unwrap() - difference).abs() < 1e-9);
}

/// The terminal, the table for other programs and the page show the numbers of the file: the same
/// effects, the same p-values, the same number of coefficients.
#[test]
fn there_is_one_truth() {
    let workspace = with_intervals("level = 0.9");
    let terminal =
        workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds().stdout;
    let csv = workspace.run(&["export", "out/model.json", "--format", "csv"]).succeeds().stdout;
    let page = workspace.read("out/report.html").replace('\u{2212}', "-");
    let model = workspace.json("out/model.json");
    let count = entries(&model).len();
    assert_eq!(model["training"]["dimension"], count);
    assert!(terminal.contains(&format!("coefficients  {count}\n")), "{terminal}");
    assert!(page.contains(&format!("{count} with the intercept")));
    assert_eq!(csv.lines().count(), count + 1);
    let mut compared = 0;
    for (entry, csv) in entries(&model).iter().zip(csv.lines().skip(1)) {
        // What the file says of a category that others are compared with is shown nowhere.
        let interval = match (
            &entry["effect"]["against"],
            &entry["effect"],
            entry["name"].as_str().unwrap(),
        ) {
            (Value::String(_), ..) => &entry["effect"]["interval"],
            (_, Value::Null, name) if name != "(intercept)" => continue,
            _ => &entry["per_unit_interval"],
        };
        let [estimate, lower, upper, p] =
            ["estimate", "lower", "upper", "p_value"].map(|key| interval[key].as_f64().unwrap());
        let of = entry["of"].as_str().unwrap();
        let line = terminal.lines().find(|line| line.starts_with(&format!("{of} ")));
        let line = line.unwrap_or_else(|| panic!("{of} is not in {terminal}"));
        let shown_p = if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") };
        assert!(
            line.contains(&format!("{estimate:.4}")) && line.trim_end().ends_with(&shown_p),
            "{line}: {p}"
        );
        for number in [estimate, lower, upper, p] {
            assert!(
                csv.split(',').any(|field| field == number.to_string()),
                "{number} is not in {csv}"
            );
        }
        let shown_p = if p < 0.001 { "&lt;0.001".to_owned() } else { format!("{p:.3}") };
        let place =
            entry["name"].as_str().unwrap().rsplit('=').next().unwrap().trim_matches(['(', ')']);
        let row = page
            .split("<tr")
            .find(|row| row.contains("<th scope=\"row\"") && row.contains(&format!(">{place}<")));
        let row = row.unwrap_or_else(|| panic!("{place} has no row on the page"));
        assert!(row.contains(&format!("<td>{shown_p}</td>")), "{place}: {p} in {row}");
        compared += 1;
    }
    assert!(compared >= 4, "{compared}");
}

/// Without noise the intervals are those of ordinary regression, and the file says what they are.
#[test]
fn the_custodian_can_compare_with_intervals_without_noise() {
    let workspace = with_intervals("level = 0.9");
    workspace.run(&["fit", "study.toml", "--not-private", "--out", "out"]).succeeds();
    let model = workspace.json("out/not-private-model.json");
    assert!(model["intervals"]["covers"].as_str().unwrap().contains("Wald intervals"), "{model}");
    for entry in entries(&model) {
        let interval = &entry["interval"];
        let [lower, upper, deviation] =
            ["lower", "upper", "sampling_deviation"].map(|key| interval[key].as_f64().unwrap());
        assert_eq!(interval["privacy_deviation"], 0.0);
        // The 95 % quantile of a normal variable, on both sides.
        assert!(
            (upper - lower - 2.0 * 1.644_853_627 * deviation).abs() < 1e-6 * deviation,
            "{entry}"
        );
    }
    assert!(workspace.read("out/not-private-report.html").contains("NOT PRIVATE"));
}

/// In every unit, of the intercept too, an interval leaves out 0 where its p-value says so.
#[test]
fn intervals_and_p_values_are_about_the_same_number() {
    let workspace = with_intervals("");
    workspace.run(&["fit", "study.toml", "--seed", "5", "--out", "out"]).succeeds();
    let model = workspace.json("out/seeded-model.json");
    for entry in entries(&model) {
        let of_effect = &entry["effect"]["interval"];
        for interval in [&entry["interval"], &entry["per_unit_interval"], of_effect] {
            let [lower, upper, p] = ["lower", "upper", "p_value"].map(|key| interval[key].as_f64());
            let Some(p) = p else { continue };
            assert_eq!(p < 0.05, lower > Some(0.0) || upper < Some(0.0), "{entry}");
        }
    }
}

#[test]
fn a_report_is_made_again_from_the_model_file_alone() {
    let workspace = with_intervals("");
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let page = workspace.read("out/report.html");
    std::fs::rename(workspace.path("out/report.html"), workspace.path("first.html")).unwrap();
    assert_eq!(workspace.run(&["report", "out/model.json"]).succeeds().stdout, "out/report.html\n");
    // All but the ledger's place, which a model file does not know.
    assert_eq!(workspace.read("out/report.html"), page);

    workspace.run(&["report", "out/model.json", "--level", "0.5", "--out", "half.html"]).succeeds();
    assert!(workspace.read("half.html").contains("50\u{a0}% interval"));
    workspace
        .run(&["report", "out/model.json", "--out", "half.html"])
        .fails(1, "half.html: ")
        .says("--force");
    workspace
        .run(&["report", "out/model.json", "--level", "1", "--out", "x.html"])
        .fails(2, "--level: ");
    workspace.run(&["report", "t.csv"]).fails(2, "t.csv: this is not a model file");
}

#[test]
fn a_model_without_intervals_has_a_page_that_says_how_to_get_them() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    assert!(workspace.read("out/report.html").contains("[intervals]"));
    let again = workspace.run(&["report", "out/model.json"]).succeeds();
    assert!(again.stderr.contains("has no intervals"), "{}", again.stderr);
    let level = workspace.run(&["report", "out/model.json", "--level", "0.9"]);
    level.fails(2, "out/model.json: this model has no intervals").says("add [intervals]");
}

#[test]
fn intervals_go_with_a_chosen_lambda_and_with_every_budget() {
    for (cap, spend) in [
        ("epsilon = 500", "epsilon = 100"),
        ("rho = 900", "rho = 400"),
        ("epsilon = 500\ndelta = 1e-6", "epsilon = 80\ndelta = 1e-7"),
    ] {
        for lambda in ["0.01", "[0.03, 0.1]"] {
            let workspace = Workspace::new();
            let study = STUDY
                .replace("epsilon = 3.0", cap)
                .replace("epsilon = 1.0", spend)
                .replace("lambda = 0.01", &format!("lambda = {lambda}"));
            workspace
                .write("study.toml", format!("{study}\n[intervals]\nsplit = [0.6, 0.2, 0.2]\n"));
            workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
            let model = workspace.json("out/model.json");
            assert!(
                entries(&model).iter().all(|entry| entry["interval"]["p_value"].is_number()),
                "{spend} {lambda}"
            );
            // What is not the training's is for the moments of the rows.
            assert_eq!(model["intervals"]["split"], serde_json::json!([0.6, 0.4, 0.0]));
        }
    }
}

/// Intervals of named columns are those that all columns would have, and fewer must hold at once.
#[test]
fn named_columns_alone_have_intervals() {
    let fitted = |settings: &str| {
        let workspace = with_intervals(settings);
        let run = workspace
            .run(&["fit", "study.toml", "--out", "out", "--seed", "5", "--verbose"])
            .succeeds();
        (run.stdout, workspace.json("out/seeded-model.json"), workspace)
    };
    let (_, all, _) = fitted("");
    let (terminal, some, workspace) = fitted("columns = [\"job\"]");
    assert!(terminal.contains("95 % of job, for the coefficients"), "{terminal}");
    for (whole, named) in entries(&all).iter().zip(entries(&some)) {
        assert_eq!(whole["encoded"], named["encoded"]);
        match named["name"].as_str().unwrap().starts_with("job=") {
            true => assert_eq!(whole["interval"], named["interval"]),
            false => {
                assert!(named.get("interval").is_none() && named.get("per_unit_interval").is_none())
            }
        }
    }
    let factor = |model: &Value| model["intervals"]["all_at_once"].as_f64().unwrap();
    assert!(factor(&some) < factor(&all), "{} {}", factor(&some), factor(&all));
    // A page at another level knows the columns too.
    workspace
        .run(&["report", "out/seeded-model.json", "--level", "0.8", "--out", "x.html"])
        .succeeds();
    let page = workspace.read("x.html").replace('\u{a0}', " ");
    assert!(page.contains("Each 80 % interval is for") && page.contains("nurse"));
}

/// Beyond 1,000 coefficients columns must be named.
#[test]
fn a_wide_model_has_intervals_of_the_columns_that_are_named() {
    let workspace = with_intervals("columns = [\"age\"]");
    let codes: String = (0..1000).map(|code| format!(", \"{code}\"")).collect();
    let wide = workspace.read("study.toml").replace("\"nurse\"", &format!("\"nurse\"{codes}"));
    workspace.write("study.toml", wide.replace("columns = [\"age\"]", ""));
    let words = "up to 1000 coefficients, and this model has 1005; name the columns that need them";
    workspace.run(&["fit", "study.toml", "--dry-run"]).fails(2, "").says(words);
    workspace.write("study.toml", wide);
    let plan = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds().stdout;
    assert!(plan.contains("Nothing was charged"), "{plan}");
}

#[test]
fn draws_that_no_study_allows_are_not_believed() {
    let workspace = with_intervals("");
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let model = workspace.read("out/model.json");
    for draws in ["0", "9999", "10000001", "100000000", "18446744073709551615"] {
        workspace.write(
            "edited.json",
            model.replace("\"draws\": 20000", &format!("\"draws\": {draws}")),
        );
        let run = workspace.run(&["report", "edited.json", "--level", "0.9", "--out", "x.html"]);
        run.fails(2, "edited.json: ")
            .says(&format!("have {draws} draws, and 10000 to 10000000 are possible"));
    }
    assert!(!workspace.path("x.html").exists());
}

#[test]
fn bad_requests_are_refused_before_anything_is_charged() {
    for (settings, words) in [
        ("level = 0", "`level` must lie strictly between 0 and 1, not 0"),
        ("level = 95", "`level` must lie strictly between 0 and 1, not 95"),
        ("split = [0.5, 0.25, 0.3]", "three shares above 0 that add up to 1"),
        ("split = [0.5, 0.5]", "a list of three shares"),
        ("draws = 10", "`draws` must be a whole number from 10000"),
        ("levels = 0.9", "did you mean `level`?"),
        ("columns = [\"jobs\"]", "no column `jobs` is declared; did you mean `job`?"),
        ("columns = []", "is an empty list"),
    ] {
        let workspace = with_intervals(settings);
        workspace.run(&["fit", "study.toml"]).fails(2, "study.toml:").says(words);
        assert!(workspace.written().is_empty() && !workspace.ledger().exists(), "{settings}");
    }
    let poor = Workspace::with_study("method = \"auto\"", "method = \"auto\"\n\n[intervals]");
    poor.write("study.toml", poor.read("study.toml").replace("epsilon = 1.0", "epsilon = 0.2"));
    poor.run(&["fit", "study.toml"])
        .fails(2, "study.toml:")
        .says("is too little for intervals of 5 coefficients")
        .says("would do");
    assert!(poor.written().is_empty());
}

/// Neither of two columns that say the same has an interval: none may be left to widen, and that is
/// found out after the charge.
#[test]
fn a_table_of_two_columns_that_say_the_same_has_a_model() {
    for columns in ["", "columns = [\"again\"]"] {
        let workspace = Workspace::new();
        let rows = (0..3000).map(|i| {
            let age = 20 + i * 37 % 60;
            format!("{age},{age},{}\n", if age + i * 13 % 40 > 70 { "yes" } else { "no" })
        });
        workspace.write("t.csv", "age,again,y\n".to_owned() + &rows.collect::<String>());
        let study = STUDY
            .replace("epsilon = 3.0", "epsilon = 100")
            .replace("epsilon = 1.0", "epsilon = 8")
            .split("gain = ")
            .next()
            .unwrap()
            .replace(
                "age  = { min = 0, max = 100 }",
                "age = { min = 0, max = 100 }\nagain = { min = 0, max = 100 }",
            );
        workspace.write("study.toml", format!("{study}[intervals]\n{columns}\n"));
        workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
        let model = workspace.json("out/model.json");
        assert_eq!(model["intervals"]["findings"]["same"], serde_json::json!([["age", "again"]]));
        assert_eq!(model["intervals"]["all_at_once"], 1.0);
        workspace
            .run(&["report", "out/model.json", "--level", "0.8", "--out", "p.html"])
            .succeeds();
    }
}

/// A table of 2,000 rows in which nobody is at the site "never", and `degree` is the number of the
/// school.
fn findings(budget: &str, lambda: &str) -> Workspace {
    let workspace = Workspace::empty();
    let mut rows = "age,school,degree,site,y\n".to_owned();
    for i in 0..2000 {
        let (age, school) = (i * 7 % 100, i / 3 % 3);
        let label = if age + 17 * (i % 5) > 80 { "yes" } else { "no" };
        rows += &format!("{age},s{school},{school},{},{label}\n", ["here", "there"][i / 7 % 2]);
    }
    workspace.write("t.csv", rows);
    let columns = r#"
age    = { min = 0, max = 100 }
school = { values = ["s0", "s1", "s2"] }
degree = { min = 0, max = 2 }
site   = { values = ["here", "there", "never"] }
"#;
    let head = STUDY.split("[budget]").next().unwrap();
    workspace.write(
        "study.toml",
        format!(
            "{head}[budget]\n{budget}\n[spend]\n{budget}\n[columns]{columns}\n[model]\nlambda = {lambda}\n\
             [intervals]\n"
        ),
    );
    workspace
}

/// Of a value that no row has only the declared bound speaks: an interval, and no estimate, wherever
/// numbers are shown. Columns that say the same have none.
#[test]
fn what_no_row_speaks_of_has_no_estimate() {
    let workspace = findings("epsilon = 8.0\ndelta = 1e-6", "\"auto\"");
    let brief = workspace.run(&["fit", "study.toml", "--seed", "5", "--out", "out"]).succeeds();
    let model = workspace.json("out/seeded-model.json");
    let found = &model["intervals"]["findings"];
    assert_eq!(found["not_estimable"], serde_json::json!(["site=never"]));
    assert_eq!(found["same"], serde_json::json!([["degree", "school"]]));
    assert_eq!(found["told_from_zero"], serde_json::json!(["age"]));
    let page = workspace.run(&["report", "out/seeded-model.json", "--force"]).succeeds();
    assert!(page.stdout.ends_with("report.html\n"), "{}", page.stdout);
    let fit = ["fit", "study.toml", "--seed", "5", "--out", "out", "--force", "--verbose"];
    let verbose = workspace.run(&fit).succeeds();
    assert!(verbose.stdout.contains("told from 0   age"), "{}", verbose.stdout);
    for line in [
        "not estimable site=never (only the declared bound speaks)",
        "the same      degree and school say the same: neither has an interval",
    ] {
        assert!(brief.stdout.contains(line), "{line} is not in {}", brief.stdout);
    }
    // The file has its numbers, and surfaces do not print the estimate.
    let never = entries(&model).iter().find(|entry| entry["name"] == "site=never").unwrap();
    let interval = &never["effect"]["interval"];
    assert!(interval["estimate"].is_number() && interval["upper"].as_f64().unwrap() > 2.0);
    let line = brief.stdout.lines().find(|line| line.starts_with("site=never ")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[..3], ["site=never", "here", "–"], "{line}");
    let bound: u32 = words[words.len() - 2].parse().unwrap();
    assert!(line.ends_with(" %") && bound > 50, "{line}");
    let csv = workspace.run(&["export", "out/seeded-model.json", "--format", "csv"]).succeeds();
    let line = csv.stdout.lines().find(|line| line.starts_with("site=never,")).unwrap();
    assert!(line.starts_with("site=never,here,,0.95,-"), "{line}");
    let page = workspace.read("out/seeded-report.html");
    let row = page.split("<tr><th scope=\"row\">").find(|row| row.starts_with("never<")).unwrap();
    assert_eq!(row.matches("<td>–</td>").count(), 3, "{row}");
    // Bars of what the bound adds, and a dot for every effect that has an estimate.
    assert!(page.contains("class=\"bound\"") && page.contains("<th scope=\"col\">bound</th>"));
    for entry in entries(&model) {
        let (name, column) = (entry["name"].as_str().unwrap(), "school degree");
        let is_same = column.split(' ').any(|column| name.starts_with(column));
        let has_none = entry.get("interval").is_none() && entry.get("per_unit_interval").is_none();
        assert_eq!(has_none, is_same, "{entry}");
        assert!(!is_same || entry["effect"]["interval"].is_null(), "{entry}");
    }
}

/// Before anything is charged, and after: with a λ that is known, and with one that is chosen.
#[test]
fn widths_under_a_pure_budget_are_called_rough() {
    let rough = "rough         under a pure epsilon";
    for lambda in ["\"auto\"", "0.01", "[0.01, 0.1]"] {
        let workspace = findings("epsilon = 80.0", lambda);
        let plan = workspace.run(&["plan", "study.toml", "--rows", "2000"]).succeeds().stdout;
        assert!(plan.contains("rough") && plan.contains("delta = 1e-5"), "{lambda}: {plan}");
        let fit = workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
        assert!(fit.stdout.contains(rough), "{lambda}: {}", fit.stdout);
        let page = workspace.read("out/report.html");
        assert!(page.contains("These widths are rough: "), "{lambda}");
        let with_delta = findings("epsilon = 80.0\ndelta = 1e-6", lambda);
        let plan = with_delta.run(&["plan", "study.toml", "--rows", "2000"]).succeeds().stdout;
        assert!(!plan.contains("rough"), "{lambda}: {plan}");
    }
}
