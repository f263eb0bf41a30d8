//! Drafts a study file for a person to complete.
//!
//! Without `from_data` a draft holds names and types and nothing else: [`Facts`] then has no
//! place for anything read from rows.

mod dictionary;
mod dictionary_words;
mod observe;
#[cfg(test)]
mod tests;
mod text_format;
pub(crate) mod toml_text;
mod write;

use crate::date::Moment;
use crate::error::Error;
use crate::table_source::TableSource;
use crate::text_format::TextFormat;
use dictionary::Dictionary;
use std::path::{Path, PathBuf};
pub use write::suggested_account;

/// Drafts a study file for the table at `path`, which the draft names as it is given here.
///
/// Bounds, categories and the target are left open as `"?"`, which a study file may not contain,
/// and so is the account without a name for it. With `from_data` they are read from the rows; the
/// draft says on every such line that it is not private, and lists the columns under `from_rows`.
pub fn draft(path: &Path, account: Option<&str>, from_data: bool) -> Result<String, Error> {
    DraftRequest { account: account.map(str::to_owned), from_data, ..DraftRequest::new(path) }
        .draft()
}

/// What a draft is made from.
#[derive(Debug, Clone)]
pub struct DraftRequest {
    /// The table.
    pub table: TableSource,
    /// The table as the study file will name it, relative to itself.
    pub named: TableSource,
    /// The table's account, if it has a name.
    pub account: Option<String>,
    /// Whether bounds, categories and the target are read from the rows.
    pub from_data: bool,
    /// How the table is written.
    pub format: TextFormat,
    /// Texts that mean that there is no value.
    pub na: Vec<String>,
    /// A data dictionary: a table that says of each column what it is (`name`, `type`, `min`,
    /// `max`, `values`, `missing`, `label`, `drop`).
    pub dictionary: Option<PathBuf>,
}

impl DraftRequest {
    /// The header of this table, and the types of its columns.
    pub fn new(table: impl Into<TableSource>) -> DraftRequest {
        let table = table.into();
        DraftRequest {
            named: table.clone(),
            table,
            account: None,
            from_data: false,
            format: TextFormat::default(),
            na: Vec::new(),
            dictionary: None,
        }
    }

    /// The text of a study file.
    pub fn draft(&self) -> Result<String, Error> {
        let columns = observe::columns(self)?;
        let dictionary = self.dictionary.as_deref().map(Dictionary::read).transpose()?;
        Ok(write::study(self, &columns, dictionary.as_ref()))
    }
}

/// What is known about a column.
struct ObservedColumn {
    name: String,
    facts: Facts,
}

/// What a draft may say about a column.
enum Facts {
    /// Its type.
    Type(Type),
    /// Its type, and what its rows hold. Not private.
    Rows(Type, RowFacts),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Number,
    Date,
    Text,
    Unusable,
}

/// What the rows of a column hold. Not private.
#[derive(Default)]
struct RowFacts {
    /// Smallest and largest number.
    range: Option<(f64, f64)>,
    /// Whether some value is missing.
    missing: bool,
    /// First and last date, if all are dates.
    dates: Option<(Moment, Moment)>,
    /// The different texts, sorted, unless there are too many to list.
    values: Option<std::collections::BTreeSet<String>>,
}
