//! What a registry gets: every crate that is published says what it is, and can be built by whoever
//! takes it from there.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Not for a registry: most are for the source tree, one goes out as a wheel.
const KEPT: [&str; 2] = ["discretion-fuzz", "discretion-python"];

/// The workspace and all that it is built on, on any system, as cargo knows them.
static METADATA: LazyLock<Value> = LazyLock::new(|| {
    let manifest = root().join("Cargo.toml");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--manifest-path"]).arg(manifest);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
});

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn packages() -> &'static [Value] {
    METADATA["packages"].as_array().unwrap()
}

/// Those of the workspace: what comes from elsewhere has a source.
fn own() -> impl Iterator<Item = &'static Value> {
    packages().iter().filter(|package| package["source"].is_null())
}

fn published() -> impl Iterator<Item = &'static Value> {
    own().filter(|package| package["publish"].is_null())
}

fn name(package: &Value) -> &str {
    package["name"].as_str().unwrap()
}

/// The texts of a list.
fn texts<'p>(package: &'p Value, key: &str) -> Vec<&'p str> {
    package[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn folder(package: &Value) -> &Path {
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap()
}

fn has_library(package: &Value) -> bool {
    package["targets"].as_array().unwrap().iter().any(|target| target["kind"][0] == "lib")
}

/// A Rust version as numbers: 1.90 is 1.90.0.
fn version(text: &str) -> [u32; 3] {
    let mut numbers = text.split('.').map(|number| number.parse().unwrap());
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

#[test]
fn what_is_not_published_says_why() {
    let mut kept: Vec<&Value> = own().filter(|package| !package["publish"].is_null()).collect();
    kept.sort_unstable_by_key(|package| name(package));
    assert_eq!(kept.iter().map(|package| name(package)).collect::<Vec<_>>(), KEPT);
    for package in kept {
        let manifest = fs::read_to_string(package["manifest_path"].as_str().unwrap()).unwrap();
        let (before, _) = manifest.split_once("\npublish = false").unwrap();
        assert!(
            before.lines().last().unwrap().starts_with("# "),
            "{}: a reason above publish = false",
            name(package)
        );
    }
}

#[test]
fn a_published_crate_says_what_it_is() {
    for package in published() {
        let name = name(package);
        for key in ["description", "repository", "license"] {
            assert!(package[key].is_string(), "{name}: {key}");
        }
        let keywords = texts(package, "keywords");
        let is_keyword = |word: &&str| (1..=20).contains(&word.len()) && !word.contains(' ');
        assert!(
            (1..=5).contains(&keywords.len()) && keywords.iter().all(is_keyword),
            "{name}: {keywords:?}"
        );
        assert!((1..=5).contains(&texts(package, "categories").len()), "{name}: categories");
        assert_eq!(package["readme"], "README.md", "{name}: its own readme");
        let readme = fs::read_to_string(folder(package).join("README.md")).unwrap();
        assert!(readme.starts_with(&format!("# {name}\n")), "{name}: its readme is about it");
        assert!(
            readme.contains("https://docs.rs/discretion)"),
            "{name}: the way to the front door"
        );
        let license = fs::read_to_string(folder(package).join("LICENSE")).unwrap();
        assert_eq!(license, fs::read_to_string(root().join("LICENSE")).unwrap(), "{name}");
        let docs = &package["metadata"]["docs"]["rs"];
        assert!(docs.is_object() || !has_library(package), "{name}: [package.metadata.docs.rs]");
    }
}

/// The first thing that somebody sees of a library is code that works: it is compiled and run with
/// the tests.
#[test]
fn a_library_begins_with_an_example() {
    for package in published().filter(|package| has_library(package)) {
        let library = fs::read_to_string(folder(package).join("src/lib.rs")).unwrap();
        let page: Vec<&str> = library.lines().map_while(|line| line.strip_prefix("//!")).collect();
        let fences = page.iter().filter(|line| line.trim_start().starts_with("```"));
        // Every other one opens.
        let runs = fences.step_by(2).any(|fence| fence.trim() == "```");
        assert!(runs, "{}: an example on the front page", name(package));
        let asserts = page.iter().any(|line| line.trim_start().starts_with("assert"));
        assert!(asserts, "{}: an example that is checked", name(package));
    }
}

/// A registry knows no paths. What has none but a path is left out of a published crate, and only
/// tests can do without.
#[test]
fn crates_of_one_release_are_built_on_each_other() {
    let release = own().next().unwrap()["version"].as_str().unwrap();
    for package in published() {
        assert_eq!(package["version"], release, "{}", name(package));
        for dependency in
            package["dependencies"].as_array().unwrap().iter().filter(|one| one["path"].is_string())
        {
            let wanted = dependency["req"].as_str().unwrap();
            let for_tests = dependency["kind"] == "dev";
            let of_release = wanted == format!("={release}") && !KEPT.contains(&name(dependency));
            assert!(
                of_release || (for_tests && wanted == "*"),
                "{} wants {} {wanted}",
                name(package),
                name(dependency)
            );
        }
    }
}

/// Once, in the root.
#[test]
fn a_version_is_written_once() {
    for package in own() {
        let manifest = fs::read_to_string(package["manifest_path"].as_str().unwrap()).unwrap();
        let dependencies = manifest.split("\n[").filter(|section| {
            section.starts_with("dependencies]") || section.starts_with("dev-dependencies]")
        });
        for line in dependencies.flat_map(str::lines).filter(|line| line.contains(" = ")) {
            let inherits = line.contains("workspace = true") || line.contains("{ path = ");
            assert!(line.starts_with('#') || inherits, "{}: {line}", name(package));
        }
    }
}

#[test]
fn the_python_package_comes_from_the_same_place() {
    let project = fs::read_to_string(root().join("pyproject.toml")).unwrap();
    let repository = own().next().unwrap()["repository"].as_str().unwrap();
    assert!(project.contains(&format!("Repository = \"{repository}\"\n")), "{repository}");
    for line in project.lines().filter(|line| line.contains("https://github.com/")) {
        assert!(line.contains(repository), "{line}");
    }
}

/// What Cargo.toml promises to those with an older compiler, the dependencies must keep. (clippy
/// looks at the standard library.)
#[test]
fn no_dependency_needs_a_newer_rust() {
    let promised = own().next().unwrap()["rust_version"].as_str().unwrap();
    for package in packages() {
        match package["rust_version"].as_str() {
            Some(needed) => {
                assert!(version(needed) <= version(promised), "{} needs {needed}", name(package))
            }
            None => assert!(!package["source"].is_null(), "{} promises nothing", name(package)),
        }
    }
    for package in own() {
        assert_eq!(package["rust_version"], promised, "{}", name(package));
    }
}
