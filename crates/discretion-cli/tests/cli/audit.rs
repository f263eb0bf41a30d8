//! Audits of what is shipped, of a program of one's own, and everything that is no audit.

use crate::workspace::{Run, Workspace};
use serde_json::Value;
use std::sync::LazyLock;

/// Prints its table's number of lines that say "yes", with Laplace noise for ε = 1; or with as much
/// noise as it is told.
const COUNTER: &str = r#"import math, os, random, sys
scale, table, runs = float(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if "DISCRETION_SEED" in os.environ:
    random.seed(int(os.environ["DISCRETION_SEED"]))
count = open(table).read().count("yes")
for _ in range(runs):
    print(count + scale * math.log(random.random() / random.random()))
"#;

fn with_tables() -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("left.csv", "y\nyes\nno\nyes\n");
    workspace.write("right.csv", "y\nyes\nno\nno\n");
    workspace.write("counter.py", COUNTER);
    workspace
}

fn audit(workspace: &Workspace, args: &[&str]) -> Run {
    workspace.run(&[&["audit", "--seed", "7"], args].concat())
}

fn command(workspace: &Workspace, program: &str, more: &[&str]) -> Run {
    let tables = ["--command", program, "--left", "left.csv", "--right", "right.csv"];
    audit(workspace, &[&tables[..], &["--epsilon", "1", "--trials", "4000"], more].concat())
}

/// As short as an audit can be. Those with more runs are in discretion-audit.
pub static OF_EVERYTHING: LazyLock<Value> = LazyLock::new(|| {
    let workspace = Workspace::empty();
    let run = audit(&workspace, &["--all", "--trials", "100", "--json"]).succeeds();
    assert_eq!(workspace.written(), [""; 0], "an audit writes no file");
    serde_json::from_str(&run.stdout).unwrap()
});

#[test]
fn everything_shipped_is_audited_in_one_table() {
    let lines = OF_EVERYTHING.as_array().unwrap();
    for name in
        ["output", "objective", "selection-uniform", "counts", "density", "gate", "matrices", "fit"]
    {
        assert!(lines.iter().any(|line| line["mechanism"] == name), "{name}");
    }
    for line in lines {
        assert_eq!(line["verdict"], "consistent", "{line}");
        assert!(
            line["epsilon_at_least"].as_f64().unwrap()
                <= line["claim"]["epsilon"].as_f64().unwrap()
        );
    }
}

#[test]
fn one_mechanism_with_a_budget_and_a_size() {
    let workspace = Workspace::empty();
    let args = ["--mechanism", "output", "--epsilon", "2", "--rows", "21", "--trials", "4000"];
    let run = audit(&workspace, &args).succeeds();
    assert!(run.stdout.contains("claim") && run.stdout.contains("ε = 2"), "{}", run.stdout);
    assert!(run.stdout.contains("consistent"), "{}", run.stdout);
    assert_eq!(run.stdout, audit(&workspace, &args).stdout, "a seed gives the same finding");
}

#[test]
fn exact_laws_need_no_runs() {
    let run = audit(&Workspace::empty(), &["--all", "--exact", "--json"]).succeeds();
    let lines: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    assert!(lines.len() >= 6 && lines.iter().all(|line| line["by"] == "law"), "{}", run.stdout);
    audit(&Workspace::empty(), &["--mechanism", "fit", "--exact"]).fails(2, "--exact: the law");
}

#[test]
fn a_program_that_keeps_its_claim_and_one_that_does_not() {
    let workspace = with_tables();
    let run = command(&workspace, "python3 counter.py 1", &[]).succeeds();
    assert!(run.stdout.contains("consistent"), "{}", run.stdout);
    let run = command(&workspace, "python3 counter.py 0.5", &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("VIOLATED"), "{}", run.stdout);
    assert!(run.stderr.contains("the claim ε = 1 is violated"), "{}", run.stderr);
}

#[test]
fn a_program_that_is_none_is_told_so() {
    let workspace = with_tables();
    workspace.write("fails.py", "import sys\nsys.exit('no such column')\n");
    workspace.write("silent.py", "");
    workspace.write("words.py", "import sys\nprint('\\n'.join(['abc'] * int(sys.argv[2])))\n");
    workspace.write("short.py", "print(1)\n");
    for (program, words) in [
        ("python3 fails.py", "no such column"),
        ("python3 silent.py", "printed nothing"),
        ("python3 words.py", "\"abc\", which is not a number"),
        ("python3 short.py", "printed 1 lines"),
        ("./not-there", "could not be started"),
    ] {
        command(&workspace, program, &[]).fails(2, "--command: ").says(words);
    }
    command(&workspace, " ", &[]).fails(2, "--command: name a program");
}

#[test]
fn tables_that_are_no_neighbours_are_refused() {
    let workspace = with_tables();
    for (right, words) in [
        ("y\nyes\nno\nyes\n", "equal"),
        ("y\nno\nno\nno\n", "differ in 2 lines"),
        ("y\nyes\nno\n", "4 and 3 lines"),
    ] {
        workspace.write("right.csv", right);
        command(&workspace, "python3 counter.py 1", &[]).fails(2, "--left, --right: ").says(words);
    }
    std::fs::remove_file(workspace.path("right.csv")).unwrap();
    command(&workspace, "python3 counter.py 1", &[]).fails(2, "right.csv: there is no such file");
}

#[test]
fn numbers_that_are_no_audit_are_refused() {
    let workspace = Workspace::empty();
    let with = |more: &[&str]| audit(&workspace, &[&["--mechanism", "counts"], more].concat());
    with(&["--trials", "0"]).fails(2, "--trials: an audit needs at least 100 trials, not 0");
    for confidence in ["0", "1", "-0.5", "1.5", "nan"] {
        with(&["--confidence", confidence]).fails(2, "--confidence: ");
    }
    with(&["--epsilon", "0"]).fails(2, "--epsilon, --delta, --rho: ");
    with(&["--rho", "-1"]).fails(2, "--epsilon, --delta, --rho: ");
    audit(&workspace, &["--mechanism", "selection-uniform", "--rho", "1"])
        .fails(2, "a selection takes a pure budget");
    for usage in [
        &["audit"][..],
        &["audit", "--mechanism", "x"],
        &["audit", "--command", "x"],
        &["audit", "--all", "--rows", "5"],
    ] {
        assert_eq!(workspace.run(usage).code, 2);
    }
}
