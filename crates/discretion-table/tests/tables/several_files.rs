//! Several files that are one table.

use discretion_table::{Limits, Progress, Study, Table, read_matrix, read_within};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HEADER: &str = "age,gain,job,note,y\n";

/// A folder with a few years, and what the study names there.
fn study(path: &str) -> (TempDir, Study) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("years")).unwrap();
    for (name, rows) in [
        ("2019.csv", "1,1,clerk,,yes\n"),
        ("2020.csv", "2,2,nurse,,no\n3,3,clerk,,no\n"),
        ("2021.csv", ""),
    ] {
        std::fs::write(folder.path().join("years").join(name), format!("{HEADER}{rows}")).unwrap();
    }
    std::fs::write(folder.path().join("years/readme.txt"), "no table").unwrap();
    std::fs::write(folder.path().join("years/.hidden.csv"), "no table").unwrap();
    let text = format!(
        "[data]\npath = {path}\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]{}",
        crate::common::COLUMNS
    );
    let study = Study::parse(&folder.path().join("study.toml"), &text).unwrap();
    (folder, study)
}

fn refusal(path: &str) -> String {
    let (folder, study) = study(path);
    let error = read_matrix(&study.data.path, &study.schema, &|_| {})
        .err()
        .expect("this should be refused");
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn a_list_a_pattern_and_a_folder_are_the_same_table() {
    for path in [
        "[\"years/2019.csv\", \"years/2020.csv\"]",
        "[\"years/2019.csv\", \"years/202?.csv\"]",
        "\"years/2*.csv\"",
        "\"years\"",
    ] {
        let (folder, study) = study(path);
        let seen = RefCell::new(Vec::new());
        let progress = |progress: Progress| seen.borrow_mut().push(progress);
        let (rows, counts) = read_matrix(&study.data.path, &study.schema, &progress).unwrap();
        let all = folder.path().join("all.csv");
        std::fs::write(&all, format!("{HEADER}1,1,clerk,,yes\n2,2,nurse,,no\n3,3,clerk,,no\n"))
            .unwrap();
        let (one, _) = read_matrix(&all, &study.schema, &|_| {}).unwrap();
        assert_eq!(rows.row_bytes(0..3).into_inner(), one.row_bytes(0..3).into_inner(), "{path}");
        assert_eq!(counts.outcome.unwrap().classes, [2, 1], "of all files");
        let seen = seen.into_inner();
        assert!(seen.windows(2).all(|pair| pair[0].bytes <= pair[1].bytes), "{seen:?}");
        assert!(seen.iter().all(|progress| progress.bytes <= progress.total), "{seen:?}");

        // Also where memory is short.
        let limits = Limits { memory: 1, folder: folder.path(), validation: None };
        let read = read_within(&study.data.path, &study.schema, limits, &|_| {}).unwrap();
        let file = read.0.rows;
        assert!(file.in_memory().is_none(), "three rows do not fit into one byte");
        assert_eq!(file.units(), 3);
    }
}

#[test]
fn files_come_in_the_order_of_the_list_or_of_their_names() {
    let files = |path: &str| -> Vec<PathBuf> {
        let (folder, study) = study(path);
        let years = folder.path().join("years");
        study
            .data
            .path
            .files()
            .unwrap()
            .iter()
            .map(|file| file.strip_prefix(&years).unwrap().to_owned())
            .collect()
    };
    assert_eq!(files("\"years\""), ["2019.csv", "2020.csv", "2021.csv"].map(PathBuf::from));
    assert_eq!(
        files("[\"years/2020.csv\", \"years/2019.csv\"]"),
        ["2020.csv", "2019.csv"].map(PathBuf::from)
    );
}

#[test]
fn what_is_not_one_table_is_refused_with_the_file_s_name() {
    assert!(refusal("\"nothing/*.csv\"").starts_with("nothing: there is no such file in "));
    assert!(
        refusal("\"years/19*.csv\"").starts_with("years/19*.csv: no file has a name like this")
    );
    assert!(
        refusal("[\"years\", \"years/2019.csv\"]")
            .starts_with("years/2019.csv: this file is named twice")
    );
    assert!(refusal("\"years/2021.csv\"").contains("no rows"));
    let (folder, study) = study("\"years\"");
    let third = folder.path().join("years/2021.csv");
    for (header, how) in [
        ("gain,age,job,note,y", "its columns are in another order"),
        ("age,gain,job,note", "it lacks `y`"),
        ("age,gain,job,notes,y", "it lacks `note`, and it has `notes`"),
    ] {
        std::fs::write(&third, format!("{header}\n")).unwrap();
        let error =
            read_matrix(&study.data.path, &study.schema, &|_| {}).err().unwrap().to_string();
        assert!(error.contains("2021.csv: the header differs from that of "), "{error}");
        assert!(error.contains(&format!("2019.csv: {how};")), "{error}");
    }
    // What is wrong with a row is told with its own file and line.
    std::fs::write(&third, format!("{HEADER}1,1,clerk,,yes\nx,1,clerk,,yes\n")).unwrap();
    let error = read_matrix(&study.data.path, &study.schema, &|_| {}).err().unwrap().to_string();
    assert!(error.contains("2021.csv:3: column `age` must be a number"), "{error}");
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let none = discretion_table::TableSource::from(folder.path().join("empty"));
    assert!(none.files().unwrap_err().to_string().contains("no file in this folder is a table"));
}

#[test]
fn an_empty_list_names_no_table() {
    let text = "[data]\npath = []\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\n[budget]\nepsilon = 1\n\
                [spend]\nepsilon = 1\n[columns]\na = { min = 0, max = 1 }\n";
    let refusal = Study::parse(Path::new("s.toml"), text).unwrap_err().to_string();
    assert_eq!(refusal, "s.toml:2:1: `path` in [data] must not be empty");
}
