//! Dates: as days, as parts, from text files and from Parquet.

use crate::common::{RowValues, Table};
use discretion::erm::matrix::OTHER;
use discretion_table::{Kind, Purpose, QueryReader, Schema, Study};
use std::path::Path;

fn study(column: &str) -> Result<Schema, String> {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"yes\"\nnegative = \"no\"\nna = \"NA\"\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[model]\nnorm = \"row\"\n[columns]\n\
         admitted = {{ {column} }}\nage = {{ min = 0, max = 100 }}\n"
    );
    Study::parse(Path::new("study.toml"), &text)
        .map(|study| study.schema)
        .map_err(|error| error.to_string())
}

fn read(dates: &[&str], schema: &Schema) -> Result<RowValues, String> {
    let rows: String = dates.iter().map(|date| format!("{date},50,yes\n")).collect();
    Table::new("t.csv", format!("admitted,age,y\n{rows}")).read_as(schema, Purpose::Train)
}

/// The first of two numbers of each row.
fn days(rows: &RowValues) -> Vec<f32> {
    rows.numeric.chunks(2).map(|row| row[0]).collect()
}

#[test]
fn a_date_counts_as_days_of_its_range() {
    for bounds in
        ["min = \"2020-01-01\", max = \"2020-01-31\"", "min = 2020-01-01, max = 2020-01-31"]
    {
        let schema = study(&format!("kind = \"date\", {bounds}")).unwrap();
        let dates = [
            "2020-01-01",
            "2020-01-16",
            "2020-01-31",
            "2019-05-01",
            "2025-05-01",
            "\"2020-01-16T23:59\"",
        ];
        assert_eq!(days(&read(&dates, &schema).unwrap()), [-1.0, 0.0, 1.0, -1.0, 1.0, 0.0]);
    }
    // A time of day counts where the range has one.
    let schema =
        study("kind = \"date\", min = \"2020-01-01T00:00\", max = \"2020-01-03\"").unwrap();
    assert_eq!(
        days(&read(&["2020-01-01T12:00", "2020-01-02", "2020-01-02 12:00:00Z"], &schema).unwrap()),
        [-0.5, 0.0, 0.5]
    );
    // What is missing is missing, by whatever text.
    let schema = study(
        "kind = \"date\", min = \"2020-01-01\", max = \"2020-01-31\", missing = \"2020-01-31\"",
    );
    assert_eq!(days(&read(&["", "NA", "\"\""], &schema.unwrap()).unwrap()), [1.0; 3]);
    let schema = study("kind = \"date\", min = \"2020-01-01\", max = \"2020-01-31\"").unwrap();
    let refusal = read(&["2020-01-01", "NA"], &schema).unwrap_err();
    assert!(refusal.starts_with("t.csv:3: column `admitted` has no value"), "{refusal}");
}

#[test]
fn dates_are_written_as_declared_and_nothing_is_guessed() {
    let schema =
        study("kind = \"date\", min = \"2020-01-01\", max = \"2020-01-31\", format = \"%d.%m.%Y\"")
            .unwrap();
    assert_eq!(days(&read(&["1.1.2020", "31.01.2020"], &schema).unwrap()), [-1.0, 1.0]);
    for wrong in ["2020-01-01", "01/31/2020", "30.02.2020", "yesterday"] {
        let refusal = read(&["1.1.2020", wrong], &schema).unwrap_err();
        assert!(
            refusal.starts_with(&format!(
                "t.csv:3: column `admitted` must be a date (%d.%m.%Y), not \"{wrong}\""
            )),
            "{refusal}"
        );
    }
}

#[test]
fn parts_are_categories_of_their_own() {
    let schema = study(
        "kind = \"date\", min = \"2019-11-01\", max = \"2021-01-01\", missing = \"2020-01-01\", parts = [\"month\", \"weekday\", \"hour\", \"year\"]",
    )
    .unwrap();
    let names: Vec<&str> = schema.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(
        names,
        ["admitted", "admitted month", "admitted weekday", "admitted hour", "admitted year", "age"]
    );
    let rows = read(&["2020-02-29T07:30", "2020-03-01", "NA"], &schema).unwrap();
    // February, a Saturday, seven, the second year; March, a Sunday, no hour; nothing.
    assert_eq!(rows.codes, [1, 5, 7, 1, 2, 6, OTHER, 1, OTHER, OTHER, OTHER, OTHER]);
    let coefficients = schema.encoder().names();
    assert!(coefficients.contains(&"admitted month=February".to_owned()), "{coefficients:?}");

    // Parts alone need no range, and are read as strictly.
    let schema = study("kind = \"date\", parts = [\"month\"]").unwrap();
    assert_eq!(read(&["2020-12-31"], &schema).unwrap().codes, [11]);
    assert!(read(&["31.12.2020"], &schema).unwrap_err().contains("must be a date (ISO 8601)"));
    // The header has the date and not its parts.
    let refusal =
        Table::new("t.csv", "admitted month,age,y\n1,1,yes\n").read_as(&schema, Purpose::Train);
    assert!(refusal.unwrap_err().contains("`admitted month`, which is not declared"));
    let refusal = Table::new("t.csv", "age,y\n1,yes\n").read_as(&schema, Purpose::Train);
    assert!(refusal.unwrap_err().contains("lacks the declared column `admitted`"));
}

#[test]
fn queries_and_models_have_dates_too() {
    let schema =
        study("kind = \"date\", min = \"2020-01-01\", max = \"2020-01-31\", parts = [\"month\"]")
            .unwrap();
    let json = serde_json::to_string(&schema).unwrap();
    assert!(json.contains(r#""kind":{"date":{"min":"2020-01-01","max":"2020-01-31"}}"#), "{json}");
    assert!(json.contains(r#""from":"admitted","part":"month""#), "{json}");
    assert_eq!(serde_json::from_str::<Schema>(&json).unwrap(), schema);
    let reader = QueryReader::new(&schema);
    let mut rows = reader.rows();
    let query = |date: &str| {
        [("admitted".to_owned(), date.to_owned()), ("age".to_owned(), "50".to_owned())]
    };
    reader.push(&query("2020-01-11"), &mut rows).unwrap();
    assert_eq!((rows.numbers(0), rows.codes(0)), (&[10.0, 50.0][..], &[0][..]));
    assert!(
        reader.push(&query("soon"), &mut rows).unwrap_err().to_string().contains("must be a date")
    );
    let units = schema.encoder();
    assert_eq!(units.in_column_units(&vec![0.0; units.names().len()]), None, "the norm is by rows");
}

#[test]
fn ranges_that_are_none() {
    for (column, words) in [
        ("kind = \"date\", min = \"2020-01-01\", max = \"2020-01-01\"", "which is not before max"),
        ("kind = \"date\", min = \"2020-01-01\"", "the key `max` is missing"),
        ("kind = \"date\"", "the key `min` is missing"),
        ("kind = \"date\", min = 0, max = 1", "must be a date such as"),
        ("kind = \"date\", min = \"soon\", max = \"2020-01-01\"", "\"soon\" is no date"),
        (
            "kind = \"date\", min = \"2020-01-01\", max = \"2020-02-01\", missing = \"2021-01-01\"",
            "outside its range",
        ),
        (
            "kind = \"date\", min = \"2020-01-01\", max = \"2020-02-01\", format = \"%d.%m.%y\"",
            "no century",
        ),
        ("kind = \"date\", parts = [\"year\"]", "no `min` and `max` to say which"),
        ("kind = \"date\", parts = [\"century\"]", "a list of \"year\""),
        (
            "kind = \"date\", min = \"2020-01-01\", max = \"2020-02-01\", scale = \"log\"",
            "mixes them",
        ),
        ("min = \"2020-01-01\", max = \"2020-02-01\"", "must be a number"),
        ("kind = \"time\", min = 1, max = 2", "cannot be \"time\""),
    ] {
        let refusal = study(column).expect_err(column);
        assert!(refusal.contains(words), "{column}: {refusal}");
    }
}

#[test]
fn a_range_in_days_has_a_way_back() {
    let schema = study("kind = \"date\", min = \"2020-01-01\", max = \"2020-12-31\"").unwrap();
    let kind: &Kind = &schema.columns()[0].kind;
    let range = kind.range().unwrap();
    assert_eq!((range.min, range.max, range.integer), (0.0, 365.0, true));
    assert_eq!(kind.date(59.0).unwrap().to_string(), "2020-02-29");
}

mod stored {
    use super::*;
    use arrow_array::{
        ArrayRef, Date32Array, Float64Array, RecordBatch, StringArray, TimestampMillisecondArray,
    };
    use std::sync::Arc;

    /// Dates that a file stores as such are read as such, whatever format texts have.
    #[test]
    fn stored_dates_need_no_format() {
        let format = "kind = \"date\", min = \"2020-01-01\", max = \"2020-01-31\", missing = \"2020-01-31\", format = \"%d.%m.%Y\", parts = [\"weekday\"]";
        let schema = study(format).unwrap();
        let days = Date32Array::from(vec![Some(18_262), Some(18_277), None]);
        let noon = TimestampMillisecondArray::from(vec![
            1_577_880_000_000,
            1_579_176_000_000,
            1_577_880_000_000,
        ]);
        let of_utc = noon.clone().with_timezone("UTC");
        let texts = StringArray::from(vec!["01.01.2020", "16.01.2020", ""]);
        for dates in [Arc::new(days) as ArrayRef, Arc::new(noon), Arc::new(of_utc), Arc::new(texts)]
        {
            let columns = [
                ("admitted", dates),
                ("age", Arc::new(Float64Array::from(vec![50.0; 3])) as ArrayRef),
                ("y", Arc::new(StringArray::from(vec!["yes"; 3]))),
            ];
            let batch = RecordBatch::try_from_iter(columns).unwrap();
            let mut bytes = Vec::new();
            let mut writer =
                parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            let rows = Table::new("t.parquet", bytes).read_as(&schema, Purpose::Train).unwrap();
            assert_eq!(super::days(&rows)[..2], [-1.0, 0.0]);
            assert_eq!(rows.codes[..2], [2, 3], "a Wednesday and a Thursday");
        }
    }
}
