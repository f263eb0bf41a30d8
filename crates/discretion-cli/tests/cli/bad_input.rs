//! Every line of the "Bad input": exit code 2, the file's name, and no file left behind.

use crate::workspace::{Run, Workspace, table};

/// One line of standard error that names `file`, code 2, nothing written.
fn refused(workspace: &Workspace, run: Run, file: &str, words: &str) {
    run.fails(2, file).says(words);
    let written = workspace.written();
    assert!(
        !written.iter().any(|name| name.ends_with(".json") || name.contains(".discretion-")),
        "{written:?}"
    );
    assert!(!workspace.path("out").exists(), "an empty folder goes again");
}

#[test]
fn in_the_table() {
    let header = "age,gain,job,note,y\n";
    let row = "1,2,clerk,,yes\n";
    let cases: [(&str, Vec<u8>, &str, &str); 16] = [
        ("an empty file", "".into(), "t.csv: ", "the file is empty"),
        ("no rows", header.into(), "t.csv: ", "no rows"),
        ("a header without a declared column", "age,gain,note,y\n".into(), "t.csv:1: ", "`job`"),
        ("without the target", "age,gain,job,note\n".into(), "t.csv:1: ", "`y`"),
        ("an undeclared column", "age,gain,job,note,y,zip\n".into(), "t.csv:1: ", "`zip`"),
        ("a repeated column", "age,gain,job,note,y,age\n".into(), "t.csv:1: ", "more than once"),
        ("too few fields", format!("{header}{row}1,2,yes\n").into(), "t.csv:3: ", "3 fields"),
        (
            "too many fields",
            format!("{header}{row}1,2,clerk,,yes,\n").into(),
            "t.csv:3: ",
            "6 fields",
        ),
        ("text for a number", format!("{header}old,2,clerk,,yes\n").into(), "t.csv:2: ", "`age`"),
        ("not a number", format!("{header}NaN,2,clerk,,yes\n").into(), "t.csv:2: ", "`age`"),
        ("infinity", format!("{header}1,inf,clerk,,yes\n").into(), "t.csv:2: ", "`gain`"),
        ("minus infinity", format!("{header}1,-inf,clerk,,yes\n").into(), "t.csv:2: ", "`gain`"),
        ("neither class", format!("{header}1,2,clerk,,maybe\n").into(), "t.csv:2: ", "neither"),
        ("no class", format!("{header}1,2,clerk,,\n").into(), "t.csv:2: ", "missing"),
        (
            "an open quote",
            format!("{header}1,2,\"clerk,,yes\n").into(),
            "t.csv:2: ",
            "never closed",
        ),
        (
            "not text at all",
            b"age,gain,job,note,y\n\xff\xfe,2,clerk,,yes\n".into(),
            "t.csv:2: ",
            "`age`",
        ),
    ];
    for (what, contents, file, words) in cases {
        eprintln!("{what}");
        let workspace = Workspace::new();
        workspace.write("t.csv", contents);
        let run = workspace.run(&["fit", "study.toml", "--out", "out"]);
        refused(&workspace, run, file, words);
    }
}

#[test]
fn in_the_study() {
    for (from, to, place, words) in [
        ("max = 100", "max = 0", "study.toml:15:", "not below"),
        ("[\"clerk\", \"nurse\"]", "[]", "study.toml:17:", "no categories"),
        ("epsilon = 1.0", "epsilon = 0", "study.toml:12:", "epsilon must be"),
        ("epsilon = 1.0", "epsilon = -1", "study.toml:12:", "epsilon must be"),
        ("epsilon = 1.0", "epsilon = nan", "study.toml:12:", "epsilon must be"),
        ("epsilon = 1.0", "epsilon = inf", "study.toml:12:", "epsilon must be"),
        ("epsilon = 3.0", "epsilon = inf", "study.toml:9:", "epsilon must be"),
        ("epsilon = 1.0", "epsilon = 1.0\ndelta = 1.0", "study.toml:13:", "delta must be"),
        ("epsilon = 1.0", "epsilon = 1.0\ndelta = -1e-9", "study.toml:13:", "delta must be"),
        ("lambda = 0.01", "lambda = 1e-5", "study.toml:22:1: ", "needs lambda above 3."),
        ("epsilon = 1.0", "epsilon = 5e-324", "study.toml:12:", "epsilon must be"),
        ("lambda = 0.01", "lambda = 0", "study.toml:22:", "above 0"),
        ("lambda = 0.01", "lamda = 0.01", "study.toml:22:", "did you mean `lambda`?"),
        ("\"t.csv\"", "\"nowhere.csv\"", "nowhere.csv: ", "no such file"),
    ] {
        eprintln!("{to}");
        let workspace = Workspace::with_study(from, to);
        let run = workspace.run(&["fit", "study.toml", "--out", "out"]);
        refused(&workspace, run, place, words);
    }
}

#[test]
fn files_that_are_missing_or_folders() {
    let workspace = Workspace::new();
    refused(
        &workspace,
        workspace.run(&["fit", "no.toml", "--out", "out"]),
        "no.toml: ",
        "no such file",
    );
    std::fs::create_dir(workspace.path("folder")).unwrap();
    refused(&workspace, workspace.run(&["fit", "folder", "--out", "out"]), "folder: ", "directory");
}

#[test]
fn a_missing_file_is_named_with_its_folder_and_the_name_that_was_meant() {
    let workspace = Workspace::with_study("\"t.csv\"", "\"data/tt.csv\"");
    let missing = |args: &[&str], file: &str, hint: &str| {
        let folder = workspace.path("").canonicalize().unwrap();
        workspace
            .run(args)
            .fails(2, &format!("{file}: there is no such file in {}{hint}", folder.display()));
    };
    let suggested = |name: &str| format!("; did you mean `{name}`?");
    missing(&["fit", "stdy.toml"], "stdy.toml", &suggested("study.toml"));
    missing(&["plan", "--study", "study", "--rows", "10"], "study", &suggested("study.toml"));
    missing(&["schema", "t.cvs"], "t.cvs", &suggested("t.csv"));
    missing(&["report", "model.json"], "model.json", "\n");
    missing(&["sample", "density.json", "--rows", "1"], "density.json", "\n");
    let audit =
        ["audit", "--command", "true", "--epsilon", "1", "--left", "t.cs", "--right", "t.csv"];
    missing(&audit, "t.cs", &suggested("t.csv"));
    // A path in a study file is relative to that file, and its folder may be missing altogether.
    workspace
        .run(&["fit", "study.toml"])
        .fails(2, "data/tt.csv: there is no such file: nor is there a folder /")
        .says("/data\n");
    std::fs::create_dir(workspace.path("data")).unwrap();
    workspace.write("data/t.csv", table());
    workspace.run(&["fit", "study.toml"]).fails(2, "data/tt.csv: ").says(&suggested("t.csv"));
}

#[test]
fn truncated_files() {
    // Both end a few bytes after their first ones.
    for (name, bytes) in [
        ("t.csv.gz", &b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c\x4f\xd5"[..]),
        ("t.parquet", &b"PAR1\x15\x04\x15\x10\x15"[..]),
    ] {
        let workspace = Workspace::with_study("\"t.csv\"", &format!("\"{name}\""));
        workspace.write(name, bytes);
        let run = workspace.run(&["fit", "study.toml", "--out", "out"]);
        refused(&workspace, run, &format!("{name}: "), "damaged");
    }
}

#[test]
fn tables_that_would_take_gigabytes() {
    // A schema that claims two thousand million columns, of which the table is the only one.
    let footer = b"\x15\x02\x19\x1c\x48\x01t\x15\xfe\xff\xff\xff\x0f\x00\x16\x00\x19\x0c\x00";
    let length = (footer.len() as u32).to_le_bytes();
    for (name, contents, place, words) in [
        ("t.csv", "x".repeat(9 << 20).into_bytes(), "t.csv:1: ", "longer than 8 MB"),
        ("t.csv", ",".repeat(1 << 20).into_bytes(), "t.csv:1: ", "more than 100000 columns"),
        ("t.parquet", [&b"PAR1"[..], footer, &length, b"PAR1"].concat(), "t.parquet: ", "damaged"),
    ] {
        let workspace = Workspace::with_study("\"t.csv\"", &format!("\"{name}\""));
        workspace.write(name, contents);
        refused(&workspace, workspace.run(&["fit", "study.toml", "--out", "out"]), place, words);
        refused(&workspace, workspace.run(&["schema", name]), place, words);
        refused(&workspace, workspace.run(&["schema", name, "--from-data"]), place, words);
    }
}

#[test]
fn output_folders_that_cannot_be_written() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    // The table is never looked at: it would be refused as well.
    workspace.write("t.csv", "");
    let fit = |out: &str| workspace.run(&["fit", "study.toml", "--out", out]);
    fit("file").fails(2, "file: this is a file and a folder is needed").says("--out");
    fit("file/inside").fails(2, "file/inside: this folder cannot be created").says("--out");
    assert_eq!(workspace.written(), ["file"]);
}

#[cfg(unix)]
#[test]
fn an_output_folder_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    let locked = workspace.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(locked.join("probe"), "").is_ok() {
        return; // The super-user may write anywhere.
    }
    workspace
        .run(&["fit", "study.toml", "--out", "locked"])
        .fails(2, "locked: this folder cannot be written to");
}

#[test]
fn nothing_of_a_row_but_the_bad_field_is_quoted() {
    let workspace = Workspace::new();
    workspace.write("t.csv", table() + "1,2,clerk,secret,perhaps\n");
    let run = workspace.run(&["fit", "study.toml", "--out", "out"]);
    assert!(run.stderr.contains("perhaps") && !run.stderr.contains("secret"), "{}", run.stderr);
}

/// What a newcomer types first, with another kind of file.
#[test]
fn a_table_in_the_place_of_a_study_and_other_separators_are_told_how() {
    let workspace = Workspace::new();
    for command in ["check", "plan", "fit"] {
        workspace
            .run(&[command, "t.csv"])
            .fails(2, "t.csv: this is a table")
            .says("discretion schema t.csv");
    }
    workspace.write("semicolons.csv", "age;ward;ill\n30;north;yes\n");
    workspace
        .run(&["schema", "semicolons.csv"])
        .fails(2, "semicolons.csv:1: the header is one field with semicolons")
        .says("--delimiter \";\"");
    workspace.run(&["schema", "semicolons.csv", "--delimiter", ";"]).succeeds();
}

/// A column that stops a run is not said to be as declared.
#[test]
fn a_value_that_stops_a_run_is_all_that_check_says_of_its_column() {
    let workspace = Workspace::with_study("max = 100 }", "max = 120 }");
    let table = workspace.read("t.csv");
    let (head, rest) = table.split_once('\n').unwrap();
    let (first, others) = rest.split_once('\n').unwrap();
    let broken = first.split_once(',').unwrap().1;
    workspace.write("t.csv", format!("{head}\nabc,{broken}\n{others}"));
    let said = workspace.run(&["check", "study.toml"]);
    assert_eq!(said.code, 1, "{}", said.stderr);
    let age = said.stdout.lines().find(|line| line.starts_with("age ")).unwrap();
    assert!(age.contains("mistake") && age.contains("a run stops at 1"), "{}", said.stdout);
}
