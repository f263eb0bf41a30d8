//! Which rows count, in every kind of file.

use crate::common::Table;
use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use discretion::erm::matrix::Matrix;
use discretion_table::{
    Limits, PersonKey, Study, read_counts, read_matrix, read_persons, read_within,
};
use parquet::arrow::ArrowWriter;
use std::path::Path;
use std::sync::Arc;

const STUDY: &str = r#"[data]
path = "t.csv"
account = "a"
target = "y"
positive = "1"
negative = "0"
na = ["?"]
missing_outcome = "left out"
where = { x = { max = 50 }, c = ["a", "b"], seen = { min = "2020-03-01" }, from = { max = "2021-01-01" }, site = 7, n = { min = -1.5 } }
[budget]
epsilon = 1
[spend]
epsilon = 1
[columns]
x = { min = 0, max = 100, missing = 10 }
c = { values = ["a", "b", "c"] }
seen = { kind = "date", min = "2020-01-01", max = "2020-12-31" }
from = { drop = true }
site = { drop = true }
n = { drop = true }
"#;

/// x, c, seen, from (days after 2020-01-01), site, n, y; and whether the row counts.
type Row = (Option<i64>, &'static str, i32, i32, i64, i64, Option<&'static str>, bool);

const ROWS: [Row; 11] = [
    (Some(50), "a", 60, 0, 7, -1, Some("1"), true),
    // Nothing is clipped before it is tested: −3 would be, and 120.
    (Some(-3), "b", 365, 366, 7, 5, Some("0"), true),
    (Some(51), "a", 60, 0, 7, 0, Some("1"), false),
    (Some(120), "a", 60, 0, 7, 0, Some("0"), false),
    // What is missing meets no condition, whatever it counts as.
    (None, "a", 60, 0, 7, 0, Some("1"), false),
    (Some(1), "c", 60, 0, 7, 0, Some("0"), false),
    (Some(1), "other", 60, 0, 7, 0, Some("1"), false),
    (Some(1), "a", 59, 0, 7, 0, Some("1"), false),
    (Some(1), "a", 60, 367, 7, 0, Some("1"), false),
    (Some(1), "a", 60, 0, 8, 0, Some("0"), false),
    (Some(1), "a", 60, 0, 7, -2, None, false),
];

fn date(after: i32) -> String {
    let lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31];
    let (mut day, mut month) = (after, 0);
    while day >= lengths[month] {
        (day, month) = (day - lengths[month], month + 1);
    }
    format!("{}-{:02}-{:02}", 2020 + month / 12, month % 12 + 1, day + 1)
}

fn csv() -> String {
    let line = |&(x, c, seen, from, site, n, y, _): &Row| {
        let x = x.map_or("?".to_owned(), |x| x.to_string());
        format!("{x},{c},{},{}T23:59,{site},{n},{}\n", date(seen), date(from), y.unwrap_or(""))
    };
    "x,c,seen,from,site,n,y\n".to_owned() + &ROWS.iter().map(line).collect::<String>()
}

fn parquet() -> Vec<u8> {
    let first_day = 18_262;
    let integers = |of: fn(&Row) -> Option<i64>| -> ArrayRef {
        Arc::new(ROWS.iter().map(of).collect::<Int64Array>())
    };
    let dates = |of: fn(&Row) -> i32| -> ArrayRef {
        Arc::new(ROWS.iter().map(|row| Some(first_day + of(row))).collect::<Date32Array>())
    };
    let texts = |of: fn(&Row) -> Option<&'static str>| -> ArrayRef {
        Arc::new(ROWS.iter().map(of).collect::<StringArray>())
    };
    let columns: [(&str, ArrayRef); 7] = [
        ("x", integers(|row| row.0)),
        ("c", texts(|row| Some(row.1))),
        ("seen", dates(|row| row.2)),
        ("from", dates(|row| row.3)),
        ("site", integers(|row| Some(row.4))),
        ("n", integers(|row| Some(row.5))),
        ("y", texts(|row| row.6)),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
            .unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn bytes(rows: &Matrix) -> Vec<u8> {
    rows.to_bytes().into_inner()
}

#[test]
fn every_kind_of_file_and_of_condition_leaves_out_the_same_rows() {
    let study = Study::parse(Path::new("study.toml"), STUDY).unwrap();
    let files = [Table::new("t.csv", csv()), Table::new("t.parquet", parquet())];
    let [one, other] = files.map(|file| {
        let (rows, counts) = read_matrix(&file.path, &study.schema, &|_| {}).unwrap();
        assert_eq!((counts.rows, counts.left_out), (11, 9));
        assert_eq!(counts.outcome.unwrap().classes, [1, 1], "of the rows that count");
        assert_eq!(read_counts(&file.path, &study.schema, &|_| {}).unwrap().left_out, 9);
        // The same from a file that has no name.
        let limits = Limits { memory: 0, folder: file.path.parent().unwrap(), validation: None };
        let kept = read_within(&file.path, &study.schema, limits, &|_| {}).unwrap().0.rows;
        assert!(kept.in_memory().is_none(), "there is no memory");
        let records = kept.records().unwrap().into_inner().0;
        assert_eq!(records, rows.row_bytes(0..11).into_inner());
        rows
    });
    assert_eq!(bytes(&one), bytes(&other));
    // The last byte of a record is the label, or 2.
    let size = one.layout().row_bytes();
    let labels: Vec<u8> =
        bytes(&one)[24..].chunks_exact(size).map(|record| record[size - 1]).collect();
    let expected = ROWS.iter().map(|row| if row.7 { u8::from(row.6 == Some("1")) } else { 2 });
    assert_eq!(labels, expected.collect::<Vec<u8>>());
}

/// r_p counts rows of the cohort: who has none stays a person.
#[test]
fn persons_without_a_row_that_counts_are_persons() {
    let study = STUDY.replace("path =", "person = \"p\"\npath =");
    let study = Study::parse(Path::new("study.toml"), &study).unwrap();
    let mut lines = csv().lines().map(str::to_owned).collect::<Vec<_>>();
    lines[0] += ",p";
    (1..lines.len()).for_each(|row| lines[row] += &format!(",{}", (row - 1) % 4));
    let file = Table::new("t.csv", lines.join("\n") + "\n");
    let (persons, counts) =
        read_persons(&file.path, &study.schema, PersonKey::of_seed(1), &|_| {}).unwrap();
    assert_eq!((persons.units(), counts.left_out), (4, 9));
}

#[test]
fn whoever_takes_all_rows_is_refused() {
    let study = Study::parse(Path::new("study.toml"), STUDY).unwrap();
    for purpose in [discretion_table::Purpose::Train, discretion_table::Purpose::Describe] {
        let refused = Table::new("t.csv", csv()).read_as(&study.schema, purpose).unwrap_err();
        assert!(
            refused.contains(
                "counts every row the same, and this study leaves rows out or weighs them"
            ),
            "{refused}"
        );
    }
}

#[test]
fn indicators_of_one_category_are_neither_condition_nor_weight() {
    let study = |data: &str| {
        let columns = "c = { one_of = [\"is_a\", \"is_b\"] }\nx = { min = 0, max = 1 }\n";
        let text = STUDY.split("where").next().unwrap().to_owned() + data;
        let text = text + "\n[budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\n" + columns;
        Study::parse(Path::new("study.toml"), &text)
            .map(|_| ())
            .map_err(|problem| problem.to_string())
    };
    study("").unwrap();
    let refused = study("where = { c = \"is_a\" }").unwrap_err();
    assert!(refused.contains("values that several columns tell"), "{refused}");
    let refused = study("weight = { column = \"is_b\", max = 2 }").unwrap_err();
    assert!(refused.contains("\"is_b\", which is used for something else"), "{refused}");
}
