//! Tables in memory are encoded just as the same table in a file.

use arrow_array::{
    ArrayRef, DictionaryArray, Float32Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    RecordBatchIterator, StringArray,
};
use arrow_schema::{Field, Schema as ArrowSchema};
use discretion::erm::matrix::Batch;
use discretion_table::{Purpose, Study, encode_batches, encode_numbers, read_batches};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

const ROWS: usize = 20_000;

fn study(columns: &str) -> Study {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\n[budget]\nepsilon = 1.0\n[spend]\nepsilon = 1.0\n\
         [columns]\n{columns}"
    );
    Study::parse(Path::new("study.toml"), &text).unwrap()
}

fn age(row: usize) -> f64 {
    (row * 7919 % 1000) as f64 / 10.0
}

fn dose(row: usize) -> f64 {
    (row * 104_729 % 977) as f64
}

/// Numbers, codes and labels, whatever the batches are.
fn joined(batches: Vec<Batch>) -> (Vec<f32>, Vec<u16>, Vec<bool>) {
    let mut all = Batch::default();
    for mut batch in batches {
        all.numeric.append(&mut batch.numeric);
        all.codes.append(&mut batch.codes);
        all.positive.append(&mut batch.positive);
    }
    (all.numeric, all.codes, all.positive)
}

fn table(rows: std::ops::Range<usize>) -> RecordBatch {
    let site = |row: usize| ["north", "south", "elsewhere"][row % 3];
    RecordBatch::try_from_iter([
        ("age", Arc::new(Float64Array::from_iter_values(rows.clone().map(age))) as ArrayRef),
        ("site", Arc::new(StringArray::from_iter_values(rows.clone().map(site))) as ArrayRef),
        (
            "y",
            Arc::new(Float64Array::from_iter_values(rows.map(|row| (row % 2) as f64))) as ArrayRef,
        ),
    ])
    .unwrap()
}

#[test]
fn record_batches_of_any_size_give_what_the_file_gives() {
    let study = study("age = { min = 0, max = 80 }\nsite = { values = [\"north\", \"south\"] }\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let line = |row: usize| {
        format!("{},{},{}\n", age(row), ["north", "south", "elsewhere"][row % 3], row % 2)
    };
    std::fs::write(&path, format!("age,site,y\n{}", (0..ROWS).map(line).collect::<String>()))
        .unwrap();
    let mut from_file = Vec::new();
    let read = read_batches(&path, &study.schema, Purpose::Train, &|_| {}, |batch| {
        from_file.push(batch);
        Ok::<(), discretion_table::Error>(())
    });
    assert_eq!(read.unwrap().rows, ROWS as u64);
    let from_file = joined(from_file);

    for cuts in [vec![0, ROWS], vec![0, 1, 5000, 5000, 13_000, ROWS]] {
        let parts: Vec<_> = cuts.windows(2).map(|ends| Ok(table(ends[0]..ends[1]))).collect();
        let reader = RecordBatchIterator::new(parts, table(0..0).schema());
        let mut batches = Vec::new();
        let read = encode_batches(reader, &study.schema, Purpose::Train, |batch| {
            batches.push(batch);
            Ok::<(), discretion_table::Error>(())
        });
        assert_eq!(read.unwrap().rows, ROWS as u64);
        assert!(joined(batches) == from_file, "cut at {cuts:?}");
    }
}

#[test]
fn numbers_row_by_row_give_what_columns_give() {
    let study =
        study("age = { min = 0, max = 80 }\ndose = { min = 0, max = 500, scale = \"log\" }\n");
    let columns = RecordBatch::try_from_iter([
        ("dose", Arc::new(Float64Array::from_iter_values((0..ROWS).map(dose))) as ArrayRef),
        ("age", Arc::new(Float64Array::from_iter_values((0..ROWS).map(age))) as ArrayRef),
    ])
    .unwrap();
    let reader = RecordBatchIterator::new([Ok(columns.clone())], columns.schema());
    let (mut by_column, mut by_row) = (Vec::new(), Vec::new());
    encode_batches(reader, &study.schema, Purpose::Queries, |batch| {
        by_column.push(batch);
        Ok::<(), discretion_table::Error>(())
    })
    .unwrap();
    encode_numbers(
        ROWS,
        |row| [age(row), dose(row)].into_iter(),
        (&study.schema, Purpose::Queries),
        |batch| {
            by_row.push(batch);
            Ok::<(), discretion_table::Error>(())
        },
    )
    .unwrap();
    assert!(joined(by_row) == joined(by_column));
}

#[test]
fn a_number_that_is_none_is_named_by_its_row() {
    let study = study("age = { min = 0, max = 80 }\ndose = { min = 0, max = 500 }\n");
    let value = |row: usize| if row == 17_123 { f64::NAN } else { 1.0 };
    let none = |_: Batch| Ok::<(), discretion_table::Error>(());
    let features = (&study.schema, Purpose::Features);
    let error =
        encode_numbers(ROWS, |row| [1.0, value(row)].into_iter(), features, none).unwrap_err();
    assert!(
        error.to_string().contains("row 17124") && error.to_string().contains("dose"),
        "{error}"
    );
    let error = encode_numbers(0, |_| [0.0; 2].into_iter(), features, none).unwrap_err();
    assert!(error.to_string().contains("no rows"), "{error}");
}

/// The problem with a table of one column, whose field may say what its values mean.
fn problem(columns: &str, column: ArrayRef, meaning: Option<&str>) -> Option<String> {
    let study = study(columns);
    let metadata = meaning.map(|name| ("ARROW:extension:name".to_owned(), name.to_owned()));
    let field = Field::new("c", column.data_type().clone(), true)
        .with_metadata(metadata.into_iter().collect::<HashMap<_, _>>());
    let labels: ArrayRef = Arc::new(Float64Array::from(vec![1.0; column.len()]));
    let label = Field::new("y", labels.data_type().clone(), false);
    let header = Arc::new(ArrowSchema::new(vec![field, label]));
    let batch = RecordBatch::try_new(header.clone(), vec![column, labels]).unwrap();
    let reader = RecordBatchIterator::new([Ok(batch)], header);
    let none = |_: Batch| Ok::<(), discretion_table::Error>(());
    let read = encode_batches(reader, &study.schema, Purpose::Train, none);
    read.err().map(|error| error.to_string())
}

#[test]
fn floating_point_codes_that_are_several_whole_numbers_are_refused() {
    const CODES: &str = "c = { values = [\"9007199254740992\", \"9007199254740994\"] }\n";
    let two_53 = (1_u64 << 53) as f64;
    let doubles =
        |last: f64| Arc::new(Float64Array::from(vec![None, Some(1.0), Some(last)])) as ArrayRef;
    let coded = |values: ArrayRef| -> ArrayRef {
        let keys = Int32Array::from(vec![Some(1), None, Some(0)]);
        Arc::new(DictionaryArray::new(keys, values))
    };
    let in_the_last_row: [(ArrayRef, &str); 4] = [
        (doubles(two_53), "9007199254740992"),
        (doubles(-two_53 - 2.0), "9007199254740992"),
        (Arc::new(Float32Array::from(vec![0.5, 1.0, 16_777_216.0])), "16777216"),
        (coded(Arc::new(Float64Array::from(vec![two_53, 1.0]))), "9007199254740992"),
    ];
    for (column, least) in in_the_last_row {
        let said = problem(CODES, column, None).unwrap();
        assert!(said.contains("row 3") && said.contains("`c`") && said.contains(least), "{said}");
        assert!(said.contains("as texts or as whole numbers"), "{said}");
    }
    let exact: [ArrayRef; 5] = [
        doubles(two_53 - 1.0),
        doubles(f64::INFINITY),
        Arc::new(Int64Array::from(vec![1 << 53, (1 << 53) + 1, i64::MAX])),
        Arc::new(StringArray::from(vec!["9007199254740993"])),
        // Nobody has the last of these.
        coded(Arc::new(Float64Array::from(vec![2.0, 1.0, two_53]))),
    ];
    for column in exact {
        assert_eq!(problem(CODES, column, None), None);
    }
    // As a number it is clipped.
    assert_eq!(problem("c = { min = 0, max = 9, missing = 0 }\n", doubles(two_53), None), None);
}

#[test]
fn numbers_that_stand_for_something_else_are_refused() {
    let months = || Arc::new(Int64Array::from(vec![648, 649])) as ArrayRef;
    for columns in ["c = { min = 0, max = 900 }\n", "c = { values = [\"648\"] }\n"] {
        let said = problem(columns, months(), Some("pandas.period")).unwrap();
        assert!(said.contains("`c` has the type pandas.period"), "{said}");
        assert_eq!(problem(columns, months(), None), None);
    }
    let texts = || Arc::new(StringArray::from(vec!["648", "649"])) as ArrayRef;
    assert_eq!(problem("c = { values = [\"648\"] }\n", texts(), Some("arrow.json")), None);
}
