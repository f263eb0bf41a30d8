//! Every kind of bad table, and the message it gets.

use crate::common::{Table, csv};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

#[test]
fn missing_file() {
    let mut table = csv("1,2,clerk,,yes\n");
    table.path.set_file_name("nowhere.csv");
    let refusal = table.refusal();
    assert!(refusal.starts_with("nowhere.csv: there is no such file in /"), "{refusal}");
}

#[test]
fn directory() {
    let mut table = csv("1,2,clerk,,yes\n");
    table.path.set_file_name("folder.csv");
    std::fs::create_dir(&table.path).unwrap();
    assert_eq!(table.refusal(), "folder.csv: this is a directory; a file is needed here");
}

#[test]
fn unknown_format() {
    let message = Table::new("t.xlsx", "age\n1\n").refusal();
    assert!(
        message.contains(".csv, .tsv (also with .gz behind it), .parquet, .arrow"),
        "{message}"
    );
}

#[test]
fn empty_files() {
    for text in ["", "\n", "\r\n\r\n", "\u{feff}", " \n"] {
        assert_eq!(
            Table::new("t.csv", text).refusal(),
            "t.csv: the file is empty; it needs a header line and rows"
        );
    }
    for name in ["t.csv.gz", "t.parquet"] {
        assert!(Table::new(name, "").refusal().contains("the file is empty"));
    }
}

#[test]
fn no_rows() {
    for lines in ["", "\n\n", "\r\n"] {
        assert!(csv(lines).refusal().starts_with("t.csv: the table has no rows below its header"));
    }
    assert!(Table::new("t.csv", "age,gain,job,note,y").refusal().contains("no rows"));
}

#[test]
fn headers_that_do_not_fit() {
    for (header, expected) in [
        (
            "age,gian,job,note,y",
            "t.csv:1: the table has column `gian`, which is not declared; declare each with \
             its range or values, or drop it; did you mean `gain`?",
        ),
        (
            "age,gain,job,note,y,zip,name",
            "t.csv:1: the table has columns `zip`, `name`, which are not declared; declare each \
             with its range or values, or drop it",
        ),
        ("age,job,note,y", "t.csv:1: the table lacks the declared column `gain`"),
        ("age,y", "t.csv:1: the table lacks the declared columns `gain`, `job`, `note`"),
        ("age,gain,job,note", "t.csv:1: the table lacks the target column `y`"),
        (
            "age,gain,job,note,y,age",
            "t.csv:1: the header names column `age` more than once; rename or remove the repeated one",
        ),
        (
            "age,gain\"x\",job,note,y",
            "t.csv:1: a quote stands inside or after a field (\"gain\"x\"\")",
        ),
    ] {
        let message = Table::new("t.csv", format!("{header}\n1,2,clerk,,yes\n")).refusal();
        assert!(message.starts_with(expected), "{message}");
    }
    assert!(
        Table::new("t.csv", "\nage\n1\n")
            .refusal()
            .starts_with("t.csv:1: the header line is blank")
    );
    assert!(Table::new("t.csv", b"\xff\xfea\0g\0e\0").refusal().contains("UTF-16"));
    assert!(Table::new("t.csv", b"\x1f\x8b\x08\x00").refusal().contains("name the file .csv.gz"));
    assert!(
        Table::new("t.csv", "age;gain;y\n1;2;yes\n")
            .refusal()
            .contains("fields are to be separated by")
    );
    assert!(Table::new("t.csv", "x".repeat(5_000_000)).refusal().len() < 300);
}

#[test]
fn rows_with_a_wrong_number_of_fields() {
    for (row, found) in [
        ("1,2,clerk,yes", 4),
        ("1", 1),
        ("1,2,clerk,,yes,", 6),
        ("1,2,clerk,,yes,7,8", 7),
        (",,,", 4),
    ] {
        let expected = format!("t.csv:3: this row has {found} fields and the header has 5;");
        let message = csv(&format!("1,2,clerk,,yes\n{row}\n")).refusal();
        assert!(message.starts_with(&expected), "{message}");
        let message = csv(&format!("1,2,\"clerk\",,yes\n{row}\n")).refusal();
        assert!(message.starts_with(&expected), "with quotes in the block: {message}");
    }
}

#[test]
fn fields_that_are_not_numbers() {
    for text in ["abc", "NA", "1 2", "1.2.3", "0x1F", "-", "\u{661}"] {
        let message = csv(&format!("1,2,clerk,,yes\n{text},2,clerk,,yes\n")).refusal();
        let expected = format!(
            "t.csv:3: column `age` must be a number, not \"{text}\"; leave the field empty"
        );
        assert!(message.starts_with(&expected), "{message}");
    }
    for text in ["NaN", "nan", "inf", "-Infinity", "1e999"] {
        let message = csv(&format!("1,{text},clerk,,yes\n")).refusal();
        assert!(
            message.starts_with(&format!(
                "t.csv:2: column `gain` must be a finite number, not \"{text}\""
            )),
            "{message}"
        );
    }
    let message = Table::new("t.csv", b"age,gain,job,note,y\n\xff\xfe,2,clerk,,yes\n").refusal();
    assert!(message.contains("not \"\u{fffd}\u{fffd}\""), "{message}");
    let message = csv(&format!("{},2,clerk,,yes\n", "é".repeat(3_000_000))).refusal();
    assert!(message.chars().count() < 300, "a huge field is cut short");
}

#[test]
fn targets_that_mean_nothing() {
    let message = csv("1,2,clerk,,yes\n1,2,clerk,,maybe\n").refusal();
    assert!(message.starts_with(
        "t.csv:3: the target `y` is \"maybe\", which is neither positive nor negative"
    ));
    let message = csv("1,2,clerk,,\n").refusal();
    assert!(message.starts_with("t.csv:2: the target `y` is missing"), "{message}");
}

#[test]
fn lines_are_counted_through_quoted_newlines() {
    let message =
        csv("1,2,clerk,\"two\nlines\",yes\r\n1,2,\"a\n\n\nb\",,no\nx,2,clerk,,yes\n").refusal();
    assert!(message.starts_with("t.csv:8: column `age`"), "{message}");
}

#[test]
fn lines_are_counted_across_blocks() {
    let row = "1,2,clerk,\"a note\",yes\n";
    let plain = "1,2,clerk,a note,no\n";
    let text = row.repeat(30_000)
        + &plain.repeat(300_000)
        + "1,2,clerk,a note,perhaps\n"
        + &row.repeat(90_000);
    assert!(csv(&text).refusal().starts_with("t.csv:330002: the target `y`"));
}

#[test]
fn blank_lines_between_rows() {
    let row = "1,2,clerk,,yes\n";
    assert!(csv(&format!("{row}\n{row}")).refusal().starts_with("t.csv:3: this line is blank"));
    let message = csv(&(row.to_owned() + &"\r\n".repeat(600_000) + row)).refusal();
    assert!(message.starts_with("t.csv:3: this line is blank"), "also across blocks: {message}");
}

#[test]
fn misplaced_quotes() {
    for (row, expected) in [
        ("1,2,cl\"erk,,yes", "t.csv:3: a quote stands inside or after a field (\"cl\"erk\")"),
        ("1,2,\"clerk\"s,,yes", "t.csv:3: a quote stands inside or after a field (\"\"clerk\"s\")"),
        ("1,2,\"clerk,,yes", "t.csv:3: a quoted field that opens in this row is never closed"),
    ] {
        let message = csv(&format!("1,2,clerk,,yes\n{row}\n1,2,nurse,,no\n")).refusal();
        assert!(message.starts_with(expected), "{message}");
    }
    // Memory stays bounded when a quote swallows the rest of a large file.
    let text = "1,2,\"clerk,,yes\n".to_owned() + &"1,2,nurse,,no\n".repeat(6_000_000);
    let message = csv(&text).refusal();
    assert!(
        message.starts_with("t.csv:2: a quoted field that opens in this row is never closed"),
        "{message}"
    );
}

#[test]
fn endless_row() {
    let message = csv(&("1,2,clerk,".to_owned() + &"x".repeat(70 << 20))).refusal();
    assert!(message.starts_with("t.csv:2: this row"), "{message}");
}

#[test]
fn damaged_gzip() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let rows: String =
        (0..50_000).map(|i| format!("{},{},clerk,{i},yes\n", i % 90, i % 777)).collect();
    encoder.write_all(format!("age,gain,job,note,y\n{rows}").as_bytes()).unwrap();
    let good = encoder.finish().unwrap();
    Table::new("t.csv.gz", &good).read().unwrap();
    for length in [1, 5, 15, good.len() / 2, good.len() - 9, good.len() - 1] {
        let message = Table::new("t.csv.gz", &good[..length]).refusal();
        assert!(message.contains("the gzip data end early or are damaged"), "{length}: {message}");
    }
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 0x40;
    Table::new("t.csv.gz", &flipped).refusal();
    assert!(Table::new("t.csv.gz", "age,y\n1,yes\n").refusal().contains("gzip data"));
    assert!(
        Table::new("t.csv.gz", [&good[..], b"garbage"].concat()).refusal().contains("gzip data")
    );
}
