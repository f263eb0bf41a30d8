//! `discretion plan`. Its numbers are exact functions of the flags, so they are kept as golden files;
//! `UPDATE_GOLDEN=1 cargo test -p discretion-cli` writes them anew.

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
    let pure = ["plan", "--rows", "30000", "--columns", "100", "--epsilon", "1", "--lambda", "1e-3"];
    golden("plan-pure.txt", &pure);
    golden("plan-approximate.txt", &[&pure[..], &["--delta", "1e-6", "--loss", "hinge"]].concat());
    let rho = ["plan", "--rows", "1000", "--columns", "12", "--rho", "0.5", "--method", "output"];
    golden("plan-rho.txt", &[&rho[..], &["--lambda", "0.02"]].concat());
}

#[test]
fn json_says_the_same_as_a_fit_does() {
    let workspace = Workspace::new();
    let run = workspace.run(&["plan", "--study", "study.toml", "--rows", "400", "--json"]).succeeds();
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    workspace.run(&["fit", "study.toml"]).succeeds();
    let training = &workspace.json("study/model.json")["training"];
    for key in ["rows", "dimension", "loss", "lambda", "lambda_from", "why"] {
        assert_eq!(plan[key], training[key], "{key}");
    }
    let taken = &plan["mechanisms"][0];
    assert_eq!(taken["taken"], true);
    for key in ["mechanism", "noise", "expected_error", "worst_error", "mask_deviation", "lattice_step"] {
        assert_eq!(taken[key], training[key], "{key}");
    }
}

#[test]
fn flags_go_before_the_study_and_no_data_is_read() {
    let workspace = Workspace::new();
    std::fs::remove_file(workspace.path("t.csv")).unwrap();
    let plan = |more: &[&str]| {
        let run =
            workspace.run(&[&["plan", "--study", "study.toml", "--rows", "400", "--json"], more].concat());
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
fn an_infeasible_lambda_is_refused_with_the_smallest() {
    let workspace = Workspace::with_study("lambda = 0.01", "lambda = 1e-5");
    let flags = ["plan", "--rows", "30000", "--columns", "100", "--epsilon", "1", "--lambda", "1e-6"];
    workspace.run(&flags).fails(2, "--lambda: lambda = 0.000001 is too small").says("4.857e-6");
    let study = ["plan", "--study", "study.toml", "--rows", "400"];
    workspace.run(&study).fails(2, "study.toml:22:1: lambda = 0.00001 is too small").says("3.643e-4");
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
        let run = Workspace::empty().run(&[&["plan", "--rows", "10", "--columns", "3"], flags].concat());
        run.fails(2, "--epsilon, --delta, --rho: ");
    }
}
