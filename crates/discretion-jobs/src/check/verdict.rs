//! Numbers become a verdict and a sentence.

use discretion_report::numbers::plain::{count, short};
use discretion_table::{ColumnCounts, Labels, Lost, OutcomeCounts};
use serde::Serialize;

/// What to think of it, from harmless to not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing to do.
    Fine,
    /// Somebody who knows the table should look at it.
    Look,
    /// A run would stop here.
    Mistake,
}

/// A verdict, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, without a full stop.
    pub sentence: String,
}

impl Finding {
    /// A verdict with its sentence.
    pub fn new(verdict: Verdict, sentence: impl Into<String>) -> Finding {
        Finding { verdict, sentence: sentence.into() }
    }
}

/// Beyond this share of a column, somebody should look.
const WORTH_A_LOOK: u64 = 20;

/// Below this share of the rows, a class is worth a look.
const RARE_CLASS: u64 = 100;

/// What is lost of numbers or dates between these ends, and what to ask about it.
fn numeric(
    (min, max): (String, String),
    low: u64,
    high: u64,
    missing: u64,
) -> (Vec<(u64, String)>, &'static str) {
    let question = if missing > low + high {
        "is this the right column?"
    } else {
        "are the bounds in the unit of the table?"
    };
    let parts = [
        (low, format!("below {min}")),
        (high, format!("above {max}")),
        (missing, "missing".to_owned()),
    ];
    (parts.to_vec(), question)
}

/// Said of a column of which no value is lost.
pub(super) const AS_DECLARED: &str = "all values are as declared";

/// What is lost of a column's values.
pub fn column(counted: &ColumnCounts, rows: u64) -> Finding {
    let (parts, question) = match counted.lost {
        Lost::Number { range: (min, max), low, high, missing } => {
            numeric((short(min), short(max)), low, high, missing)
        }
        Lost::Date { range: (min, max), low, high, missing } => {
            numeric((min.to_string(), max.to_string()), low, high, missing)
        }
        Lost::Category { other, missing } => {
            let parts =
                [(other, "not declared (\"other\")".to_owned()), (missing, "missing".to_owned())];
            (parts.to_vec(), "are the declared values spelled as in the table?")
        }
        Lost::OneOf { several, none } => {
            let parts = [(several, "with several 1s (\"other\")"), (none, "without a 1")];
            let parts = parts.map(|(lost, what)| (lost, what.to_owned()));
            (parts.to_vec(), "do these columns belong together, and are all of them listed?")
        }
    };
    let lost: u64 = parts.iter().map(|(lost, _)| lost).sum();
    let said: Vec<String> = parts
        .into_iter()
        .filter(|(lost, _)| *lost > 0)
        .map(|(lost, what)| format!("{} {what}", counted_rows(lost)))
        .collect();
    let said = format!("{} of {} values", said.join(", "), counted_rows(rows));
    if lost == 0 {
        Finding::new(Verdict::Fine, AS_DECLARED)
    } else if 2 * lost > rows {
        Finding::new(Verdict::Mistake, format!("more than half of it is lost: {said}; {question}"))
    } else if WORTH_A_LOOK * lost > rows {
        Finding::new(Verdict::Look, format!("{said}; {question}"))
    } else {
        Finding::new(Verdict::Fine, said)
    }
}

/// How many rows are of each class.
pub fn outcome(counted: &OutcomeCounts) -> Finding {
    let OutcomeCounts { target, classes } = counted;
    let rows: u64 = classes.iter().sum();
    let names = match &target.labels {
        Labels::Two { .. } | Labels::Above { .. } => {
            vec!["negative".to_owned(), "positive".to_owned()]
        }
        Labels::Number { .. } => Vec::new(),
        Labels::Many { classes } => classes.iter().map(|class| format!("\"{class}\"")).collect(),
    };
    let each: Vec<String> = classes
        .iter()
        .zip(&names)
        .rev()
        .map(|(number, name)| format!("{} {name}", counted_rows(*number)))
        .collect();
    let each = format!("{} of {} rows", each.join(", "), counted_rows(rows));
    let empty: Vec<&str> = names
        .iter()
        .zip(classes)
        .filter(|(_, number)| **number == 0)
        .map(|(name, _)| name.as_str())
        .collect();
    let never = format!("no row is {}", empty.join(" or "));
    if classes.len() - empty.len() < 2 {
        let question = "is this the outcome, and are its values spelled as in the table?";
        Finding::new(Verdict::Mistake, format!("{never} ({each}); {question}"))
    } else if !empty.is_empty() {
        Finding::new(Verdict::Look, format!("{never}; {each}"))
    } else if classes.iter().any(|number| RARE_CLASS * number < rows) {
        Finding::new(Verdict::Look, format!("{each}: a class is rare"))
    } else {
        Finding::new(Verdict::Fine, each)
    }
}

/// With thousands apart.
pub(super) fn counted_rows(number: u64) -> String {
    usize::try_from(number).map_or_else(|_| number.to_string(), count)
}
