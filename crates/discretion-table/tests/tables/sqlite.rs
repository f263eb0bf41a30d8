//! What a query finds in an SQLite file.

use crate::common::RowValues;
use discretion::erm::matrix::OTHER;
use discretion_table::{DraftRequest, Purpose, Study, TableSource, read_batches, read_matrix};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn database() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ward.sqlite");
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(
            "create table stays (id integer primary key, age, gain real, job text, outcome);
             insert into stays (age, gain, job, outcome) values
               (0, 0.0, 'clerk', 1), (100, 1000.0, ' nurse ', 0), ('50', 0.5, 'pilot', 0), (7, 0, null, 0);",
        )
        .unwrap();
    (folder, path)
}

fn study(path: &Path, query: &str) -> Study {
    let text = format!(
        "[data]\npath = \"ward.sqlite\"\nquery = \"{query}\"\naccount = \"t\"\ntarget = \"outcome\"\npositive = 1\n\
         negative = 0\n[budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[model]\nnorm = \"row\"\n[columns]\n\
         age = {{ min = 0, max = 100 }}\njob = {{ values = [\"clerk\", \"nurse\"] }}\n"
    );
    Study::parse(&path.with_file_name("study.toml"), &text).unwrap()
}

fn read(study: &Study) -> Result<RowValues, String> {
    let mut rows = RowValues::default();
    let path = &study.data.path;
    let read = read_batches(path, &study.schema, Purpose::Train, &|_| {}, |batch| rows.add(batch));
    read.map(|_| rows).map_err(|error| error.to_string())
}

#[test]
fn a_query_is_a_table() {
    let (_folder, path) = database();
    let study = study(&path, "select age, job, outcome from stays where id < 4 order by id");
    let rows = read(&study).unwrap();
    assert_eq!(rows.numeric, [-1.0, 1.0, 0.0], "numbers, also where they are texts");
    assert_eq!(rows.codes, [0, 1, OTHER]);
    assert_eq!(rows.positive, [true, false, false]);
    assert_eq!(read_matrix(&study.data.path, &study.schema, &|_| {}).unwrap().0.rows(), 3);
}

#[test]
fn many_rows_come_in_order() {
    let (_folder, path) = database();
    let query = "with recursive n(i) as (select 0 union all select i + 1 from n where i < 19999) \
                 select i % 101 as age, 'clerk' as job, i = 19999 as outcome from n";
    let rows = read(&study(&path, query)).unwrap();
    assert_eq!(rows.positive.iter().position(|positive| *positive), Some(19_999));
    assert!(
        rows.numeric
            .iter()
            .enumerate()
            .all(|(i, x)| (x - ((i % 101) as f32 - 50.0) / 50.0).abs() < 1e-6)
    );
}

#[test]
fn only_questions_are_asked() {
    let (_folder, path) = database();
    for (query, words) in [
        ("delete from stays", "`query` must be one `select`"),
        ("select age from nowhere", "the database cannot be asked: no such table"),
        ("select age, job from stays", "the table lacks the target column `outcome`"),
        ("select age, job, gain, outcome from stays", "`gain`, which is not declared"),
        ("select age, job, 'x' as outcome from stays", "row 1: the target `outcome` is \\\"x\\\""),
        ("select age, job, outcome from stays where id > 99", "no rows"),
    ] {
        let refusal = read(&study(&path, query)).unwrap_err();
        assert!(refusal.contains(&words.replace("\\\"", "\"")), "{query}: {refusal}");
    }
    let count: u64 = Connection::open(&path)
        .unwrap()
        .query_row("select count(*) from stays", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 4, "nothing was done to it");
    let none = TableSource::from(path.clone());
    let schema = study(&path, "select 1").schema;
    assert!(
        read_matrix(&none, &schema, &|_| {}).err().unwrap().to_string().contains("needs a `query`")
    );
    let csv = path.with_file_name("t.csv");
    std::fs::write(&csv, "age,job,outcome\n1,clerk,1\n").unwrap();
    let asked = TableSource::from(csv).with_query(Some("select 1".to_owned()));
    assert!(
        read_matrix(&asked, &schema, &|_| {})
            .err()
            .unwrap()
            .to_string()
            .contains("`query` is for SQLite files")
    );
}

#[test]
fn a_draft_is_made_from_a_query() {
    let (_folder, path) = database();
    let table =
        TableSource::from(path).with_query(Some("select age, job, outcome from stays".to_owned()));
    let draft = DraftRequest::new(table).draft().unwrap();
    assert!(draft.contains("\nquery    = \"select age, job, outcome from stays\""), "{draft}");
    assert!(draft.contains("\nage = { min = \"?\", max = \"?\" }"), "{draft}");
    assert!(draft.contains("\njob = { values = \"?\" }"), "{draft}");
}

/// A file of some kilobytes can hold a view that gives gigabytes.
#[test]
fn a_view_is_bounded_in_values_rows_and_time() {
    let (_folder, path) = database();
    let views = "
        create view one as select 50 as age, printf('%.*c', 900000000, 'x') as job, 1 as outcome;
        create view four as select randomblob(3000000) as age, randomblob(3000000) as job,
            randomblob(3000000) as outcome;
        create view endless as with recursive n(i) as (select 1 union all select i + 1 from n)
            select 50 as age, 'clerk' as job, 1 as outcome from n;";
    Connection::open(&path).unwrap().execute_batch(views).unwrap();
    for view in ["one", "four"] {
        let error = read(&study(&path, &format!("select * from {view}"))).unwrap_err();
        assert!(error.contains("row 1: this row is longer than 8 MB"), "{view}: {error}");
    }
    let error = read(&study(&path, "select * from endless")).unwrap_err();
    assert!(error.contains("more than 1000000 rows"), "{error}");
}

#[test]
fn a_query_reads_and_does_nothing_else() {
    let (folder, path) = database();
    let other = folder.path().join("other.sqlite");
    for query in [
        "pragma table_info(stays)",
        "pragma hard_heap_limit = 1000000",
        &format!("attach '{}' as other", other.display()),
        "vacuum",
        "delete from stays returning age, job, outcome",
    ] {
        let error = read(&study(&path, query)).unwrap_err();
        assert!(error.contains("must be one `select`"), "{query}: {error}");
    }
    assert!(!other.exists());
}

/// A column that was once stored as floating-point numbers: several codes are one number.
#[test]
fn codes_are_no_large_floating_point_numbers() {
    let (_folder, path) = database();
    let refused = |job: &str| {
        let query = format!("select age, {job} as job, outcome from stays");
        read(&study(&path, &query)).err()
    };
    assert_eq!(refused("9007199254740991.0"), None);
    assert_eq!(refused("9007199254740993"), None, "a whole number is exact");
    for code in ["9007199254740993.0", "-1e300"] {
        let error = refused(code).unwrap();
        assert!(error.contains("row 1: column `job` is compared with codes"), "{error}");
    }
    let of_age = "select 1e300 as age, job, outcome from stays";
    assert!(read(&study(&path, of_age)).is_ok(), "a number is clipped");
}
