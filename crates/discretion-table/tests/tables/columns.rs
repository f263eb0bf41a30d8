//! Columns chosen by name, and read to be described.

use crate::common::{RowValues, Table, csv, schema};
use arrow_array::{
    ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray,
};
use discretion::erm::matrix::OTHER;
use discretion_table::{Column, Error, Kind, Purpose, Study, encode_columns, read_columns};
use std::path::Path;
use std::sync::Arc;

fn choose(names: &[&str]) -> Result<Vec<Column>, String> {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    schema("negative = \"no\"").choose(&names).map_err(|problem| problem.to_string())
}

fn read(table: &Table, names: &[&str]) -> Result<RowValues, String> {
    let mut rows = RowValues::default();
    let columns = choose(names)?;
    let schema = schema("negative = \"no\"");
    let result = read_columns(&table.path, &schema, &columns, &|_| {}, |batch| rows.add(batch));
    result.map(|_| rows).map_err(|error| error.to_string())
}

/// What is said of columns in memory that cannot be read.
fn refusal(table: impl RecordBatchReader, columns: &[Column], purpose: Purpose) -> String {
    encode_columns(table, columns, purpose, |_| Ok::<(), Error>(())).unwrap_err().to_string()
}

#[test]
fn columns_come_in_the_order_they_were_asked_for() {
    let table = csv("0,0,clerk,a,yes\n100,1000,nurse,b,no\n,,other,,no\n25,1e9,,c,perhaps\n");
    let rows = read(&table, &["gain", "y", "age"]).unwrap();
    assert_eq!(rows.numeric, [-1.0, -1.0, 1.0, 1.0, 0.0, 0.0, 1.0, -0.5]);
    // A target that is neither is no error here: it is described, not learned from.
    assert_eq!(rows.codes, [0, 1, 1, OTHER]);
    assert!(rows.positive.is_empty());
    assert_eq!(read(&table, &["job"]).unwrap().codes, [0, 1, OTHER, OTHER]);
}

#[test]
fn only_what_was_chosen_has_to_be_readable_but_the_header_has_to_be_the_study_s() {
    let table = csv("old,0,clerk,a,yes\n");
    assert_eq!(read(&table, &["gain"]).unwrap().numeric, [-1.0]);
    assert!(read(&table, &["age"]).unwrap_err().contains("t.csv:2: column `age` must be a number"));
    for (header, words) in [
        ("age,gain,job,y", "lacks the declared column `note`"),
        ("age,gain,job,note", "lacks the target column `y`"),
        ("age,gain,job,note,y,zip", "has column `zip`, which is not declared"),
        ("age,gain,job,note,y,y", "more than once"),
    ] {
        let table = Table::new("t.csv", format!("{header}\n"));
        let refusal = read(&table, &["age"]).unwrap_err();
        assert!(refusal.contains(words), "{refusal}");
    }
    assert!(read(&csv(""), &["age"]).unwrap_err().contains("no rows"));
}

#[test]
fn names_that_cannot_be_chosen() {
    assert_eq!(choose(&["agee"]).unwrap_err(), "no column `agee` is declared; did you mean `age`?");
    assert_eq!(choose(&["zebra"]).unwrap_err(), "no column `zebra` is declared");
    assert_eq!(
        choose(&["age", "age"]).unwrap_err(),
        "column `age` is named twice; name every column once"
    );
    assert!(
        choose(&["note"])
            .unwrap_err()
            .starts_with("column `note` is dropped in [columns]; declare")
    );
    let Kind::Category { values, .. } = &choose(&["y"]).unwrap()[0].kind else {
        panic!("a category")
    };
    assert_eq!(values, &["yes", "no"]);
}

#[test]
fn a_table_in_memory_is_described_as_a_file_is() {
    let columns = choose(&["gain", "y", "age"]).unwrap();
    let number =
        |values: [Option<f64>; 3]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
    let text = |values: [&str; 3]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    let table = |names: &[&str]| {
        let all = [
            ("age", number([Some(0.0), Some(100.0), None])),
            ("zip", text(["1", "2", "3"])),
            ("gain", number([Some(0.0), Some(1e9), Some(1000.0)])),
            ("y", text(["yes", "no", "perhaps"])),
        ];
        let kept = all.into_iter().filter(|(name, _)| names.contains(name));
        let batch = RecordBatch::try_from_iter(kept).unwrap();
        let header = batch.schema();
        RecordBatchIterator::new([Ok(batch)], header)
    };
    let mut rows = RowValues::default();
    let found = table(&["age", "zip", "gain", "y"]);
    let counts = encode_columns(found, &columns, Purpose::Describe, |batch| rows.add(batch));
    assert_eq!(counts.unwrap().rows, 3);
    let file =
        read(&csv("0,0,,,yes\n100,1e9,,,no\n,1000,,,perhaps\n"), &["gain", "y", "age"]).unwrap();
    assert_eq!(rows, file);
    // Only what is described has to be there; the target, too, if it is described.
    for (names, words) in
        [(&["age", "y"], "lacks the declared column `gain`"), (&["age", "gain"], "`y`")]
    {
        let refusal = refusal(table(names), &columns, Purpose::Describe);
        assert!(refusal.contains(words), "{refusal}");
    }
}

#[test]
fn who_describes_columns_may_declare_what_is_missing_and_who_asks_may_not() {
    let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = 1\nnegative = 0\n[budget]\nepsilon = 1\n\
                [spend]\nepsilon = 1\n[columns]\nage = { min = 0, max = 100 }\n";
    let schema = Study::parse(Path::new("study.toml"), text).unwrap().schema;
    let columns = schema.choose(&["age".to_owned()]).unwrap();
    let batch =
        RecordBatch::try_from_iter([("age", Arc::new(Float64Array::from(vec![None])) as ArrayRef)])
            .unwrap();
    let said = |purpose| {
        let table = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
        refusal(table, &columns, purpose)
    };
    assert!(said(Purpose::Describe).contains("nothing says what a missing number counts as"));
    assert!(said(Purpose::Predict).ends_with("a number is needed there: fill it in"));
}
