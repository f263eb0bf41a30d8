//! `discretion sample`.

use crate::workspace::{STUDY, Workspace};
use serde_json::Value;

/// A private density of a number, a logarithmic number and a category in `out`.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let columns = ["--column", "age", "--column", "gain", "--column", "job"];
    workspace
        .run(&[&["density", "study.toml", "--out", "out", "--bins", "2"], &columns[..]].concat())
        .succeeds();
    workspace
}

#[test]
fn rows_have_the_density_s_columns_and_stay_within_bounds() {
    let workspace = workspace();
    let run = workspace.run(&["sample", "out/density.json", "--rows", "10000"]).succeeds();
    assert_eq!(run.stderr, "");
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some("age,gain,job"));
    let mut rows = 0;
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [age, gain] = [0, 1].map(|i| fields[i].parse::<f64>().unwrap());
        assert!((0.0..=100.0).contains(&age) && (0.0..=1000.0).contains(&gain), "{line}");
        assert!(["clerk", "nurse", "other"].contains(&fields[2]), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 10_000);
    assert_eq!(
        workspace
            .run(&["sample", "out/density.json", "--rows", "1"])
            .succeeds()
            .stdout
            .lines()
            .count(),
        2
    );
}

/// Every cell is drawn with its probability, in the unit of the column: within 5 standard
/// deviations, for a fixed seed.
#[test]
fn rows_are_distributed_as_the_density_says() {
    let workspace = workspace();
    let file = workspace.json("out/density.json");
    let csv = workspace
        .run(&["sample", "out/density.json", "--rows", "20000", "--seed", "1"])
        .succeeds()
        .stdout;
    let edges = |column: usize| -> f64 { file["columns"][column]["edges"][1].as_f64().unwrap() };
    let (age_edge, gain_edge) = (edges(0), edges(1));
    let mut counts = [0.0; 12];
    for line in csv.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [age, gain] = [0, 1].map(|i| fields[i].parse::<f64>().unwrap());
        let job = ["clerk", "nurse", "other"].iter().position(|name| *name == fields[2]).unwrap();
        counts[6 * usize::from(age >= age_edge) + 3 * usize::from(gain >= gain_edge) + job] += 1.0;
    }
    let probabilities = file["density"]["probabilities"].as_array().unwrap();
    for (count, p) in counts.iter().zip(probabilities.iter().map(|p| p.as_f64().unwrap())) {
        let deviation = (p * (1.0 - p) / 20_000.0).sqrt();
        // A number on an edge may be rounded to the other side of it.
        assert!((count / 20_000.0 - p).abs() <= 5.0 * deviation + 2e-4, "{count} {p}");
    }
}

#[test]
fn the_same_seed_gives_the_same_rows_and_none_gives_others() {
    let workspace = workspace();
    let sample = |more: &[&str]| {
        workspace
            .run(&[&["sample", "out/density.json", "--rows", "20"], more].concat())
            .succeeds()
            .stdout
    };
    assert_eq!(sample(&["--seed", "7"]), sample(&["--seed", "7"]));
    assert_ne!(sample(&["--seed", "7"]), sample(&["--seed", "8"]));
    assert_ne!(sample(&[]), sample(&[]));
    // The first rows do not depend on how many follow.
    let more = workspace
        .run(&["sample", "out/density.json", "--rows", "5000", "--seed", "7"])
        .succeeds()
        .stdout;
    assert!(more.starts_with(&sample(&["--seed", "7"])));
}

#[test]
fn names_are_quoted_and_what_is_not_declared_has_a_name_of_its_own() {
    let workspace = Workspace::new();
    let study = STUDY
        .replace("job  =", "\"the, job\" =")
        .replace("[\"clerk\", \"nurse\"]", "[\"other\", \"a \\\"b\\\"\"]");
    workspace.write("study.toml", study);
    workspace.write(
        "t.csv",
        "age,gain,\"the, job\",note,y\n".to_owned()
            + &"1,2,x,,yes\n1,2,\"a \"\"b\"\"\",,no\n".repeat(100),
    );
    workspace.run(&["density", "study.toml", "--column", "the, job"]).succeeds();
    let csv = workspace
        .run(&["sample", "study/density.json", "--rows", "500", "--seed", "1"])
        .succeeds()
        .stdout;
    assert_eq!(csv.lines().next(), Some("\"the, job\""));
    for line in ["(other)", "\"a \"\"b\"\"\""] {
        assert!(csv.lines().any(|found| found == line), "{line}: {csv}");
    }
}

#[test]
fn a_file_is_written_whole_and_never_over_another_and_nothing_is_charged() {
    let workspace = workspace();
    let sample = |more: &[&str]| {
        workspace.run(&[&["sample", "out/density.json", "--rows", "9"], more].concat())
    };
    assert_eq!(sample(&["--out", "rows.csv"]).succeeds().stdout, "");
    assert_eq!(workspace.read("rows.csv").lines().count(), 10);
    sample(&["--out", "t.csv"]).fails(1, "t.csv: this file exists already").says("--force");
    sample(&["--out", "nowhere/rows.csv"])
        .fails(2, "nowhere/rows.csv: this file cannot be created");
    sample(&["--out", "rows.csv", "--force"]).succeeds();
    let shown = workspace.run(&["ledger", "show", "t", "--json"]).succeeds().stdout;
    let account: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(account["charges"], 1, "the density was charged, and no sample");
}

#[test]
fn rows_of_a_density_that_is_not_private_say_so() {
    let workspace = Workspace::new();
    workspace.run(&["density", "study.toml", "--column", "age", "--seed", "1"]).succeeds();
    let run = workspace.run(&["sample", "study/seeded-density.json", "--rows", "3"]).succeeds();
    assert!(run.stderr.contains("NOT PRIVATE"), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 4);
}

#[test]
fn files_that_are_not_densities_are_refused() {
    let workspace = workspace();
    let good = workspace.read("out/density.json");
    let mut heavier: Value = serde_json::from_str(&good).unwrap();
    heavier["density"]["probabilities"][0] = Value::from(0.99);
    heavier["density"]["probabilities"][1] = Value::from(0.99);
    for (text, words) in [
        (
            good.replace("discretion-density/1", "discretion-density/2"),
            "use the version of discretion that wrote it",
        ),
        (good.replace("discretion-density/1", "discretion-model/1"), "name a density.json"),
        (good.replace("\"format\"", "\"form\""), "no \"format\""),
        (good[..good.len() / 2].to_owned(), "damaged"),
        (good.replace("\"ln(1 + gain)\"", "\"ln(1 + loss)\""), "do not belong to its axes"),
        (good.replacen("\"max\": 1000.0", "\"max\": -1.0", 1), "do not belong to its axes"),
        (heavier.to_string(), "must add up to 1"),
        ("age\n1\n".to_owned(), "not a density file"),
        (String::new(), "not a density file"),
    ] {
        workspace.write("density.json", text);
        workspace
            .run(&["sample", "density.json", "--rows", "3"])
            .fails(2, "density.json: ")
            .says(words);
    }
    workspace.run(&["sample", "no.json", "--rows", "3"]).fails(2, "no.json: ");
    workspace.run(&["sample", "out", "--rows", "3"]).fails(2, "out: ");
    for rows in ["0", "-1", "x", "1.5"] {
        assert_eq!(
            workspace.run(&["sample", "out/density.json", "--rows", rows]).code,
            2,
            "{rows}"
        );
    }
}
