//! `discretion check`.

use crate::workspace::{STUDY, Workspace};
use serde_json::Value;
use std::fmt::Write;

/// A table with every fault: 60 rows, of which the last ten are those before them again.
fn faulty() -> Workspace {
    let workspace = Workspace::empty();
    let columns = "age  = { min = 0, max = 100 }";
    let more = "patient_id = { drop = true }\nsite = { values = [\"north\"] }\nage  = { min = 0, max = 100 }";
    workspace.write("study.toml", STUDY.replace(columns, more));
    let mut table = "patient_id,site,age,gain,job,note,y\n".to_owned();
    for i in 0..60 {
        let i = if i < 50 { i } else { i - 10 };
        let age = if i % 5 == 0 { "999".to_owned() } else { i.to_string() };
        let gain = if i == 7 {
            "much"
        } else if i % 2 == 0 {
            ""
        } else {
            "12"
        };
        let job = ["1", "2", "clerk"][i % 3];
        let y = if i == 9 { "" } else { ["yes", "no"][i % 2] };
        writeln!(table, "p{},north,{age},{gain},{job},{i},{y}", i / 2 * 2).unwrap();
    }
    workspace.write("t.csv", table);
    workspace
}

fn verdicts(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let columns = report["columns"].as_array().unwrap();
    columns.iter().map(|column| (text(&column["name"]), text(&column["verdict"]))).collect()
}

#[test]
fn a_table_with_every_fault() {
    let workspace = faulty();
    let run = workspace.run(&["check", "study.toml"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.starts_with("NOT PRIVATE: "), "{}", run.stdout);
    assert!(
        run.stderr.contains("t.csv: ") && run.stderr.contains("at which a run stops"),
        "{}",
        run.stderr
    );
    for words in [
        "y (outcome)",
        "30 positive, 29 negative of 59 rows",
        "a run stops at 1 of its values, first in row 10: the target `y` is missing",
        "12 above 100 of 60 values; are the bounds in the unit of the table?",
        "most frequent of these: \"999\" (12)",
        "a run stops at 1 of its values, first in row 8: column `gain` must be a number, not \"much\"",
        "more than half of it is lost: 41 not declared (\"other\") of 60 values",
        "most frequent of these: \"2\" (21), \"1\" (20)",
        "every row has the same value",
        "it looks like an identifier, with 25 different values, 25 of them in several rows",
        "10 of 60 rows are the same as an earlier one in every column",
    ] {
        assert!(run.stdout.contains(words), "{words}\n{}", run.stdout);
    }

    let run = workspace.run(&["check", "study.toml", "--json"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("{\n  \"NOT PRIVATE\": "), "{}", run.stdout);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    };
    let expected = [
        ("patient_id", "look"),
        ("site", "look"),
        ("age", "look"),
        ("gain", "mistake"),
        ("job", "mistake"),
        ("note", "look"),
        ("y", "mistake"),
    ];
    assert_eq!(verdicts(&report), pairs(&expected));
    assert_eq!((&report["rows"], &report["verdict"]), (&60.into(), &"mistake".into()));
    let column = |name: &str| {
        report["columns"]
            .as_array()
            .unwrap()
            .iter()
            .find(|column| column["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(
        (&column("age")["clipped_high"], &column("age")["clipped_low"]),
        (&12.into(), &0.into())
    );
    assert_eq!((&column("job")["other"], &column("gain")["missing"]), (&41.into(), &30.into()));
    assert_eq!(column("y")["classes"][1], serde_json::json!({ "class": "positive", "rows": 30 }));
    assert_eq!(report["whole_rows"]["doubled"], 10);

    assert!(!workspace.ledger().exists(), "no ledger was opened");
    assert_eq!(workspace.written(), Vec::<String>::new());
}

#[test]
fn a_table_that_is_as_declared_is_fine() {
    let workspace = Workspace::new();
    let mut table = "age,gain,job,note,y\n".to_owned();
    for i in 0..200 {
        writeln!(
            table,
            "{},{},{},{i},{}",
            i % 90,
            i,
            ["clerk", "nurse"][i % 2],
            ["yes", "no"][i / 3 % 2]
        )
        .unwrap();
    }
    workspace.write("other.csv", table);
    let run = workspace.run(&["check", "study.toml", "--data", "other.csv"]).succeeds();
    assert_eq!(run.stderr, "");
    assert!(run.stdout.ends_with("All is fine.\n"), "{}", run.stdout);
    // What fit stops at, and nothing else, is a mistake: the usual table only has something to look
    // at.
    let run = workspace.run(&["check", "study.toml"]).succeeds();
    assert!(run.stdout.contains("look") && !run.stdout.contains("mistake  "), "{}", run.stdout);
    workspace.run(&["check", "nowhere.toml"]).fails(2, "nowhere.toml: there is no such file");
}
