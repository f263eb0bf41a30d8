//! What `make test` compiles, it compiles once: the wheel and the program find the dependencies that the tests were built with, and
//! the tests find those that the demo was built with.
//! Cargo builds a package again wherever it is asked for with other features.

use std::collections::BTreeSet;
use std::process::Command;

/// Every package of a build, with its features.
fn packages(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p} [{f}]"])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn the_wheel_and_the_program_are_built_from_what_the_tests_are() {
    // What only helps to compile (macros, build scripts) is built apart and small.
    let tests = packages(&["--workspace", "--edges", "normal,dev,no-proc-macro"]);
    let wheel = packages(&["--package", "discretion-python", "--edges", "normal,no-proc-macro"]);
    // As `cargo build --bin discretion` in the root: what it selects are the features of all members.
    let program = packages(&["--workspace", "--edges", "normal,no-proc-macro"]);
    for (what, built) in [("the wheel", wheel), ("the program", program)] {
        let again: Vec<&String> = built
            .difference(&tests)
            // Tests kill a ledger at every step; the program that people build cannot be told to.
            .filter(|package| !package.starts_with("discretion-ledger "))
            .collect();
        assert!(
            again.is_empty(),
            "{what} compiles these again, because tests build them with other features: {again:#?}\n\
             Give the crate that needs them the features that they have in `cargo tree --workspace`; crates/discretion-python's \
             Cargo.toml has a list of such dependencies."
        );
    }
}

#[test]
fn the_tests_are_built_from_what_the_demo_was() {
    // Macros and build scripts too: what they help to compile is compiled again with them, SQLite for one.
    let tests = packages(&["--workspace", "--edges", "normal,build,dev"]);
    let demo = packages(&["--package", "discretion-cli", "--no-default-features", "--edges", "normal,build"]);
    // Our own crates are smaller in the demo, on purpose.
    let again: Vec<&String> =
        demo.difference(&tests).filter(|package| !package.starts_with("discretion")).collect();
    assert!(
        again.is_empty(),
        "`make demo` builds these with other features than the tests, and what stands on them is compiled again: {again:#?}\n\
         Give them the features that they have in `cargo tree --workspace`, in the list in crates/discretion-cli's Cargo.toml."
    );
}

fn parsed(path: &str) -> toml::Table {
    let whole = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&whole).unwrap_or_else(|error| panic!("{whole}: {error}")).parse().unwrap()
}

/// The fuzzers and the kernels' benches are workspaces of their own, which no other stage builds, and both want `--locked`.
#[test]
fn the_other_lock_files_follow_our_crates() {
    for lock in ["fuzz/Cargo.lock", "bench/kernels/Cargo.lock"] {
        let packages = parsed(lock)["package"].as_array().unwrap().clone();
        let ours: Vec<_> = packages.iter().filter(|package| package.get("source").is_none()).collect();
        assert!(ours.len() > 5, "{lock} has none of our crates");
        for package in ours {
            let name = package["name"].as_str().unwrap();
            let of_its_own = matches!(name, "discretion-fuzz-programs" | "discretion-kernels");
            let folder =
                if of_its_own { lock.trim_end_matches("/Cargo.lock") } else { &format!("crates/{name}") };
            let locked: Vec<&str> = package.get("dependencies").map_or(vec![], |all| {
                // A version follows the name where there are several.
                all.as_array()
                    .unwrap()
                    .iter()
                    .map(|one| one.as_str().unwrap().split(' ').next().unwrap())
                    .collect()
            });
            let manifest = parsed(&format!("{folder}/Cargo.toml"));
            for (wanted, how) in
                manifest.get("dependencies").and_then(|all| all.as_table()).into_iter().flatten()
            {
                let optional = how.get("optional").and_then(|flag| flag.as_bool()) == Some(true);
                assert!(
                    optional || locked.contains(&wanted.as_str()),
                    "{lock} is out of date: {name} uses {wanted}; run `cargo metadata --format-version 1` in its folder"
                );
            }
        }
    }
}
