//! Mistakes that once passed, charged in full and without a word. Each stops before the charge now.

use crate::workspace::{STUDY, Workspace};
use std::fmt::Write;

/// The usual study with pieces of it replaced, and a table of which each row has these values.
fn workspace(pieces: &[(&str, &str)], row: impl Fn(usize) -> [String; 4]) -> Workspace {
    let workspace = Workspace::empty();
    let mut study = STUDY.to_owned();
    for (from, to) in pieces {
        assert!(study.contains(from), "{from}");
        study = study.replacen(from, to, 1);
    }
    workspace.write("study.toml", study);
    let mut table = "age,gain,job,note,y\n".to_owned();
    for i in 0..100 {
        let [age, gain, job, y] = row(i);
        writeln!(table, "{age},{gain},{job},note {i},{y}").unwrap();
    }
    workspace.write("t.csv", table);
    workspace
}

/// A row that is as the study says.
fn usual(i: usize) -> [String; 4] {
    [
        i.to_string(),
        (10 * i).to_string(),
        ["clerk", "nurse"][i % 2].to_owned(),
        ["yes", "no"][i / 3 % 2].to_owned(),
    ]
}

fn outcome(values: [&'static str; 2]) -> impl Fn(usize) -> [String; 4] {
    move |i| {
        let [age, gain, job, _] = usual(i);
        [age, gain, job, values[i / 3 % 2].to_owned()]
    }
}

/// Stops with these words, and neither a ledger nor a result is there.
fn stops(workspace: &Workspace, args: &[&str], words: &str) {
    let run = workspace.run(args);
    assert_eq!(run.code, 2, "{args:?}: {}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains(words), "{args:?}: {}", run.stderr);
    assert_eq!(run.stdout, "");
    let shown = workspace.run(&["ledger", "show", "t"]);
    assert_ne!(shown.code, 0, "nothing was charged: {}", shown.stdout);
    assert_eq!(workspace.written(), Vec::<String>::new());
}

const FIT: [&str; 2] = ["fit", "study.toml"];
const ANY_OTHER: (&str, &str) = ("negative = \"no\"", "negative = \"any other\"");

#[test]
fn outcomes() {
    stops(
        &workspace(&[("negative = \"no\"\n", "")], usual),
        &FIT,
        "says which values are positive and not which are negative",
    );
    stops(
        &workspace(&[], outcome(["1", "0"])),
        &FIT,
        "t.csv:2: the target `y` is \"1\", which is neither",
    );
    stops(
        &workspace(&[], outcome(["yes", "none"])),
        &FIT,
        "t.csv:5: the target `y` is \"none\", which is neither",
    );
    stops(
        &workspace(&[], outcome(["yes", "3.25"])),
        &FIT,
        "t.csv:5: the target `y` is \"3.25\", which is neither",
    );
    stops(&workspace(&[], outcome(["yes", ""])), &FIT, "t.csv:5: the target `y` is missing");
    stops(
        &workspace(&[ANY_OTHER], outcome(["yes", ""])),
        &FIT,
        "t.csv:5: the target `y` is missing",
    );
    stops(
        &workspace(&[ANY_OTHER], outcome(["1", "0"])),
        &FIT,
        "`y`: no row is positive (0 positive, 100 negative of 100 rows)",
    );
    stops(&workspace(&[], outcome(["yes", "yes"])), &FIT, "`y`: no row is negative");
}

#[test]
fn outcomes_that_are_the_same_in_another_spelling() {
    let ones = [("positive = \"yes\"\nnegative = \"no\"", "positive = \"1\"\nnegative = \"0\"")];
    let truths = [("positive = \"yes\"\nnegative = \"no\"", "positive = true\nnegative = false")];
    let coefficients = |workspace: Workspace| {
        workspace.run(&["fit", "study.toml", "--seed", "1"]).succeeds();
        workspace.json("study/seeded-model.json")["coefficients"].clone()
    };
    let expected = coefficients(workspace(&[], usual));
    assert_eq!(coefficients(workspace(&ones, outcome(["1.0", "0.0"]))), expected);
    assert_eq!(coefficients(workspace(&truths, outcome(["True", "False"]))), expected);
}

#[test]
fn columns() {
    let column = |place: usize, value: &'static str| {
        move |i: usize| {
            let mut row = usual(i);
            row[place] = value.to_owned();
            row
        }
    };
    // Categories under other names, bounds in another unit, nothing at all.
    stops(
        &workspace(&[], column(2, "2")),
        &FIT,
        "`job`: more than half of it is lost: 100 not declared (\"other\") of 100 values",
    );
    stops(&workspace(&[], column(2, "")), &FIT, "`job`: more than half of it is lost: 100 missing");
    stops(
        &workspace(&[], column(0, "5475")),
        &FIT,
        "`age`: more than half of it is lost: 100 above 100 of 100 values",
    );
    stops(
        &workspace(&[], column(0, "-3")),
        &FIT,
        "`age`: more than half of it is lost: 100 below 0",
    );
    stops(
        &workspace(&[], column(1, "")),
        &FIT,
        "`gain`: more than half of it is lost: 100 missing",
    );
    stops(
        &workspace(&[], column(0, "")),
        &FIT,
        "t.csv:2: column `age` has no value, and nothing says",
    );

    let workspace = workspace(&[], usual);
    let table = workspace.read("t.csv").replace("clerk", "MÜNCHEN");
    let latin1: Vec<u8> = table.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    workspace.write("t.csv", latin1);
    stops(&workspace, &FIT, "t.csv:2: column `job` is \"M\u{fffd}NCHEN\", which is not UTF-8 text");
}

/// Everything that charges for this table stops, and goes on if it is told to.
#[test]
fn every_command_stops_before_it_charges() {
    let vote = ("[model]", "[vote]\nqueries = 5\nunstable = 1\nchunks = 40\n\n[model]");
    let budget = ("[budget]\nepsilon = 3.0", "[budget]\nepsilon = 1000\ndelta = 0.1");
    let spend = ("[spend]\nepsilon = 1.0", "[spend]\nepsilon = 100\ndelta = 0.01");
    let workspace = workspace(&[vote, budget, spend], |i| {
        let [age, gain, _, y] = usual(i);
        [age, gain, "1".to_owned(), y]
    });
    workspace.write("queries.csv", "age,gain,job\n1,2,clerk\n");
    let words = "`job`: more than half of it is lost";
    for args in [
        &["fit", "study.toml"][..],
        &["fit", "study.toml", "--memory", "64MB"],
        &["fit", "study.toml", "--dry-run"],
        &["fit", "study.toml", "--not-private"],
        &["density", "study.toml", "--column", "job"],
        &["answer", "study.toml", "--queries", "queries.csv"],
        &["serve", "study.toml", "--check"],
        &["serve", "study.toml", "--listen", "127.0.0.1:0"],
        &["party", "simulate", "study.toml", "--parties", "2"],
    ] {
        let run = workspace.run(args);
        assert_eq!(run.code, 2, "{args:?}: {}{}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains(words) && run.stderr.contains("NOT PRIVATE"),
            "{args:?}: {}",
            run.stderr
        );
        assert!(
            run.stderr.contains("discretion check") && run.stderr.contains("--accept-check"),
            "{}",
            run.stderr
        );
        assert_ne!(workspace.run(&["ledger", "show", "t"]).code, 0, "{args:?} charged nothing");
    }
    workspace.run(&["density", "study.toml", "--column", "age"]).succeeds();
    workspace
        .run(&["density", "study.toml", "--column", "job", "--accept-check", "--force"])
        .succeeds();
    workspace.run(&["fit", "study.toml", "--accept-check", "--out", "out"]).succeeds();
    for args in [
        &["answer", "study.toml", "--queries", "queries.csv"][..],
        &["serve", "study.toml", "--check"],
    ] {
        let run = workspace.run(&[args, &["--accept-check"]].concat());
        assert!(!run.stderr.contains(words), "{args:?}: {}", run.stderr);
    }
}

/// All values but one are negative by declaration, so they are no mistake where the outcome is
/// described like a column.
#[test]
fn a_described_outcome_may_be_any_other() {
    let workspace = workspace(&[ANY_OTHER], outcome(["yes", "never"]));
    workspace.write("t.csv", workspace.read("t.csv").replacen(",yes\n", ",no\n", 45));
    workspace.run(&["density", "study.toml", "--column", "y", "--seed", "1"]).succeeds();
}

#[test]
fn predictions_name_the_positive_class() {
    let labels = "positive = \"yes\"\nnegative = \"no\"";
    for (written, names) in [
        ("positive = [\"<30\", \">30\"]\nnegative = \"NO\"", ["<30 or >30", "NO"]),
        (
            "positive = [\"<30\", \">30\"]\nnegative = \"NO\"\nlabel = \"readmitted\"",
            ["readmitted", "NO"],
        ),
        (
            "positive = [\"<30\", \">30\"]\nnegative = \"any other\"\nlabel = \"readmitted\"",
            ["readmitted", "not readmitted"],
        ),
    ] {
        let workspace = workspace(&[(labels, written)], |i| {
            let [age, gain, job, _] = usual(i);
            [age, gain, job, ["<30", ">30", "NO", "NO"][i / 3 % 4].to_owned()]
        });
        workspace.run(&["fit", "study.toml", "--not-private"]).succeeds();
        let predicted =
            workspace.run(&["predict", "study/not-private-model.json", "t.csv"]).succeeds().stdout;
        for line in predicted.lines().skip(1) {
            let label = line.rsplit(',').nth(1).unwrap();
            assert!(names.contains(&label), "{label}");
        }
        let page = workspace.read("study/not-private-report.html");
        assert_eq!(
            page.contains("facts go with readmitted?"),
            names[0] == "readmitted",
            "{written}"
        );
    }
    let clash =
        workspace(&[(labels, "positive = \"yes\"\nnegative = \"no\"\nlabel = \"no\"")], usual);
    stops(&clash, &FIT, "both classes of the target are called \"no\"");
}

#[test]
fn a_model_file_of_an_earlier_version_is_read() {
    let workspace = workspace(&[ANY_OTHER], usual);
    workspace.run(&["fit", "study.toml", "--not-private"]).succeeds();
    let model = workspace.read("study/not-private-model.json");
    assert!(
        !model.contains("\"negative\"") && !model.contains("\"label\""),
        "written as it always was: {model}"
    );
    let predicted =
        workspace.run(&["predict", "study/not-private-model.json", "t.csv"]).succeeds().stdout;
    assert!(
        predicted
            .lines()
            .skip(1)
            .all(|line| line.ends_with(",not yes,true") || line.ends_with(",yes,true")),
        "{predicted}"
    );
}
