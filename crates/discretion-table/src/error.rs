//! The one error type of this crate: a place and a problem.
//!
//! An [`Error`] always means that something outside the program has to change: the study
//! file, the table, or a path. A bug in this crate panics instead; it is never an `Error`.

use crate::ReadingProblem;
pub use discretion::Excerpt;
use discretion::{Refusal, RefusalKind, Remedy};
use std::fmt;
use std::path::{Path, PathBuf};

pub use crate::problem::Problem;

/// What is wrong, and where. Shown as `FILE:LINE:COLUMN: sentence`.
#[derive(Debug, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct Error {
    /// Where to look.
    pub at: Location,
    /// What is wrong there, and what to do about it.
    pub problem: Box<Problem>,
}

/// A file, and a place in it where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file as it was named.
    pub path: PathBuf,
    /// The place inside it.
    pub place: Place,
}

/// A place inside a file. All numbers start at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A physical line.
    Line(u64),
    /// A physical line and a character in it.
    Character(u64, u64),
    /// A row of a file that has no lines (Parquet).
    Row(u64),
}

impl Location {
    pub(crate) fn file(path: &Path) -> Self {
        Self::new(path, Place::File)
    }

    pub(crate) fn new(path: &Path, place: Place) -> Self {
        Self { path: path.to_owned(), place }
    }

    pub(crate) fn error(self, problem: Problem) -> Error {
        Error { at: self, problem: Box::new(problem) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.place {
            Place::File => write!(out, "{path}"),
            Place::Line(line) => write!(out, "{path}:{line}"),
            Place::Character(line, column) => write!(out, "{path}:{line}:{column}"),
            Place::Row(row) => write!(out, "{path}: row {row}"),
        }
    }
}

/// The end of a message that names the nearest known word, if one is near.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint(pub Option<String>);

impl Hint {
    /// The candidate most like `word`, unless all of them are unlike it.
    pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        // Below about 0.6 the "suggestion" shares little more than a letter or two with the word.
        const ALIKE: f64 = 0.6;
        // Nobody misspells a name of hundreds of letters, and comparing takes memory in proportion
        // to both lengths.
        const LONGEST: usize = 200;
        let short = |text: &str| text.len() <= LONGEST;
        if !short(word) {
            return Self(None);
        }
        let word = word.to_lowercase();
        let likeness = |c: &str| strsim::normalized_damerau_levenshtein(&word, &c.to_lowercase());
        let best = candidates
            .into_iter()
            .filter(|c| short(c))
            .map(|c| (likeness(c), c))
            .filter(|(score, _)| *score >= ALIKE)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        Self(best.map(|(_, c)| c.to_owned()))
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(word) => write!(out, "; did you mean `{}`?", Excerpt::of(word)),
            None => Ok(()),
        }
    }
}

/// Column names in a message: each in backticks, the first forty of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl fmt::Display for Names {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 40;
        for (i, name) in self.0.iter().take(SHOWN).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(out, "{comma}`{}`", Excerpt::of(name.as_bytes()))?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(out, " and {more} more"),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let remedy = match &*error.problem {
            Problem::NoSpend => Some(Remedy::SaySpend),
            Problem::Reading(problem) => match &**problem {
                ReadingProblem::OtherDelimiter { flag, .. } => Some(Remedy::SayDelimiter(flag)),
                _ => None,
            },
            _ => None,
        };
        remedy.into_iter().fold(Refusal::from_error(RefusalKind::BadInput, error), Refusal::or)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_only_at_near_words() {
        assert_eq!(
            Hint::nearest("epsilom", ["delta", "epsilon"]).to_string(),
            "; did you mean `epsilon`?"
        );
        assert_eq!(Hint::nearest("Age", ["age", "sex"]).0.as_deref(), Some("age"));
        assert_eq!(Hint::nearest("zebra", ["delta", "epsilon"]).to_string(), "");
    }
}
