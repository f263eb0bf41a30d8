//! Every dependency has a licence that deny.toml allows, without cargo-deny: on this machine's
//! platform, with all features that are used.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Every package that a build here can use.
fn packages() -> Vec<Value> {
    let compiler =
        said(Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into())).arg("-vV"));
    let host = compiler.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&said(cargo.current_dir(ROOT))).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn texts(list: &toml::Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

/// What a package says, or the first line of the file that says it.
fn licence(package: &Value) -> String {
    match (package["license"].as_str(), package["license_file"].as_str()) {
        (Some(expression), _) => expression.to_owned(),
        (None, Some(file)) => {
            let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            text.lines().next().unwrap_or_default().trim_end_matches(" License").to_owned()
        }
        (None, None) => String::new(),
    }
}

/// Whether an SPDX expression can be satisfied: any part of an OR, every part of an AND.
fn is_satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let depth_before = |at: usize| {
        let before = &expression[..at];
        before.matches('(').count() - before.matches(')').count()
    };
    // "/" is how OR was written once.
    for (word, every) in [(" OR ", false), ("/", false), (" AND ", true)] {
        if let Some((at, _)) = expression.match_indices(word).find(|(at, _)| depth_before(*at) == 0)
        {
            let mut parts = [&expression[..at], &expression[at + word.len()..]].into_iter();
            let mut is_satisfied = |part: &str| is_satisfied(part.trim(), allowed);
            return if every { parts.all(&mut is_satisfied) } else { parts.any(&mut is_satisfied) };
        }
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_satisfied(inner, allowed),
        None => allowed(expression),
    }
}

#[test]
fn every_dependency_has_a_licence_that_deny_toml_allows() {
    let deny: toml::Table =
        std::fs::read_to_string(format!("{ROOT}/deny.toml")).unwrap().parse().unwrap();
    let usual = texts(&deny["licenses"]["allow"]);
    let exceptions = deny["licenses"]["exceptions"].as_array().unwrap();
    let packages = packages();
    assert!(packages.len() > 100, "{} packages", packages.len());
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let own = exceptions.iter().filter(|exception| exception["crate"].as_str() == Some(name));
        let own: Vec<&str> = own.flat_map(|exception| texts(&exception["allow"])).collect();
        let licence = licence(package);
        let is_allowed = is_satisfied(&licence, &|one| usual.contains(&one) || own.contains(&one));
        assert!(is_allowed, "{name} has the licence {licence:?}, which deny.toml does not allow");
    }
}

#[test]
fn expressions_are_read_as_spdx_says() {
    let mit = |one: &str| one == "MIT" || one == "Apache-2.0 WITH LLVM-exception";
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT/GPL-3.0",
        "Apache-2.0 WITH LLVM-exception",
        "(GPL-3.0 OR MIT) AND MIT",
    ] {
        assert!(is_satisfied(good, &mit), "{good}");
    }
    for bad in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "Apache-2.0",
        "(MIT OR GPL-3.0) AND GPL-3.0",
        "GPL-3.0 OR (MIT AND ISC)",
    ] {
        assert!(!is_satisfied(bad, &mit), "{bad}");
    }
}
