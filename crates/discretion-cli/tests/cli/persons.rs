//! A guarantee about a person: what is read, what is public, and what is refused.

use crate::workspace::Workspace;
use serde_json::Value;

const STUDY: &str = r#"[data]
path = "t.csv"
account = "stays"
person = "patient"
target = "back"
positive = "1"
negative = "0"

[budget]
epsilon = 9.0

[spend]
epsilon = 1.0

[columns]
age  = { min = 0, max = 100 }
ward = { values = ["a", "b", "c"] }

[model]
lambda = 0.05
"#;

const PERSONS: usize = 300;

/// The rows of persons who have so many each, in the order of visits: nobody's rows are neighbours.
fn table(
    rows: impl Fn(usize) -> usize,
    row: impl Fn(usize, usize) -> (usize, usize, usize),
) -> String {
    let most = (0..PERSONS).map(&rows).max().unwrap();
    let mut text = "age,patient,ward,back\n".to_owned();
    for visit in 0..most {
        for person in (0..PERSONS).filter(|&person| visit < rows(person)) {
            let (age, ward, back) = row(person, visit);
            text += &format!("{age},P{person},{},{back}\n", ["a", "b", "c"][ward]);
        }
    }
    text
}

fn usual(person: usize, visit: usize) -> (usize, usize, usize) {
    let age = (person * 7 + visit * 13) % 101;
    (age, (person + visit) % 3, usize::from(age + 20 * (person % 4) > 80))
}

fn workspace(study: &str, table: String) -> Workspace {
    let workspace = Workspace::empty();
    workspace.write("study.toml", study);
    workspace.write("t.csv", table);
    workspace
}

/// A model without what was released: all that is left is public.
fn public(mut model: Value) -> Value {
    for coefficient in model["coefficients"].as_array_mut().unwrap() {
        *coefficient = coefficient["name"].take();
    }
    for released in ["/training/lambda", "/tuning/lambda", "/training/mechanism"] {
        let is_chosen = model.get("tuning").is_some();
        if let Some(value) = model.pointer_mut(released).filter(|_| is_chosen) {
            *value = Value::Null;
        }
    }
    model
}

/// The number of rows is as private as what is in them: nothing that is printed, planned or written
/// depends on it.
#[test]
fn how_many_rows_a_person_has_shows_nowhere() {
    let spends = ["epsilon = 1.0", "epsilon = 1.0\ndelta = 1e-3", "rho = 0.2"];
    let models = [
        "lambda = 0.05",
        "lambda = \"auto\"",
        "lambda = 0.05\nloss = \"hinge\"",
        "lambda = [0.1, 1]",
    ];
    for (k, spend) in spends.into_iter().enumerate() {
        for model in models {
            let budget = ["epsilon = 9.0", "epsilon = 9.0\ndelta = 0.01", "rho = 9.0"][k];
            let study = STUDY
                .replace("epsilon = 9.0", budget)
                .replace("epsilon = 1.0", spend)
                .replace("lambda = 0.05", model);
            let shown =
                [|_: usize| 1, |person: usize| if person == 7 { 500 } else { 1 + person % 3 }].map(
                    |rows| {
                        let workspace = workspace(&study, table(rows, usual));
                        let dry = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds();
                        workspace
                            .run(&["fit", "study.toml", "--seed", "7", "--out", "out"])
                            .succeeds();
                        let model = workspace.json("out/seeded-model.json");
                        assert_eq!(model["privacy"]["unit"], "person");
                        let released = model["coefficients"].clone();
                        (dry.stdout, public(model), released)
                    },
                );
            let [one, other] = shown;
            assert_eq!((&one.0, &one.1), (&other.0, &other.1), "{spend}, {model}");
            assert_ne!(one.2, other.2, "other rows, another model");
        }
    }
}

/// Whoever has the same row five times has it once.
#[test]
fn a_person_counts_once_however_many_rows_there_are() {
    for model in [
        "lambda = 0.05",
        "lambda = [0.1, 1]",
        "lambda = [0.1, 1]\n[tune]\nrule = \"random-stopping\"",
    ] {
        let study = STUDY.replace("lambda = 0.05", model).replace("epsilon = 1.0", "epsilon = 8.0");
        let released = [|_: usize| 1, |person: usize| 1 + person % 5].map(|rows| {
            let workspace = workspace(&study, table(rows, |person, _| usual(person, 0)));
            workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
            let model = workspace.json("out/seeded-model.json");
            let values = model["coefficients"].as_array().unwrap().iter();
            values.map(|entry| entry["encoded"].as_f64().unwrap()).collect::<Vec<f64>>()
        });
        for (one, other) in released[0].iter().zip(&released[1]) {
            assert!((one - other).abs() < 1e-6, "{model}: {released:?}");
        }
    }
}

/// What counts rows counts one of each person: whoever has the same row five times has it once, to
/// the last bit.
#[test]
fn counts_have_a_person_once() {
    let study = STUDY.replace("epsilon = 1.0", "epsilon = 4.0");
    let made = [|_: usize| 1, |person: usize| 1 + person % 5].map(|rows| {
        let workspace = workspace(&study, table(rows, |person, _| usual(person, 0)));
        let density = ["density", "study.toml", "--column", "age", "--seed", "7", "--out", "d"];
        let said = workspace.run(&density).succeeds().stdout;
        assert!(said.contains("persons       300\n"), "{said}");
        workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
        let model = "out/seeded-model.json";
        let evaluated = [
            "evaluate",
            model,
            "--study",
            "study.toml",
            "--data",
            "t.csv",
            "--seed",
            "7",
            "--out",
            "e.json",
        ];
        workspace.run(&evaluated).succeeds();
        let mut counts = workspace.json("e.json")["quality"]["counts"].take();
        // The last digit of a coefficient may be another one.
        counts["edges"] = Value::Null;
        let page = workspace.read("d/seeded-density.html");
        assert!(page.contains("of each one row was counted"), "{page}");
        (workspace.json("d/seeded-density.json"), counts)
    });
    assert_eq!(made[0].0["privacy"]["unit"], "person");
    assert_eq!(made[0], made[1]);
}

/// With rows in a file a person's rows may be anywhere, and the same is released under the same
/// seed.
#[test]
fn a_limit_of_memory_changes_no_number() {
    for more in ["", "[evaluate]\nshare = 0.5\n", "[intervals]\nlevel = 0.9\n"] {
        let workspace = workspace(&format!("{STUDY}{more}"), table(|person| 1 + person % 5, usual));
        let fit = |out: &str, more: &[&str]| {
            let args = [&["fit", "study.toml", "--seed", "5", "--out", out], more].concat();
            workspace.run(&args).succeeds();
            workspace.json(&format!("{out}/seeded-model.json"))
        };
        assert_eq!(fit("held", &[]), fit("within", &["--memory", "64MB"]), "{more}");
    }
}

/// A person is held out with all rows: of those who are, no row moves the model. A split by rows
/// would hold out nobody of five.
#[test]
fn held_out_persons_train_with_none_of_their_rows() {
    let study = STUDY.replace("epsilon = 1.0", "epsilon = 8.0") + "[evaluate]\nshare = 0.3\n";
    let fitted = |changed: Option<usize>| {
        let row = |person, visit| {
            let (age, ward, back) = usual(person, visit);
            if changed == Some(person) {
                (age, (ward + 1) % 3, 1 - back)
            } else {
                (age, ward, back)
            }
        };
        let workspace = workspace(&study, table(|person| 5 - person % 2, row));
        let fit = ["fit", "study.toml", "--seed", "7", "--out", "out", "--verbose"];
        let said = workspace.run(&fit).succeeds();
        assert!(said.stderr.contains("90 persons are held out"), "{}", said.stderr);
        let model = workspace.json("out/seeded-model.json");
        (model["coefficients"].clone(), model["quality"].clone())
    };
    let usual = fitted(None);
    let changed: Vec<_> = (0..16).map(|person| fitted(Some(person))).collect();
    let held_out = changed.iter().filter(|fitted| fitted.0 == usual.0).count();
    assert!((1..12).contains(&held_out), "{held_out} of 16");
    let counted =
        changed.iter().filter(|fitted| fitted.0 == usual.0 && fitted.1 != usual.1).count();
    assert!(counted > 0, "nobody who was held out was asked");
}

/// With intervals, everything but what was released is the same, however many rows there are.
#[test]
fn intervals_of_persons_say_nothing_about_rows() {
    let study =
        STUDY.replace("epsilon = 9.0", "epsilon = 40.0").replace("epsilon = 1.0", "epsilon = 30.0")
            + "[intervals]\n";
    let shown = [|_: usize| 1, |person: usize| if person == 7 { 300 } else { 1 + person % 3 }].map(
        |rows| {
            let workspace = workspace(&study, table(rows, usual));
            let dry = workspace.run(&["fit", "study.toml", "--dry-run"]).succeeds().stdout;
            workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
            let mut model = workspace.json("out/seeded-model.json");
            let intervals = model["intervals"].take();
            assert!(
                intervals.to_string().contains("that the persons are a random sample of"),
                "{intervals}"
            );
            assert!(model["evidence"].take().to_string().contains("row_moments"), "{model}");
            let without =
                workspace.run(&["fit", "study.toml", "--not-private", "--out", "plain"]).succeeds();
            assert!(
                without.stdout.contains("Wald") || without.stdout.contains("95 %"),
                "{}",
                without.stdout
            );
            (dry, public(model))
        },
    );
    assert_eq!(shown[0], shown[1]);
}

#[test]
fn several_holders_deal_with_persons() {
    let workspace = workspace(STUDY, table(|person| 1 + person % 5, usual));
    let simulate = ["party", "simulate", "study.toml", "--parties", "3", "--out", "p"];
    let said = workspace.run(&simulate).succeeds().stdout;
    assert!(said.contains("every person (who has rows with two holders counts as two)"), "{said}");
    let model = workspace.json("p/model.json");
    assert_eq!(
        (&model["privacy"]["unit"], &model["training"]["rows"]),
        (&"person".into(), &300.into())
    );
}

#[test]
fn another_spelling_is_the_same_person() {
    let text = table(|person| 1 + person % 2, usual).replace("P", "");
    let other = text.replacen(",1,", ",01.0,", 1).replacen(",2,", ", 2 ,", 1);
    assert_ne!(text, other);
    let [one, other] = [text, other].map(|text| {
        let workspace = workspace(STUDY, text);
        workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
        workspace.json("out/seeded-model.json")
    });
    assert_eq!(one["coefficients"], other["coefficients"]);
}

/// Letters of every script and numbers in every notation; `check` tells the custodian.
#[test]
fn other_spellings_count_as_one_person_and_check_says_so() {
    let text = table(|person| 1 + person % 2, usual);
    let spelled = |name: &str, other: &str| {
        let first =
            text.replace(",P7,", &format!(",{name},")).replace(",P9,", &format!(",{other},"));
        let one = first.replace(&format!(",{other},"), &format!(",{name},"));
        let [one, several] = [one, first].map(|text| {
            let workspace = workspace(STUDY, text);
            workspace.run(&["fit", "study.toml", "--seed", "7", "--out", "out"]).succeeds();
            let said = workspace.run(&["check", "study.toml"]).stdout;
            (workspace.json("out/seeded-model.json"), said)
        });
        assert_eq!(several.0["training"]["rows"], PERSONS - 1, "{name} {other}");
        assert_eq!(one.0["coefficients"], several.0["coefficients"], "{name} {other}");
        let all = format!("it says whose a row is: {} persons", PERSONS - 1);
        assert!(several.1.contains(&all) && one.1.contains(&all), "{}", several.1);
        assert!(
            several.1.contains(
                "written in several ways, such as `p1` and `P1` or `7` and `7.0`: 1 of them"
            ),
            "{}",
            several.1
        );
        assert!(!one.1.contains("in several ways"), "{}", one.1);
    };
    for (name, other) in [
        ("Müller-1", "MÜLLER-1"),
        ("-7", "-007"),
        ("7.50", "7.5"),
        ("q1", "Q1\u{a0}"),
        ("7.5", "\"7,5\""),
    ] {
        spelled(name, other);
    }
}

#[test]
fn page_terminal_and_ledger_say_person() {
    let workspace = workspace(STUDY, table(|person| 1 + person % 3, usual));
    let run = workspace.run(&["fit", "study.toml", "--out", "out"]).succeeds();
    assert!(run.stdout.contains("persons       300\n"), "{}", run.stdout);
    assert!(run.stdout.contains("replacing all rows of any one person"), "{}", run.stdout);
    let page = workspace.read("out/report.html");
    assert!(
        page.contains("all rows of a person together count as one")
            && !page.contains("one row replaced")
    );
    let plan =
        workspace.run(&["plan", "--study", "study.toml", "--persons", "300"]).succeeds().stdout;
    assert!(plan.contains("persons          300\n"), "{plan}");
    // The account stays about persons.
    workspace.write(
        "rows.toml",
        STUDY
            .replace("person = \"patient\"\n", "")
            .replace("[model]", "patient = { drop = true }\n[model]"),
    );
    let refused = workspace
        .run(&["fit", "rows.toml", "--out", "rows"])
        .fails(1, "account 'stays' was opened");
    assert!(refused.stderr.contains("about a person, and"), "{}", refused.stderr);
    assert!(!workspace.path("rows/model.json").exists());
}

#[test]
fn mistakes_have_a_place() {
    let text = table(|_| 2, usual);
    let says = |study: &str, text: String, start: &str| {
        workspace(study, text).run(&["fit", "study.toml", "--out", "out"]).fails(2, start);
    };
    says(
        STUDY,
        text.replacen("P1,", " ,", 1),
        "t.csv:3: there is no patient: every row must say whose it is",
    );
    let na = STUDY.replace("target = ", "na = [\"unknown\"]\ntarget = ");
    says(&na, text.replacen("P1,", "unknown,", 1), "t.csv:3: there is no patient");
    says(
        &STUDY.replace("\"patient\"", "\"patinet\""),
        text.clone(),
        "t.csv:1: the table has column `patient`",
    );
    says(
        &STUDY.replace("\"patient\"", "\"ward\""),
        text.clone(),
        "study.toml:4:1: [data] person names \"ward\"",
    );
    says(
        &STUDY.replace("\"patient\"", "\"back\""),
        text,
        "study.toml:4:1: [data] person names \"back\"",
    );
}
