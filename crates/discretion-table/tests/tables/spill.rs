//! Rows that go to a file come back as they were.

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use discretion::choose::split;
use discretion::erm::matrix::{Matrix, Rows};
use discretion::erm::{AskOracle, Oracle, Order};
use discretion::loss::Logistic;
use discretion_table::{
    Limits, PersonKey, Study, read_matrix, read_persons, read_persons_within, read_within,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

const STUDY: &str = "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n[budget]\nepsilon = 1\n\
                     [spend]\nepsilon = 1\n[columns]\nx = { min = 0, max = 1000 }\nc = { values = [\"a\", \"b\"] }\n";

fn csv(rows: usize) -> String {
    let line = |row: usize| format!("{},{},{}\n", row % 1100, ["a", "b", "?"][row % 3], row % 2);
    "x,c,y\n".to_owned() + &(0..rows).map(line).collect::<String>()
}

#[test]
fn rows_in_a_file_are_the_rows_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, csv(70_000)).unwrap();
    let study = Study::parse(Path::new("study.toml"), STUDY).unwrap();
    let all = read_matrix(&path, &study.schema, &|_| {}).unwrap().0;
    let bytes = |rows: &Matrix| rows.to_bytes().into_inner();
    for (memory, validation) in [(u64::MAX, None), (0, None), (100_000, Some(0.3))] {
        let limits = Limits { memory, folder: folder.path(), validation };
        let read = read_within(&path, &study.schema, limits, &|_| {}).unwrap().0;
        if let Some(rows) = read.rows.in_memory() {
            assert_eq!(memory, u64::MAX);
            assert_eq!(bytes(rows), bytes(&all));
            continue;
        }
        let (order, training) = match validation {
            None => ((0..70_000).collect(), 70_000),
            Some(share) => split::training_first(70_000, share),
        };
        assert_eq!((read.rows.units(), read.training), (70_000, validation.map(|_| training)));
        for range in [0..70_000, 17..60_000, 69_000..69_001, training - 3..70_000] {
            let (records, _) = read.rows.view(range.clone()).records().unwrap().into_inner();
            let expected = all.gather(&order[range]);
            assert_eq!(records, expected.row_bytes(0..expected.rows()).into_inner());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the file has no name");
    }
}

/// The table of the other tests as Parquet, in several row groups.
fn parquet(rows: usize) -> Vec<u8> {
    let columns: [(&str, ArrayRef); 3] = [
        ("x", Arc::new((0..rows).map(|row| (row % 1100) as i64).collect::<Int64Array>())),
        (
            "c",
            Arc::new((0..rows).map(|row| Some(["a", "b", "?"][row % 3])).collect::<StringArray>()),
        ),
        ("y", Arc::new((0..rows).map(|row| (row % 2) as i64).collect::<Int64Array>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(25_000)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn rows_of_every_format_go_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let study = Study::parse(Path::new("study.toml"), STUDY).unwrap();
    let text = csv(70_000);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let files = [
        ("t.csv", text.into_bytes()),
        ("t.csv.gz", gzip.finish().unwrap()),
        ("t.parquet", parquet(70_000)),
    ];
    let mut all = Vec::new();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let (held, _) = read_matrix(&path, &study.schema, &|_| {}).unwrap();
        let limits = Limits { memory: 100_000, folder: folder.path(), validation: None };
        let file = read_within(&path, &study.schema, limits, &|_| {}).unwrap().0.rows;
        assert!(file.in_memory().is_none(), "{name} does not fit");
        let held = held.row_bytes(0..held.rows()).into_inner();
        all.push((name, held, file.records().unwrap().into_inner().0));
    }
    for (name, held, in_file) in &all {
        assert!(*held == all[0].1 && *in_file == all[0].1, "{name} has other rows");
    }
}

#[test]
fn a_folder_that_cannot_hold_the_rows_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, "x,c,y\n1,a,0\n").unwrap();
    let study = Study::parse(Path::new("study.toml"), STUDY).unwrap();
    let missing = folder.path().join("missing");
    let limits = Limits { memory: 0, folder: &missing, validation: None };
    let Err(error) = read_within(&path, &study.schema, limits, &|_| {}) else {
        panic!("there is no such folder")
    };
    assert!(error.to_string().contains("missing"), "{error}");
}

/// A person's rows are anywhere in the table, and those that are left out are not among them. The
/// sums are those of a table in memory, bit for bit.
#[test]
fn persons_in_a_file_are_the_persons_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let person = |row: usize| row * 7919 % 3001 % (1 + row % 2500);
    let line = |row: usize| {
        format!("{},{},{},P{}\n", row % 1100, ["a", "b", "?"][row % 3], row % 2, person(row))
    };
    std::fs::write(&path, "x,c,y,who\n".to_owned() + &(0..20_000).map(line).collect::<String>())
        .unwrap();
    let study = STUDY.replace("path", "person = \"who\"\nwhere = { x = { max = 600 } }\npath");
    let study = Study::parse(Path::new("study.toml"), &study).unwrap();
    let key = PersonKey::of_seed(5);
    let (all, counts) = read_persons(&path, &study.schema, key, &|_| {}).unwrap();
    let records = |persons: &Rows<'_>| persons.records().unwrap().into_inner();
    let sums = |persons: &Rows<'_>| {
        let sums = persons.sums(&Logistic, &[0.3, -0.7, 0.2, 0.9], Order::Hessian).unwrap();
        let sums = sums.not_private().into_inner();
        (sums.value.to_bits(), sums.gradient, sums.hessian)
    };
    for memory in [u64::MAX, 0, 40_000] {
        let limits = Limits { memory, folder: folder.path(), validation: None };
        let (persons, counted) =
            read_persons_within(&path, &study.schema, key, limits, &|_| {}).unwrap();
        assert_eq!(persons.facts(), all.facts());
        assert_eq!((counted.rows, counted.left_out), (counts.rows, counts.left_out));
        assert_eq!(records(&persons), records(&all));
        assert_eq!(sums(&persons), sums(&all));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "files have no name");
    }
    let limits = Limits { memory: 0, folder: &folder.path().join("missing"), validation: None };
    let refused = read_persons_within(&path, &study.schema, key, limits, &|_| {}).err().unwrap();
    assert!(refused.to_string().contains("missing"), "{refused}");
}
