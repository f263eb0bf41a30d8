//! Codes: groups of them as categories, and labels that people read.

use crate::common::{RowValues, Table};
use discretion::erm::matrix::OTHER;
use discretion_table::{Purpose, Schema, Study};
use std::path::Path;

fn study(columns: &str) -> Result<Schema, String> {
    let text = format!(
        "[data]\npath = \"t.csv\"\naccount = \"t\"\ntarget = \"y\"\npositive = \"1\"\nnegative = \"0\"\nna = \"?\"\n\
         [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\n{columns}\n"
    );
    Study::parse(Path::new("study.toml"), &text)
        .map(|study| study.schema)
        .map_err(|error| error.to_string())
}

fn codes(fields: &[&str], schema: &Schema) -> Vec<u16> {
    let rows: String = fields.iter().map(|field| format!("{field},1\n")).collect();
    let rows: RowValues =
        Table::new("t.csv", format!("diag,y\n{rows}")).read_as(schema, Purpose::Train).unwrap();
    rows.codes
}

const CHAPTERS: &str = "diag = { groups = { diabetes = [\"250*\"], endocrine = [\"240..279\", \"V12.2\"], \
                        circulatory = \"390..459\", injury = [\"800..999\", \"E800..E999\"] } }";

#[test]
fn codes_count_as_their_group() {
    let schema = study(CHAPTERS).unwrap();
    let fields = [
        "250.83", "250", "244", "428.0", "459.9", "460", "V12.2", "E905", "V58", "?", "",
        "diabetes",
    ];
    assert_eq!(codes(&fields, &schema), [0, 0, 1, 2, 2, OTHER, 1, 3, OTHER, OTHER, OTHER, 0]);
    assert_eq!(
        schema.encoder().names(),
        ["(intercept)", "diag=diabetes", "diag=endocrine", "diag=circulatory", "diag=injury"]
    );
    // The schema of a model has the groups: new rows have codes, too.
    let json = serde_json::to_string(&schema).unwrap();
    let read: Schema = serde_json::from_str(&json).unwrap();
    assert_eq!(codes(&fields, &read), codes(&fields, &schema));
    assert!(json.contains(r#"{"name":"diabetes","codes":["250*"]}"#), "{json}");
}

#[test]
fn values_may_stand_beside_groups() {
    let schema =
        study("diag = { values = [\"V58\", \"\"], groups = { circulatory = [\"390..459\"] } }")
            .unwrap();
    assert_eq!(codes(&["V58", "", "?", "401", "1"], &schema), [0, 1, 1, 2, OTHER]);
}

#[test]
fn labels_are_what_people_read() {
    let schema =
        study("diag = { values = [1, 2, 3], labels = { \"1\" = \"male\", 2 = \"female\" } }")
            .unwrap();
    assert_eq!(schema.encoder().names(), ["(intercept)", "diag=male", "diag=female", "diag=3"]);
    assert_eq!(
        codes(&["1", "2.0", "3", "male"], &schema),
        [0, 1, 2, OTHER],
        "rows have codes, not labels"
    );
    let against = schema.encoder().effects()[2].clone().unwrap().against;
    assert_eq!(against.as_deref(), Some("male"));
}

#[test]
fn groups_and_labels_that_cannot_be() {
    for (column, words) in [
        ("groups = { a = [\"459..390\"] }", "\"459..390\" is no range of codes"),
        ("groups = { a = [] }", "group \"a\" without codes"),
        ("groups = { a = [\"1\"], b = [\"1\"] }", "the code \"1\" in two groups"),
        ("groups = [\"a\"]", "must be a table such as { circulatory"),
        ("groups = { a = \"1\" }, min = 0, max = 1", "mixes them"),
        (
            "values = [\"1\"], labels = { \"2\" = \"two\" }",
            "a label for \"2\", which is none of its values",
        ),
        (
            "values = [\"1\", \"2\"], labels = { \"1\" = \"2\" }",
            "two values that would be called \"2\"",
        ),
        ("labels = { \"1\" = \"one\" }", "declares no categories"),
        ("min = 0, max = 1, labels = { \"1\" = \"one\" }", "mixes them"),
        ("min = 0.5, max = 10, integer = true", "a bound or `missing` that is not whole"),
        ("min = 0, max = 10, missing = 0.5, integer = true", "not whole"),
        ("min = 0, max = 10, integer = \"yes\"", "must be true or false"),
        ("values = [\"a\"], integer = true", "mixes them"),
    ] {
        let refusal = study(&format!("diag = {{ {column} }}")).expect_err(column);
        assert!(
            refusal.starts_with("study.toml:13:") && refusal.contains(words),
            "{column}: {refusal}"
        );
    }
}
