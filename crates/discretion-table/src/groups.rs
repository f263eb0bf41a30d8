//! Codes that count together as one category, such as the chapters of a classification of diseases.

use crate::reading_problem::ReadingProblem;
use crate::schema::trimmed;
use serde::{Deserialize, Serialize};

/// A category, and the codes that belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The category.
    pub name: String,
    /// Codes, ranges such as `390..459`, and beginnings such as `250*`.
    pub codes: Vec<String>,
}

/// What a text in a group's list stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// This code itself.
    Code(String),
    /// All codes that begin so.
    Beginning(Box<[u8]>),
    /// All codes from one to the other, both included.
    Range(Code, Code),
}

/// What a code begins with: letters, perhaps none, and a whole number. `V45.8` is V and 45.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Code {
    letters: Box<[u8]>,
    number: u64,
}

impl Code {
    fn of(text: &[u8]) -> Option<(&[u8], u64)> {
        let letters = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (letters, rest) = text.split_at(letters);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
        Some((letters, number))
    }

    /// The end of a range, which is a code and nothing behind it.
    fn end(text: &str) -> Option<Code> {
        let text = trimmed(text.as_bytes());
        let (letters, number) = Code::of(text)?;
        let bare = text[letters.len()..].iter().all(u8::is_ascii_digit);
        bare.then(|| Code { letters: letters.into(), number })
    }

    fn parts(&self) -> (&[u8], u64) {
        (&self.letters, self.number)
    }
}

impl Pattern {
    pub fn new(text: &str) -> Result<Pattern, ReadingProblem> {
        let text = text.trim_matches([' ', '\t']);
        let wrong = || ReadingProblem::BadRange { text: text.to_owned() };
        if let Some((low, high)) = text.split_once("..") {
            let (low, high) = Code::end(low).zip(Code::end(high)).ok_or_else(wrong)?;
            // As many letters in both: `A00..B99` is a range, and `9..A10` is none.
            if low.letters.len() != high.letters.len() || low.parts() > high.parts() {
                return Err(wrong());
            }
            return Ok(Pattern::Range(low, high));
        }
        match text.strip_suffix('*') {
            Some("") => Err(wrong()),
            Some(beginning) => Ok(Pattern::Beginning(beginning.as_bytes().into())),
            None => Ok(Pattern::Code(text.to_owned())),
        }
    }

    /// Whether a trimmed text belongs to it. Codes themselves are looked up elsewhere.
    fn has(&self, text: &[u8]) -> bool {
        match self {
            Pattern::Code(_) => false,
            Pattern::Beginning(beginning) => text.starts_with(beginning),
            Pattern::Range(low, high) => Code::of(text).is_some_and(|code| {
                code.0.len() == low.letters.len() && low.parts() <= code && code <= high.parts()
            }),
        }
    }
}

/// The groups of a column, ready to be asked.
#[derive(Default)]
pub(crate) struct Groups {
    /// Codes that are listed themselves, with the position of their category.
    pub listed: Vec<(String, u16)>,
    patterns: Vec<(Pattern, u16)>,
}

impl Groups {
    /// Of a checked column, whose categories these are.
    pub fn new(groups: &[Group], values: &[String]) -> Groups {
        let mut all = Groups::default();
        for group in groups {
            let position = values.iter().position(|value| *value == group.name);
            let position =
                position.expect("the name of a group is one of the column's values") as u16;
            for code in &group.codes {
                match Pattern::new(code).expect("the patterns of a checked column can be read") {
                    Pattern::Code(code) => all.listed.push((code, position)),
                    pattern => all.patterns.push((pattern, position)),
                }
            }
        }
        all
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty() && self.patterns.is_empty()
    }

    /// The category of a text that is not listed itself: of the first pattern that it belongs to.
    pub fn position(&self, text: &[u8]) -> Option<u16> {
        self.patterns.iter().find(|(pattern, _)| pattern.has(text)).map(|(_, position)| *position)
    }
}

/// Whether groups can be told apart: each has a code, every pattern can be read, and no code is
/// listed twice.
pub(crate) fn check(column: &str, groups: &[Group]) -> Result<(), ReadingProblem> {
    let mut seen = std::collections::HashSet::new();
    for group in groups {
        if group.codes.is_empty() {
            return Err(ReadingProblem::EmptyGroup {
                column: column.to_owned(),
                group: group.name.clone(),
            });
        }
        for code in &group.codes {
            let pattern = Pattern::new(code)?;
            if let Pattern::Code(code) = pattern
                && !seen.insert(code.clone())
            {
                return Err(ReadingProblem::CodeTwice { column: column.to_owned(), code });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(pattern: &str, text: &str) -> bool {
        match Pattern::new(pattern).unwrap() {
            Pattern::Code(code) => code == text,
            pattern => pattern.has(text.as_bytes()),
        }
    }

    #[test]
    fn ranges_are_of_the_number_that_a_code_begins_with() {
        for (pattern, inside, outside) in [
            (
                "390..459",
                vec!["390", "428", "428.0", "459.9", "459"],
                vec!["389.9", "460", "V42", "", "x", "4280"],
            ),
            ("250..250", vec!["250", "250.83"], vec!["2500", "25"]),
            ("V01..V91", vec!["V01", "V45.81", "V9"], vec!["V92", "E10", "45", "v45"]),
            ("A00..B99", vec!["A00", "A15.3", "B99"], vec!["C00", "AA1"]),
            ("0..9", vec!["0", "9", "007"], vec!["10", "-1"]),
        ] {
            for text in inside {
                assert!(has(pattern, text), "{pattern} has {text}");
            }
            for text in outside {
                assert!(!has(pattern, text), "{pattern} has not {text}");
            }
        }
    }

    #[test]
    fn beginnings_and_codes_are_texts() {
        assert!(
            has("250*", "250")
                && has("250*", "250.83")
                && has("250*", "2509")
                && !has("250*", "25")
        );
        assert!(has("250.*", "250.83") && !has("250.*", "250"));
        assert!(has("250", "250") && !has("250", "250.0"));
        for wrong in ["*", "459..390", "9..A10", "a..b", "1..", "..", "1.5..2"] {
            assert!(Pattern::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_first_group_that_has_a_code_gets_it_and_a_listed_code_comes_before_all() {
        let group = |name: &str, codes: &[&str]| Group {
            name: name.to_owned(),
            codes: codes.iter().map(|&code| code.to_owned()).collect(),
        };
        let groups = [group("diabetes", &["250*"]), group("endocrine", &["240..279", "648.0"])];
        let values = ["other codes", "diabetes", "endocrine"].map(String::from);
        let made = Groups::new(&groups, &values);
        assert_eq!(made.position(b"250.01"), Some(1));
        assert_eq!(made.position(b"244"), Some(2));
        assert_eq!(made.position(b"428"), None);
        assert_eq!(made.listed, [("648.0".to_owned(), 2)]);
        assert!(check("diag", &groups).is_ok());
        let twice = [group("a", &["1"]), group("b", &["2", "1"])];
        assert!(check("diag", &twice).unwrap_err().to_string().contains("\"1\""));
        assert!(check("diag", &[group("a", &[])]).is_err());
    }
}
