//! The house as docs/architecture.md draws it: what each room may use, who may spend, who is
//! trusted, which version it says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every Rust file of a crate.
fn rust_files(room: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("crates").join(room)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// What a crate ships: the files of its `src` with their code up to their unit tests.
fn sources(room: &str) -> Vec<(String, String)> {
    let shipped = |path: &str| {
        let mut parts = path.split('/').skip(2);
        parts.next() == Some("src")
            && parts.all(|part| part != "tests" && part != "fixtures" && !part.contains("test"))
    };
    let mut found = Vec::new();
    for path in rust_files(room) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if shipped(&name) {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.push((name, code.collect::<Vec<_>>().join("\n")));
        }
    }
    found
}

/// Whether code names a module of its own crate: `crate::module`, or `crate::{…, module, …}`.
fn names_module(code: &str, module: &str) -> bool {
    let starts = |text: &str| {
        let rest = text.trim_start().strip_prefix(module);
        rest.is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    };
    code.split("crate::").skip(1).any(|after| match after.strip_prefix('{') {
        // Enough for lists that hold lists: what stands in an inner list is no module of the crate,
        // and is found in vain at worst.
        Some(list) => list.split(';').next().unwrap().split(',').any(starts),
        None => starts(after),
    })
}

fn rooms() -> Vec<String> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut rooms: Vec<String> =
        crates.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    rooms.sort();
    rooms
}

/// The rooms that a crate's `[dependencies]` name, without "discretion-".
fn uses(room: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("crates").join(room).join("Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let names = dependencies.lines().filter_map(|line| line.split([' ', '.']).next());
    names.filter(|name| name.starts_with("discretion")).map(short).collect()
}

fn short(name: &str) -> String {
    name.strip_prefix("discretion-").unwrap_or(name).to_owned()
}

#[test]
fn every_room_uses_what_the_picture_says() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let table =
        page.split("| room | holds | may use |").nth(1).expect("the page has a table of rooms");
    let mut drawn = BTreeMap::new();
    for line in table.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let used: BTreeSet<String> =
            cells[2].split(", ").filter(|&name| name != "nothing").map(str::to_owned).collect();
        drawn.insert(cells[0].trim_matches('`').to_owned(), used);
    }
    assert_eq!(drawn.keys().cloned().collect::<Vec<_>>(), rooms());
    for (room, used) in &drawn {
        assert_eq!(&uses(room), used, "{room}: docs/architecture.md and Cargo.toml");
    }
}

/// An arrow that runs up would be a circle, which cargo refuses between crates and nobody refuses
/// within one.
#[test]
fn modules_of_the_core_import_downwards_only() {
    let orders: [(&str, &[&str]); 2] = [
        (
            "discretion-linear",
            &[
                "rounding", "outcome", "quality", "erm", "knots", "train", "tune", "interval",
                "squares", "plain", "joint", "fit",
            ],
        ),
        ("discretion-privacy", &["account", "noise", "trusted"]),
    ];
    for (room, order) in orders {
        for (path, code) in sources(room) {
            let module =
                path.split("/src/").nth(1).unwrap().split(['/', '.']).next().unwrap().to_owned();
            let Some(height) = order.iter().position(|&name| name == module) else { continue };
            for above in &order[height + 1..] {
                assert!(
                    !names_module(&code, above),
                    "{path} imports {above}, which stands above it"
                );
            }
        }
    }
}

#[test]
fn one_place_charges_a_ledger() {
    let mut places = Vec::new();
    for room in rooms().iter().filter(|&room| room != "discretion-ledger") {
        for (path, code) in sources(room) {
            let calls =
                code.match_indices(".charge(").filter(|(at, _)| !code[at + 8..].starts_with(')'));
            places.extend(calls.map(|_| path.clone()));
        }
    }
    assert_eq!(places, ["crates/discretion-jobs/src/spend.rs"]);
}

/// SQLite reads some names as something else than a file's.
#[test]
fn one_place_opens_sqlite_files() {
    let mut places = BTreeSet::new();
    for room in rooms() {
        for (path, code) in sources(&room) {
            if code.contains("Connection::open(") || code.contains("open_with_flags") {
                places.insert(path);
            }
        }
    }
    assert_eq!(places, BTreeSet::from(["crates/discretion-disk/src/sqlite.rs".to_owned()]));
}

/// Mechanisms have proofs, and the ledger writes receipts. Nobody else looks into a sensitive
/// value, or calls one released.
#[test]
fn only_mechanisms_and_the_ledger_are_trusted() {
    let trusted = ["audit", "choose", "density", "ledger", "linear", "privacy", "vote"];
    for room in rooms().iter().filter(|room| !trusted.contains(&short(room).as_str())) {
        for (path, code) in sources(room) {
            assert!(!code.contains("trusted::"), "{path} uses what only mechanisms may");
        }
        let knows_privacy = uses(room).contains("privacy");
        let may = ["discretion", "discretion-disk", "discretion-http"].contains(&room.as_str());
        assert!(may || !knows_privacy, "{room} takes the core from the front door");
    }
}

#[test]
fn a_module_is_found_however_it_is_named() {
    for code in [
        "use crate::fit::Plan;",
        "use crate::{erm, fit};",
        "use crate::{erm::{A, B}, fit::C};",
        "crate::fit",
    ] {
        assert!(names_module(code, "fit"), "{code}");
    }
    for code in ["use crate::fitting::Plan;", "use crate::{erm, refit};", "use other::fit;"] {
        assert!(!names_module(code, "fit"), "{code}");
    }
}

/// Files that repeat the version have the program's; `dist/release_check.sh` asks for more.
#[test]
fn one_version_everywhere() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("CITATION.cff", format!("version: {version}")),
        ("r/DESCRIPTION", format!("Version: {version}")),
    ] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(text.lines().any(|found| found == line), "{file} has no line {line:?}");
    }
}
