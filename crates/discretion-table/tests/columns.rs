//! Columns chosen by name, and read to be described.

mod common;

use common::{Rows, Table, csv, schema};
use discretion::erm::matrix::OTHER;
use discretion_table::{Error, Kind, read_columns};

fn choose(names: &[&str]) -> Result<Vec<discretion_table::Column>, String> {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    schema("negative = \"no\"").choose(&names).map_err(|problem| problem.to_string())
}

fn read(table: &Table, names: &[&str]) -> Result<Rows, String> {
    let mut rows = Rows::default();
    let each = |batch: discretion::erm::matrix::Batch| {
        rows.numeric.extend(batch.numeric);
        rows.codes.extend(batch.codes);
        rows.positive.extend(batch.positive);
        Ok::<(), Error>(())
    };
    let columns = choose(names)?;
    let result = read_columns(&table.path, &schema("negative = \"no\""), &columns, &|_| {}, each);
    result.map(|_| rows).map_err(|error| error.to_string())
}

#[test]
fn columns_come_in_the_order_they_were_asked_for() {
    let table = csv("0,0,clerk,a,yes\n100,1000,nurse,b,no\n,,other,,no\n25,1e9,,c,perhaps\n");
    let rows = read(&table, &["gain", "y", "age"]).unwrap();
    assert_eq!(rows.numeric, [-1.0, -1.0, 1.0, 1.0, 0.0, 0.0, 1.0, -0.5]);
    // A target that is neither is no error here: it is described, not learned from.
    assert_eq!(rows.codes, [0, 1, 1, OTHER]);
    assert!(rows.positive.is_empty());
    assert_eq!(read(&table, &["job"]).unwrap().codes, [0, 1, OTHER, OTHER]);
}

#[test]
fn only_what_was_chosen_has_to_be_readable_but_the_header_has_to_be_the_study_s() {
    let table = csv("old,0,clerk,a,yes\n");
    assert_eq!(read(&table, &["gain"]).unwrap().numeric, [-1.0]);
    assert!(read(&table, &["age"]).unwrap_err().contains("t.csv:2: column `age` must be a number"));
    for (header, words) in [
        ("age,gain,job,y", "lacks the declared column `note`"),
        ("age,gain,job,note", "lacks the target column `y`"),
        ("age,gain,job,note,y,zip", "has column `zip`, which is not declared"),
        ("age,gain,job,note,y,y", "more than once"),
    ] {
        let table = Table::new("t.csv", format!("{header}\n"));
        let refusal = read(&table, &["age"]).unwrap_err();
        assert!(refusal.contains(words), "{refusal}");
    }
    assert!(read(&csv(""), &["age"]).unwrap_err().contains("no rows"));
}

#[test]
fn names_that_cannot_be_chosen() {
    assert_eq!(choose(&["agee"]).unwrap_err(), "no column `agee` is declared; did you mean `age`?");
    assert_eq!(choose(&["zebra"]).unwrap_err(), "no column `zebra` is declared");
    assert_eq!(choose(&["age", "age"]).unwrap_err(), "column `age` is named twice; name every column once");
    assert!(choose(&["note"]).unwrap_err().starts_with("column `note` is dropped in [columns]; declare"));
    let Kind::Category { values } = &choose(&["y"]).unwrap()[0].kind else { panic!("a category") };
    assert_eq!(values, &["yes", "no"]);
}
