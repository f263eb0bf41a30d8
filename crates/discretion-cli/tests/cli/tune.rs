//! λ from a list, in the study file.

use crate::workspace::Workspace;

fn with_list(list: &str, more: &str) -> Workspace {
    Workspace::with_study("lambda = 0.01", &format!("lambda = {list}\n{more}"))
}

/// `[tune]` goes behind the whole study.
fn with_tune(tune: &str) -> Workspace {
    let workspace = with_list("[0.03, 0.1, 1]", "");
    let study = format!("{}\n[tune]\n{tune}\n", workspace.read("study.toml"));
    workspace.write("study.toml", study);
    workspace
}

#[test]
fn every_rule_chooses_one_of_the_list_and_says_how() {
    for (rule, words) in [
        ("auto", "random number of private runs"),
        ("generalised", "by its own stability"),
        ("uniform", "stability of the smallest"),
        ("random-stopping", "random number of private runs"),
    ] {
        let workspace = with_tune(&format!("rule = \"{rule}\""));
        let run = workspace.run(&["fit", "study.toml", "--verbose", "--out", "out"]).succeeds();
        let model = workspace.json("out/model.json");
        let lambda = model["training"]["lambda"].as_f64().unwrap();
        assert!([0.03, 0.1, 1.0].contains(&lambda), "{rule}: {lambda}");
        assert_eq!(model["training"]["lambda_from"], "chosen");
        assert!(
            model["tuning"]["rule"].as_str().unwrap().contains(words),
            "{rule}: {}",
            model["tuning"]["rule"]
        );
        assert!(run.stdout.contains("(chosen privately)"), "{}", run.stdout);
        let page = workspace.read("out/report.html");
        assert!(page.contains("chosen privately from"), "{rule}");
        // The bound on what the choice may lose is part of the result.
        let bounded = model["tuning"]["shortfall"].as_array().map(Vec::len);
        assert_eq!(bounded, words.contains("stability").then_some(3), "{rule}");
        // Trained on all rows, or released by the best run on those that trained.
        let all = model["tuning"]["on_all_rows"].as_bool().unwrap();
        assert_eq!(model["training"]["rows"], if all { 400 } else { 360 }, "{rule}");
        assert_eq!(model["tuning"]["validation_rows"], 40);
        // Scores never leave.
        let text = workspace.read("out/model.json");
        assert!(!text.contains("scores") && !text.contains("noisy_score"), "{rule}");
    }
}

#[test]
fn the_whole_costs_its_budget_and_a_dry_run_says_so() {
    for budget in ["epsilon = 1.0", "rho = 0.05"] {
        let workspace = with_list("[0.03, 0.1, 1]", "");
        let mut study = workspace.read("study.toml").replace("epsilon = 1.0", budget);
        if budget.starts_with("rho") {
            study = study.replace("epsilon = 3.0", "rho = 1.0");
        }
        workspace.write("study.toml", study);
        let dry = workspace.run(&["fit", "study.toml", "--dry-run", "--json"]).succeeds();
        let quote: serde_json::Value = serde_json::from_str(&dry.stdout).unwrap();
        let cost = quote["cost"].as_f64().unwrap();
        let asked = if budget.starts_with("rho") { 0.05 } else { 1.0 };
        assert!(cost <= asked * (1.0 + 1e-9) && cost > 0.98 * asked, "{budget}: {cost}");
        assert!(workspace.written().is_empty());
    }
}

#[test]
fn a_lambda_that_the_budget_cannot_pay_for_is_left_out_with_a_note() {
    let workspace = with_list("[1e-6, 0.1, 1]", "");
    let run = workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    assert!(
        run.stderr.contains("left out of the list: lambda = 0.000001 is too small"),
        "{}",
        run.stderr
    );
    let model = workspace.json("out/model.json");
    assert_eq!(model["tuning"]["candidates"], serde_json::json!([0.1, 1.0]));
    assert_eq!(model["tuning"]["dropped"], serde_json::json!([1e-6]));
    let none = with_list("[1e-7, 1e-6]", "").run(&["fit", "study.toml"]);
    none.fails(2, "study.toml:22:1: none of the 2 values of lambda").says("add a larger one");
}

#[test]
fn bad_requests_are_refused_before_anything_is_charged() {
    for (tune, words) in [
        ("validation = 0", "`validation` must lie strictly between 0 and 1, not 0"),
        ("validation = 1", "`validation` must lie strictly between 0 and 1, not 1"),
        ("share = 1.5", "`share` must lie strictly between 0 and 1, not 1.5"),
        ("score = \"auc\"", "it is one of \"brier\", \"ramp\", \"logistic\", \"hinge\", \"error\""),
        ("rule = \"best\"", "\"random-stopping\""),
        ("shares = 0.1", "did you mean `share`?"),
        ("rule = \"uniform\"\nscore = \"error\"", "jumps from 0 to 1"),
        ("validation = 0.001", "400 training and 0 validation rows"),
    ] {
        let workspace = with_tune(tune);
        workspace.run(&["fit", "study.toml"]).fails(2, "study.toml:").says(words);
        assert!(workspace.written().is_empty(), "{tune}");
        let charged = workspace.run(&["ledger", "show", "t"]);
        assert!(
            charged.code != 0 || charged.stdout.contains("spent    ε = 0"),
            "{tune}: {}",
            charged.stdout
        );
    }
    let no_list =
        Workspace::with_study("method = \"auto\"", "method = \"auto\"\n\n[tune]\nshare = 0.2");
    no_list.run(&["fit", "study.toml"]).fails(2, "study.toml:25:2: [tune] says how");
    let tiny = with_list("[0.1, 1]", "");
    tiny.write("study.toml", tiny.read("study.toml").replace("epsilon = 1.0", "epsilon = 1e-9"));
    tiny.run(&["fit", "study.toml"]).fails(2, "study.toml:").says("too small to be divided");
}

#[test]
fn a_seed_gives_the_same_choice_on_any_number_of_threads() {
    let workspace = with_list("[0.03, 0.1, 1]", "");
    let fit = |out: &str, threads: &str| {
        let args =
            ["fit", "study.toml", "--seed", "7", "--json", "--out", out, "--threads", threads];
        workspace.run(&args).succeeds().stdout
    };
    assert_eq!(fit("a", "1"), fit("b", "3"));
}

#[test]
fn plan_says_how_lambda_would_be_chosen() {
    let workspace = with_list("[1e-6, 0.1, 1]", "");
    let run = workspace.run(&["plan", "--study", "study.toml", "--rows", "5000"]).succeeds();
    for words in ["lambda chosen", "why", "left out", "\"auto\" is expected to do better"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    // A fit that charges nothing yet says it too.
    let dry = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds();
    let said = dry.stdout + &dry.stderr;
    assert!(said.contains("\"auto\" is expected to do better"), "{said}");
}
