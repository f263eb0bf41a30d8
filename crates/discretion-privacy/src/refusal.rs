//! Why something was not done: one error for all that users and machines can cause.

use crate::Remedy;
use std::convert::Infallible;
use std::error::Error;
use std::fmt::{self, Display};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Why something was not done, as a sentence for the user that says what to do.
/// [`kind`](Refusal::kind) is what a program decides by, and [`source`](Error::source) keeps the
/// error it came from.
///
/// ```
/// use discretion_privacy::{Refusal, RefusalKind, Remedy};
/// let refusal = Refusal::bad_input("these fields are separated by tabs").or(Remedy::SayDelimiter("tab"));
/// assert_eq!(refusal.kind(), RefusalKind::BadInput);
/// assert_eq!(refusal.to_string(), "these fields are separated by tabs; say what separates the fields");
/// ```
#[derive(Clone, Debug)]
pub struct Refusal {
    kind: RefusalKind,
    argument: Option<&'static str>,
    sentence: String,
    remedies: Vec<Remedy>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// What a refusal means for whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The request is understood and will not be done, or the machine cannot do it. Nothing was
    /// charged.
    Refused,
    /// A file or an argument has to be repaired. Nothing was charged.
    BadInput,
    /// Something failed after an account was charged. The charge stays, and another run may be
    /// charged again.
    AfterCharge,
    /// Somebody stopped it.
    Stopped,
    /// The reader of the output went away, as `head` does. Nobody is left to tell.
    NobodyListens,
    /// A fault of this program that a panic in another thread has told of already.
    Fault,
}

impl Refusal {
    /// One of a kind.
    pub fn new(kind: RefusalKind, sentence: impl Display) -> Refusal {
        let sentence = sentence.to_string();
        Refusal { kind, argument: None, sentence, remedies: Vec::new(), source: None }
    }

    /// Understood, and will not be done; or the machine cannot do it.
    pub fn refused(sentence: impl Display) -> Refusal {
        Refusal::new(RefusalKind::Refused, sentence)
    }

    /// Something has to be repaired by whoever asked.
    pub fn bad_input(sentence: impl Display) -> Refusal {
        Refusal::new(RefusalKind::BadInput, sentence)
    }

    /// Something wrong with a file as a whole.
    pub fn bad_file(path: &Path, sentence: impl Display) -> Refusal {
        Refusal::bad_input(format!("{}: {sentence}", path.display()))
    }

    /// A file could not be written although that was checked before: a full disk, a lost mount.
    pub fn unwritten(path: &Path, error: io::Error) -> Refusal {
        Refusal::refused(format!(
            "{}: this file could not be written ({}); no part of it was kept",
            path.display(),
            reason(&error)
        ))
        .because(error)
    }

    /// An error that says all there is to say.
    pub fn from_error(kind: RefusalKind, error: impl Error + Send + Sync + 'static) -> Refusal {
        Refusal::new(kind, &error).because(error)
    }

    /// The same refusal, with the error that it came from.
    pub fn because(self, source: impl Error + Send + Sync + 'static) -> Refusal {
        Refusal { source: Some(Arc::new(source)), ..self }
    }

    /// The same refusal, about an argument of whoever called, by its name on the command line.
    pub fn about(self, argument: &'static str) -> Refusal {
        Refusal { argument: Some(argument), ..self }
    }

    /// The same refusal, with something that helps, or helps too.
    pub fn or(mut self, remedy: Remedy) -> Refusal {
        self.remedies.push(remedy);
        self
    }

    /// The same refusal, with something more to know about it.
    pub fn and(self, note: impl Display) -> Refusal {
        Refusal { sentence: format!("{}; {note}", self.sentence), ..self }
    }

    /// The same refusal, after a charge of which `stays` says that it stays.
    pub fn after_charge(self, stays: impl Display) -> Refusal {
        let kind = match self.kind {
            RefusalKind::Refused | RefusalKind::BadInput => RefusalKind::AfterCharge,
            other => other,
        };
        Refusal { kind, ..self }.and(stays)
    }

    /// What helps.
    pub fn remedies(&self) -> &[Remedy] {
        &self.remedies
    }

    /// All of it in the words of a front, on one line: what an argument is called there, and how
    /// what helps is said, unless nothing there does it. A sentence may quote a file, and nobody's
    /// file writes on a terminal what it likes.
    pub fn said_with(
        &self,
        argument: impl Fn(&str) -> String,
        remedy: impl Fn(Remedy) -> Option<String>,
    ) -> String {
        let about = self.argument.map(|name| format!("{}: ", argument(name))).unwrap_or_default();
        let helps: Vec<String> = self.remedies.iter().filter_map(|one| remedy(*one)).collect();
        let helps = match helps.is_empty() {
            true => String::new(),
            false => format!("; {}", helps.join(", or ")),
        };
        let mut said = String::new();
        for c in format!("{about}{}{helps}", self.sentence).chars() {
            match c.is_control() {
                true => said.extend(c.escape_default()),
                false => said.push(c),
            }
        }
        said
    }

    /// What it means.
    pub fn kind(&self) -> RefusalKind {
        self.kind
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said_with(str::to_owned, |remedy| Some(remedy.to_string())))
    }
}

impl Error for Refusal {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

/// For code that is generic over errors: this one never happens.
impl From<Infallible> for Refusal {
    fn from(never: Infallible) -> Refusal {
        match never {}
    }
}

/// Why the system did not do something, in its own words and without its error numbers.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_line_whatever_it_quotes() {
        let refusal =
            Refusal::bad_file(Path::new("a\nb.json"), "unknown field `\u{1b}[31mé\u{7f}`")
                .and("x\ty");
        assert_eq!(refusal.to_string(), "a\\nb.json: unknown field `\\u{1b}[31mé\\u{7f}`; x\\ty");
    }
}
