//! What people read fits on a screen: no line of a page is longer than 120 characters, unless it is
//! a row of a table.

use std::fs;
use std::path::{Path, PathBuf};

const WIDEST: usize = 120;

/// The README, what is beside it, and every page of docs/ and of the folders that have a README of
/// their own.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folders = [
        "",
        "docs",
        "bench",
        "examples",
        "examples/audit",
        "examples/learners",
        "examples/python",
        "r",
    ];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(root.join(folder)).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.sort();
    pages
}

/// The lines that are too long, by their number.
fn too_long(text: &str) -> Vec<usize> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('|'));
    lines.filter(|(_, line)| line.chars().count() > WIDEST).map(|(number, _)| number + 1).collect()
}

#[test]
fn lines_of_pages_fit_on_a_screen() {
    let pages = pages();
    assert!(pages.len() > 15, "{pages:?}");
    let found: Vec<String> = pages
        .iter()
        .flat_map(|page| {
            let lines = too_long(&fs::read_to_string(page).unwrap());
            lines.into_iter().map(|line| format!("{}:{line}", page.display()))
        })
        .collect();
    assert!(found.is_empty(), "more than {WIDEST} characters, and no row of a table: {found:#?}");
}

#[test]
fn a_long_line_is_noticed_and_a_row_is_not() {
    let long = "ε".repeat(WIDEST + 1);
    assert_eq!(too_long(&format!("short\n{long}\n| {long} |\n{}", "ε".repeat(WIDEST))), [2]);
}
