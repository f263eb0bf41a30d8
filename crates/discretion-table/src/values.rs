//! When two texts are the same value: docs/values.md.

use crate::error::Excerpt;
use crate::problem::Problem;
use crate::schema::{Column, Kind, Labels, Schema, trimmed};
use std::collections::HashSet;

/// The usual spelling of a number or a truth value that has several, such as `1` for `1.0` and
/// `true` for `TRUE`. Nothing if the text is spelled so already, and nothing if it is neither.
///
/// A number with a leading zero is none: `041` is a code, and another one than `41`.
pub(crate) fn usual_spelling(text: &[u8]) -> Option<&[u8]> {
    match text {
        b"True" | b"TRUE" => Some(b"true"),
        b"False" | b"FALSE" => Some(b"false"),
        [b'0'..=b'9' | b'-', ..] => usual_number(text),
        _ => None,
    }
}

fn usual_number(text: &[u8]) -> Option<&[u8]> {
    let sign = usize::from(text[0] == b'-');
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(sign);
    if whole == 0 || (whole > 1 && text[sign] == b'0') {
        return None;
    }
    let mut end = sign + whole;
    if let Some(b'.') = text.get(end) {
        let decimals = digits(end + 1);
        if decimals == 0 || end + 1 + decimals < text.len() {
            return None;
        }
        let zeros = text.iter().rev().take_while(|byte| **byte == b'0').count().min(decimals);
        end = if zeros == decimals { end } else { text.len() - zeros };
    } else if end < text.len() {
        return None;
    }
    let start = if &text[..end] == b"-0" { 1 } else { 0 };
    (start > 0 || end < text.len()).then(|| &text[start..end])
}

/// Whether two texts are the same value.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| trimmed(text.as_bytes()));
    one == other || usual_spelling(one).unwrap_or(one) == usual_spelling(other).unwrap_or(other)
}

impl Schema {
    /// Refuses a value that is declared in two spellings. Files of earlier versions may have such,
    /// and are read.
    pub fn check_spellings(&self) -> Result<(), Problem> {
        self.columns().iter().try_for_each(Column::check_spellings)?;
        self.target().labels.check_spellings()
    }
}

impl Column {
    /// As [`Schema::check_spellings`].
    pub fn check_spellings(&self) -> Result<(), Problem> {
        let Kind::Category { values, .. } = &self.kind else { return Ok(()) };
        match first_repeated(values) {
            Some(value) => Err(Problem::RepeatedCategory { column: self.name.clone(), value }),
            None => Ok(()),
        }
    }
}

impl Labels {
    /// As [`Schema::check_spellings`].
    pub fn check_spellings(&self) -> Result<(), Problem> {
        let repeated = match self {
            Labels::Two { positive, negative, .. } => {
                first_repeated(positive.iter().chain(negative.iter().flatten()))
            }
            Labels::Many { classes } => first_repeated(classes),
            Labels::Above { .. } | Labels::Number { .. } => None,
        };
        repeated.map_or(Ok(()), |value| Err(Problem::RepeatedTargetValue { value }))
    }
}

/// The first value that is the same as one before it.
fn first_repeated<'v>(values: impl IntoIterator<Item = &'v String>) -> Option<Excerpt> {
    let mut seen = HashSet::new();
    let usual = |value: &'v String| {
        let text = trimmed(value.as_bytes());
        usual_spelling(text).unwrap_or(text)
    };
    let repeated = values.into_iter().find(|value| !seen.insert(usual(value)));
    repeated.map(|value| Excerpt::of(value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_truth_values_have_a_usual_spelling() {
        for (text, usual) in [
            ("1.0", "1"),
            ("1.000", "1"),
            ("-1.50", "-1.5"),
            ("10.0", "10"),
            ("100.00", "100"),
            ("0.0", "0"),
            ("-0", "0"),
            ("-0.00", "0"),
            ("-0.50", "-0.5"),
            ("True", "true"),
            ("TRUE", "true"),
            ("FALSE", "false"),
        ] {
            assert_eq!(usual_spelling(text.as_bytes()), Some(usual.as_bytes()), "{text}");
            assert!(same(text, usual) && same(usual, text), "{text}");
        }
        let usual = ["", "-", ".", "1", "0", "10", "100", "-1.5", "0.5", "true", "false", "yes"];
        let codes = [
            "01", "01.0", "00", "-01", "1.", ".5", "+1", "1e0", "1.0a", "1 0", "tRUE", "T", "1,0",
            "1.0.0",
        ];
        for text in usual.iter().chain(&codes) {
            assert_eq!(usual_spelling(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn nothing_else_is_the_same() {
        for (one, other) in
            [("1", "01"), ("1", "true"), ("yes", "Yes"), ("1", "1e0"), ("0.5", ".5"), ("a", "a.0")]
        {
            assert!(!same(one, other), "{one} and {other}");
        }
        assert!(same(" yes\t", "yes"));
    }
}
