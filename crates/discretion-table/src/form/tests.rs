use super::*;
use crate::study::Study;
use std::path::Path;

const STUDY: &str = r#"
[data]
path     = "patients.csv"
account  = "patients"
target   = "ill"
positive = ["yes", "maybe"]
negative = "any other"
person   = "id"
na       = ["NA"]
from_rows = ["ward"]
format = { delimiter = ";" }
[budget]
epsilon = 3.0
delta = 1e-6
[spend]
epsilon = 1
[columns]
id   = { drop = true }
age  = { min = 18, max = 100, curve = 6, missing = "own" }
cost = { min = 1, max = 1e6, scale = "log", knots = [10, 1000], na = ["-9"] }
beds = { min = 0, max = 9, integer = true }
ward = { values = ["surgery", "x = y"], labels = { surgery = "Surgery" } }
icd  = { groups = { heart = ["390..459", "I"], other = ["1..2"] } }
seen = { kind = "date", min = "2015-01-01", max = "2020-12-31", parts = ["month"] }
[cross]
pairs = [["ward", "beds"]]
[model]
lambda = [0.01, 0.1]
base_rate = "private"
[intervals]
[evaluate]
share = 0.2
"#;

fn path() -> &'static Path {
    Path::new("folder/study.toml")
}

fn form() -> Form {
    Form::read(path(), STUDY).unwrap()
}

impl Form {
    fn set(mut self, column: &str, key: &str, typed: &str) -> Form {
        let column = self.columns.iter_mut().find(|known| known.name == column).unwrap();
        column.fields.insert(key.to_owned(), typed.to_owned());
        self
    }

    fn say(mut self, section: &str, key: &str, typed: &str) -> Form {
        self.sections.get_mut(section).unwrap().insert(key.to_owned(), typed.to_owned());
        self
    }
}

/// Everything that a run depends on.
fn meaning(study: Study) -> impl PartialEq + std::fmt::Debug {
    let Study { data, budget, spend, schema, model, base_rate, intervals, evaluate, .. } = study;
    (data, budget, spend, schema, model, base_rate, intervals, evaluate)
}

#[test]
fn what_is_read_and_written_is_the_same_study() {
    // [evaluate] holds rows out, and the check of a study does not mind that it is about persons.
    let written = form().text();
    let [before, after] =
        [STUDY, &written].map(|text| meaning(Study::parse(path(), text).unwrap()));
    assert_eq!(before, after, "{written}");
    assert_eq!(Form::read(path(), &written).unwrap().text(), written);
    assert!(written.contains("# read from the rows: NOT PRIVATE"));
}

#[test]
fn wrong_input_is_told_at_its_field() {
    for (column, key, typed, says) in [
        ("age", "min", "eighteen", "must be a number"),
        ("age", "max", "18", "max"),
        ("age", "curve", "many", "a whole number of knots"),
        ("cost", "scale", "logarithmic", "\"log\""),
        ("cost", "knots", "10, x", "a list of numbers"),
        ("beds", "integer", "perhaps", "true or false"),
        ("beds", "missing", "none", "must be a number"),
        ("ward", "values", "surgery\nsurgery", "twice"),
        ("seen", "min", "31.12.2015", "date"),
        ("seen", "parts", "minute", "\"month\""),
        ("seen", "format", "%Q", "format"),
    ] {
        let checked = form().set(column, key, typed).check(path());
        assert!(checked.study.is_none());
        let [problem] = &checked.problems[..] else {
            panic!("{column} {key}: {:?}", checked.problems)
        };
        assert_eq!(problem.column.as_deref(), Some(column), "{problem:?}");
        assert!(problem.sentence.contains(says), "{column} {key}: {}", problem.sentence);
    }
    for (section, key, typed, says) in [
        ("budget", "epsilon", "-1", "epsilon"),
        ("spend", "delta", "2", "delta"),
        ("model", "lambda", "-3", "lambda"),
        ("model", "base_rate", "often", "\"private\""),
        ("evaluate", "share", "7", "between 0 and 1"),
    ] {
        let checked = form().say(section, key, typed).check(path());
        let [problem] = &checked.problems[..] else {
            panic!("{section} {key}: {:?}", checked.problems)
        };
        assert_eq!(
            (problem.section.as_str(), problem.key.as_deref()),
            (section, Some(key)),
            "{problem:?}"
        );
        assert!(problem.sentence.contains(says), "{section} {key}: {}", problem.sentence);
    }
}

#[test]
fn several_mistakes_are_told_at_once_and_what_is_open_is_no_mistake() {
    let form = form()
        .set("age", "min", "")
        .set("beds", "max", "x")
        .say("data", "account", "")
        .say("spend", "epsilon", "0");
    let checked = form.check(path());
    let at = |place: &FieldPlace| {
        (place.column.clone().unwrap_or_default(), place.key.clone().unwrap_or_default())
    };
    let open: Vec<(String, String)> = checked.open.iter().map(at).collect();
    assert_eq!(open, [("".into(), "account".into()), ("age".into(), "min".into())]);
    let wrong: Vec<&str> =
        checked.problems.iter().filter_map(|problem| problem.key.as_deref()).collect();
    assert_eq!(wrong, ["max", "epsilon"]);
    assert!(checked.text.contains("min = \"?\"") && checked.study.is_none());
}

#[test]
fn a_draft_is_a_form_whose_fields_are_open() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    std::fs::write(&table, "age,ward,seen\n71,a,2020-01-01\n34,b,2020-01-02\n").unwrap();
    let draft = crate::draft(&table, Some("t"), false).unwrap();
    let checked = Form::read(path(), &draft).unwrap().check(path());
    assert_eq!(checked.problems, []);
    let keys: Vec<&str> = checked.open.iter().filter_map(|place| place.key.as_deref()).collect();
    assert_eq!(keys, ["target", "positive", "negative", "min", "max", "values", "min", "max"]);
}

/// The outcome as a file has it, and as fields.
#[test]
fn an_outcome_of_every_kind_is_read_and_written_and_told_at_its_field() {
    let study = |outcome: &str| {
        format!(
            "[data]\npath = \"t.csv\"\naccount = \"a\"\n{outcome}\n[budget]\nrho = 0.5\n[spend]\nrho = 0.1\n\
             [columns]\nage = {{ min = 0, max = 9 }}\n"
        )
    };
    for (outcome, key, wrong) in [
        ("outcome = { column = \"days\", min = 0, max = 60 }", "outcome_max", "soon"),
        (
            "outcome = { column = \"days\", min = 1, max = 60, scale = \"log\" }",
            "outcome_min",
            "little",
        ),
        ("target = \"days\"\npositive = { above = 30 }", "above", "much"),
        ("target = \"ward\"\nclasses = [\"a\", \"b\", \"c\"]", "classes", "a\na"),
        (
            "target = \"ill\"\npositive = \"1\"\nnegative = \"any other\"\nlabel = \"ill\"",
            "positive",
            "?",
        ),
    ] {
        let form = Form::read(path(), &study(outcome)).unwrap();
        let written = form.text();
        let [before, after] = [study(outcome), written.clone()]
            .map(|text| meaning(Study::parse(path(), &text).unwrap()));
        assert_eq!(before, after, "{written}");
        let open = form.clone().say("data", key, "").check(path());
        assert_eq!(
            open.open.iter().map(|place| place.key.as_deref()).collect::<Vec<_>>(),
            [Some(key)],
            "{}",
            open.text
        );
        assert_eq!(open.problems, [], "{}", open.text);
        if key != "positive" {
            let checked = form.say("data", key, wrong).check(path());
            let place = checked
                .problems
                .first()
                .map(|problem| (problem.section.as_str(), problem.key.as_deref()));
            assert_eq!(place, Some(("data", Some(key))), "{outcome}: {:?}", checked.problems);
        }
    }
}
