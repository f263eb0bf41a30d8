//! The question in words, from public facts.

use super::Target;
use crate::numbers::count;
use discretion_table::{Column, Kind};

/// More positive values than this are counted instead of named.
const MOST_NAMED: usize = 3;

/// What was asked of the table.
pub fn question(target: &Target, columns: &[Column]) -> String {
    let outcome = outcome(target);
    let used: Vec<&Column> = columns.iter().filter(|column| column.kind != Kind::Dropped).collect();
    match used[..] {
        [only] => format!("How does {} go with {outcome}?", only.name),
        _ => format!("Which of {} facts go with {outcome}?", count(used.len())),
    }
}

/// What the model predicts: its label, or `readmitted = yes`, `income >50K`.
pub fn outcome(target: &Target) -> String {
    let Target { column, positive, label, .. } = target;
    if let Some(label) = label {
        return label.clone();
    }
    match positive.as_slice() {
        // A comparison already says how it relates to its column.
        [value] if value.trim_start().starts_with(['<', '>', '≤', '≥', '=']) => {
            format!("{column} {}", value.trim_start())
        }
        values => format!("{column} = {}", one_of(values)),
    }
}

/// `a`, `a or b`, `a, b or c`, and past that `a, b or 5 others`.
pub fn one_of(values: &[String]) -> String {
    let named = if values.len() <= MOST_NAMED { values.len() } else { MOST_NAMED - 1 };
    let mut words = values[..named].to_vec();
    match values.len() - named {
        0 => {}
        others => words.push(format!("{} others", count(others))),
    }
    match words.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(column: &str, positive: &[&str]) -> Target {
        let positive = positive.iter().map(|value| (*value).to_owned()).collect();
        Target { column: column.to_owned(), positive, negative: None, label: None }
    }

    fn columns(n: usize) -> Vec<Column> {
        let number = Kind::number(0.0, 1.0);
        let used = (0..n).map(|i| Column::new(format!("x{i}"), number.clone()));
        used.chain([Column::new("id", Kind::Dropped)]).collect()
    }

    #[test]
    fn questions_are_sentences() {
        assert_eq!(
            question(&target("income", &[">50K"]), &columns(13)),
            "Which of 13 facts go with income >50K?"
        );
        assert_eq!(
            question(&target("readmitted", &["yes"]), &columns(1)),
            "How does x0 go with readmitted = yes?"
        );
        let many = target("class", &["a", "b", "c", "d", "e"]);
        assert_eq!(outcome(&many), "class = a, b or 3 others");
        assert_eq!(outcome(&target("class", &["a", "b", "c"])), "class = a, b or c");
        let label = Some("readmitted".to_owned());
        assert_eq!(
            outcome(&Target { label, ..target("readmission", &["<30", ">30"]) }),
            "readmitted"
        );
    }
}
