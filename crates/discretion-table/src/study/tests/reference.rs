//! docs/study-file.md, forms, and the arguments of Python and R have the settings that
//! [`SETTINGS`](settings::SETTINGS) declares; every one of them is read, and nothing else is.

use super::*;
use crate::form::Form;
use settings::{Default, Kind, Page, SETTINGS, Setting, SettingTable};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;

thread_local! {
    /// The keys that were there when they were asked for.
    static READ: RefCell<BTreeSet<(&'static str, &'static str)>> = RefCell::default();
}

/// Notes that the reader asked for a key.
pub fn note(table: &'static str, key: &'static str, is_there: bool) {
    if is_there {
        READ.with_borrow_mut(|read| read.insert((table, key)));
    }
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn page() -> String {
    fs::read_to_string(folder("docs/study-file.md")).unwrap()
}

/// What the page says of a table.
fn rows(settings: &[Setting]) -> String {
    let mut table = "| key | default | meaning |\n|---|---|---|\n".to_owned();
    for Setting { key, default, help, .. } in settings {
        let default = match default {
            Default::Nothing => String::new(),
            Default::Required { or, .. } => format!("required{or} "),
            Default::Number(number) => format!("`{number}` "),
            Default::Word(word) => format!("`\"{word}\"` "),
            Default::Off => "`false` ".to_owned(),
            Default::Words(words) => format!("{words} "),
        };
        table += &format!("| `{key}` | {default}| {help} |\n");
    }
    table
}

/// The page with every table of keys made anew. A heading names the table that stands below it.
fn made_anew(page: &str) -> String {
    let mut left: Vec<_> = SETTINGS.iter().collect();
    let (mut made, mut heading, mut lines) = (String::new(), "", page.lines().peekable());
    while let Some(line) = lines.next() {
        if let Some(name) = line.trim_start_matches('#').strip_prefix(" `") {
            heading = name.split('`').next().unwrap().trim_matches(['[', ']']);
        }
        if !line.starts_with("| key |") {
            made += &format!("{line}\n");
            continue;
        }
        let is_it = |table: &&SettingTable| {
            table.name == heading
                || table.name.rsplit_once('.').is_some_and(|(_, name)| name == heading)
        };
        let place = left.iter().position(is_it).unwrap_or_else(|| panic!("no table {heading}"));
        made += &rows(left.remove(place).settings);
        while lines.next_if(|line| line.starts_with('|')).is_some() {}
    }
    let left: Vec<_> = left.iter().map(|table| table.name).collect();
    assert_eq!(left, [""; 0], "a table of docs/study-file.md stands below its heading");
    made
}

#[test]
fn the_tables_of_the_page_are_made_of_the_rows() {
    let (page, made) = (page(), made_anew(&page()));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(folder("docs/study-file.md"), &made).unwrap();
    }
    assert!(page == made, "UPDATE_GOLDEN=1 writes the tables of docs/study-file.md anew");
}

/// Together these have every key.
const EVERY_KEY: [&str; 6] = [
    r#"
[data]
path = "t.sqlite"
query = "select * from t"
na = ["?"]
account = "t"
person = "id"
target = "stay"
positive = { above = 30 }
label = "long"
from_rows = ["age"]
where = { age = { min = 20, max = 60 } }
missing_outcome = "left out"
[budget]
epsilon = 3
delta = 1e-5
filter = "renyi"
[spend]
epsilon = 1
delta = 1e-6
[columns]
id = { drop = true }
age = { kind = "number", min = 18, max = 100, scale = "log", integer = true, missing = 20, na = ["-9"] }
cost = { min = 0, max = 9, curve = 6, knots = "private", share = 0.02 }
beds = { min = 0, max = 9, curve = 8, monotone = "up" }
ward = { values = ["a", "b"], labels = { a = "A" } }
code = { groups = { heart = ["390..459"] } }
colour = { one_of = ["red", "green"] }
seen = { kind = "date", min = "2015-01-01", max = "2020-12-31", format = "%d.%m.%Y", parts = ["month"] }
[model]
lambda = [0.01, 0.1]
loss = "hinge"
smoothing = 1
method = "output"
norm = "row"
[tune]
rule = "uniform"
score = "ramp"
share = 0.4
validation = 0.2
[evaluate]
share = 0.2
by = "ward"
[about]
name = "N"
curators = ["C"]
intended_use = "I"
description = "D"
region = "R"
sector = "Energy"
publication_date = "2026-01-31"
legal_basis = "L"
contact = "C"
authors = ["A"]
sources = "S"
"#,
    r#"
[data]
path = "t.csv"
account = "t"
target = "y"
positive = "yes"
negative = "any other"
format = { delimiter = ";", decimal = ",", encoding = "latin1" }
weight = { column = "w", max = 5 }
[budget]
rho = 0.5
[spend]
rho = 0.1
[columns]
age = { min = 18, max = 100 }
ward = { values = ["a", "b"] }
[cross]
pairs = [["ward", "age"]]
[model]
base_rate = "private"
[intervals]
level = 0.9
columns = ["age"]
largest_effect = 3
split = [0.8, 0.1, 0.1]
draws = 30000
"#,
    r#"
[data]
path = "t.csv"
account = "t"
target = "y"
classes = ["a", "b"]
[budget]
epsilon = 3
[spend]
epsilon = 1
[columns]
age = { min = 18, max = 100 }
[intervals]
reference = "b"
[vote]
queries = 100
unstable = 20
learner = { command = ["x"], processes = "shared", timeout = 20 }
chunks = 50
agreement = 0.9
miss = 0.1
classes = ["b", "a"]
scores = true
gamma = 0.2
threshold = 0.7
protect = "labels"
weights = "balanced"
expected_share = 0.3
"#,
    r#"
[data]
path = "t.csv"
account = "t"
outcome = { column = "days", min = 1, max = 60, scale = "log" }
[budget]
epsilon = 3
[spend]
epsilon = 1
[columns]
age = { min = 18, max = 100 }
[model]
loss = "huber"
"#,
    r#"
[data]
path = "t.csv"
account = "t"
target = "y"
positive = "1"
negative = "0"
[budget]
epsilon = 3
[spend]
epsilon = 1
[columns]
age = { min = 18, max = 100 }
[vote]
queries = 100
lambda = 0.01
answer = "all"
confidence = 0.9
"#,
    r#"
[data]
path = "t.csv"
account = "t"
target = "y"
positive = "1"
negative = "0"
[budget]
epsilon = 3
[spend]
epsilon = 1
[columns]
age = { min = 18, max = 100 }
[party]
coordinator = "k"
holders = { a = { rows = 10, key = "k" }, b = { rows = 20, key = "k" }, c = { rows = 5, key = "k" } }
aggregators = ["a", "b"]
colluders = 1
step = "newton"
run = 2
"#,
];

/// Together these have every key of releases.
const RELEASES: &str = r#"
[data]
path = "t.csv"
account = "t"
[budget]
epsilon = 3
[spend]
epsilon = 1
[columns]
age = { min = 18, max = 100 }
[density]
columns = ["age"]
bins = [4]
share = 0.2
[[release]]
name = "first"
kind = "model"
target = "y"
positive = "1"
negative = "0"
share = 0.5
lambda = 0.01
intervals = { level = 0.9 }
[[release]]
name = "second"
kind = "density"
columns = ["age"]
bins = [8, 16]
"#;

fn releases(text: &str) -> Vec<Release> {
    Study::parse_releases(Path::new("dir/study.toml"), text, None, &[])
        .unwrap_or_else(|message| panic!("{message}\n{text}"))
}

/// It has no fields for them, and would lose them.
#[test]
fn a_form_takes_no_releases() {
    let refused = Form::read(Path::new("dir/study.toml"), RELEASES).unwrap_err().to_string();
    assert!(refused.contains("`discretion release`"), "{refused}");
}

#[test]
fn releases_are_studies_of_their_own() {
    let all = releases(RELEASES);
    let names: Vec<&str> = all.iter().map(|release| release.name.as_str()).collect();
    assert_eq!(names, ["density", "first", "second"]);
    let shares: Vec<f64> = all.iter().map(|release| release.share).collect();
    assert!((shares[2] - 0.3).abs() < 1e-12 && shares[..2] == [0.2, 0.5], "{shares:?}");
    let ReleaseKind::Density(second) = &all[2].kind else { panic!("it is a density") };
    assert_eq!(second.bins, Some(vec![8, 16]));
    let first = &all[1].study;
    assert_eq!(first.schema.target().column, "y");
    assert_eq!(first.model.lambda, Lambda::Fixed(0.01));
    assert_eq!(first.intervals.as_ref().unwrap().level, 0.9);
    // What is wrong in one of them is told at its line.
    let wrong = RELEASES.replace("lambda = 0.01", "lambda = -1");
    let refused = Study::parse_releases(Path::new("s.toml"), &wrong, None, &[]).unwrap_err();
    let line = 1 + wrong.lines().position(|line| line == "lambda = -1").unwrap();
    assert!(refused.to_string().starts_with(&format!("s.toml:{line}:")), "{refused}");
}

/// A key that is read without a row panics in [`Section::get`].
#[test]
fn every_row_is_read_and_nothing_else() {
    READ.take();
    for text in EVERY_KEY {
        parse(text).unwrap_or_else(|message| panic!("{message}\n{text}"));
    }
    releases(RELEASES);
    let rows = SETTINGS
        .iter()
        .flat_map(|table| table.settings.iter().map(|setting| (table.name, setting.key)));
    assert_eq!(READ.take(), rows.collect());
}

#[test]
fn a_form_keeps_every_row() {
    for text in EVERY_KEY {
        let path = Path::new("dir/study.toml");
        let form = Form::read(path, text).unwrap().text();
        let study = parse(text).unwrap();
        let kept = parse(&form).unwrap_or_else(|message| panic!("{message}\n{form}"));
        assert_eq!(Study { places: study.places.clone(), ..kept }, study, "{form}");
    }
}

/// What a form has a field for is read into a field of its kind, and written from there.
#[test]
fn every_field_of_a_form_is_a_row_or_a_part_of_one() {
    for text in EVERY_KEY {
        let form = Form::read(Path::new("dir/study.toml"), text).unwrap();
        for (section, fields) in &form.sections {
            for field in fields.keys() {
                let setting = settings::of_field(section, field);
                let setting = setting.unwrap_or_else(|| panic!("{field} of {section}"));
                assert!(
                    matches!(setting.page, Page::Kept)
                        || matches!(setting.page, Page::Field(name) if name == field),
                    "{field} of {section}"
                );
            }
        }
    }
}

const DATA: &str =
    "path = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"";

/// A study with these tables, and with what else it needs.
fn study(tables: &[(&str, String)]) -> Study {
    let text = text_with(tables);
    read(&text).unwrap_or_else(|message| panic!("{message}\n{text}"))
}

/// A study, or the last of its releases.
fn read(text: &str) -> Result<Study, String> {
    if !text.contains("[[release]]") {
        return parse(text);
    }
    let all = Study::parse_releases(Path::new("dir/study.toml"), text, None, &[]);
    all.map(|mut all| all.pop().unwrap().study).map_err(|error| error.to_string())
}

fn text_with(tables: &[(&str, String)]) -> String {
    let needed = [
        ("data", DATA),
        ("budget", "epsilon = 3"),
        ("spend", "epsilon = 1"),
        ("columns", "a = { min = 0, max = 9 }"),
        ("model", "lambda = [1, 2]"),
    ];
    let has = |name: &str| tables.iter().any(|(given, _)| *given == name);
    let given = |name: &str| has(name) || name == "model" && has("[release]");
    let mut text: String =
        tables.iter().map(|(name, lines)| format!("[{name}]\n{lines}\n")).collect();
    for (name, lines) in needed.into_iter().filter(|(name, _)| !given(name)) {
        text += &format!("[{name}]\n{lines}\n");
    }
    text
}

#[test]
fn the_examples_can_be_read() {
    let page = page();
    let examples = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut count = 0;
    for example in examples {
        let tables = format!("\n{example}").replace("\n[party.holders]", "\n\n# [party.holders]");
        let tables = tables.split("\n[").skip(1).map(|table| table.split_once("]\n").unwrap());
        study(
            &tables
                .map(|(name, lines)| (name, lines.replace("# [party", "[party")))
                .collect::<Vec<_>>(),
        );
        count += 1;
    }
    assert_eq!(count, SETTINGS.len(), "a whole study, and one of every table but [party.holders]");
}

/// A table with the keys that it needs, and one line more.
fn with<'t>(table: &'t str, key: &str, line: &str) -> (&'t str, String) {
    let holders = "coordinator = \"k\"\nholders = { a = { rows = 1, key = \"k\" }, b = { rows = 1, key = \"k\" } }";
    let and = |more: &str| format!("{more}{}{line}", if line.is_empty() { "" } else { ", " });
    let data = "path = \"t.csv\"\naccount = \"t\"\n";
    match table {
        "columns" => {
            let kind = match key {
                "share" => "min = 0, max = 9, knots = \"private\"",
                "monotone" => "min = 0, max = 9, curve = 6",
                "kind" => "drop = true",
                _ => "min = 0, max = 9",
            };
            ("columns", format!("a = {{ {} }}", and(kind)))
        }
        "data" => ("data", format!("{DATA}\n{line}")),
        "data.outcome" => {
            let outcome = and("column = \"y\", min = 0, max = 9");
            ("data", format!("{data}outcome = {{ {outcome} }}"))
        }
        "data.format" => ("data", format!("{DATA}\nformat = {{ {line} }}")),
        "vote" => {
            let queries = if key == "queries" { "" } else { "queries = 1\n" };
            let goes_with = match key {
                "confidence" => "answer = \"all\"\n",
                "threshold" => "scores = true\n",
                _ => "",
            };
            ("vote", format!("{queries}{goes_with}{line}"))
        }
        "vote.learner" => {
            ("vote", format!("queries = 1\nlearner = {{ {} }}", and("command = [\"x\"]")))
        }
        "party" => ("party", format!("{holders}\n{line}")),
        "party.holders" => {
            let rows = if line.is_empty() { "rows = 1" } else { line };
            let holder = "{ rows = 1, key = \"k\" }";
            let holders = format!("holders = {{ a = {{ {rows}, key = \"k\" }}, b = {holder} }}");
            ("party", format!("coordinator = \"k\"\n{holders}"))
        }
        "budget" => ("budget", format!("epsilon = 3\ndelta = 1e-5\n{line}")),
        "density" => ("density", format!("columns = [\"a\"]\n{line}")),
        "release" => ("[release]", format!("name = \"x\"\nlambda = 1\n{line}")),
        other => (other, line.to_owned()),
    }
}

/// A study with a table that can have this key, and with one line more there.
fn with_line(table: &str, key: &str, line: &str) -> Result<Study, String> {
    let (section, lines) = with(table, key, line);
    read(&text_with(&[(section, lines)]))
}

/// Every row that `take` takes something of.
fn each<T>(take: impl Fn(&Setting) -> Option<T>) -> Vec<(&'static str, &'static Setting, T)> {
    let settings = SETTINGS
        .iter()
        .flat_map(|table| table.settings.iter().map(|setting| (table.name, setting)));
    settings.filter_map(|(table, setting)| Some((table, setting, take(setting)?))).collect()
}

#[test]
fn the_defaults_are_those_of_the_program() {
    let written = |setting: &Setting| match setting.default {
        Default::Number(number) => Some(number.to_string()),
        Default::Word(word) => Some(format!("\"{word}\"")),
        Default::Off => Some("false".to_owned()),
        Default::Nothing | Default::Required { .. } | Default::Words(_) => None,
    };
    let defaults = each(written);
    assert!(defaults.len() > 25, "{}", defaults.len());
    for (table, Setting { key, .. }, default) in defaults {
        let written = with_line(table, key, &format!("{key} = {default}")).unwrap();
        let left_out = with_line(table, key, "").unwrap();
        let left_out = Study { places: written.places.clone(), ..left_out };
        assert_eq!(written, left_out, "{key} in {table} is not {default} if it is left out");
    }
}

#[test]
fn ranges_are_those_of_the_program() {
    let range = |setting: &Setting| match setting.kind {
        Kind::Number(range) if !range.contains(f64::NAN) => Some(range),
        _ => None,
    };
    let ranges = each(range);
    assert!(ranges.len() > 15, "{}", ranges.len());
    for (table, Setting { key, .. }, range) in ranges {
        for value in [-1.0, 0.0, 0.5, 1.0, 1.5, 1e6, 1e10, f64::INFINITY] {
            let found = with_line(table, key, &format!("{key} = {value}"));
            let refused =
                found.is_err_and(|message| message.contains(&format!("`{key}` must {range}")));
            assert_eq!(refused, !range.contains(value), "{key} = {value} in {table}");
        }
    }
}

#[test]
fn every_word_is_read_and_no_other() {
    let words = |setting: &Setting| match setting.kind {
        Kind::Word(words) => Some(words),
        _ => None,
    };
    for (table, Setting { key, .. }, words) in each(words) {
        for word in words.iter().chain(&["nonsense"]) {
            let found = with_line(table, key, &format!("{key} = \"{word}\""));
            let unknown = |message: &String| message.contains(&format!("`{key}` in"));
            match *word {
                "nonsense" => assert!(found.as_ref().is_err_and(unknown), "{found:?}"),
                // Of numbers alone; its own test is in outcome.rs.
                "squares" | "huber" | "auto" if *key == "loss" => {}
                _ => assert!(!found.as_ref().is_err_and(unknown), "{key} {word}: {found:?}"),
            }
        }
    }
}

/// The texts of the files that end so in a folder.
fn code(path: &str, ending: &str) -> String {
    let files = fs::read_dir(folder(path)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|it| it == ending)).collect();
    files.sort();
    files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// scikit-learn reads the arguments of `__init__`, so that they stay by hand.
#[test]
fn python_has_the_arguments_and_the_defaults() {
    let (code, tests) = (code("python/discretion", "py"), code("python/tests", "py"));
    for (table, setting, name) in each(|setting| setting.python) {
        if table == "columns" {
            // What the package hands on as it is, its tests declare.
            let word = format!("\"{name}\"");
            assert!(code.contains(&word) || tests.contains(&word), "{name}");
            continue;
        }
        let given = |line: &&str| {
            line.trim_start().starts_with(&format!("{name}: "))
                || line.contains(&format!(" {name}: ")) && line.contains("def ")
        };
        let lines: Vec<&str> = code.lines().filter(given).collect();
        assert!(!lines.is_empty(), "{name} of {} in {table}", setting.key);
        let default = match setting.default {
            Default::Number(number) if name == setting.key => format!("{number:?}"),
            Default::Word(word) if name == setting.key => format!("\"{word}\""),
            _ => continue,
        };
        // None is what the program takes.
        let is_default = |line: &&str| line.contains(&format!("= {default},"));
        assert!(
            lines.iter().any(|line| is_default(line) || line.contains("None")),
            "{name} is {default}: {lines:?}"
        );
        for line in
            lines.iter().filter(|line| line.trim_end().ends_with(',') && line.contains(" = "))
        {
            let said = line.rsplit(" = ").next().unwrap().trim().trim_end_matches(',');
            assert!(said == "None" || said == default, "{name} is {default}: {line}");
        }
    }
}

#[test]
fn r_has_the_arguments_and_the_defaults() {
    let code = code("r/R", "R");
    let functions: Vec<&str> = code.split(" <- function(").skip(1).collect();
    let arguments: String =
        functions.iter().map(|function| function.split(") {").next().unwrap()).collect();
    for (table, setting, name) in each(|setting| setting.r) {
        assert!(arguments.contains(name), "{name} of {} in {table}", setting.key);
        let default = match setting.default {
            Default::Number(number) if name == setting.key => number.to_string(),
            Default::Word(word) if name == setting.key => format!("\"{word}\""),
            _ => continue,
        };
        let said = [
            format!("{name} = {default}"),
            format!("{name} = c({default}"),
            format!("{name} = NULL"),
        ];
        assert!(said.iter().any(|said| arguments.contains(said)), "{said:?}");
    }
}
