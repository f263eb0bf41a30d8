//! What every command says on standard output, as it was: `golden/output`. `UPDATE_GOLDEN=1 cargo
//! test -p discretion-cli --test cli outputs` writes it anew.
//!
//! Under a seed where there is one. What is drawn anew each time, times, keys and hashes are `#` in
//! these files, and spaces are one space; the words around them stay.

use crate::golden::compare;
use crate::party::Trial;
use crate::workspace::Workspace;
use std::path::Path;

fn keep(name: &str, stdout: &str) {
    assert!(!stdout.is_empty(), "{name} says nothing");
    compare(&format!("tests/cli/golden/output/{name}"), stdout);
}

/// Without what is drawn anew each time.
pub fn keep_words(name: &str, stdout: &str) {
    keep(name, &words(stdout));
}

/// A text without its numbers, and with one space for many.
fn words(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "_.,+-<".contains(c);
    let line = |line: &str| {
        let mut marked = String::new();
        // Pieces end behind the first character that is no part of a word.
        for piece in line.split_inclusive(|c| !is_part(c)) {
            let word = piece.trim_end_matches(|c| !is_part(c));
            let is_number = word.contains(|c: char| c.is_ascii_digit());
            marked += if is_number { "#" } else { word };
            marked += &piece[word.len()..];
        }
        marked.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"
    };
    text.lines().map(line).collect()
}

#[test]
fn outputs_about_one_table() {
    let workspace = Workspace::new();
    let say = |args: &[&str]| workspace.run(args).succeeds().stdout;
    keep("schema.toml", &say(&["schema", "t.csv", "--account", "t"]));
    keep("schema-from-data.toml", &say(&["schema", "t.csv", "--account", "t", "--from-data"]));
    keep("check.txt", &say(&["check", "study.toml"]));
    keep("fit-dry-run.txt", &say(&["fit", "study.toml", "--dry-run"]));
    keep("fit.txt", &say(&["fit", "study.toml", "--seed", "7", "--out", "out"]));
    let verbose = ["fit", "study.toml", "--seed", "7", "--out", "verbose", "--verbose"];
    keep("fit-verbose.txt", &say(&verbose));
    keep("report.txt", &say(&["report", "out/seeded-model.json", "--out", "page.html"]));
    keep("export.csv", &say(&["export", "out/seeded-model.json", "--format", "csv"]));
    workspace.write("few.csv", "age,gain,job\n30,5,clerk\n50,,nurse\n99,1e9,pilot\n");
    keep("predict.csv", &say(&["predict", "out/seeded-model.json", "few.csv"]));
    keep("predict-json.txt", &say(&["predict", "out/seeded-model.json", "few.csv", "--json"]));
    let density = [
        "density",
        "study.toml",
        "--seed",
        "7",
        "--out",
        "out",
        "--column",
        "age",
        "--column",
        "job",
    ];
    keep("density.txt", &say(&density));
    keep("sample.csv", &say(&["sample", "out/seeded-density.json", "--rows", "3", "--seed", "7"]));
    keep("release.txt", &say(&["release", "study.toml", "--seed", "7", "--out", "released"]));
    keep("plan.txt", &say(&["plan", "--study", "study.toml", "--rows", "400"]));
    keep("audit.txt", &say(&["audit", "--mechanism", "counts", "--trials", "1000", "--seed", "7"]));
}

#[test]
fn outputs_about_votes() {
    let workspace = Workspace::empty();
    workspace.write("study.toml", crate::answer::STUDY);
    workspace.write("t.csv", crate::answer::table(1200));
    workspace.write("q.csv", "age,job\n1,clerk\n99,clerk\n");
    let say = |args: &[&str]| workspace.run(args).succeeds().stdout;
    keep(
        "answer.txt",
        &say(&["answer", "study.toml", "--queries", "q.csv", "--seed", "7", "--out", "a.csv"]),
    );
    let plan = [
        "plan",
        "vote",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--queries",
        "1000",
        "--unstable",
        "50",
    ];
    keep("plan-vote.txt", &say(&plan));
    keep_words("serve.txt", &say(&["serve", "study.toml", "--check"]));
    keep_words(
        "serve-token-new.txt",
        &say(&["serve", "token", "new", "study.toml", "--name", "ann"]),
    );
    keep_words("serve-token-list.txt", &say(&["serve", "token", "list", "study.toml"]));
    keep_words(
        "serve-token-revoke.txt",
        &say(&["serve", "token", "revoke", "study.toml", "--name", "ann"]),
    );
}

#[test]
fn outputs_about_accounts() {
    let workspace = Workspace::new();
    workspace.run(&["fit", "study.toml"]).succeeds();
    let ledger = workspace.ledger().display().to_string();
    let say =
        |args: &[&str]| workspace.run(args).succeeds().stdout.replace(&ledger, "ledger.sqlite");
    keep_words("ledger-list.txt", &say(&["ledger", "list"]));
    keep_words(
        "ledger-raise.txt",
        &say(&["ledger", "raise", "t", "--epsilon", "4", "--reason", "a new vote"]),
    );
    keep_words("ledger-show.txt", &say(&["ledger", "show", "t", "--why"]));
    keep_words("ledger-verify.txt", &say(&["ledger", "verify"]));
    keep_words("ledger-export.txt", &say(&["ledger", "export"]));
}

#[test]
fn outputs_about_several_holders() {
    let trial = Trial::new();
    let runs = trial.run(None);
    keep_words("party-coordinate.txt", &runs.coordinator.succeeds().stdout);
    let north = runs.members.into_iter().next().unwrap().succeeds();
    keep_words("party-join.txt", &north.stdout);
    let workspace = Workspace::new();
    keep_words("party-key.txt", &workspace.run(&["party", "key", "my.key"]).succeeds().stdout);
    let simulate = ["party", "simulate", "study.toml", "--parties", "3", "--out", "out"];
    keep_words("party-simulate.txt", &workspace.run(&simulate).succeeds().stdout);
}

/// Whatever has help and does something itself has an output here.
#[test]
fn every_command_has_an_output() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden");
    let outputs: Vec<String> = std::fs::read_dir(golden.join("output"))
        .unwrap()
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    for file in std::fs::read_dir(golden.join("help")).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let help = std::fs::read_to_string(&path).unwrap();
        let only_groups = help.contains("<COMMAND>\n") && !help.contains("\n       discretion");
        assert!(
            only_groups || outputs.contains(&name),
            "no output of {name} is kept in {}",
            golden.display()
        );
    }
}

#[test]
fn words_have_no_numbers_and_few_spaces() {
    assert_eq!(
        words("age    -0.5  1,200 to <0.001  p00:31 (x)\n\na=1e-6"),
        "age # # to # #:# (x)\n\na=#\n"
    );
}
