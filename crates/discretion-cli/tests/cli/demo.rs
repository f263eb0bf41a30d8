//! `discretion demo`, and every command it tells a newcomer to type.

use crate::workspace::Workspace;

#[test]
fn ends_with_a_model_and_says_what_to_type_next() {
    let workspace = Workspace::empty();
    let run = workspace.run(&["demo"]).succeeds();
    assert_eq!(
        workspace.written(),
        [
            "demo/demo-ledger.sqlite",
            "demo/model.json",
            "demo/patients.csv",
            "demo/report.html",
            "demo/study.toml"
        ]
    );
    crate::outputs::keep_words("demo.txt", &run.stdout);
    assert!(
        run.stdout.contains("ε = 1, δ = 1e-6: replacing all rows of any one person"),
        "{}",
        run.stdout
    );
    // The whole job: λ chosen, coefficients, intervals, page.
    let model = workspace.json("demo/model.json");
    // Nine tenths of the patients, and not of the stays.
    assert_eq!(model["training"]["rows"], 27_000);
    assert_eq!(model["privacy"]["unit"], "person");
    assert_eq!(model["tuning"]["candidates"].as_array().unwrap().len(), 3);
    assert_eq!(model["intervals"]["level"], 0.95);

    let advice: Vec<&str> =
        run.stdout.lines().filter(|line| line.starts_with("  discretion ")).collect();
    assert_eq!(advice.len(), 6, "{advice:?}");
    workspace.write("YOUR.csv", "a,b\n1,x\n2,y\n");
    for line in advice {
        let command = line.split(['#', '|']).next().unwrap();
        // A service has no end of its own; checking it does everything before that.
        let args = command.split_whitespace().skip(1);
        let args: Vec<&str> =
            args.map(|word| if word == "--new-tokens" { "--check" } else { word }).collect();
        workspace.run(&args).succeeds();
    }
}

#[test]
fn can_be_run_again_with_the_same_table_and_new_noise() {
    let workspace = Workspace::empty();
    let files =
        || ["d/patients.csv", "d/study.toml", "d/model.json"].map(|name| workspace.read(name));
    workspace.run(&["demo", "--out", "d"]).succeeds();
    let first = files();
    workspace.run(&["demo", "--out", "d"]).succeeds();
    let second = files();
    assert_eq!(first[..2], second[..2]);
    assert_ne!(first[2], second[2]);
}

#[test]
fn the_files_of_others_are_safe() {
    let workspace = Workspace::new();
    workspace.run(&["demo", "--out", "."]).fails(1, "./study.toml: ").says("--out");
    workspace.run(&["demo"]).succeeds();
    let edited = workspace.read("demo/study.toml").replace("epsilon = 1.0", "epsilon = 0.5");
    workspace.write("demo/study.toml", &edited);
    workspace.run(&["demo"]).fails(1, "demo/study.toml: ").says("was changed");
    assert_eq!(workspace.read("demo/study.toml"), edited);
    workspace.write("file", "");
    workspace.run(&["demo", "--out", "file"]).fails(2, "file: this is a file");
}
