//! Parquet tables: the types that files hold, and damaged files.

use crate::common::{RowValues, Table, schema};
use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use discretion::erm::matrix::OTHER;
use discretion_table::{Kind, Purpose, Study, draft};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::path::Path;
use std::sync::Arc;

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
            .unwrap();
    let mut bytes = Vec::new();
    // Small row groups: a table of a few rows has several.
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn usual() -> Vec<(&'static str, ArrayRef)> {
    vec![
        ("age", Arc::new(Int32Array::from(vec![Some(0), Some(100), None]))),
        ("gain", Arc::new(Float64Array::from(vec![Some(0.0), Some(1000.0), None]))),
        ("job", Arc::new(StringArray::from(vec![Some("clerk"), Some("nurse "), None]))),
        ("note", Arc::new(StringArray::from(vec!["a", "b", "c"]))),
        ("y", Arc::new(StringArray::from(vec!["yes", "no", "no"]))),
    ]
}

fn with(name: &'static str, array: impl Array + 'static) -> Vec<(&'static str, ArrayRef)> {
    let mut columns = usual();
    columns.iter_mut().find(|(found, _)| *found == name).unwrap().1 = Arc::new(array);
    columns
}

fn expected() -> RowValues {
    RowValues {
        numeric: vec![-1.0, -1.0, 1.0, 1.0, 0.0, 0.0],
        codes: vec![0, 1, OTHER],
        positive: vec![true, false, false],
    }
}

fn read(columns: Vec<(&str, ArrayRef)>) -> Result<RowValues, String> {
    Table::new("t.parquet", parquet(columns)).read()
}

#[test]
fn reads_numbers_and_texts_of_every_kind() {
    assert_eq!(read(usual()).unwrap(), expected());
    let decimals = Decimal128Array::from(vec![Some(0), Some(10_000), None])
        .with_precision_and_scale(9, 2)
        .unwrap();
    let codes: DictionaryArray<Int32Type> =
        vec![Some("clerk"), Some("nurse"), None].into_iter().collect();
    for columns in [
        with("age", UInt8Array::from(vec![Some(0), Some(100), None])),
        with("age", Float32Array::from(vec![Some(0.0), Some(100.0), None])),
        with("age", Int64Array::from(vec![Some(-7), Some(i64::MAX), None])),
        with("age", decimals),
        with("job", LargeStringArray::from(vec![Some("clerk"), Some("nurse"), None])),
        with(
            "job",
            StringViewArray::from(vec![
                Some("clerk"),
                Some("nurse"),
                Some("a much longer text than that"),
            ]),
        ),
        with("job", BinaryArray::from_opt_vec(vec![Some(b"clerk"), Some(b"nurse"), Some(b"what")])),
        with("job", codes),
    ] {
        assert_eq!(read(columns).unwrap(), expected());
    }
    let booleans = read(with("age", BooleanArray::from(vec![false, true, true]))).unwrap();
    assert_eq!(booleans.numeric[0], -1.0);
    assert!((booleans.numeric[2] + 0.98).abs() < 1e-6, "true is 1, of 0 to 100");
}

#[test]
fn numbers_as_categories_have_the_text_that_csv_would_hold() {
    for (declared, array) in [
        ("1, 0", Arc::new(Int64Array::from(vec![1, 0, 7])) as ArrayRef),
        ("\"1\", \"0\"", Arc::new(UInt16Array::from(vec![1, 0, 7]))),
        ("1, 0", Arc::new(Float64Array::from(vec![1.0, 0.0, 7.0]))),
        ("1.0, 0.0", Arc::new(Float64Array::from(vec![1.0, 0.0, 7.0]))),
        ("0.1, -2.5", Arc::new(Float32Array::from(vec![0.1, -2.5, 1e6]))),
        ("true, false", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]))),
    ] {
        let text = format!(
            "[data]\npath = \"t\"\naccount = \"t\"\ntarget = \"y\"\npositive = 1\nnegative = 0\n[budget]\nepsilon = 1\n\
             [spend]\nepsilon = 1\n[columns]\nc = {{ values = [{declared}] }}"
        );
        let schema = Study::parse(Path::new("s.toml"), &text).unwrap().schema;
        let labels = Arc::new(Float64Array::from(vec![1.0, 0.0, 0.0])) as ArrayRef;
        let rows = Table::new("t.parquet", parquet(vec![("c", array), ("y", labels)]));
        let rows = rows.read_as(&schema, Purpose::Train).unwrap();
        assert_eq!(rows.codes, [0, 1, OTHER], "{declared}");
        assert_eq!(rows.positive, [true, false, false]);
    }
}

#[test]
fn several_row_groups_keep_their_order() {
    let count = 20_500;
    let age: Int32Array = (0..count).map(|i| i % 101).collect();
    let texts =
        |f: fn(i32) -> &'static str| (0..count).map(|i| Some(f(i))).collect::<StringArray>();
    let rows = read(vec![
        ("age", Arc::new(age)),
        ("gain", Arc::new(NullArray::new(count as usize))),
        ("job", Arc::new(texts(|i| if i % 2 == 0 { "nurse" } else { "clerk" }))),
        ("note", Arc::new(NullArray::new(count as usize))),
        ("y", Arc::new(texts(|i| if i % 3 == 0 { "yes" } else { "no" }))),
    ])
    .unwrap();
    assert_eq!(rows.positive.len(), count as usize);
    for i in 0..count as usize {
        assert!((rows.numeric[2 * i] - ((i % 101) as f32 - 50.0) / 50.0).abs() < 1e-6);
        assert_eq!((rows.codes[i], rows.positive[i]), (u16::from(i % 2 == 0), i % 3 == 0));
    }
}

#[test]
fn refuses_types_that_are_neither_numbers_nor_texts() {
    let lists =
        ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)]), None, None]);
    let message = read(with("age", lists.clone())).unwrap_err();
    assert!(message.starts_with("t.parquet: column `age` has the type List"), "{message}");
    assert!(message.contains("cannot be read as a number"), "{message}");
    assert!(read(with("job", lists.clone())).unwrap_err().contains("cannot be read as a category"));
    assert!(
        read(with("age", StringArray::from(vec!["1", "2", "3"])))
            .unwrap_err()
            .contains("cannot be read as a number")
    );
    assert!(
        read(with("age", Date32Array::from(vec![1, 2, 3]))).unwrap_err().contains("as a number")
    );
    assert_eq!(read(with("note", lists)).unwrap(), expected(), "a dropped column may be anything");
}

#[test]
fn refuses_bad_rows_by_number() {
    let message =
        read(with("gain", Float64Array::from(vec![0.0, f64::NAN, f64::INFINITY]))).unwrap_err();
    assert!(
        message.starts_with("t.parquet: row 2: column `gain` must be a finite number, not \"NaN\""),
        "{message}"
    );
    let message = read(with(
        "job",
        BinaryArray::from_opt_vec(vec![Some(b"clerk"), Some(b"M\xfcnchen"), None]),
    ))
    .unwrap_err();
    assert!(
        message.starts_with(
            "t.parquet: row 2: column `job` is \"M\u{fffd}nchen\", which is not UTF-8"
        ),
        "{message}"
    );
    let message =
        read(with("y", StringArray::from(vec![Some("yes"), Some("no"), None]))).unwrap_err();
    assert!(message.starts_with("t.parquet: row 3: the target `y` is missing"), "{message}");
}

#[test]
fn refuses_headers_and_empty_tables_like_csv() {
    let mut columns = usual();
    columns.remove(1);
    assert_eq!(read(columns).unwrap_err(), "t.parquet: the table lacks the declared column `gain`");
    let empty = usual().into_iter().map(|(name, array)| (name, array.slice(0, 0))).collect();
    assert!(read(empty).unwrap_err().contains("the table has no rows"));
    let field = |name: &str| Field::new(name, DataType::Int32, true);
    let twice = Arc::new(ArrowSchema::new(vec![field("age"), field("age")]));
    let mut bytes = Vec::new();
    ArrowWriter::try_new(&mut bytes, twice, None).unwrap().close().unwrap();
    assert!(Table::new("t.parquet", bytes).refusal().contains("`age` more than once"));
}

#[test]
fn prediction_ignores_what_the_model_does_not_use() {
    let mut columns = usual();
    columns.truncate(3);
    columns.push((
        "list",
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
            Some(vec![Some(1)]),
            None,
            None,
        ])),
    ));
    let table = Table::new("t.parquet", parquet(columns));
    let rows = table.read_as(&schema("negative = \"no\""), Purpose::Predict).unwrap();
    assert_eq!(rows, RowValues { positive: Vec::new(), ..expected() });
}

#[test]
fn damaged_files_are_refused_or_read_but_never_panic() {
    let count = 3000;
    let good = parquet(vec![
        ("age", Arc::new((0..count).map(|i| i * 7919 % 101).collect::<Int32Array>())),
        ("gain", Arc::new((0..count).map(f64::from).collect::<Float64Array>())),
        (
            "job",
            Arc::new((0..count).map(|i| Some(format!("job {}", i % 300))).collect::<StringArray>()),
        ),
        ("note", Arc::new((0..count).map(|i| Some(i.to_string())).collect::<StringArray>())),
        ("y", Arc::new((0..count).map(|_| Some("yes")).collect::<StringArray>())),
    ]);
    Table::new("t.parquet", &good).read().unwrap();
    for length in [1, 4, 8, 100, good.len() / 2, good.len() - 8, good.len() - 1] {
        let message = Table::new("t.parquet", &good[..length]).refusal();
        assert!(message.contains("truncated, damaged or not Parquet"), "{message}");
    }
    assert!(Table::new("t.parquet", "age,y\n1,yes\n").refusal().contains("not Parquet"));
    let mut state = 1_u64;
    for _ in 0..400 {
        let mut damaged = good.clone();
        for _ in 0..8 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] = (state >> 20) as u8;
        }
        let _ = Table::new("t.parquet", damaged).read();
    }
}

#[test]
fn drafts_take_types_from_the_schema() {
    let mut columns = usual();
    columns.push((
        "list",
        Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![
            Some(vec![Some(1)]),
            None,
            None,
        ])),
    ));
    let table = Table::new("t.parquet", parquet(columns));
    let text = draft(&table.path, None, false).unwrap();
    assert!(
        text.contains("age = { min = \"?\", max = \"?\" }")
            && text.contains("list = { drop = true }"),
        "{text}"
    );
    let study =
        Study::parse(Path::new("s.toml"), &draft(&table.path, Some("t"), true).unwrap()).unwrap();
    assert!(
        matches!(study.schema.columns()[0].kind, Kind::Number { min, max, .. } if (min, max) == (0.0, 100.0))
    );
    assert_eq!(study.schema.target().column, "y");
    assert_eq!(
        table.read_as(&study.schema, Purpose::Train).unwrap().positive,
        [true, false, false]
    );
}
