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
    assert!(
        run.stdout.lines().count() <= 26 && run.stderr.is_empty(),
        "{}{}",
        run.stdout,
        run.stderr
    );
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 120), "{}", run.stdout);
    // What is left out is said to whoever asks.
    let verbose = workspace.run(&["demo", "--verbose"]).succeeds().stdout;
    for said in ["told from 0   age", "(the run itself has ε = 1", "lambda  ", "noise  "] {
        assert!(verbose.contains(said) && !run.stdout.contains(said), "{said}: {verbose}");
    }
    let page = workspace.read("demo/report.html").replace('\u{a0}', " ");
    assert!(page.contains("(the run itself has ε = 1"), "{page}");
    // The whole job: λ from public numbers, coefficients, intervals, evaluation, page.
    let model = workspace.json("demo/model.json");
    // All patients but those who are held out, and not their stays.
    assert_eq!(model["training"]["rows"], 22_950);
    assert_eq!(model["quality"]["rows"], 4_050);
    assert_eq!(model["privacy"]["unit"], "person");
    assert_eq!(model["training"]["lambda_from"], "auto");
    assert_eq!(model["intervals"]["level"], 0.95);

    let advice: Vec<&str> =
        run.stdout.lines().filter(|line| line.starts_with("discretion ")).collect();
    assert_eq!(advice.len(), 4, "{advice:?}");
    workspace.write("YOUR.csv", "a,b\n1,x\n2,y\n");
    for line in advice {
        let command = line.split(['#', '|']).next().unwrap();
        let args: Vec<&str> = command.split_whitespace().skip(1).collect();
        workspace.run(&args).succeeds();
    }
    // What other pages do with the demo's study.
    let ledger = ["--ledger", "demo/demo-ledger.sqlite"];
    for command in [
        &["serve", "demo/study.toml", "--check"][..],
        &["density", "demo/study.toml", "--column", "age", "--out", "age"],
        &["party", "simulate", "demo/study.toml", "--parties", "5", "--out", "together"],
    ] {
        workspace.run(&[command, &ledger].concat()).succeeds();
    }
}

/// Under three seeds: every effect of the generator is told from zero, with its sign, and what it
/// leaves to chance (sex, insurance) is not. Most intervals hold the number that it was made with.
#[test]
fn tells_what_is_there_and_nothing_else() {
    const MADE_WITH: [(&str, f64); 10] = [
        ("age", 0.02),
        ("prior_admissions", 0.6),
        ("ln(1 + length_of_stay)", 0.5),
        ("sex=male", 0.0),
        ("ward=surgery", -0.5),
        ("ward=cardiology", 0.4),
        ("ward=oncology", 0.9),
        ("admission=planned", -0.6),
        ("insurance=private", 0.0),
        ("discharged_to=rehabilitation", -0.7),
    ];
    let workspace = Workspace::empty();
    workspace.run(&["demo"]).succeeds();
    let mut held = 0;
    for seed in ["1", "2", "3"] {
        let fit = ["fit", "demo/study.toml", "--seed", seed, "--force", "--out", "seeded"];
        workspace.run(&fit).succeeds();
        let model = workspace.json("seeded/seeded-model.json");
        for (name, made_with) in MADE_WITH {
            let all = model["coefficients"].as_array().unwrap();
            let coefficient = all.iter().find(|coefficient| coefficient["of"] == name).unwrap();
            let effect = &coefficient["effect"];
            let interval = match effect["against"].is_null() {
                true => &coefficient["per_unit_interval"],
                false => &effect["interval"],
            };
            let [lower, upper] = ["lower", "upper"].map(|end| interval[end].as_f64().unwrap());
            let told = if lower > 0.0 { 1.0 } else { -f64::from(upper < 0.0) };
            let there = if made_with == 0.0 { 0.0 } else { made_with.signum() };
            assert_eq!(told, there, "{name} under {seed}: {lower} to {upper}");
            held += usize::from((lower..=upper).contains(&made_with));
        }
    }
    assert!(held >= 25, "{held} of 30 intervals hold the truth");
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

/// Reading it would wait for ever.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_the_study_of_the_demo() {
    let workspace = Workspace::empty();
    std::fs::create_dir(workspace.path("demo")).unwrap();
    let pipe = workspace.path("demo/study.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let run = workspace.run(&["demo", "--out", "demo"]);
    assert!(
        run.code != 0 && run.stderr.contains("this is not the demo's own file"),
        "{}",
        run.stderr
    );
}
