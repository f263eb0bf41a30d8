//! Mistakes that once passed: outcomes that are none, and texts that were taken for another value.

use crate::common::Table;
use discretion::erm::matrix::OTHER;
use discretion_table::{Lost, Purpose, Schema, Study, read_matrix};
use std::path::Path;

fn study(positive: &str, negative: &str) -> Result<Schema, String> {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = {positive}\n{negative}\n[budget]\nepsilon = 1\n\
         [spend]\nepsilon = 1\n[columns]\nx = {{ min = 0, max = 9 }}\nc = {{ values = [\"1.0\", true, \"250\", \"041\"] }}\n"
    );
    Study::parse(Path::new("s.toml"), &text)
        .map(|study| study.schema)
        .map_err(|error| error.to_string())
}

/// The labels of these outcomes, or why there are none.
fn outcomes(positive: &str, negative: &str, values: &[&str]) -> Result<Vec<bool>, String> {
    let lines: String = values.iter().map(|value| format!("1,,{value}\n")).collect();
    let table = Table::new("t.csv", format!("x,c,y\n{lines}"));
    table
        .read_as(&study(positive, &format!("negative = {negative}")).unwrap(), Purpose::Train)
        .map(|rows| rows.positive)
}

#[test]
fn a_study_says_which_values_are_negative() {
    let message = study("\"yes\"", "").unwrap_err();
    assert!(
        message.starts_with(
            "s.toml:1:2: [data] says which values are positive and not which are negative"
        ),
        "{message}"
    );
    assert!(
        message.contains("write `negative = \"…\"`")
            && message.contains("`negative = \"any other\"`"),
        "{message}"
    );
    study("\"yes\"", "negative = \"any other\"").unwrap();
    // A real value of that name is written as a list.
    let listed = study("\"yes\"", "negative = [\"any other\"]").unwrap();
    assert!(csv_outcome("any other", &listed).is_ok());
    assert!(csv_outcome("no", &listed).unwrap_err().contains("neither positive nor negative"));
}

fn csv_outcome(value: &str, schema: &Schema) -> Result<Vec<bool>, String> {
    Table::new("t.csv", format!("x,c,y\n1,,{value}\n"))
        .read_as(schema, Purpose::Train)
        .map(|rows| rows.positive)
}

#[test]
fn an_outcome_that_is_neither_is_refused_with_its_line_and_column() {
    for (positive, negative, values, line, text) in [
        ("\"yes\"", "\"no\"", vec!["1", "0"], 2, "1"),
        ("\"yes\"", "\"no\"", vec!["yes", "no", "yse"], 4, "yse"),
        ("1", "0", vec!["1", "0", "3.7"], 4, "3.7"),
    ] {
        let message = outcomes(positive, negative, &values).unwrap_err();
        let expected = format!(
            "t.csv:{line}: the target `y` is \"{text}\", which is neither positive nor negative"
        );
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn an_empty_outcome_is_refused_unless_it_is_listed() {
    for negative in ["\"no\"", "\"any other\""] {
        let message = outcomes("\"yes\"", negative, &["yes", ""]).unwrap_err();
        assert!(message.starts_with("t.csv:3: the target `y` is missing; fill it in"), "{message}");
    }
    assert_eq!(
        outcomes("\"yes\"", "[\"no\", \"\"]", &["yes", "", "no"]),
        Ok(vec![true, false, false])
    );
    assert_eq!(outcomes("\"yes\"", "\"any other\"", &["yes", "what"]), Ok(vec![true, false]));
}

#[test]
fn numbers_and_truth_values_are_compared_by_value() {
    for (positive, negative) in [("1", "0"), ("\"1.0\"", "\"0.00\""), ("1.0", "\"-0\"")] {
        assert_eq!(
            outcomes(positive, negative, &["1", "0", "1.0", "0.0"]),
            Ok(vec![true, false, true, false])
        );
    }
    for (positive, negative) in [("true", "false"), ("\"True\"", "\"FALSE\"")] {
        assert_eq!(
            outcomes(positive, negative, &["TRUE", "false", "True"]),
            Ok(vec![true, false, true])
        );
    }
    // Nothing else is the same: a code with a leading zero, a 1 for a truth value, another case.
    for (positive, negative, value) in
        [("1", "0", "01"), ("true", "false", "1"), ("\"yes\"", "\"no\"", "Yes"), ("1", "0", "1e0")]
    {
        assert!(outcomes(positive, negative, &[value]).unwrap_err().contains("neither"), "{value}");
    }
}

#[test]
fn categories_follow_the_same_rule() {
    let table = Table::new(
        "t.csv",
        "x,c,y\n1,1,1\n1,1.00,1\n1,TRUE,1\n1,250.0,1\n1,041,1\n1,41,1\n1,1.5,1\n",
    );
    let rows = table.read_as(&study("1", "negative = 0").unwrap(), Purpose::Train).unwrap();
    assert_eq!(rows.codes, [0, 0, 1, 2, 3, OTHER, OTHER]);
}

#[test]
fn a_value_that_is_declared_in_two_spellings_is_refused() {
    assert!(
        study("1", "negative = [0, \"1.0\"]")
            .unwrap_err()
            .contains("the target value \"1.0\" is listed twice")
    );
    assert!(study("[true, \"TRUE\"]", "negative = 0").unwrap_err().contains("listed twice"));
    let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = 1\nnegative = 0\n[budget]\nepsilon = 1\n\
                [spend]\nepsilon = 1\n[columns]\nc = { values = [\"250\", \"250.0\"] }\n";
    let message = Study::parse(Path::new("s.toml"), text).unwrap_err().to_string();
    assert!(
        message.starts_with("s.toml:12:1: column `c` declares the value \"250.0\" twice"),
        "{message}"
    );
    // A published file that has both is read: each text is the value that is spelled so.
    let json = serde_json::to_string(&study("1", "negative = 0").unwrap()).unwrap();
    let both: Schema = serde_json::from_str(&json.replace("\"041\"", "\"250.0\"")).unwrap();
    let table = Table::new("t.csv", "x,c,y\n1,250,1\n1,250.0,1\n");
    assert_eq!(table.read_as(&both, Purpose::Train).unwrap().codes, [2, 3]);
}

#[test]
fn a_file_that_lists_no_negative_values_is_read() {
    let json =
        serde_json::to_string(&study("\"yes\"", "negative = \"any other\"").unwrap()).unwrap();
    assert!(json.contains("\"two\":{\"positive\":[\"yes\"]}"), "{json}");
    let schema: Schema = serde_json::from_str(&json).unwrap();
    assert_eq!(csv_outcome("what", &schema), Ok(vec![false]));
}

#[test]
fn a_missing_number_is_refused_unless_the_column_says_what_it_counts_as() {
    let schema = study("1", "negative = 0").unwrap();
    for purpose in [Purpose::Train, Purpose::Describe, Purpose::Predict, Purpose::Queries] {
        let table = Table::new("t.csv", "x,c,y\n1,250,1\n\"\",250,1\n");
        let message = table.read_as(&schema, purpose).unwrap_err();
        let asked = matches!(purpose, Purpose::Predict | Purpose::Queries);
        let said = match asked {
            // Who asks cannot declare anything.
            true => ", and a number is needed there: fill it in",
            false => ", and nothing says what a missing number counts as",
        };
        assert!(
            message.starts_with(&format!("t.csv:3: column `x` has no value{said}")),
            "{message}"
        );
        assert_eq!(message.ends_with("{ min = …, max = …, missing = … }"), !asked, "{message}");
    }
}

#[test]
fn a_text_in_another_encoding_is_refused_and_says_what_to_do() {
    let schema = study("1", "negative = \"any other\"").unwrap();
    for (line, column) in [(&b"1,M\xfcnchen,1\n"[..], "c"), (b"1,250,M\xfcnchen\n", "y")] {
        let table = Table::new("t.csv", [b"x,c,y\n1,250,1\n", line].concat());
        let message = table.read_as(&schema, Purpose::Train).unwrap_err();
        let expected =
            format!("t.csv:3: column `{column}` is \"M\u{fffd}nchen\", which is not UTF-8 text");
        assert!(message.starts_with(&expected), "{message}");
        assert!(message.contains("or save it as UTF-8"), "{message}");
    }
    let utf8 = Table::new("t.csv", "x,c,y\n1,München,1\n");
    assert_eq!(utf8.read_as(&schema, Purpose::Train).unwrap().codes, [OTHER]);
}

/// What was counted, as name, low, high, other, missing.
fn counted(name: &str, bytes: &[u8], schema: &Schema) -> (Vec<(String, [u64; 4])>, Vec<u64>) {
    let table = Table::new(name, bytes);
    let (_, counts) = read_matrix(&table.path, schema, &|_| {}).unwrap();
    assert_eq!(counts.rows, 6);
    let columns = counts.columns.iter().map(|column| {
        let lost = match column.lost {
            Lost::Number { low, high, missing, .. } | Lost::Date { low, high, missing, .. } => {
                [low, high, 0, missing]
            }
            Lost::Category { other, missing } | Lost::OneOf { several: other, none: missing } => {
                [0, 0, other, missing]
            }
        };
        (column.name.clone(), lost)
    });
    (columns.collect(), counts.outcome.unwrap().classes)
}

#[test]
fn what_is_lost_is_counted_while_rows_are_read() {
    let text = "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = 1\nnegative = 0\n[budget]\nepsilon = 1\n\
                [spend]\nepsilon = 1\n[columns]\nc = { values = [\"a\"] }\nx = { min = 2, max = 4, missing = 3 }\nd = { drop = true }\n";
    let schema = Study::parse(Path::new("s.toml"), text).unwrap().schema;
    // One digit below, in and above the range, on both its ends, more digits, and nothing.
    let rows = "x,c,d,y\n1,a,,1\n2,b,,0\n4,,,0\n5,a,,0\n47.5,\"\",,1\n,é,,0\n";
    let expected =
        (vec![("x".to_owned(), [1, 2, 0, 1]), ("c".to_owned(), [0, 0, 2, 2])], vec![4, 2]);
    assert_eq!(counted("t.csv", rows.as_bytes(), &schema), expected, "with quotes");
    let plain = rows.replace("\"\"", "");
    assert_eq!(counted("t.csv", plain.as_bytes(), &schema), expected);
    assert_eq!(
        counted("t.csv", plain.replace(',', " ,").as_bytes(), &schema),
        expected,
        "with spaces"
    );
}
