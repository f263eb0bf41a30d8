//! Small files that are whole, or nearly so, and unpack to gigabytes.

use crate::common::Table;
use crate::{Parts, check_memory, thrift};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, RecordBatch, StringArray,
};
use discretion_table::{Purpose, Schema, Study, draft};
use flate2::write::GzEncoder;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

fn schema() -> Schema {
    let text = "[data]\npath = \"t\"\naccount = \"t\"\ntarget = \"y\"\npositive = 1\nnegative = \"any other\"\n[budget]\nepsilon = 1\n[spend]\nepsilon = 1\n\
                [columns]\ntext = { values = [\"a\"] }\n";
    Study::parse(Path::new("study.toml"), text).unwrap().schema
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_dictionary_enabled(false)
}

/// A text column and a target.
fn file(text: impl Array + 'static, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let y: Int32Array = (0..text.len() as i32).map(|i| Some(i % 2)).collect();
    let columns = [("text", Arc::new(text) as ArrayRef), ("y", Arc::new(y))];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let options = ArrowWriterOptions::new()
        .with_skip_arrow_metadata(true)
        .with_properties(properties.build());
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new_with_options(&mut bytes, table.schema(), options).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    bytes
}

/// One text in so many rows.
fn same(text: &str, rows: usize) -> DictionaryArray<Int32Type> {
    DictionaryArray::new(vec![0; rows].into(), Arc::new(StringArray::from(vec![text])))
}

fn refusal(bytes: &[u8]) -> String {
    assert!(bytes.len() < 6_000_000, "{} bytes", bytes.len());
    let table = Table::new("t.parquet", bytes);
    let message = table.read_as(&schema(), Purpose::Train).unwrap_err();
    check_memory();
    message
}

#[test]
fn one_long_text_in_every_row() {
    let text = "a long text ".repeat(100_000);
    for properties in [
        WriterProperties::builder(),
        plain().set_column_encoding("text".into(), Encoding::DELTA_BYTE_ARRAY),
    ] {
        let message = refusal(&file(same(&text, 1000), properties));
        assert!(message.starts_with("t.parquet: the Parquet file needs more than 2"), "{message}");
        assert!(
            message.contains("MB at a time, too much for a file of its size; write it again"),
            "{message}"
        );
    }
}

#[test]
fn long_texts_that_somebody_wrote_are_read() {
    let texts: Vec<String> = (0..1000).map(|i| format!("{i} {}", "a note ".repeat(3000))).collect();
    for properties in [
        WriterProperties::builder(),
        plain(),
        plain().set_column_encoding("text".into(), Encoding::DELTA_BYTE_ARRAY),
    ] {
        let bytes =
            file(StringArray::from(texts.clone()), properties.set_compression(Compression::SNAPPY));
        let table = Table::new("t.parquet", bytes);
        assert_eq!(table.read_as(&schema(), Purpose::Train).unwrap().codes.len(), 1000);
        draft(&table.path, Some("t"), true).unwrap();
    }
}

#[test]
fn a_page_that_inflates_to_more_than_it_says() {
    let gzip = Compression::GZIP(Default::default());
    let good = file(StringArray::from(vec!["a", "b"]), plain().set_compression(gzip));
    let parts = Parts::of(&good);
    let chunk = &parts.chunks()[0];
    let start = chunk.2.start;
    // Several streams after each other are one: 800 times a megabyte.
    let mut megabyte = GzEncoder::new(Vec::new(), flate2::Compression::best());
    megabyte.write_all(&vec![0; 1 << 20]).unwrap();
    let bomb = megabyte.finish().unwrap().repeat(800);
    let (header, _) = thrift::rewrite(&good[start..], &mut |path, number| match path[..] {
        [3] => bomb.len() as i64,
        _ => number,
    });
    let message = refusal(&parts.with(chunk, chunk.2.clone(), &[header, bomb].concat()));
    assert!(message.contains("a page is longer than its header says"), "{message}");
}

#[test]
fn a_page_that_claims_two_thousand_million_texts() {
    const MANY: i64 = i32::MAX as i64;
    let texts = BinaryArray::from_iter_values([b"a", b"b"]);
    let good =
        file(texts, plain().set_column_encoding("text".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY));
    let parts = Parts::of(&good);
    let chunk = &parts.chunks()[0];
    let (header, length) =
        thrift::rewrite(&good[chunk.2.start..], &mut |path, number| match path[..] {
            [5, 1] => MANY,
            _ => number,
        });
    let place = chunk.2.start..chunk.2.start + length;
    let bytes = parts.with(chunk, place, &header);
    let parts = Parts::of(&bytes);
    let (footer, _) = thrift::rewrite(parts.footer, &mut |path, number| match path[..] {
        // Rows of the file and of the group, values of its columns.
        [3] | [4, 0, 3] | [4, 0, 1, _, 3, 5] => MANY,
        _ => number,
    });
    let message = refusal(&Parts::file(parts.body, &footer));
    assert!(message.contains("MB at a time"), "{message}");
}
