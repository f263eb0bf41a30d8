//! What is wrong with a form, field by field. Nothing is decided here: the reader of study files
//! refuses, and its place is found.

use super::write::Written;
use super::{ColumnKind, Form};
use crate::error::{Error, Place};
use crate::problem::Problem;
use crate::study::{PLACEHOLDER, Study};
use serde::Serialize;
use std::path::Path;

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldPlace {
    /// The table.
    pub section: String,
    /// The column, in `[columns]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The key; nothing where it is about the table or the column as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What is wrong at a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldProblem {
    /// The table.
    pub section: String,
    /// The column, in `[columns]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What, and what to do about it.
    pub sentence: String,
}

/// What a form is as a study file.
#[derive(Debug)]
pub struct FormCheck {
    /// The file's text.
    pub text: String,
    /// What is still to be filled in.
    pub open: Vec<FieldPlace>,
    /// What is wrong, at most one for each column and one for the rest.
    pub problems: Vec<FieldProblem>,
    /// The study, if it is complete.
    pub study: Option<Study>,
}

/// Stands for what is open, so that the rest can be checked.
const LATER: &str = "\u{2026}";

/// A study around one column.
const AROUND: &str = "[data]\npath = \"t\"\naccount = \"a\"\ntarget = \"\u{2026}\"\npositive = \"1\"\nnegative = \"0\"\n\
                      [budget]\nepsilon = 1\n[spend]\nepsilon = 1\n[columns]\n";

impl Form {
    /// Checks a form that is, or would be, the study file at `path`.
    pub fn check(&self, path: &Path) -> FormCheck {
        let written = Written::of(self, PLACEHOLDER);
        let mut problems: Vec<FieldProblem> = Vec::new();
        let mut rest = self.clone();
        for column in &mut rest.columns {
            let is_open =
                written.open.iter().any(|place| place.column.as_deref() == Some(&column.name));
            if matches!(column.kind, ColumnKind::Drop | ColumnKind::Outcome | ColumnKind::Person) {
                continue;
            }
            let mut alone =
                Written { text: AROUND.to_owned(), places: Vec::new(), open: Vec::new() };
            alone.column(column);
            match Study::parse(path, &alone.text) {
                Err(error) if !is_unfinished(&error) => problems.push(found(&error, &alone)),
                Ok(_) if !is_open => continue,
                _ => {}
            }
            // So that what is wrong elsewhere is found too.
            column.kind = ColumnKind::Drop;
            rest.sections.remove("cross");
        }
        problems.extend(self.twice());
        let rest = Written::of(&rest, LATER);
        match Study::parse(path, &rest.text) {
            // All columns may be open yet.
            Err(error) if !matches!(*error.problem, Problem::NoFeatures) => {
                problems.push(found(&error, &rest))
            }
            _ => {}
        }
        let mut study = None;
        if problems.is_empty() && written.open.is_empty() {
            match Study::parse(path, &written.text) {
                Ok(complete) => study = Some(complete),
                Err(error) => problems.push(found(&error, &written)),
            }
        }
        FormCheck { text: written.text, open: written.open, problems, study }
    }

    /// There is one outcome, and one column says whose a row is.
    fn twice(&self) -> Option<FieldProblem> {
        [ColumnKind::Outcome, ColumnKind::Person].into_iter().find_map(|kind| {
            let second = self.columns.iter().filter(|column| column.kind == kind).nth(1)?;
            let what = if kind == ColumnKind::Outcome { "outcome" } else { "person" };
            Some(FieldProblem {
                section: "columns".to_owned(),
                column: Some(second.name.clone()),
                key: Some("kind".to_owned()),
                sentence: format!("another column is the {what} already; a study has one"),
            })
        })
    }
}

fn is_unfinished(error: &Error) -> bool {
    matches!(*error.problem, Problem::Unfinished(_))
}

/// A refusal at the field that it points at.
fn found(error: &Error, written: &Written) -> FieldProblem {
    let place = match error.at.place {
        Place::Character(line, character) => {
            let before =
                written.places.iter().filter(|(at, from, _)| *at == line && *from <= character);
            before.max_by_key(|(_, from, _)| *from).map(|(_, _, place)| place.clone())
        }
        _ => None,
    };
    let place = place.unwrap_or(FieldPlace { section: String::new(), column: None, key: None });
    FieldProblem {
        section: place.section,
        column: place.column,
        key: place.key,
        sentence: error.problem.to_string(),
    }
}
