//! A study file as fields to fill in: read from a draft or a study file, written as one, and
//! checked field by field.
//!
//! Every field is a text, as somebody types it. What it means is decided by the reader of study
//! files alone: a form is written down, read as a study, and what is refused is told at the field
//! that it is about.
//!
//! ```
//! use discretion_table::{Form, Study};
//! use std::path::Path;
//!
//! let draft = "[data]\npath = \"t.csv\"\naccount = \"a\"\ntarget = \"ill\"\npositive = \"1\"\nnegative = \"0\"\n\
//!              [budget]\nepsilon = 3\n[spend]\nepsilon = 1\n[columns]\nage = { min = \"?\", max = \"?\" }\n";
//! let mut form = Form::read(Path::new("study.toml"), draft)?;
//! let age = form.columns.iter_mut().find(|column| column.name == "age").unwrap();
//! age.fields.insert("min".to_owned(), "18".to_owned());
//! age.fields.insert("max".to_owned(), "old".to_owned());
//! let checked = form.check(Path::new("study.toml"));
//! assert_eq!(checked.problems[0].key.as_deref(), Some("max"));
//! # Ok::<(), discretion_table::Error>(())
//! ```

mod check;
mod fields;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use check::{FieldPlace, FieldProblem, FormCheck};
pub use fields::{Field, fields};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A study file as texts in fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// The tables of the file by name, each with its keys; all but `[columns]`, and without the
    /// target and the person, which are columns.
    pub sections: BTreeMap<String, BTreeMap<String, String>>,
    /// The columns, in the order of the table as far as it is known.
    pub columns: Vec<ColumnForm>,
}

/// What is said of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnForm {
    /// Its name in the table.
    pub name: String,
    /// What it is.
    pub kind: ColumnKind,
    /// Its keys. Those that do not belong to its kind are not written.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Whether its bounds or values were looked up in the rows: not private.
    #[serde(default)]
    pub looked_up: bool,
}

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// A number between bounds.
    Number,
    /// One of some values.
    Category,
    /// A date between bounds.
    Date,
    /// Not used.
    Drop,
    /// What is to be predicted. Its values are in `[data]`.
    Outcome,
    /// Says whose a row is.
    Person,
}
