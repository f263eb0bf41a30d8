//! `discretion density`.

mod charges;

use crate::workspace::{STUDY, Workspace, table};
use serde_json::{Value, json};

const DENSITY: [&str; 7] = ["density", "study.toml", "--column", "age", "--out", "out", "--force"];

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// The account as `ledger show --json` has it; nothing if there is no ledger or no account yet.
fn account(workspace: &Workspace) -> Option<Value> {
    let run = workspace.run(&["ledger", "show", "t", "--json"]);
    (run.code == 0).then(|| serde_json::from_str(&run.stdout).unwrap())
}

#[test]
fn writes_file_page_and_picture_and_says_what_it_promises() {
    let workspace = Workspace::new();
    let run =
        workspace.run(&["density", "study.toml", "--column", "age", "--out", "results"]).succeeds();
    assert_eq!(
        workspace.written(),
        ["results/density.html", "results/density.json", "results/density.svg"]
    );
    assert_eq!(run.stderr, "", "no progress where nobody looks");
    let first = run.stdout.lines().next().unwrap();
    assert_eq!(
        first,
        "ε = 1: replacing any one row changes the probability of any outcome by at most a factor e^1 = 2.72"
    );
    for words in [
        "results/density.json",
        "'t' pays ε = 1",
        "400",
        "chosen privately from 4, 8",
        "discrete Laplace",
        "0 to ",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }

    let text = workspace.read("results/density.json");
    assert!(text.starts_with("{\n  \"format\": \"discretion-density/1\",\n"), "{text}");
    let file = workspace.json("results/density.json");
    assert_eq!(file["privacy"]["guarantee"], json!({"kind": "pure", "epsilon": 1.0}));
    assert_eq!(file["privacy"]["neighbours"], "replace-one");
    assert_eq!(file["privacy"]["statement"], first);
    assert_eq!(file["privacy"]["randomness"], "operating-system");
    assert!(file["program"].as_str().unwrap().starts_with("discretion "));
    assert_eq!(file["ledger"]["account"], "t");
    assert_eq!(file["run"]["rows"], 400);
    assert_eq!(file["run"]["choice"]["budget_share"], 0.5);

    // Its integral is 1.
    let edges = numbers(&file["columns"][0]["edges"]);
    let shares = numbers(&file["density"]["probabilities"]);
    assert_eq!((edges[0], *edges.last().unwrap(), edges.len()), (0.0, 100.0, shares.len() + 1));
    assert!(
        (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12
            && shares.iter().all(|share| *share >= 0.0)
    );
    let heights: Vec<f64> = workspace
        .read("results/density.svg")
        .split("data-height=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    let area: f64 = heights
        .iter()
        .zip(edges.windows(2))
        .map(|(height, ends)| height * (ends[1] - ends[0]))
        .sum();
    assert!(heights.len() == shares.len() && (area - 1.0).abs() < 1e-9, "{area}");

    let page = workspace.read("results/density.html");
    assert!(
        page.contains("How age is distributed") && page.contains("ε-differential privacy"),
        "{page}"
    );
    assert_eq!(page.matches("http").count(), 1, "only the policy that forbids to fetch anything");
}

#[test]
fn the_file_holds_public_facts_and_no_others() {
    let workspace = Workspace::new();
    workspace.run(&DENSITY).succeeds();
    let file = workspace.json("out/density.json");
    let keys =
        |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(keys(&file), "columns density format ledger privacy program run");
    assert_eq!(keys(&file["run"]), "bins candidates choice noise noise_deviation rows");
    assert_eq!(keys(&file["run"]["choice"]), "budget_share ceiling rule validation_share");
    assert_eq!(keys(&file["columns"][0]), "edges kind name");
    assert_eq!(keys(&file["density"]), "axes bins probabilities");
}

#[test]
fn columns_of_every_kind_in_the_order_they_were_named() {
    let workspace = Workspace::new();
    let run = workspace
        .run(&[
            "density",
            "study.toml",
            "--column",
            "y",
            "--column",
            "gain",
            "--column",
            "job",
            "--bins",
            "4",
        ])
        .succeeds();
    assert!(
        run.stdout.contains("4, as asked for") && run.stdout.contains("nurse"),
        "{}",
        run.stdout
    );
    assert_eq!(
        workspace.written(),
        ["study/density.html", "study/density.json"],
        "no picture of three columns"
    );
    let file = workspace.json("study/density.json");
    assert_eq!(file["density"]["bins"], json!([3, 4, 3]));
    assert_eq!(file["run"]["choice"], Value::Null);
    assert_eq!(file["columns"][0]["names"], json!(["yes", "no", "other"]));
    assert_eq!(file["columns"][2]["names"], json!(["clerk", "nurse", "other"]));
    // Bins of equal width on the logarithmic scale: the fourth root of 1001, less one.
    let edges = numbers(&file["columns"][1]["edges"]);
    for (i, edge) in edges.iter().enumerate() {
        assert!((edge - (1001f64.powf(i as f64 / 4.0) - 1.0)).abs() < 1e-9, "{edges:?}");
    }
    assert_eq!(file["density"]["axes"][1]["name"], "ln(1 + gain)");
    let page = workspace.read("study/density.html");
    for words in ["y alone", "gain alone", "job alone"] {
        assert!(page.contains(words), "{words}");
    }
    let two = workspace.run(&[
        "density",
        "study.toml",
        "--column",
        "job",
        "--column",
        "age",
        "--out",
        "two",
    ]);
    two.succeeds();
    assert!(
        workspace.read("two/density.svg").contains("data-value")
            && workspace.read("two/density.html").contains("Together")
    );
}

/// Under a seed and with next to no noise the shares are those of the table, clipping, missing
/// values and all.
#[test]
fn shares_are_those_of_the_table() {
    let workspace = Workspace::new();
    workspace.write(
        "study.toml",
        STUDY.replace("epsilon = 3.0", "epsilon = 1000").replace("epsilon = 1.0", "epsilon = 1000"),
    );
    let density = |columns: &[&str], bins: &str| {
        let columns: Vec<&str> = columns.iter().flat_map(|&name| ["--column", name]).collect();
        let bins = if bins.is_empty() { vec![] } else { vec!["--bins", bins] };
        let fixed = ["density", "study.toml", "--seed", "1", "--out", "out", "--force"];
        workspace.run(&[&fixed, &columns[..], &bins[..]].concat()).succeeds();
        numbers(&workspace.json("out/seeded-density.json")["density"]["probabilities"])
    };
    let close = |found: Vec<f64>, expected: Vec<f64>| {
        assert_eq!(found.len(), expected.len());
        let distance = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(distance < 1e-9, "{found:?} {expected:?}");
    };
    // Ages are 7i mod 110 in 400 rows; those from 90 on are in the last bin, whatever is above 100
    // too.
    let mut ages = vec![0.0; 10];
    (0..400).for_each(|i| ages[(i * 7 % 110 / 10).min(9)] += 1.0 / 400.0);
    close(density(&["age"], "10"), ages);
    // Four jobs by turns, two of them not declared.
    close(density(&["job"], ""), vec![0.25, 0.25, 0.5]);
    // An empty gain is in the middle of the logarithms, hence in the upper of two bins.
    let upper =
        (0..400).filter(|i| i % 50 == 0 || f64::from(i * i % 1300) >= 1001f64.sqrt() - 1.0).count();
    let upper = upper as f64 / 400.0;
    close(density(&["gain"], "2"), vec![1.0 - upper, upper]);
    let yes = table().matches(",yes\n").count() as f64 / 400.0;
    close(density(&["y"], ""), vec![yes, 1.0 - yes, 0.0]);
}

#[test]
fn json_is_the_file_itself() {
    let workspace = Workspace::new();
    let run = workspace.run(&[&DENSITY[..], &["--json"]].concat()).succeeds();
    assert_eq!(run.stdout, workspace.read("out/density.json"));
}

#[test]
fn a_seed_draws_the_same_noise_and_says_that_it_is_not_private() {
    let workspace = Workspace::new();
    let density = |out: &str, more: &[&str]| {
        let run = workspace.run(
            &[&["density", "study.toml", "--column", "age", "--json", "--out", out], more].concat(),
        );
        run.succeeds().stdout
    };
    assert_eq!(density("a", &["--seed", "1"]), density("b", &["--seed", "1"]));
    assert_ne!(density("c", &["--seed", "1"]), density("d", &["--seed", "2"]));
    assert!(!workspace.ledger().exists(), "nobody pays for what must not be published");
    assert_ne!(density("e", &[]), density("f", &["--again"]));

    let run = workspace.run(&[&DENSITY[..], &["--seed", "1"]].concat()).succeeds();
    assert!(run.stdout.lines().next().unwrap().starts_with("NOT PRIVATE"), "{}", run.stdout);
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
    let text = workspace.read("out/seeded-density.json");
    assert!(text.lines().next().unwrap().starts_with("{ \"NOT PRIVATE\": "), "{text}");
    let file = workspace.json("out/seeded-density.json");
    assert_eq!(
        (&file["privacy"]["private"], &file["privacy"]["guarantee"]),
        (&json!(false), &Value::Null)
    );
    assert!(workspace.read("out/seeded-density.html").contains("NOT PRIVATE"));
    assert!(!workspace.path("out/density.json").exists());
}

#[cfg(unix)]
#[test]
fn what_is_not_private_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    workspace.run(&[&DENSITY[..], &["--seed", "1"]].concat()).succeeds();
    for name in ["json", "html", "svg"] {
        let path = workspace.path(&format!("out/seeded-density.{name}"));
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o077, 0);
    }
}

#[test]
fn all_budgets_work() {
    for (spend, law) in [
        ("epsilon = 1.0", "discrete-laplace"),
        ("epsilon = 1.0\ndelta = 1e-6", "discrete-laplace"),
        ("rho = 0.1", "discrete-gaussian"),
    ] {
        let workspace = Workspace::new();
        let study = STUDY
            .replace("[budget]\nepsilon = 3.0", "[budget]\nepsilon = 30\ndelta = 1e-5")
            .replace("[spend]\nepsilon = 1.0", &format!("[spend]\n{spend}"));
        workspace.write("study.toml", study);
        workspace.run(&DENSITY).succeeds();
        assert_eq!(workspace.json("out/density.json")["run"]["noise"], law);
    }
}

#[test]
fn a_target_of_several_classes_can_be_described() {
    let workspace = Workspace::with_study(
        "positive = \"yes\"\nnegative = \"no\"",
        "classes = [\"yes\", \"no\", \"perhaps\"]",
    );
    workspace.run(&["density", "study.toml", "--column", "y", "--out", "out"]).succeeds();
    let names = &workspace.json("out/density.json")["columns"][0]["names"];
    assert_eq!(*names, json!(["yes", "no", "perhaps", "other"]));
}
