//! Text files of other kinds: delimiters, decimal commas, encodings, texts that mean that a value
//! is missing.

use crate::common::{RowValues, Table};
use discretion::erm::matrix::OTHER;
use discretion_table::{DraftRequest, Purpose, Schema, Study, TextFormat};
use std::io::Write;
use std::path::Path;

/// A study of `größe`, `weight`, `city` and `y`, with more lines in `[data]` and in the columns'
/// declarations.
fn study(data: &str, size: &str, city: &str) -> Result<Schema, String> {
    // A missing number is the middle of its range, unless something else is said.
    let missing = if size.contains("missing") { "" } else { ", missing = 1" };
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"ja\"\nnegative = \"nein\"\n{data}\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[model]\nnorm = \"row\"\n[columns]\n\
         \"größe\" = {{ min = 0, max = 2 {size} {missing} }}\nweight = {{ min = 0, max = 100, missing = 50 }}\n\
         city = {{ values = [\"München\", \"Köln\" {city}] }}\n"
    );
    Study::parse(Path::new("study.toml"), &text)
        .map(|study| study.schema)
        .map_err(|error| error.to_string())
}

const TEXT: &str =
    "größe;weight;city;y\n0,5;100;München;ja\n\"1,75\";0;\"Köln\";nein\n;12,5;Ulm;nein\n";

fn expected() -> RowValues {
    RowValues {
        numeric: vec![-0.5, 1.0, 0.75, -1.0, 0.0, -0.75],
        codes: vec![0, 1, OTHER],
        positive: vec![true, false, false],
    }
}

fn read(name: &str, bytes: impl AsRef<[u8]>, schema: &Schema) -> Result<RowValues, String> {
    Table::new(name, bytes).read_as(schema, Purpose::Train)
}

#[test]
fn semicolons_and_decimal_commas() {
    let schema = study("format = { delimiter = \";\", decimal = \",\" }", "", "").unwrap();
    assert_eq!(read("t.csv", TEXT, &schema).unwrap(), expected());
    // The quotes are in the second row alone: without them every row takes the fast way.
    assert_eq!(read("t.csv", TEXT.replace('"', ""), &schema).unwrap(), expected());
    // A point may stand between thousands, so it is nobody's decimal here.
    let refusal = read("t.csv", TEXT.replace("12,5", "1.250"), &schema).unwrap_err();
    assert!(
        refusal.starts_with("t.csv:4: column `weight` must be a number, not \"1.250\""),
        "{refusal}"
    );
    let refusal = read("t.csv", TEXT.replace(';', ","), &schema).unwrap_err();
    assert!(
        refusal.starts_with(
            "t.csv:1: the header is one field with commas in it, and fields are to be separated by semicolons"
        ),
        "{refusal}"
    );
    let refusal = read("t.csv", TEXT.replace("0,5;100;", "0,5;100;;"), &schema).unwrap_err();
    assert!(
        refusal.starts_with("t.csv:2: this row has 5 fields and the header has 4"),
        "{refusal}"
    );
}

#[test]
fn tabs_by_the_name_of_the_file() {
    let schema = study("", "", "").unwrap();
    let text = TEXT.replace(',', ".").replace(';', "\t");
    assert_eq!(read("t.tsv", &text, &schema).unwrap(), expected());
    assert_eq!(read("T.TAB", &text, &schema).unwrap(), expected());
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    assert_eq!(read("t.tsv.gz", gzip.finish().unwrap(), &schema).unwrap(), expected());
    assert_eq!(
        read("t.csv", &text, &study("format = { delimiter = \"\\t\" }", "", "").unwrap()).unwrap(),
        expected()
    );
    assert!(read("t.csv", &text, &schema).unwrap_err().contains("one field with tabs in it"));
}

#[test]
fn declared_encodings() {
    let text = TEXT
        .replace("0,5", "0.5")
        .replace("1,75", "1.75")
        .replace("12,5", "12.5")
        .replace(';', ",");
    let schema = |encoding: &str| {
        study(&format!("format = {{ encoding = \"{encoding}\" }}"), "", "").unwrap()
    };
    let latin1: Vec<u8> =
        text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect();
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&b"\xff\xfe"[..], &utf16].concat();
    for (bytes, encoding) in [
        (text.as_bytes(), "utf-8"),
        (&latin1, "latin1"),
        (&latin1, "windows-1252"),
        (&marked, "utf-16"),
    ] {
        assert_eq!(read("t.csv", bytes, &schema(encoding)).unwrap(), expected(), "{encoding}");
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&marked).unwrap();
    assert_eq!(read("t.csv.gz", gzip.finish().unwrap(), &schema("utf-16")).unwrap(), expected());
    let refusal = read("t.csv", &marked, &schema("utf-8")).unwrap_err();
    assert!(
        refusal.contains("this is UTF-16 text; declare `format = { encoding = \"utf-16\" }`"),
        "{refusal}"
    );
    assert!(
        read("t.csv", &text, &schema("utf-16")).unwrap_err().contains("this is not UTF-16 text")
    );
}

#[test]
fn texts_that_mean_that_a_value_is_missing() {
    let text = "größe,weight,city,y\nNA,-9,?,nein\n-9,NA,Köln,ja\n0.5,1,NA,nein\n";
    let refusal = read("t.csv", text, &study("", "", "").unwrap()).unwrap_err();
    assert!(refusal.contains("column `größe` must be a number, not \"NA\""), "{refusal}");
    // -9 means nothing in one column alone; as a number, however it is written.
    let schema =
        study("na = [\"NA\", \"?\", \"\"]", ", na = \"-9\", missing = 2", ", \"\"").unwrap();
    for text in [text.to_owned(), text.replace("\n-9", "\n-9.0"), text.replace("NA", "\"NA\"")] {
        let rows = read("t.csv", &text, &schema).unwrap();
        assert_eq!(rows.numeric, [1.0, -1.0, 1.0, 0.0, -0.5, -0.98]);
        assert_eq!(
            rows.codes,
            [2, 1, 2],
            "what is missing is the empty text, which is declared here"
        );
    }
    // A declared category is one, whatever `na` says.
    let schema = study("na = [\"NA\", \"?\"]", ", na = -9", ", \"NA\", \"\"").unwrap();
    assert_eq!(read("t.csv", text, &schema).unwrap().codes, [3, 1, 2]);
    // A missing outcome is one, too.
    let refusal = read("t.csv", "größe,weight,city,y\n1,1,,NA\n", &schema).unwrap_err();
    assert!(refusal.starts_with("t.csv:2: the target `y` is missing"), "{refusal}");
}

#[test]
fn formats_that_cannot_be() {
    for (format, words) in [
        ("{ delimiter = \"ab\" }", "must be one character in quotes"),
        ("{ delimiter = \"5\" }", "fields cannot be separated by '5'"),
        ("{ delimiter = \"\\\"\" }", "fields cannot be separated by"),
        ("{ decimal = \",\" }", "both a comma; declare what separates the fields"),
        ("{ decimal = \"'\" }", "cannot be \"'\""),
        ("{ encoding = \"ebcdic\" }", "cannot be \"ebcdic\""),
        ("{ separator = \";\" }", "unknown key `separator` in `format`"),
        ("\";\"", "must be a table such as"),
    ] {
        let refusal = study(&format!("format = {format}"), "", "").unwrap_err();
        assert!(refusal.starts_with("study.toml:7:") && refusal.contains(words), "{refusal}");
    }
}

#[test]
fn a_schema_file_has_what_is_declared_and_old_ones_have_nothing() {
    let schema =
        study("format = { delimiter = \";\", decimal = \",\" }\nna = \"NA\"", ", na = -9", "")
            .unwrap();
    let json = serde_json::to_string(&schema).unwrap();
    assert!(json.contains(r#""reading":{"na":["NA","-9"]}"#), "{json}");
    assert!(json.ends_with(r#""format":{"delimiter":";","decimal":","}}"#), "{json}");
    assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    let plain = serde_json::to_string(&study("", "", "").unwrap()).unwrap();
    for word in ["reading", "format", "na\":"] {
        assert!(!plain.contains(word), "{plain}");
    }
}

#[test]
fn a_draft_is_made_from_such_a_file() {
    let table = Table::new("t.csv", TEXT.replace("12,5", "k.A."));
    let format = TextFormat { delimiter: Some(';'), ..TextFormat::default() };
    let format = TextFormat { decimal: discretion_table::Decimal::Comma, ..format };
    let request = DraftRequest {
        format,
        na: vec!["k.A.".to_owned()],
        account: Some("t".to_owned()),
        from_data: true,
        ..DraftRequest::new(table.path.as_path())
    };
    let draft = request.draft().unwrap();
    assert!(
        draft
            .contains("\nformat   = { delimiter = \";\", decimal = \",\" }\nna       = [\"k.A.\"]"),
        "{draft}"
    );
    assert!(draft.contains("\n\"größe\" = { min = 0.5, max = 1.75, missing = 1.125 }"), "{draft}");
    assert!(draft.contains("\nweight = { min = 0, max = 100, missing = 50 }"), "{draft}");
    let study = Study::parse(Path::new("s.toml"), &draft).unwrap();
    discretion_table::read_matrix(&table.path, &study.schema, &|_| {}).unwrap();
}
