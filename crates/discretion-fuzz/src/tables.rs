//! Tables: the rows that are read are within their bounds, and both readers of rows see the same
//! table.

use crate::{Verdict, one_line, schema_of, with_file};
use discretion::Refusal;
use discretion::erm::matrix::{Batch, OTHER};
use discretion_table::{
    Classes, Error, Purpose, Schema, Study, check_table, draft, read_batches, read_queries,
    read_rows,
};
use std::path::Path;
use std::sync::LazyLock;

/// The table that the corpus has. Rows are divided by their own length, so every encoded number is
/// within [−1, 1].
const COLUMNS: &str = r#"
age  = { min = 0, max = 100, missing = 50 }
gain = { min = 0, max = 1000, scale = "log", missing = 10 }
job  = { values = ["clerk", "nurse"] }
note = { drop = true }
"#;

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| schema_of("norm = \"row\"", COLUMNS));

/// A `.csv` file.
pub fn csv(bytes: &[u8]) -> Verdict {
    with_file("t.csv", bytes, |path| table(path, Order::Lines))
}

/// A `.parquet` file.
pub fn parquet(bytes: &[u8]) -> Verdict {
    with_file("t.parquet", bytes, |path| table(path, Order::Columns))
}

/// An `.arrow` file.
pub fn arrow(bytes: &[u8]) -> Verdict {
    with_file("t.arrow", bytes, |path| table(path, Order::Columns))
}

/// In which order a file is gone through.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// Every reader meets the same damage first.
    Lines,
    /// Each reader has columns of its own, in an order of its own, and what it does not need it
    /// does not decode.
    Columns,
}

fn table(path: &Path, order: Order) -> Verdict {
    let encoded = encoded(path);
    let classes = Classes::of(&SCHEMA.target().labels).expect("two classes");
    let plain = read_rows(path, &SCHEMA, &classes, &|_| {});
    match (&encoded, &plain) {
        (Ok(encoded), Ok((plain, _))) => {
            let again = SCHEMA.encoder().batch(plain, 1);
            assert_eq!(encoded.positive, again.positive, "both readers see the same labels");
            assert_eq!(encoded.codes, again.codes, "both readers see the same categories");
            let near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-5;
            assert!(
                encoded.numeric.iter().zip(&again.numeric).all(near),
                "both readers see the same numbers"
            );
        }
        (Err(one), Err(other)) => {
            let (one, other) = (one.to_string(), other.to_string());
            // Of a file damaged in two places the detail in brackets is the one that was met.
            let reason = |said: &str| said.split(" (").next().map(str::to_owned);
            let same = one == other || order == Order::Columns && reason(&one) == reason(&other);
            assert!(same, "both readers refuse for one reason: {one}, {other}")
        }
        (one, other) => {
            panic!("one reader refuses: {:?}, {:?}", one.as_ref().err(), other.as_ref().err())
        }
    }
    drafts(path);
    checks(path, order, &encoded);
    let verdict = Verdict::of(&encoded);
    let refusals = [encoded.err(), read_queries(path, &SCHEMA, &|_| {}).err()];
    refusals.into_iter().flatten().for_each(one_line);
    verdict
}

/// The rows as they are trained on.
fn encoded(path: &Path) -> Result<Batch, Error> {
    let mut all = Batch::default();
    let counts = read_batches(path, &SCHEMA, Purpose::Train, &|_| {}, |batch| {
        all.numeric.extend(batch.numeric);
        all.codes.extend(batch.codes);
        all.positive.extend(batch.positive);
        Ok::<(), Error>(())
    })?;
    assert_eq!(counts.rows, all.positive.len() as u64, "every row has a label");
    assert_eq!(2 * all.positive.len(), all.numeric.len(), "every row has two numbers");
    assert_eq!(all.positive.len(), all.codes.len(), "every row has a category");
    assert!(all.numeric.iter().all(|x| x.abs() <= 1.0), "numbers are within their bounds");
    assert!(
        all.codes.iter().all(|&code| code < 2 || code == OTHER),
        "categories are declared or other"
    );
    Ok(all)
}

/// A check finds no value to stop at in a table that can be read, and says what it finds in lines.
fn checks(path: &Path, order: Order, encoded: &Result<Batch, Error>) {
    match (check_table(path, &SCHEMA, &|_| {}), encoded) {
        (Err(refusal), encoded) => {
            // Dropped columns too are decoded for a check, and can be damaged.
            let may = order == Order::Columns || encoded.is_err();
            assert!(may, "a check stops at a table that can be read: {refusal}");
            one_line(refusal);
        }
        (Ok(check), encoded) => {
            for column in check.columns {
                if let Some(refused) = column.refused {
                    assert!(encoded.is_err(), "a run goes on where the check says that it stops");
                    one_line(Refusal::refused(refused.problem.to_string()));
                }
            }
        }
    }
}

/// A draft is a study file, or says what a person has to fill in.
fn drafts(path: &Path) {
    for from_data in [false, true] {
        match draft(path, Some("t"), from_data) {
            Err(refusal) => one_line(refusal),
            Ok(text) => {
                if let Err(refusal) = Study::parse(Path::new("study.toml"), &text) {
                    let said = refusal.to_string();
                    let is_open = said.contains("still") || said.contains("no column");
                    assert!(
                        is_open,
                        "a draft is a study file, but for what is open: {said}\n{text}"
                    );
                    one_line(refusal);
                }
            }
        }
    }
}
