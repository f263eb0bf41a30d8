//! `discretion plan`. Its numbers are exact functions of the flags, so they are kept as golden
//! files; `UPDATE_GOLDEN=1 cargo test -p discretion-cli` writes them anew.

use crate::workspace::Workspace;
use serde_json::Value;
use std::path::Path;

fn golden(name: &str, args: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden").join(name);
    let shown = Workspace::empty().run(args).succeeds().stdout;
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &shown).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(shown, expected, "{} differs; UPDATE_GOLDEN=1 if it should", path.display());
}

#[test]
fn golden_files() {
    let pure =
        ["plan", "--rows", "30000", "--columns", "100", "--epsilon", "1", "--lambda", "1e-3"];
    golden("plan-pure.txt", &pure);
    golden("plan-approximate.txt", &[&pure[..], &["--delta", "1e-6", "--loss", "hinge"]].concat());
    let rho = ["plan", "--rows", "1000", "--columns", "12", "--rho", "0.5", "--method", "output"];
    golden("plan-rho.txt", &[&rho[..], &["--lambda", "0.02"]].concat());
}

#[test]
fn json_says_the_same_as_a_fit_does() {
    says_the_same(&Workspace::new());
    // Intervals take a part of the budget, and "auto" goes by what is left for training.
    for lambda in ["0.01", "\"auto\""] {
        let rest = "method = \"auto\"\n";
        let workspace = Workspace::with_study(
            &format!("lambda = 0.01\n{rest}"),
            &format!("lambda = {lambda}\n{rest}[intervals]\n"),
        );
        let study = workspace.read("study.toml").replace("epsilon = 1.0", "epsilon = 3.0");
        workspace.write("study.toml", study);
        says_the_same(&workspace);
    }
}

fn says_the_same(workspace: &Workspace) {
    let run =
        workspace.run(&["plan", "--study", "study.toml", "--rows", "400", "--json"]).succeeds();
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    workspace.run(&["fit", "study.toml"]).succeeds();
    let training = &workspace.json("study/model.json")["training"];
    for key in ["rows", "dimension", "loss", "lambda", "lambda_from", "why"] {
        assert_eq!(plan[key], training[key], "{key}");
    }
    let taken = &plan["mechanisms"][0];
    assert_eq!(taken["taken"], true);
    for key in
        ["mechanism", "noise", "expected_error", "worst_error", "mask_deviation", "lattice_step"]
    {
        assert_eq!(taken[key], training[key], "{key}");
    }
}

/// As for every other command the study is named first; `--study` is from before.
#[test]
fn a_study_is_named_first() {
    let workspace = Workspace::new();
    let plan = |named: &[&str]| workspace.run(&[&["plan"], named, &["--rows", "400"]].concat());
    assert_eq!(
        plan(&["study.toml"]).succeeds().stdout,
        plan(&["--study", "study.toml"]).succeeds().stdout
    );
    assert!(plan(&["study.toml", "--study", "study.toml"]).code != 0);
    assert!(plan(&["study.toml", "--columns", "3"]).code != 0);
    assert!(plan(&[]).stderr.contains("STUDY"), "{}", plan(&[]).stderr);
}

#[test]
fn flags_go_before_the_study_and_no_data_is_read() {
    let workspace = Workspace::new();
    std::fs::remove_file(workspace.path("t.csv")).unwrap();
    let plan = |more: &[&str]| {
        let run = workspace
            .run(&[&["plan", "--study", "study.toml", "--rows", "400", "--json"], more].concat());
        serde_json::from_str::<Value>(&run.succeeds().stdout).unwrap()
    };
    assert_eq!(plan(&[])["lambda"], 0.01);
    assert_eq!(plan(&["--lambda", "0.5"])["lambda"], 0.5);
    assert_eq!(plan(&["--lambda", "auto"])["lambda_from"], "auto");
    assert_eq!(plan(&["--rho", "0.1"])["budget"]["rho"], 0.1);
    assert_eq!(plan(&["--epsilon", "9"])["budget"]["epsilon"], 9.0);
    assert_eq!(plan(&["--loss", "hinge"])["loss"], "hinge");
    assert_eq!(plan(&["--method", "output"])["mechanisms"].as_array().unwrap().len(), 1);
}

#[test]
fn without_a_number_of_rows_there_is_a_line_for_plausible_ones() {
    let workspace = Workspace::with_study("lambda = 0.01", "lambda = 1e-3");
    let plan = |more: &[&str]| {
        workspace.run(&[&["plan", "--study", "study.toml"], more].concat()).succeeds().stdout
    };
    let shown = plan(&[]);
    for words in [
        "\n1,000 ",
        "\n10,000,000 ",
        "which is a public number: --rows N gives the whole plan; `discretion fit study.toml --dry-run` counts those of t.csv",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // Each line is what the whole plan says.
    let plans: Value = serde_json::from_str(&plan(&["--json"])).unwrap();
    let all = plans["plans"].as_array().unwrap();
    assert_eq!(all.len(), 5);
    let one: Value = serde_json::from_str(&plan(&["--rows", "100000", "--json"])).unwrap();
    assert_eq!(all[2], one);
    // What no number of rows allows is refused.
    workspace
        .run(&["plan", "--columns", "3", "--epsilon", "1", "--lambda", "-1"])
        .fails(2, "--lambda: ");
    let too_few = workspace
        .run(&["plan", "--study", "study.toml", "--lambda", "1e-5", "--json"])
        .succeeds()
        .stdout;
    let too_few: Value = serde_json::from_str(&too_few).unwrap();
    assert!(too_few["plans"][0]["refused"].as_str().unwrap().contains("too small"), "{too_few}");
    let shown = plan(&["--lambda", "1e-5"]);
    assert!(
        shown.lines().any(|line| line.starts_with("1,000 ") && line.ends_with("too few")),
        "{shown}"
    );
    let flags = workspace
        .run(&["plan", "--columns", "100", "--epsilon", "1", "--delta", "1e-5"])
        .succeeds()
        .stdout;
    assert_eq!(flags.matches("delta is too large for so many").count(), 3, "{flags}");
}

#[test]
fn a_delta_is_advised_where_it_helps() {
    let plan = |more: &[&str]| {
        let args = [&["plan", "--rows", "30000", "--lambda", "1e-3"], more].concat();
        Workspace::empty().run(&args).succeeds().stdout
    };
    let many = plan(&["--columns", "100", "--epsilon", "1"]);
    let hint = many.lines().find(|line| line.starts_with("delta ")).unwrap();
    assert!(
        hint.contains("--delta 1e-6, well below 1 over 30,000 rows, would make the expected error"),
        "{hint}"
    );
    // The numbers in the hint are those of that plan.
    let then = plan(&["--columns", "100", "--epsilon", "1", "--delta", "1e-6", "--json"]);
    let then: Value = serde_json::from_str(&then).unwrap();
    let error = then["mechanisms"][0]["expected_error"].as_f64().unwrap();
    let shown: f64 =
        hint.split("error ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((shown - error).abs() < 0.005 * error, "{hint}: {error}");
    assert!(then.get("delta").is_none(), "{then}");
    let few = plan(&["--columns", "1", "--epsilon", "1"]);
    assert!(!few.contains("\ndelta "), "{few}");
    let bad = plan(&["--columns", "3", "--epsilon", "1", "--delta", "1e-3"]);
    assert!(bad.contains("promises next to nothing") && bad.contains("such as 1e-6"), "{bad}");
}

#[test]
fn an_infeasible_lambda_is_refused_with_the_smallest() {
    let workspace = Workspace::with_study("lambda = 0.01", "lambda = 1e-5");
    let flags =
        ["plan", "--rows", "30000", "--columns", "100", "--epsilon", "1", "--lambda", "1e-6"];
    workspace.run(&flags).fails(2, "--lambda: lambda = 0.000001 is too small").says("4.857e-6");
    let study = ["plan", "--study", "study.toml", "--rows", "400"];
    workspace
        .run(&study)
        .fails(2, "study.toml:22:1: lambda = 0.00001 is too small")
        .says("3.643e-4");
    workspace.run(&[&study[..], &["--method", "output"]].concat()).succeeds();
}

#[test]
fn impossible_budgets_are_refused() {
    for flags in [
        &["--epsilon", "0"][..],
        &["--epsilon", "-1"],
        &["--epsilon", "1e-300"],
        &["--epsilon", "nan"],
        &["--epsilon", "inf"],
        &["--epsilon", "1", "--delta", "1"],
        &["--epsilon", "1", "--delta", "-0.1"],
        &["--rho", "0"],
        &[],
    ] {
        let run =
            Workspace::empty().run(&[&["plan", "--rows", "10", "--columns", "3"], flags].concat());
        run.fails(2, "--epsilon, --delta, --rho: ");
    }
}
