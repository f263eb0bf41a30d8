//! What `discretion check` tells about a table: a verdict and a sentence for each column and for
//! the rows as a whole.

mod text;

use super::verdict::{self, Finding, Verdict, column, counted_rows, outcome};
use discretion_table::{
    CheckedColumn, ColumnCounts, Found, Labels, Lost, Spread, TableCheck, names_an_identifier,
};
use serde::Serialize;

/// The first line of whatever is told.
const WARNING: &str = "NOT PRIVATE: counted without noise, for whoever holds the rows; do not publish it. Nothing was charged.";

/// What is told about a table.
#[derive(Serialize)]
pub struct CheckReport {
    /// First, so that whoever looks sees it.
    #[serde(rename = "NOT PRIVATE")]
    warning: &'static str,
    /// The worst of all verdicts.
    pub verdict: Verdict,
    rows: u64,
    /// Rows that count, where the study has a cohort.
    #[serde(skip_serializing_if = "Option::is_none")]
    cohort: Option<u64>,
    columns: Vec<ColumnReport>,
    whole_rows: RowsReport,
}

#[derive(Serialize)]
struct ColumnReport {
    name: String,
    declared: &'static str,
    verdict: Verdict,
    findings: Vec<Finding>,
    #[serde(flatten)]
    counts: ColumnNumbers,
    /// Values at which a run stops.
    refused: u64,
    different_values: u64,
    unusual: Vec<UnusualValue>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ColumnNumbers {
    Outcome { classes: Vec<ClassNumber> },
    Number { clipped_low: u64, clipped_high: u64, missing: u64 },
    Category { other: u64, missing: u64 },
    Dropped {},
}

#[derive(Serialize)]
struct ClassNumber {
    class: String,
    rows: u64,
}

#[derive(Serialize)]
struct UnusualValue {
    value: String,
    count: u64,
}

#[derive(Serialize)]
struct RowsReport {
    #[serde(flatten)]
    finding: Finding,
    doubled: u64,
    estimated: bool,
}

impl CheckReport {
    /// From what was found.
    pub fn new(check: &TableCheck) -> CheckReport {
        let columns: Vec<ColumnReport> =
            check.columns.iter().map(|column| ColumnReport::new(column, check.rows)).collect();
        let doubled = doubled_rows(&check.whole_rows, check.rows);
        let worst = columns.iter().map(|column| column.verdict).chain([doubled.verdict]).max();
        CheckReport {
            warning: WARNING,
            verdict: worst.unwrap_or(Verdict::Fine),
            rows: check.rows,
            cohort: check.cohort,
            columns,
            whole_rows: RowsReport {
                finding: doubled,
                doubled: check.whole_rows.again,
                estimated: !check.whole_rows.exact,
            },
        }
    }

    /// For machines.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report is plain data") + "\n"
    }
}

impl ColumnReport {
    fn new(checked: &CheckedColumn, rows: u64) -> ColumnReport {
        let (declared, mut findings, counts) = match &checked.found {
            Found::Outcome(counts) => {
                let names = match &counts.target.labels {
                    Labels::Many { classes } => classes.clone(),
                    Labels::Number { .. } => Vec::new(),
                    _ => vec!["negative".to_owned(), "positive".to_owned()],
                };
                let classes = names.into_iter().zip(&counts.classes);
                let classes = classes.map(|(class, &rows)| ClassNumber { class, rows }).collect();
                ("outcome", vec![outcome(counts)], ColumnNumbers::Outcome { classes })
            }
            &Found::Weight(lost) => {
                let finding = column(&ColumnCounts { name: checked.name.clone(), lost }, rows);
                let Lost::Number { low, high, missing, .. } = lost else {
                    unreachable!("a weight is a number")
                };
                let counts =
                    ColumnNumbers::Number { clipped_low: low, clipped_high: high, missing };
                ("weight", vec![finding], counts)
            }
            Found::Used(lost) => {
                let finding =
                    column(&ColumnCounts { name: checked.name.clone(), lost: *lost }, rows);
                let (declared, counts) = match *lost {
                    Lost::Number { low, high, missing, .. } => (
                        "number",
                        ColumnNumbers::Number { clipped_low: low, clipped_high: high, missing },
                    ),
                    Lost::Date { low, high, missing, .. } => (
                        "date",
                        ColumnNumbers::Number { clipped_low: low, clipped_high: high, missing },
                    ),
                    Lost::Category { other, missing } => {
                        ("category", ColumnNumbers::Category { other, missing })
                    }
                    Lost::OneOf { several: other, none: missing } => {
                        ("one of several columns", ColumnNumbers::Category { other, missing })
                    }
                };
                (declared, vec![finding], counts)
            }
            Found::Person => {
                let mut findings = vec![persons(&checked.spread)];
                findings.extend(respelled(&checked.spread));
                ("person", findings, ColumnNumbers::Dropped {})
            }
            Found::Indicator(category) => {
                let said = format!("an indicator of `{category}`, which is looked at as a whole");
                ("indicator", vec![Finding::new(Verdict::Fine, said)], ColumnNumbers::Dropped {})
            }
            Found::Dropped => ("dropped", Vec::new(), ColumnNumbers::Dropped {}),
        };
        if let Some(refused) = &checked.refused {
            // Nothing is lost of the other values, which says little beside this.
            findings.retain(|finding| finding.sentence != verdict::AS_DECLARED);
            let sentence = format!(
                "a run stops at {} of its values, first in row {}: {}",
                counted_rows(refused.count),
                counted_rows(refused.row),
                refused.problem
            );
            findings.push(Finding::new(Verdict::Mistake, sentence));
        }
        findings.extend(constant(checked, rows));
        findings.extend(identifier(checked, rows));
        if findings.is_empty() {
            findings.push(Finding::new(Verdict::Fine, "dropped"));
        }
        let unusual = checked.unusual.iter();
        ColumnReport {
            name: checked.name.clone(),
            declared,
            verdict: findings.iter().map(|finding| finding.verdict).max().unwrap_or(Verdict::Fine),
            findings,
            counts,
            refused: checked.refused.as_ref().map_or(0, |refused| refused.count),
            different_values: checked.spread.different,
            unusual: unusual
                .map(|unusual| UnusualValue {
                    value: unusual.value.to_string(),
                    count: unusual.count,
                })
                .collect(),
        }
    }
}

fn constant(checked: &CheckedColumn, rows: u64) -> Option<Finding> {
    let used = matches!(checked.found, Found::Used(_));
    (used && rows > 1 && checked.spread.different == 1).then(|| {
        Finding::new(Verdict::Look, "every row has the same value: nothing can be learned from it")
    })
}

/// Fewer rows say nothing about how values repeat.
const FEWEST_ROWS: u64 = 20;

/// A column in which nearly every row has a value of its own, or many do and its name says so. A
/// range of numbers is none.
fn identifier(checked: &CheckedColumn, rows: u64) -> Option<Finding> {
    let Spread { different, repeated, .. } = checked.spread;
    let named = names_an_identifier(&checked.name);
    let mostly_different = match checked.found {
        Found::Outcome(_)
        | Found::Person
        | Found::Weight(_)
        | Found::Indicator(_)
        | Found::Used(Lost::OneOf { .. }) => false,
        Found::Used(Lost::Number { .. } | Lost::Date { .. }) => named && 10 * different > 9 * rows,
        Found::Used(Lost::Category { .. }) | Found::Dropped => {
            2 * different > rows || (named && 10 * different > rows)
        }
    };
    if rows < FEWEST_ROWS || !mostly_different {
        return None;
    }
    let about = if checked.spread.exact { "" } else { "about " };
    let values = format!(
        "it looks like an identifier, with {about}{} different values",
        counted_rows(different)
    );
    let used = if matches!(checked.found, Found::Used(_)) {
        "; drop it, nobody can learn from it"
    } else {
        ""
    };
    Some(match repeated {
        0 if used.is_empty() => {
            Finding::new(Verdict::Fine, format!("{values}, none of them twice"))
        }
        0 => Finding::new(Verdict::Look, format!("{values}{used}")),
        _ => Finding::new(
            Verdict::Look,
            format!(
                "{values}, {about}{} of them in several rows: if it names people, one person has several rows, and the promise \
                 is for a row unless [data] has person = {:?}{used}",
                counted_rows(repeated),
                checked.name
            ),
        ),
    })
}

/// How many persons there are, which is public, and how many have several rows, which is not.
fn persons(Spread { different, repeated, exact, .. }: &Spread) -> Finding {
    let about = if *exact { "" } else { "about " };
    let sentence = format!(
        "it says whose a row is: {about}{} persons, {about}{} of them with several rows",
        counted_rows(*different),
        counted_rows(*repeated)
    );
    Finding::new(Verdict::Fine, sentence)
}

/// Identifiers that may be another spelling of an earlier one count as the same person.
fn respelled(Spread { respelled, exact, .. }: &Spread) -> Option<Finding> {
    let about = if *exact { "" } else { "about " };
    let sentence = format!(
        "persons written in several ways, such as `p1` and `P1` or `7` and `7.0`: {about}{} of them; each counts as one \
         person, is it one?",
        counted_rows(*respelled)
    );
    (*respelled > 0).then(|| Finding::new(Verdict::Look, sentence))
}

fn doubled_rows(spread: &Spread, rows: u64) -> Finding {
    match spread.again {
        0 => Finding::new(Verdict::Fine, "no two rows are the same in every column"),
        again => Finding::new(
            Verdict::Look,
            format!(
                "{}{} of {} rows are the same as an earlier one in every column: natural if columns are few and coarse, else \
                 somebody may be in the table twice, and the promise is for a row",
                if spread.exact { "" } else { "about " },
                counted_rows(again.min(rows)),
                counted_rows(rows)
            ),
        ),
    }
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Fine => "fine",
            Verdict::Look => "look",
            Verdict::Mistake => "mistake",
        }
    }
}
