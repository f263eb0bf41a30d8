use super::*;
use crate::Study;
use std::fmt::Write;
use std::path::Path;

const STUDY: &str = r#"
[data]
path = "t.csv"
account = "t"
target = "y"
positive = "yes"
negative = "no"
[budget]
epsilon = 1
[spend]
epsilon = 1
[columns]
id   = { drop = true }
age  = { min = 18, max = 90 }
sex  = { values = ["female", "male"] }
same = { min = 0, max = 9, missing = 1 }
"#;

fn checked(study: &str, table: &[u8]) -> Result<TableCheck, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, table).unwrap();
    let schema = Study::parse(Path::new("study.toml"), study).unwrap().schema;
    let seen = std::cell::Cell::new(0);
    let checked = check_table(&path, &schema, &|progress| seen.set(progress.bytes));
    if checked.is_ok() {
        assert_eq!(seen.get(), table.len() as u64, "all was read, and said so");
    }
    checked.map_err(|error| error.to_string())
}

#[test]
fn everything_is_counted_and_nothing_stops_it() {
    let mut table = b"y,id,sex,age,same\n".to_vec();
    table.extend(
        b"yes,1,female,17,7\nno,1,2,90,7\nno,2,2,91.5,7\nno,2,2,91.5,7\nperhaps,3,1,old,7\n",
    );
    table.extend(b",4,m\xe4nnlich,,\n");
    let check = checked(STUDY, &table).unwrap();
    assert_eq!(check.rows, 6);
    assert_eq!(
        check.whole_rows,
        Spread { different: 5, repeated: 1, respelled: 0, again: 1, exact: true }
    );
    let column = |name: &str| check.columns.iter().find(|column| column.name == name).unwrap();
    let unusual = |name: &str| {
        column(name)
            .unusual
            .iter()
            .map(|f| format!("{} {}", f.value, f.count))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let refused =
        |name: &str| column(name).refused.as_ref().map(|refused| (refused.count, refused.row));

    assert!(matches!(&column("y").found, Found::Outcome(outcome) if outcome.classes == [3, 1]));
    assert_eq!((refused("y"), unusual("y")), (Some((2, 5)), " 1, perhaps 1".to_owned()));
    assert!(matches!(
        column("age").found,
        Found::Used(Lost::Number { low: 1, high: 2, missing: 1, .. })
    ));
    assert_eq!(
        (refused("age"), unusual("age")),
        (Some((2, 5)), "91.5 2,  1, 17 1, old 1".to_owned())
    );
    assert!(matches!(column("sex").found, Found::Used(Lost::Category { other: 5, missing: 0 })));
    assert_eq!(
        (refused("sex"), unusual("sex")),
        (Some((1, 6)), "2 3, 1 1, m\u{fffd}nnlich 1".to_owned())
    );
    assert!(matches!(
        column("same").found,
        Found::Used(Lost::Number { low: 0, high: 0, missing: 1, .. })
    ));
    assert_eq!((refused("same"), unusual("same")), (None, String::new()));
    assert!(matches!(column("id").found, Found::Dropped));
    assert_eq!(
        column("id").spread,
        Spread { different: 4, repeated: 2, respelled: 0, again: 2, exact: true }
    );
}

/// Spellings are told in as little memory as persons.
#[test]
fn persons_in_several_spellings_are_counted() {
    let study =
        STUDY.replace("target", "person = \"id\"\ntarget").replace("id   = { drop = true }\n", "");
    let mut table = "y,id,sex,age,same\n".to_owned();
    for i in 0..40_000 {
        let id = if i % 4 == 0 { format!("MÜ{}", i / 2) } else { format!("mü{}", i / 2) };
        writeln!(table, "yes,{id},male,20,1").unwrap();
    }
    let check = checked(&study, table.as_bytes()).unwrap();
    let Spread { different, respelled, exact, .. } = check.columns[1].spread;
    assert!(!exact && (19_000..21_000).contains(&different), "{different}");
    assert!((9_000..11_000).contains(&respelled), "{respelled}");
}

#[test]
fn with_any_other_the_values_that_became_negative_are_told() {
    let table =
        b"y,id,sex,age,same\nyes,1,male,20,1\n0,2,male,20,1\n0,3,male,20,1\n1,4,male,20,1\n";
    let check =
        checked(&STUDY.replace("negative = \"no\"", "negative = \"any other\""), table).unwrap();
    let outcome = &check.columns[0];
    assert!(matches!(&outcome.found, Found::Outcome(counts) if counts.classes == [3, 1]));
    assert_eq!(
        (outcome.unusual[0].value.to_string(), outcome.unusual[0].count),
        ("0".to_owned(), 2)
    );
    assert!(outcome.refused.is_none());
}

#[test]
fn a_table_of_another_study_is_refused_as_a_run_refuses_it() {
    assert!(
        checked(STUDY, b"y,id,sex,age\nyes,1,male,20\n")
            .err()
            .unwrap()
            .contains("lacks the declared column `same`")
    );
    assert!(checked(STUDY, b"y,id,sex,age,same\n").err().unwrap().contains("no rows"));
    assert!(checked(STUDY, b"y,id,sex,age,same\nyes,1\n").err().unwrap().contains("2 fields"));
}

#[test]
fn many_rows_are_estimated_in_bounded_memory() {
    // 400,000 different identifiers, of which every tenth comes again, and a thousand undeclared
    // values among which one is common.
    let mut table = "y,id,sex,age,same\n".to_owned();
    for i in 0..440_000_u32 {
        let sex = if i % 3 == 0 {
            "unknown".to_owned()
        } else {
            format!("v{}", i.wrapping_mul(2_654_435_761) % 1000)
        };
        let id = if i < 400_000 { i } else { (i - 400_000) * 10 };
        writeln!(table, "{},{id},{sex},20,1", ["yes", "no"][i as usize % 2]).unwrap();
    }
    let check = checked(STUDY, table.as_bytes()).unwrap();
    let id = check.columns.iter().find(|column| column.name == "id").unwrap().spread;
    assert!(!id.exact && !check.whole_rows.exact);
    let near = |found: u64, truth: u64| found.abs_diff(truth) * 20 < truth;
    assert!(near(id.different, 400_000), "{}", id.different);
    assert!(id.repeated.abs_diff(40_000) < 6_000 && id.again == id.repeated, "{id:?}");
    assert!(
        near(check.whole_rows.different + check.whole_rows.again, 440_000),
        "{:?}",
        check.whole_rows
    );
    let sex = &check.columns.iter().find(|column| column.name == "sex").unwrap().unusual;
    assert_eq!(sex[0].value.to_string(), "unknown");
    assert!(sex[0].count > 140_000, "{}", sex[0].count);
}

#[test]
fn several_files_dates_and_codes_are_seen_as_a_run_sees_them() {
    let study = STUDY
        .replace("path = \"t.csv\"", "path = [\"a.csv\", \"b.csv\"]\nna = \"?\"")
        .replace("target", "format = { delimiter = \";\", decimal = \",\" }\ntarget")
        .replace("id   =", "day  = { kind = \"date\", min = \"2020-01-01\", max = \"2020-12-31\", parts = [\"month\"] }\nid   =")
        .replace("values = [\"female\", \"male\"]", "groups = { known = [\"1..2\"] }");
    let folder = tempfile::tempdir().unwrap();
    let header = "y;id;sex;age;same;day\n";
    std::fs::write(folder.path().join("a.csv"), format!("{header}yes;1;2;17,5;7;2020-02-29\n"))
        .unwrap();
    let second = "no;1;?;18,5;?;2021-01-01\nno;2;9;?;7;29.02.2020\n";
    std::fs::write(folder.path().join("b.csv"), format!("{header}{second}")).unwrap();
    let study = Study::parse(&folder.path().join("study.toml"), &study).unwrap();
    let check = check_table(&study.data.path, &study.schema, &|_| {}).unwrap();
    assert_eq!(check.rows, 3);
    let column = |name: &str| check.columns.iter().find(|column| column.name == name).unwrap();
    let refused =
        |name: &str| column(name).refused.as_ref().map(|refused| (refused.count, refused.row));
    assert!(matches!(
        column("age").found,
        Found::Used(Lost::Number { low: 1, high: 0, missing: 1, .. })
    ));
    assert_eq!(refused("age"), Some((1, 3)), "nothing says what a missing age counts as");
    assert!(matches!(column("same").found, Found::Used(Lost::Number { missing: 1, .. })));
    assert!(matches!(column("sex").found, Found::Used(Lost::Category { other: 1, missing: 1 })));
    assert!(matches!(
        column("day").found,
        Found::Used(Lost::Date { low: 0, high: 1, missing: 0, .. })
    ));
    assert_eq!(refused("day"), Some((1, 3)), "not written as declared");
    assert!(matches!(&column("y").found, Found::Outcome(outcome) if outcome.classes == [2, 1]));
}
