//! Drafts a study file for a person to complete.
//!
//! Without `from_data` a draft holds names and types and nothing else: [`Facts`] then has no
//! place for anything read from rows.

mod observe;
#[cfg(test)]
mod tests;
mod toml_text;
mod write;

use crate::error::Error;
use std::path::Path;

/// Drafts a study file for the table at `path`, which the draft names as it is given here.
///
/// Bounds, categories and the target are left open as `"?"`, which a study file may not contain, and so is the account without a
/// name for it. With `from_data` they are read from the rows; the draft says on every such line that it is not private, and lists
/// the columns under `from_rows`.
pub fn draft(path: &Path, account: Option<&str>, from_data: bool) -> Result<String, Error> {
    let columns = observe::columns(path, from_data)?;
    Ok(write::study(path, account, &columns))
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
    /// The different texts, sorted, unless there are too many to list.
    values: Option<std::collections::BTreeSet<String>>,
}
