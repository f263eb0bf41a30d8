//! Tables that would take gigabytes, most of them small files: refused with the limit and a line,
//! in little memory.
//!
//! A program of its own: the memory that is looked at is the whole process's.

mod common;

use common::{COLUMNS, Table, csv, schema};
use discretion_table::{Purpose, draft};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const HEADER: &str = "age,gain,job,note,y\n";

/// A `.csv.gz` with this text so many times.
fn compressed(before: &str, text: &str, times: usize) -> Table {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(before.as_bytes()).unwrap();
    let thousand = text.repeat(1000);
    (0..times / 1000).for_each(|_| encoder.write_all(thousand.as_bytes()).unwrap());
    Table::new("t.csv.gz", encoder.finish().unwrap())
}

/// The message, whatever the table is read for.
fn refusal(table: &Table) -> String {
    let message = table.refusal();
    let predicted = table.read_as(&schema("negative = \"no\""), Purpose::Predict).unwrap_err();
    let drafted = draft(&table.path, Some("t"), true).map(drop).unwrap_err().to_string();
    assert_eq!(message, predicted);
    assert!(drafted.ends_with(&message), "{drafted}");
    let used = common::kilobytes("VmHWM");
    assert!(used < 200_000, "{used} kB were used");
    message
}

#[test]
fn headers_without_an_end() {
    let too_long = "t.csv.gz:1: this row is longer than 8 MB, the most that is read; close a quote";
    let message = refusal(&compressed("", "x", 16_000_000));
    assert!(message.starts_with(too_long), "{message}");
    let message = refusal(&compressed("", "xxxxxxxxx,".repeat(10).as_str(), 16_000_000 / 100));
    assert!(
        message.starts_with("t.csv.gz:1: there are more than 100000 columns here"),
        "{message}"
    );
    let message = refusal(&compressed("age,\"", "x\n", 16_000_000));
    assert!(
        message.starts_with("t.csv.gz:1: a quoted field that opens in this row is never closed"),
        "{message}"
    );
    let message = refusal(&Table::new("t.csv", format!("age,{}\n1,2\n", "x".repeat(70_000))));
    assert!(message.starts_with("t.csv:1: a name in the header is longer than 64 kB"), "{message}");
}

#[test]
fn rows_of_commas() {
    let message = refusal(&compressed("", ",", 16_000_000));
    assert!(
        message.starts_with("t.csv.gz:1: there are more than 100000 columns here"),
        "{message}"
    );
    // Quotes in a block have its rows split in another way.
    for first in ["1,2,clerk,,yes\n", "1,2,\"clerk\",,yes\n"] {
        let table = csv(&format!("{first}{}\n", "1,".repeat(3_000_000)));
        let message = table.read_as(&schema("negative = \"no\""), Purpose::Predict).unwrap_err();
        assert!(message.starts_with("t.csv:3: "), "{message}");
        assert!(
            message.contains("3000001 fields") || message.contains("more than 100000 columns"),
            "{message}"
        );
        let message = refusal(&compressed(&format!("{HEADER}{first}"), ",", 16_000_000));
        assert!(
            message.starts_with("t.csv.gz:3: there are more than 100000 columns here"),
            "{message}"
        );
    }
}

#[test]
fn as_many_columns_as_there_may_be() {
    let names: String = (0..100_000 - 5).map(|i| format!(",c{i}")).collect();
    let table = Table::new(
        "t.csv",
        format!("age,gain,job,note,y{names}\n1,2,clerk,,yes{}\n", ",3".repeat(99_995)),
    );
    assert_eq!(
        table.read_as(&schema("negative = \"no\""), Purpose::Predict).unwrap().numeric.len(),
        2
    );
    assert_eq!(draft(&table.path, None, false).unwrap().matches("c99994 ").count(), 1);
}

#[test]
fn rows_without_an_end() {
    // A row that is cut short would be one: its fields are all there, and the last is not read.
    let row = "1,2,clerk,,";
    let message = refusal(&compressed(&format!("{HEADER}1,2,clerk,,yes\n{row}"), "x", 16_000_000));
    assert!(message.starts_with("t.csv.gz:3: this row is longer than 8 MB"), "{message}");
    let mut scored = 0;
    let table = compressed(&format!("{HEADER}{row}"), "x", 16_000_000);
    let each = |batch: discretion::erm::matrix::Batch| {
        scored += batch.numeric.len();
        Ok::<(), discretion_table::Error>(())
    };
    discretion_table::read_batches(
        &table.path,
        &schema("negative = \"no\""),
        Purpose::Predict,
        &|_| {},
        each,
    )
    .unwrap_err();
    assert_eq!(scored, 0, "nothing is made of a row that is cut short");
}

#[test]
fn a_long_row_is_read() {
    let note = "long ".repeat(1_000_000);
    let table = csv(&format!("1,2,clerk,{note},yes\n1,2,clerk,\"{note}\n\",no\n"));
    assert_eq!(table.read().unwrap().positive, [true, false]);
    assert!(draft(&table.path, Some("t"), true).unwrap().contains("note"), "{COLUMNS}");
}

#[test]
fn blank_lines_are_counted_and_passed_over() {
    for (end, count) in [("\n", 4_000_000), ("\r\n", 2_000_000)] {
        let blank = end.repeat(count);
        let table = csv(&format!("1,2,clerk,,yes{end}{blank}"));
        assert_eq!(table.read().unwrap().positive, [true]);
        draft(&table.path, Some("t"), true).unwrap();
        let table = csv(&format!("1,2,clerk,,yes{end}{blank}1,2{end}"));
        assert!(table.refusal().starts_with("t.csv:3: this line is blank and rows follow it"));
        let drafted = draft(&table.path, Some("t"), true).unwrap_err().to_string();
        assert!(
            drafted.contains(&format!("t.csv:{}: this row has 2 fields", count + 3)),
            "{drafted}"
        );
    }
}
