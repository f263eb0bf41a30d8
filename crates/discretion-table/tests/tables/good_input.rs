//! Tables that are unusual and nevertheless read.

use crate::common::{RowValues, Table, csv, schema};
use discretion::erm::matrix::OTHER;
use discretion_table::{Progress, Purpose, read_batches, read_matrix};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::cell::RefCell;
use std::io::Write;

const PLAIN: &str = "0,0,clerk,a,yes\n100,1000,nurse,b,no\n,,other,,no\n";

fn expected() -> RowValues {
    RowValues {
        numeric: vec![-1.0, -1.0, 1.0, 1.0, 0.0, 0.0],
        codes: vec![0, 1, OTHER],
        positive: vec![true, false, false],
    }
}

#[test]
fn the_plain_table() {
    assert_eq!(csv(PLAIN).read().unwrap(), expected());
}

#[test]
fn line_ends_marks_quotes_and_spaces_do_not_matter() {
    let quoted = "\"0\",\" 0 \",\"clerk\",\"a,\n\"\"b\"\"\",yes\n\"100\",1000,\"nurse\",b,\"no\"\n\"\",,\"o\nther\",,no\n";
    for lines in [
        PLAIN.replace('\n', "\r\n"),
        PLAIN.trim_end().to_owned(),
        format!("{PLAIN}\n\r\n\n"),
        PLAIN.replace(',', ", "),
        PLAIN.replace(',', "\t ,"),
        PLAIN.replace("1000", "1e3").replace("100,", "+100.0,"),
        PLAIN.replace("100,1000", "1234567890123456789,1e300"),
        quoted.to_owned(),
        quoted.replace('\n', "\r\n"),
    ] {
        assert_eq!(csv(&lines).read().unwrap(), expected(), "{lines:?}");
    }
    for header in [
        "\u{feff}age,gain,job,note,y\n",
        "\"age\",\"gain\",job, note ,y\r\n",
        "\u{feff}\"age\",gain,job,note,y\n",
    ] {
        assert_eq!(
            Table::new("t.csv", format!("{header}{PLAIN}")).read().unwrap(),
            expected(),
            "{header:?}"
        );
    }
}

#[test]
fn what_is_dropped_may_be_in_any_encoding() {
    let table = Table::new("t.csv", b"age,gain,job,note,y\n0,0,clerk,\xff\xfe,yes\n");
    assert_eq!(table.read().unwrap().codes, [0]);
}

#[test]
fn columns_in_another_order() {
    let table = Table::new(
        "T.CSV",
        "y,note,job,gain,age\nyes,a,clerk,0,0\nno,b,nurse,1000,100\nno,,other,,\n",
    );
    assert_eq!(table.read().unwrap(), expected());
}

#[test]
fn one_class_is_enough() {
    assert_eq!(csv("1,2,clerk,,no\n").read().unwrap().positive, [false]);
}

#[test]
fn prediction_needs_only_the_columns_of_the_model() {
    let schema = schema("negative = \"no\"");
    for text in [
        "age,gain,job\n0,0,clerk\n100,1000,nurse\n,,other\n",
        "extra,job,age,gain,y,extra\n,clerk,0,0,nonsense,\n,nurse,100,1000,,\n,other,,,,\n",
    ] {
        let rows = Table::new("t.csv", text).read_as(&schema, Purpose::Predict).unwrap();
        assert_eq!(rows, RowValues { positive: Vec::new(), ..expected() });
    }
    let refusal =
        Table::new("t.csv", "age,gains\n1,2\n").read_as(&schema, Purpose::Predict).unwrap_err();
    assert_eq!(
        refusal,
        "t.csv:1: the table lacks the declared columns `gain`, `job`; did you mean `gains`?"
    );
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_in_one_and_several_members() {
    let text = format!("age,gain,job,note,y\n{PLAIN}");
    assert_eq!(Table::new("t.csv.gz", gzip(&text)).read().unwrap(), expected());
    let (a, b) = text.split_at(33);
    let members = [gzip(a), gzip(""), gzip(b)].concat();
    assert_eq!(Table::new("t.csv.gz", members).read().unwrap(), expected());
}

#[test]
fn large_tables_come_back_whole_and_in_order() {
    // Several groups of blocks, quoted newlines in some of them, and fields across block ends.
    let line = |i: usize| match i % 1000 {
        0 => format!("{},0,clerk,\"a\n{}\n\",yes\n", i % 101, "long note ".repeat(i % 50)),
        _ => format!("{},0,clerk,{i},no\n", i % 101),
    };
    let lines: String = (0..400_000).map(line).collect();
    let table = csv(&lines);
    let rows = table.read().unwrap();
    assert_eq!(rows.positive.len(), 400_000);
    for i in 0..400_000 {
        assert_eq!(rows.positive[i], i % 1000 == 0);
        assert!((rows.numeric[2 * i] - ((i % 101) as f32 - 50.0) / 50.0).abs() < 1e-6, "row {i}");
    }

    let seen = RefCell::new(Vec::new());
    let progress = |progress: Progress| seen.borrow_mut().push(progress);
    let schema = schema("negative = \"no\"");
    assert_eq!(read_matrix(&table.path, &schema, &progress).unwrap().0.rows(), 400_000);
    let seen = seen.into_inner();
    assert!(seen.windows(2).all(|pair| pair[0].bytes <= pair[1].bytes));
    let last = seen.last().unwrap();
    assert!(
        last.bytes == last.total && last.total == std::fs::metadata(&table.path).unwrap().len()
    );
}

#[test]
fn the_caller_can_stop_with_an_error_of_its_own() {
    let refuse = |_| Err::<(), Box<dyn std::error::Error>>("disk full".into());
    let table = csv(PLAIN);
    let result = read_batches(
        &table.path,
        &schema("negative = \"any other\""),
        Purpose::Train,
        &|_| {},
        refuse,
    );
    assert_eq!(result.unwrap_err().to_string(), "disk full");
}
