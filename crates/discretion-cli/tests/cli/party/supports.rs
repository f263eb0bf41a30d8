//! What several holders can be asked for, as the table of `discretion_jobs::support` has it.

use crate::workspace::Workspace;
use serde_json::Value;

/// Written by `cargo test -p discretion-jobs --test support`.
const CASES: &str = include_str!("../../../../discretion-jobs/tests/support/holders.json");

#[test]
fn holders_do_what_the_table_says() {
    let all: Value = serde_json::from_str(CASES).unwrap();
    for case in all["cases"].as_array().unwrap() {
        let (features, refused) = (&case["features"], case["refused"].as_str());
        let workspace = Workspace::empty();
        workspace.write("t.csv", all["table"].as_str().unwrap());
        workspace.write("study.toml", case["study"].as_str().unwrap());
        let run = workspace.run(&[
            "party",
            "simulate",
            "study.toml",
            "--parties",
            "2",
            "--out",
            "out",
            "--accept-check",
        ]);
        match refused {
            // One process takes "auto" instead, and says so.
            Some(sentence) if sentence.contains("from a list") => {
                assert!(
                    run.code == 0 && run.stderr.contains("from a list"),
                    "{features}: {}",
                    run.stderr
                );
            }
            Some(sentence) => assert!(
                run.code == 2 && run.stderr.contains(sentence),
                "{features}: {sentence}\n{}",
                run.stderr
            ),
            None => assert!(run.code == 0, "{features}: {}", run.stderr),
        }
    }
}
