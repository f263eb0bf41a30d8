//! Indicator columns that are one category: from the study file to the rows that are read by it.

use super::*;
use crate::{Lost, Purpose, check_table, read_batches};

const COLUMNS: &str = r#"
    [columns]
    dose   = { min = 0, max = 10 }
    colour = { one_of = ["is_red", "is_blue"], labels = { is_red = "red" } }
    ward   = { one_of = ["a", "b"], missing = "own" }
"#;

const ROWS: &str = "a,is_blue,dose,is_red,b,y\n1,1,0,0,0,1\n0,0,5,1,1,0\n0,1,5,1,0,0\n1,0,5,0.0,1,1\n0,,5,true,0,0\n";

fn study(columns: &str) -> Result<Study, Error> {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = 1\nnegative = 0\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n{columns}"
    );
    Study::parse(Path::new("study.toml"), &text)
}

fn table(rows: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("t.csv");
    std::fs::write(&table, rows).unwrap();
    (folder, table)
}

#[test]
fn two_columns_of_the_table_are_one_of_the_model() {
    let schema = study(COLUMNS).unwrap().schema;
    let names = schema.encoder().names();
    assert_eq!(names[2..], ["colour=red", "colour=is_blue", "ward=a", "ward=b", "ward=none"]);
    let again: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    assert_eq!(again, schema);
    assert_eq!(schema.indicators(), ["is_red", "is_blue", "a", "b"]);
}

#[test]
fn rows_are_read_by_the_public_rule_and_counted() {
    let schema = study(COLUMNS).unwrap().schema;
    let (_folder, table) = table(ROWS);
    let mut codes = Vec::new();
    let each = |batch: discretion::erm::matrix::Batch| {
        codes.extend(batch.codes);
        Ok::<(), Error>(())
    };
    let counts = read_batches(&table, &schema, Purpose::Train, &|_| {}, each).unwrap();
    let other = u16::MAX;
    assert_eq!(codes, [[1, 0], [0, 1], [other, 2], [other, other], [0, 2]].concat());
    let lost: Vec<_> =
        counts.columns.iter().map(|column| (column.name.as_str(), column.lost)).collect();
    assert!(matches!(lost[1], ("colour", Lost::OneOf { several: 1, none: 1 })));
    // Rows without a 1 have a level of their own there.
    assert!(matches!(lost[2], ("ward", Lost::OneOf { several: 1, none: 0 })));
}

#[test]
fn what_is_no_indicator_stops_a_run_and_is_told_by_a_check() {
    let schema = study(COLUMNS).unwrap().schema;
    let (_folder, path) = table(&ROWS.replace("true", "5"));
    let refused =
        read_batches(&path, &schema, Purpose::Train, &|_| {}, |_| Ok::<(), Error>(())).unwrap_err();
    assert!(refused.to_string().contains("`is_red` is one of several indicators"), "{refused}");
    let checked = check_table(path.as_path(), &schema, &|_| {}).unwrap();
    let red = checked.columns.iter().find(|column| column.name == "is_red").unwrap();
    assert!(red.refused.as_ref().is_some_and(|refused| refused.count == 1 && refused.row == 5));
    let colour = checked.columns.iter().find(|column| column.name == "colour").unwrap();
    assert!(matches!(colour.found, crate::Found::Used(Lost::OneOf { several: 1, none: 2 })));
}

#[test]
fn declarations_that_cannot_be_are_refused() {
    for (columns, reason) in [
        ("c = { one_of = [\"a\"] }", "one of a single indicator"),
        ("c = { one_of = [\"a\", \"b\"], values = [\"a\"] }", "remove the others"),
        ("c = { one_of = [\"a\", \"a\"] }", "twice"),
        ("c = { one_of = [\"a\", \"b\"] }\na = { min = 0, max = 1 }", "`a`"),
        ("c = { one_of = [\"a\", \"y\"] }", "`y`"),
    ] {
        let refused = study(&format!("[columns]\n{columns}\n")).unwrap_err();
        assert!(refused.to_string().contains(reason), "{columns}: {refused}");
    }
}
