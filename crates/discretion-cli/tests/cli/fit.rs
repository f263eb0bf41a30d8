//! `discretion fit`.

use crate::workspace::{STUDY, Workspace, table};
use serde_json::{Value, json};

#[test]
fn writes_a_model_and_says_what_it_promises() {
    let workspace = Workspace::new();
    let run =
        workspace.run(&["fit", "study.toml", "--verbose", "--out", "results/first"]).succeeds();
    assert_eq!(workspace.written(), ["results/first/model.json", "results/first/report.html"]);
    assert_eq!(run.stderr, "", "no progress where nobody looks");
    let first = run.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "ε = 1: replacing any one row changes the probability of any outcome by at most a factor e^1 = 2.72"
    );
    for words in [
        "results/first/model.json",
        "400",
        "0.01 (from the study file)",
        "job=nurse",
        "ln(1 + gain)",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }

    let text = workspace.read("results/first/model.json");
    let model: Value = serde_json::from_str(&text).unwrap();
    assert!(text.starts_with("{\n  \"format\": \"discretion-model/1\",\n"), "{text}");
    assert_eq!(model["privacy"]["private"], true);
    assert_eq!(model["privacy"]["guarantee"], json!({"kind": "pure", "epsilon": 1.0}));
    assert_eq!(model["privacy"]["neighbours"], "replace-one");
    assert_eq!(model["privacy"]["statement"], first);
    assert_eq!(model["privacy"]["randomness"], "operating-system");
    assert_eq!(model["training"]["rows"], 400);
    assert_eq!(model["training"]["lambda"], 0.01);
    assert_eq!(model["training"]["lambda_from"], "study");
    let names: Vec<&Value> = model["coefficients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|coefficient| &coefficient["name"])
        .collect();
    assert_eq!(names, ["(intercept)", "age", "gain", "job=clerk", "job=nurse"]);
}

#[test]
fn the_file_holds_public_facts_and_no_others() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    let model = workspace.json("out/model.json");
    let keys =
        |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&model), "coefficients format ledger origins privacy program schema training");
    assert_eq!(
        keys(&model["training"]),
        "dimension expected_error lambda lambda_from lattice_step loss mask_deviation mechanism noise rows why \
         worst_error"
    );
    assert_eq!(keys(&model["coefficients"][0]), "encoded name of per_unit");
}

#[test]
fn the_default_folder_is_named_after_the_study() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml"]).succeeds();
    assert_eq!(workspace.written(), ["study/model.json", "study/report.html"]);
}

#[test]
fn json_is_the_file_itself() {
    let workspace = Workspace::new();
    let run = workspace.run(&["fit", "study.toml", "--out", "out", "--json"]).succeeds();
    assert_eq!(run.stdout, workspace.read("out/model.json"));
}

#[test]
fn every_run_draws_new_noise_and_a_seed_does_not() {
    let workspace = Workspace::new();
    let fit = |out: &str, more: &[&str]| {
        workspace
            .run(&[&["fit", "study.toml", "--json", "--out", out], more].concat())
            .succeeds()
            .stdout
    };
    assert_ne!(fit("a", &[]), fit("b", &["--again"]));
    assert_eq!(fit("c", &["--seed", "1"]), fit("d", &["--seed", "1", "--threads", "3"]));
    assert_ne!(fit("e", &["--seed", "1"]), fit("f", &["--seed", "2"]));
}

#[test]
fn what_is_not_private_says_so_everywhere() {
    for (flags, file, randomness) in [
        (vec!["--seed", "1"], "seeded-model.json", json!("test-seed")),
        (vec!["--not-private"], "not-private-model.json", Value::Null),
    ] {
        let workspace = Workspace::new();
        let run = workspace
            .run(&[&["fit", "study.toml", "--out", "out"], &flags[..]].concat())
            .succeeds();
        let page = file.replace("model.json", "report.html");
        assert_eq!(
            workspace.written(),
            [format!("out/{file}"), format!("out/{page}")],
            "never model.json"
        );
        assert!(workspace.read(&format!("out/{page}")).contains("NOT PRIVATE"));
        assert!(run.stdout.lines().next().unwrap().starts_with("NOT PRIVATE"), "{}", run.stdout);
        assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
        let text = workspace.read(&format!("out/{file}"));
        assert!(text.lines().next().unwrap().starts_with("{ \"NOT PRIVATE\": "), "{text}");
        let model: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(model["privacy"]["private"], false);
        assert_eq!(model["privacy"]["guarantee"], Value::Null);
        assert_eq!(model["privacy"]["randomness"], randomness);
        assert!(model["privacy"]["statement"].as_str().unwrap().starts_with("NOT PRIVATE"));
    }
}

#[cfg(unix)]
#[test]
fn what_is_not_private_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out", "--not-private"]).succeeds();
    let mode = std::fs::metadata(workspace.path("out/not-private-model.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn without_noise_the_result_is_the_same_each_time_for_any_number_of_threads() {
    let workspace = Workspace::new();
    let fit = |out: &str, threads: &str| {
        let args =
            ["fit", "study.toml", "--json", "--not-private", "--out", out, "--threads", threads];
        workspace.run(&args).succeeds().stdout
    };
    assert_eq!(fit("a", "1"), fit("b", "4"));
}

#[test]
fn auto_chooses_lambda_and_says_so() {
    let workspace = Workspace::with_study("lambda = 0.01", "lambda = \"auto\"");
    let run = workspace.run(&["fit", "study.toml", "--verbose"]).succeeds();
    assert!(run.stdout.contains("(\"auto\""), "{}", run.stdout);
    assert_eq!(workspace.json("study/model.json")["training"]["lambda_from"], "auto");
    workspace.run(&["fit", "study.toml", "--not-private", "--with-lambda"]).succeeds();
    let lambda = |file| workspace.json(file)["training"]["lambda"].clone();
    assert_eq!(lambda("study/model.json"), lambda("study/not-private-model.json"));
}

#[test]
fn all_budgets_losses_methods_and_norms_work() {
    for spend in ["epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-6", "rho = 0.1"] {
        for loss in ["logistic", "hinge"] {
            for method in ["auto", "objective", "output"] {
                for norm in ["scale", "row"] {
                    let workspace = Workspace::new();
                    let study = STUDY
                        .replace("[budget]\nepsilon = 3.0", "[budget]\nepsilon = 30\ndelta = 1e-5")
                        .replace("[spend]\nepsilon = 1.0", &format!("[spend]\n{spend}"))
                        .replace("\"logistic\"", &format!("\"{loss}\""))
                        .replace(
                            "method = \"auto\"",
                            &format!("method = \"{method}\"\nnorm = \"{norm}\""),
                        );
                    workspace.write("study.toml", study);
                    let run = workspace.run(&["fit", "study.toml"]).succeeds();
                    let logistic_units = loss == "logistic" && norm == "scale";
                    assert_eq!(run.stdout.contains("odds ratio"), logistic_units, "{}", run.stdout);
                    workspace.run(&["predict", "study/model.json", "t.csv"]).succeeds();
                }
            }
        }
    }
}

#[test]
fn rows_of_one_class_are_fine() {
    let workspace = Workspace::new();
    workspace.write("t.csv", table().replace(",no\n", ",yes\n"));
    workspace.run(&["fit", "study.toml", "--accept-check"]).succeeds();
}

#[test]
fn a_single_row_is_fine() {
    let workspace = Workspace::with_study("lambda = 0.01", "lambda = \"auto\"");
    workspace.write("t.csv", "age,gain,job,note,y\n1,2,clerk,,yes\n");
    workspace.run(&["fit", "study.toml", "--accept-check"]).succeeds();
}

#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    let workspace = Workspace::new();
    let plain =
        workspace.run(&["fit", "study.toml", "--json", "--not-private", "--out", "a"]).succeeds();
    workspace.write("t.csv", format!("\u{feff}{}", table().replace('\n', "\r\n")));
    let crlf =
        workspace.run(&["fit", "study.toml", "--json", "--not-private", "--out", "b"]).succeeds();
    assert_eq!(plain.stdout, crlf.stdout);
}

#[test]
fn spending_more_than_the_budget_is_refused_before_anything_is_read() {
    let workspace = Workspace::with_study("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 5");
    std::fs::remove_file(workspace.path("t.csv")).unwrap();
    workspace
        .run(&["fit", "study.toml"])
        .fails(1, "study.toml:11:2: [spend] is ε = 5, more than the ε = 3");
    let workspace =
        Workspace::with_study("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 1.0\ndelta = 1e-6");
    workspace.run(&["fit", "study.toml"]).fails(1, "study.toml:11").says("pays for no delta");
    assert!(workspace.written().is_empty() && !workspace.path("study").exists());
}

#[test]
fn an_existing_model_is_kept_unless_forced() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml"]).succeeds();
    let before = workspace.read("study/model.json");
    let run = workspace.run(&["fit", "study.toml"]);
    run.fails(1, "study/model.json: ").says("spend the budget again").says("--force");
    assert_eq!(workspace.read("study/model.json"), before);
    workspace.run(&["fit", "study.toml", "--force"]).succeeds();
    assert_ne!(workspace.read("study/model.json"), before);
}

/// Without intervals the page says what noise alone makes of an effect, where the rows say nothing:
/// so many standard deviations of the noise that three effects stay within, times the length of the
/// effect's weights.
#[test]
fn the_page_says_what_noise_alone_gives() {
    let workspace = Workspace::with_study("method = \"auto\"", "method = \"output\"");
    let study =
        workspace.read("study.toml").replace("epsilon = 3.0", "epsilon = 3.0\ndelta = 1e-4");
    workspace.write("study.toml", study);
    workspace.run(&["fit", "study.toml", "--out", "out", "--rho", "0.1"]).succeeds();
    let training = &workspace.json("out/model.json")["training"];
    assert_eq!(training["noise"]["law"], "gaussian");
    // P(|Z| > 2.394) = 0.05/3; a category is compared with another, and both count 1/2.
    let expected = 2.394 * 0.5f64.sqrt() * training["noise"]["sigma"].as_f64().unwrap();
    let page = workspace.read("out/report.html");
    let row = &page[page.find("<th scope=\"row\">nurse</th>").unwrap()..];
    let row = &row[..row.find("</tr>").unwrap()];
    let shown: f64 = row.rsplit('±').next().unwrap().trim_end_matches("</td>").parse().unwrap();
    assert!((shown / expected - 1.0).abs() < 0.06, "{shown} {expected}");
}

/// Of two runs into one folder, one is refused before it is charged.
#[cfg(unix)]
#[test]
fn a_folder_belongs_to_one_run_at_a_time() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("out")).unwrap();
    let other = std::fs::File::open(workspace.path("out")).unwrap();
    other.lock().unwrap();
    let run = ["fit", "study.toml", "--out", "out"];
    workspace.run(&run).fails(1, "out: another run is writing into this folder");
    assert!(!workspace.ledger().exists());
    // Not only closed: programs that other tests are just starting hold the same lock until they
    // run.
    other.unlock().unwrap();
    workspace.run(&run).succeeds();
}

/// A page of a model that is not private has another name than that of one that is.
#[test]
fn the_page_of_a_model_that_is_not_private_takes_no_other_s_place() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    workspace.run(&["fit", "study.toml", "--out", "out", "--not-private"]).succeeds();
    let before = workspace.read("out/report.html");
    let run = workspace.run(&["report", "out/not-private-model.json"]).succeeds();
    assert!(run.stdout.contains("not-private-report.html") && run.stderr.contains("NOT PRIVATE"));
    assert_eq!(workspace.read("out/report.html"), before);
}
