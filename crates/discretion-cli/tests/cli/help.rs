//! The help of every command, as it was: `golden/help`. A new command has none and fails;
//! `UPDATE_GOLDEN=1 cargo test -p discretion-cli --test cli help` writes it.

use crate::golden::compare;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::Path;

/// The help of a command and of all below it, each by its words.
fn collect(words: &[String], found: &mut BTreeMap<String, String>) {
    let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
    args.push("--help");
    // As wide as where there is no terminal, whatever this one says of itself.
    let output = Workspace::empty().command(&args).env_remove("COLUMNS").output().unwrap();
    assert!(output.status.success(), "{args:?}");
    let help = String::from_utf8(output.stdout).unwrap();
    let name = if words.is_empty() { "discretion".to_owned() } else { words.join("-") };
    for command in commands(&help) {
        collect(&[words, &[command]].concat(), found);
    }
    found.insert(name, help);
}

/// The commands that a help lists, but for `help`.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names =
        names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn help_of_every_command() {
    let mut found = BTreeMap::new();
    collect(&[], &mut found);
    assert!(
        found.contains_key("ledger-show") && found.contains_key("serve-token-new"),
        "{:?}",
        found.keys()
    );
    for (name, help) in &found {
        compare(&format!("tests/cli/golden/help/{name}.txt"), help);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden/help");
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            found.contains_key(&name),
            "{} is of a command that is gone; remove it",
            path.display()
        );
    }
}
