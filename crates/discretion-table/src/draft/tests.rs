use crate::{Kind, Study, draft, read_matrix};
use std::path::{Path, PathBuf};

fn table(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

const TABLE: &str = "age,\"a \"\"b\"\"\nc é\",job,note,same,y\n\
    31,1.5,clerk,x,7,no\n\
    47,,nurse,y,7,yes\n\
    -2,2.25,clerk,,7,no\n";

#[test]
fn a_draft_from_the_header_holds_nothing_from_rows_and_says_what_is_left() {
    let (_folder, path) = table(TABLE);
    let draft = draft(&path, None, false).unwrap();
    let body = draft.split_once("[columns]").unwrap().1;
    for secret in ["31", "47", "-2", "2.25", "clerk", "nurse", "yes", "7", "NOT PRIVATE"] {
        assert!(!body.contains(secret), "{secret} in {body}");
    }
    assert!(body.contains("\nage = { min = \"?\", max = \"?\" }  # numeric (guessed)"), "{body}");
    assert!(body.contains("\njob = { values = \"?\" }  # text (guessed)"), "{body}");
    let refusal = Study::parse(Path::new("s.toml"), &draft).unwrap_err().to_string();
    assert!(
        refusal.contains("columns `age`, `a \"b\"\\nc é`, `same` still need bounds"),
        "{refusal}"
    );
    assert!(
        refusal.contains("columns `job`, `note`, `y` still need a list of values"),
        "{refusal}"
    );
    assert!(
        refusal.contains(
            "`account` in [data] is still open; `target` in [data] is still open; `positive` in [data] is still open; \
             `negative` in [data] is still open"
        ),
        "{refusal}"
    );
}

#[test]
fn a_draft_from_the_rows_validates_and_marks_every_line_it_read() {
    let (_folder, path) = table(TABLE);
    let draft = draft(&path, Some("t"), true).unwrap();
    let (_, columns) = draft.split_once("[columns]").unwrap();
    let (columns, _) = columns.split_once("[model]").unwrap();
    for line in columns.lines().skip(1).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        assert!(line.ends_with("read from the rows: NOT PRIVATE"), "{line}");
    }
    assert!(
        draft.contains("positive = \"yes\"  # guessed, read from the rows: NOT PRIVATE"),
        "{draft}"
    );
    assert!(
        draft.contains("negative = [\"no\"]  # guessed, read from the rows: NOT PRIVATE"),
        "{draft}"
    );
    let study = Study::parse(Path::new("s.toml"), &draft).unwrap();
    assert_eq!(study.schema.target().column, "y");
    // As data, not as a comment: not the constant column, of which nothing is declared.
    assert_eq!(study.schema.from_rows(), ["age", "a \"b\"\nc é", "job", "note", "y"]);
    let kinds: Vec<&Kind> = study.schema.columns().iter().map(|column| &column.kind).collect();
    assert!(matches!(kinds[0], Kind::Number { min, max, .. } if (*min, *max) == (-2.0, 47.0)));
    assert!(matches!(kinds[1], Kind::Number { min, max, missing, .. }
        if (*min, *max, *missing) == (1.5, 2.25, Some(1.875))));
    assert!(matches!(kinds[2], Kind::Category { values, .. } if values == &["clerk", "nurse"]));
    assert!(matches!(kinds[4], Kind::Dropped), "a constant column");
    assert_eq!(read_matrix(&path, &study.schema, &|_| {}).unwrap().0.rows(), 3);
}

#[test]
fn strange_names_and_values_survive() {
    let names = [
        "plain-1_x",
        "",
        "with.dot",
        "sp ace",
        "tab\there",
        "esc\\",
        "\u{7f}",
        "\u{2028}",
        "'single'",
    ];
    let row = vec!["\"v\\\"\"\u{1}\""; names.len()].join(",");
    let other = vec!["w"; names.len()].join(",");
    let (_folder, path) = table(&format!("{}\n{row}\n{other}\n", names.join(",")));
    let study = Study::parse(Path::new("s.toml"), &draft(&path, Some("t"), true).unwrap()).unwrap();
    let declared: Vec<&str> =
        study.schema.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(declared, names[..names.len() - 1]);
    assert!(
        matches!(&study.schema.columns()[0].kind, Kind::Category { values, .. } if values == &["v\\\"\u{1}", "w"])
    );
    read_matrix(&path, &study.schema, &|_| {}).unwrap();
}

/// Found by the fuzzer: a study cannot name such a column as its target.
#[test]
fn a_column_with_a_blank_name_is_not_guessed_to_be_the_target() {
    let (_folder, path) = table("age,job, \n31,clerk,yes\n47,nurse,no\n");
    let study = Study::parse(Path::new("s.toml"), &draft(&path, Some("t"), true).unwrap()).unwrap();
    assert_eq!(study.schema.target().column, "job");
}
