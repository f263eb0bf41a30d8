//! Writes the inputs of the corpus that no editor can write: Parquet and Arrow files, ledgers,
//! messages of a joint study. `cargo run -p discretion-fuzz --example corpus`

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use discretion::privacy::Budget;
use discretion::privacy::account::Event;
use discretion_ledger::{Ledger, Purchase};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder(target: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn main() {
    parquet_files();
    arrow_files();
    ledgers();
    for (name, message) in ["report", "check", "sum"].iter().zip(discretion_fuzz::honest_messages())
    {
        fs::write(folder("messages").join(format!("{name}.bin")), message)
            .expect("a file can be written");
    }
}

fn parquet_files() {
    let plain = || WriterProperties::builder().set_dictionary_enabled(false);
    write("plain.parquet", &table(), plain());
    write("dictionary.parquet", &table(), WriterProperties::builder());
    write("snappy.parquet", &table(), plain().set_compression(Compression::SNAPPY));
    let zstd = Compression::ZSTD(ZstdLevel::try_new(1).expect("a level"));
    write(
        "zstd-v2.parquet",
        &table(),
        plain().set_compression(zstd).set_writer_version(WriterVersion::PARQUET_2_0),
    );
    write("groups.parquet", &table(), plain().set_max_row_group_row_count(Some(3)));
    write("no-rows.parquet", &table().slice(0, 0), plain());
    let without_target = table().project(&[0, 1, 2, 3]).expect("columns");
    write("no-target.parquet", &without_target, plain());
    let list =
        ListArray::from_iter_primitive::<Int32Type, _, _>((0..8).map(|i| Some(vec![Some(i)])));
    write("list.parquet", &with(0, "age", Arc::new(list)), plain());
    write("booleans.parquet", &with(4, "y", Arc::new(BooleanArray::from(vec![true; 8]))), plain());
}

fn arrow_files() {
    let age = Float64Array::from(vec![31.5, 50.0, -2.0, 1e300, 0.0, 99.0, 1.0, 7.0]);
    let table = with(0, "age", Arc::new(age));
    write_arrow("plain.arrow", &table, None);
    write_arrow("lz4.arrow", &table, Some(CompressionType::LZ4_FRAME));
    write_arrow("zstd.arrow", &table, Some(CompressionType::ZSTD));
    write_arrow("no-rows.arrow", &table.slice(0, 0), None);
    write_arrow("no-target.arrow", &table.project(&[0, 1, 2, 3]).expect("columns"), None);
}

fn write_arrow(name: &str, table: &RecordBatch, compression: Option<CompressionType>) {
    let options =
        IpcWriteOptions::default().try_with_compression(compression).expect("a compression");
    let mut writer =
        FileWriter::try_new_with_options(Vec::new(), &table.schema(), options).expect("a writer");
    writer.write(table).expect("a table can be written");
    fs::write(folder("arrow").join(name), writer.into_inner().expect("a file"))
        .expect("a file can be written");
}

/// Numbers with gaps and beyond their bounds, a category that is not declared, texts as a
/// dictionary.
fn table() -> RecordBatch {
    let age = Float64Array::from(vec![
        Some(31.5),
        None,
        Some(-2.0),
        Some(1e300),
        Some(0.0),
        Some(99.0),
        None,
        Some(7.0),
    ]);
    let gain = Int64Array::from(vec![
        Some(0),
        Some(1_000_000),
        None,
        Some(-5),
        Some(999),
        Some(i64::MAX),
        Some(3),
        None,
    ]);
    let job: DictionaryArray<Int32Type> =
        ["clerk", "nurse", "pilot", "", "clerk", "nurse", "clerk", "x"].into_iter().collect();
    let note = StringArray::from(vec![
        Some("a note\nof two lines"),
        None,
        None,
        None,
        Some("é"),
        None,
        None,
        None,
    ]);
    let y = StringArray::from(vec!["yes", "no", "yes", "no", "no", "no", "yes", "yes"]);
    let columns: [(&str, ArrayRef); 5] = [
        ("age", Arc::new(age)),
        ("gain", Arc::new(gain)),
        ("job", Arc::new(job)),
        ("note", Arc::new(note)),
        ("y", Arc::new(y)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))
        .expect("a table")
}

/// The table with another column in the place of one.
fn with(place: usize, name: &str, column: ArrayRef) -> RecordBatch {
    let table = table();
    let schema = table.schema();
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let mut columns: Vec<(&str, ArrayRef)> = names.zip(table.columns().iter().cloned()).collect();
    columns[place] = (name, column);
    RecordBatch::try_from_iter(columns).expect("a table")
}

fn write(name: &str, table: &RecordBatch, properties: WriterPropertiesBuilder) {
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties.build()))
        .expect("a writer");
    writer.write(table).expect("a table can be written");
    fs::write(folder("parquet").join(name), writer.into_inner().expect("a file"))
        .expect("a file can be written");
}

fn ledgers() {
    let empty = folder("ledger").join("whole-empty.sqlite");
    remake(&empty);
    drop(Ledger::open(&empty).expect("a ledger"));
    make_small(&empty);
    let full = folder("ledger").join("whole-everything.sqlite");
    remake(&full);
    everything(&full);
    make_small(&full);
    // An entry that says something else than when it was written, and a file that breaks off.
    let whole = fs::read(&full).expect("a file");
    let at = whole.windows(9).rposition(|piece| piece == b"fit adult").expect("a note");
    let mut changed = whole.clone();
    changed[at..at + 3].copy_from_slice(b"fat");
    fs::write(folder("ledger").join("changed-note.sqlite"), changed)
        .expect("a file can be written");
    fs::write(folder("ledger").join("half.sqlite"), &whole[..whole.len() / 2])
        .expect("a file can be written");
    let first = folder("ledger").join("whole-format-1.sqlite");
    remake(&first);
    let connection = rusqlite::Connection::open(&first).expect("a file");
    connection.execute_batch("PRAGMA page_size = 512").expect("before anything is written");
    connection
        .execute_batch(include_str!("../../discretion-ledger/tests/format1.sql"))
        .expect("its tables");
    connection.pragma_update(None, "application_id", 0x6469_7363).expect("a number");
    connection.pragma_update(None, "user_version", 1).expect("a number");
}

fn remake(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Accounts of every kind, charges, a release, a raise and a session with answers.
fn everything(path: &Path) {
    let ledger = Ledger::open(path).expect("a ledger");
    let pure = |epsilon| Event::Pure { epsilon, what: "test".to_owned() };
    let account = ledger.account("adult", Budget::Pure { epsilon: 1.0 }).expect("an account");
    let charge = account.charge(&Purchase::new(&pure(0.25), "fit adult")).expect("a charge");
    ledger.release(charge.number, "model.json", Some(&"ab".repeat(32))).expect("a release");
    let other = ledger
        .account("other", Budget::Approximate { epsilon: 2.0, delta: 1e-6 })
        .expect("an account");
    other
        .charge(&Purchase::new(&Event::Gaussian { sensitivity: 1.0, sigma: 20.0 }, "mean"))
        .expect("a charge");
    account.raise(Budget::Pure { epsilon: 2.0 }, "new ethics vote").expect("a raise");
    let account = ledger.existing_account("adult").expect("an account");
    let vote = pure(0.25);
    let purchase = Purchase::new(&vote, "vote").with_session("k", "threshold 7");
    let mut session = account.charge(&purchase).expect("a charge").session.expect("a session");
    for i in 0..3 {
        let answers = [(format!("{i:02x}"), "yes".to_owned())];
        session.commit(&format!("threshold {i}"), &answers).expect("an answer");
    }
}

/// Small pages: the same ledger in a quarter of the bytes.
fn make_small(path: &Path) {
    let connection = rusqlite::Connection::open(path).expect("a file");
    connection.execute_batch("PRAGMA page_size = 512; VACUUM").expect("a small file");
}
