//! Arrow files, and Parquet in every compression that programs write.

use crate::common::{RowValues, Table, schema};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use discretion::erm::matrix::OTHER;
use discretion_table::{Purpose, Study, draft, read_matrix};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::path::Path;
use std::sync::Arc;

fn batch() -> RecordBatch {
    let job: DictionaryArray<Int32Type> =
        vec![Some("clerk"), Some("nurse"), None].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Int32Array::from(vec![Some(0), Some(100), Some(50)]))),
        ("gain", Arc::new(Float64Array::from(vec![Some(0.0), Some(1000.0), Some(0.0)]))),
        ("job", Arc::new(job)),
        ("note", Arc::new(StringArray::from(vec!["a", "b", "c"]))),
        ("y", Arc::new(StringArray::from(vec!["yes", "no", "no"]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .unwrap()
}

fn expected() -> RowValues {
    RowValues {
        numeric: vec![-1.0, -1.0, 1.0, 1.0, 0.0, -1.0],
        codes: vec![0, 1, OTHER],
        positive: vec![true, false, false],
    }
}

/// The batch, so many times.
fn feather(compression: Option<CompressionType>, times: usize) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut bytes = Vec::new();
    let mut writer =
        FileWriter::try_new_with_options(&mut bytes, &batch().schema(), options).unwrap();
    (0..times).for_each(|_| writer.write(&batch()).unwrap());
    writer.finish().unwrap();
    drop(writer);
    bytes
}

const COMPRESSIONS: [Option<CompressionType>; 3] =
    [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];

#[test]
fn arrow_files_in_every_compression() {
    for compression in COMPRESSIONS {
        for name in ["t.arrow", "T.FEATHER"] {
            let table = Table::new(name, feather(compression, 1));
            assert_eq!(table.read().unwrap(), expected(), "{compression:?}");
        }
    }
    let many = Table::new("t.arrow", feather(None, 3)).read().unwrap();
    assert_eq!(many.codes, expected().codes.repeat(3));
    let model = schema("negative = \"no\"");
    let rows = Table::new("t.arrow", feather(None, 1)).read_as(&model, Purpose::Predict).unwrap();
    assert_eq!(rows, RowValues { positive: Vec::new(), ..expected() });
}

#[test]
fn what_is_wrong_is_told_with_its_row() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Float64Array::from(vec![1.0, f64::NAN]))),
        ("gain", Arc::new(Float64Array::from(vec![1.0, 1.0]))),
        ("job", Arc::new(StringArray::from(vec!["clerk", "clerk"]))),
        ("note", Arc::new(StringArray::from(vec!["", ""]))),
        ("y", Arc::new(StringArray::from(vec!["yes", "no"]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let refusal = Table::new("t.arrow", bytes).refusal();
    assert!(
        refusal.starts_with("t.arrow: row 2: column `age` must be a finite number"),
        "{refusal}"
    );
}

#[test]
fn a_draft_is_made_from_an_arrow_file() {
    let table = Table::new("t.feather", feather(COMPRESSIONS[1], 1));
    let draft = draft(&table.path, Some("t"), true).unwrap();
    assert!(draft.contains("\nage = { min = 0, max = 100 }"), "{draft}");
    assert!(draft.contains("\njob = { values = [\"clerk\", \"nurse\"] }"), "{draft}");
    let study = Study::parse(Path::new("s.toml"), &draft).unwrap();
    assert_eq!(read_matrix(&table.path, &study.schema, &|_| {}).unwrap().0.rows(), 3);
}

#[test]
fn files_that_are_none() {
    let mut stream = Vec::new();
    let mut writer = StreamWriter::try_new(&mut stream, &batch().schema()).unwrap();
    writer.write(&batch()).unwrap();
    writer.finish().unwrap();
    drop(writer);
    for (bytes, words) in [
        (Vec::new(), "the file is empty"),
        (stream, "this is an Arrow stream and no file"),
        (b"FEA1\0\0\0\0".to_vec(), "Feather file of version 1"),
        (b"age,gain\n1,2\n".to_vec(), "not Arrow (it does not begin as one)"),
        (b"ARROW1\0\0".to_vec(), "not Arrow (it ends early)"),
    ] {
        let refusal = Table::new("t.arrow", bytes).refusal();
        assert!(refusal.contains(words), "{refusal}");
    }
}

/// Every byte damaged in turn, and every shorter file: an answer or a refusal, never a crash.
#[test]
fn damaged_files_are_refused() {
    for compression in COMPRESSIONS {
        let whole = feather(compression, 1);
        for end in (0..whole.len()).step_by(7) {
            let refusal = Table::new("t.arrow", &whole[..end]).refusal();
            assert!(refusal.starts_with("t.arrow"), "{refusal}");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x81;
            if let Err(refusal) = Table::new("t.arrow", damaged).read() {
                assert!(refusal.starts_with("t.arrow"), "{refusal}");
            }
        }
    }
}

/// A few bytes that claim to unpack to much.
#[test]
fn a_file_that_claims_to_unpack_to_gigabytes_takes_none_of_them() {
    let mut bytes = feather(COMPRESSIONS[1], 1);
    // Buffers begin with the length of what is in them: eight bytes that are small here.
    let lengths: Vec<usize> = (0..bytes.len() - 8)
        .step_by(8)
        .filter(|&at| matches!(i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()), 12 | 24))
        .collect();
    assert!(!lengths.is_empty());
    for at in lengths {
        bytes[at..at + 8].copy_from_slice(&(1i64 << 40).to_le_bytes());
    }
    let refusal = Table::new("t.arrow", bytes).refusal();
    assert!(refusal.contains("needs more than") || refusal.contains("damaged"), "{refusal}");
    assert!(crate::common::kilobytes("VmPeak") < 64 << 20, "no memory was asked for");
}

#[test]
fn parquet_in_every_compression() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::BROTLI(Default::default()),
    ] {
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut bytes = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut bytes, batch().schema(), Some(properties)).unwrap();
        writer.write(&batch()).unwrap();
        writer.close().unwrap();
        assert_eq!(Table::new("t.parquet", bytes).read().unwrap(), expected(), "{compression:?}");
    }
}
