//! docs/study-file.md has every key that a study file may have, and no other; its examples can be
//! read, and its defaults are the program's.

use super::*;
use std::collections::BTreeSet;
use std::fs;

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    fs::read_to_string(crate_folder().join("../../docs/study-file.md")).unwrap()
}

/// The sections of the page that have a table of keys: what each is about, its keys and what stands
/// under "default".
fn documented() -> Vec<(String, Vec<(String, String)>)> {
    let mut sections: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in page().lines() {
        if let Some(heading) =
            line.trim_start_matches('#').strip_prefix(" `").filter(|_| line.starts_with('#'))
        {
            sections.push((heading.split('`').next().unwrap().to_owned(), Vec::new()));
        } else if let Some(row) = line.strip_prefix("| `") {
            let (key, rest) = row.split_once("` |").expect(line);
            let default = rest.split(" |").next().unwrap().trim();
            let (_, keys) = sections.last_mut().expect("a table of keys stands below a heading");
            keys.push((key.to_owned(), default.to_owned()));
        }
    }
    sections
}

/// Every list of keys that the code allows, from its calls of `allow`.
fn allowed() -> Vec<BTreeSet<String>> {
    let folder = crate_folder().join("src/study");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let code: String =
        files.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).unwrap()).collect();
    let calls = code.split(".allow(&[").skip(1);
    calls.map(|call| quoted(call.split(']').next().unwrap())).collect()
}

fn quoted(list: &str) -> BTreeSet<String> {
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_page_has_the_keys_of_the_code() {
    let mut code = allowed();
    let keys = |(_, keys): (String, Vec<(String, String)>)| keys.into_iter().map(|(key, _)| key);
    let mut page: Vec<BTreeSet<String>> =
        documented().into_iter().map(|section| keys(section).collect()).collect();
    code.sort();
    page.sort();
    assert_eq!(
        page, code,
        "docs/study-file.md (left) and the keys that are allowed in study files (right)"
    );
}

#[test]
fn the_page_has_the_tables_of_the_code() {
    let headings = documented().into_iter().map(|(heading, _)| heading);
    let tables = headings
        .filter_map(|heading| Some(heading.strip_prefix('[')?.strip_suffix(']')?.to_owned()));
    let tables: BTreeSet<String> = tables.filter(|table| !table.contains('.')).collect();
    assert_eq!(tables, TABLES.map(String::from).into());
}

const DATA: &str =
    "path = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"";

/// A study with these tables, and with what else it needs.
fn study(tables: &[(&str, String)]) -> Study {
    let needed = [
        ("data", DATA),
        ("budget", "epsilon = 3"),
        ("spend", "epsilon = 1"),
        ("columns", "a = { min = 0, max = 9 }"),
        ("model", "lambda = [1, 2]"),
    ];
    let given = |name: &str| tables.iter().any(|(given, _)| *given == name);
    let mut text: String =
        tables.iter().map(|(name, lines)| format!("[{name}]\n{lines}\n")).collect();
    for (name, lines) in needed.into_iter().filter(|(name, _)| !given(name)) {
        text += &format!("[{name}]\n{lines}\n");
    }
    parse(&text).unwrap_or_else(|message| panic!("{message}\n{text}"))
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
    assert_eq!(
        count,
        documented().len(),
        "a whole study, and one of every section but [party.holders]"
    );
}

/// A table with the keys that it needs, and one line more.
fn with(section: &str, line: &str) -> Study {
    let holders = "coordinator = \"k\"\nholders = { a = { rows = 1, key = \"k\" }, b = { rows = 1, key = \"k\" } }";
    match section {
        "[columns]" => {
            study(&[("columns", format!("a = {{ min = 0, max = 9{}{line} }}", comma(line)))])
        }
        "[data]" => study(&[("data", format!("{DATA}\n{line}"))]),
        "outcome" => study(&[(
            "data",
            format!(
                "path = \"t.csv\"\naccount = \"t\"\noutcome = {{ column = \"y\", min = 0, max = 9{}{line} }}",
                comma(line)
            ),
        )]),
        "format" => study(&[("data", format!("{DATA}\nformat = {{ {line} }}"))]),
        "[vote]" => study(&[("vote", format!("queries = 1\n{line}"))]),
        "[party]" => study(&[("party", format!("{holders}\n{line}"))]),
        "learner" => study(&[(
            "vote",
            format!("queries = 1\nlearner = {{ command = [\"x\"]{}{line} }}", comma(line)),
        )]),
        "[budget]" => study(&[("budget", format!("epsilon = 3\ndelta = 1e-5\n{line}"))]),
        other => study(&[(other.trim_matches(['[', ']']), line.to_owned())]),
    }
}

fn comma(line: &str) -> &str {
    if line.is_empty() { "" } else { ", " }
}

#[test]
fn the_defaults_are_those_of_the_program() {
    let mut compared = 0;
    for (section, keys) in documented() {
        for (key, default) in keys.iter().filter(|(_, default)| default.starts_with('`')) {
            let written = with(&section, &format!("{key} = {}", default.trim_matches('`')));
            let left_out = Study { places: written.places.clone(), ..with(&section, "") };
            assert_eq!(written, left_out, "{key} in {section} is not {default} if it is left out");
            compared += 1;
        }
    }
    assert!(compared > 15, "{compared}");
}
