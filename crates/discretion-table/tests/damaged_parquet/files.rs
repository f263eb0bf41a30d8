//! Small Parquet files of every kind that programs write, and the schema to read them by.

use arrow_array::types::Int32Type;
use arrow_array::*;
use discretion_table::{Schema, Study};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;
use std::path::Path;
use std::sync::Arc;

const ROWS: i32 = 90;

/// Numbers of several types, and texts of several.
pub fn schema() -> Schema {
    let numbers: String = ["int", "long", "float", "double", "flag", "decimal"]
        .map(|c| format!("{c} = {{ min = 0, max = 300, missing = 150 }}\n"))
        .concat();
    let texts: String = ["text", "large", "fixed", "bytes", "coded", "day", "time"]
        .map(|c| format!("{c} = {{ values = [\"a\", \"b\"] }}\n"))
        .concat();
    let text = format!(
        "[data]\npath = \"t\"\naccount = \"t\"\ntarget = \"y\"\npositive = 1\nnegative = \"any other\"\n[budget]\nepsilon = 1\n[spend]\nepsilon = 1\n\
         [columns]\n{numbers}{texts}"
    );
    Study::parse(Path::new("study.toml"), &text).unwrap().schema
}

fn table() -> RecordBatch {
    let rows = || 0..ROWS;
    // Every seventh is missing.
    let some = |i: i32| (i % 7 != 3).then_some(i);
    let text = |i: i32| some(i).map(|i| format!("a text that begins as others do {}", i * 31 % 50));
    let decimals = rows().map(|i| some(i).map(i128::from)).collect::<Decimal128Array>();
    let fixed = rows().map(|i| some(i).map(|i| [b'a', (i % 20) as u8, 0, 1]));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("int", Arc::new(rows().map(some).collect::<Int32Array>())),
        ("long", Arc::new(rows().map(|i| i64::from(i) * 1_000_000_007).collect::<Int64Array>())),
        ("float", Arc::new(rows().map(|i| i as f32 / 7.0).collect::<Float32Array>())),
        (
            "double",
            Arc::new(rows().map(|i| some(i).map(|i| f64::from(i % 10))).collect::<Float64Array>()),
        ),
        ("flag", Arc::new(rows().map(|i| Some(i % 3 == 0)).collect::<BooleanArray>())),
        ("decimal", Arc::new(decimals.with_precision_and_scale(22, 2).unwrap())),
        ("text", Arc::new(rows().map(text).collect::<StringArray>())),
        ("large", Arc::new(rows().map(text).collect::<LargeStringArray>())),
        (
            "fixed",
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed, 4).unwrap()),
        ),
        (
            "bytes",
            Arc::new(rows().map(|i| some(i).map(|i| [i as u8 & 0x7f; 3])).collect::<BinaryArray>()),
        ),
        (
            "coded",
            Arc::new(
                rows()
                    .map(|i| Some(["a", "b", "c"][i as usize % 3]))
                    .collect::<DictionaryArray<Int32Type>>(),
            ),
        ),
        ("day", Arc::new(rows().map(some).collect::<Date32Array>())),
        (
            "time",
            Arc::new(
                rows()
                    .map(|i| Some(i64::from(i) * 1_000_003))
                    .collect::<TimestampMicrosecondArray>(),
            ),
        ),
        ("y", Arc::new(rows().map(|i| Some(i % 2)).collect::<Int32Array>())),
    ];
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn write(properties: WriterProperties) -> Vec<u8> {
    let table = table();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, table.schema(), Some(properties)).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    bytes
}

/// Files by what they have.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let of = || WriterProperties::builder();
    let pages = |rows| of().set_data_page_row_count_limit(rows).set_write_batch_size(rows);
    let delta = ["text", "large", "bytes"].into_iter().zip([
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
    ]);
    let mut deltas =
        pages(36).set_writer_version(WriterVersion::PARQUET_2_0).set_dictionary_enabled(false);
    for (column, encoding) in delta {
        deltas = deltas.set_column_encoding(ColumnPath::from(column), encoding);
    }
    let split = ColumnPath::from("double");
    deltas = deltas.set_column_encoding(split, Encoding::BYTE_STREAM_SPLIT);
    vec![
        ("plain", write(of().set_dictionary_enabled(false).build())),
        ("dictionary", write(pages(30).build())),
        (
            "snappy",
            write(
                of().set_compression(Compression::SNAPPY)
                    .set_max_row_group_row_count(Some(39))
                    .build(),
            ),
        ),
        ("gzip", write(pages(45).set_compression(Compression::GZIP(Default::default())).build())),
        (
            "zstd and delta",
            write(deltas.set_compression(Compression::ZSTD(Default::default())).build()),
        ),
    ]
}
