//! `[data]`: the table and its account. What its target means is in `outcome.rs`.

use super::document::Section;
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::table_source::TableSource;
use std::path::Path;

/// `[data]` without the target, which is part of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The table, relative to the working directory (the file gives it relative to itself).
    pub path: TableSource,
    /// The account in the ledger.
    pub account: String,
}

pub(super) fn data(section: &Section<'_>, study: &Path) -> Result<Data, Error> {
    let folder = study.parent().unwrap_or(Path::new(""));
    Ok(Data {
        path: TableSource::new(paths(section)?.iter().map(|path| folder.join(path)).collect())
            .with_query(section.text("query")?),
        account: section.required_text("account")?,
    })
}

/// The column that says whose row a row is, and where that is written.
pub(super) struct Person {
    pub value: String,
    pub at: Location,
}

pub(super) fn person(section: &Section<'_>) -> Result<Option<Person>, Error> {
    let Some(entry) = section.get("person") else { return Ok(None) };
    Ok(section.text("person")?.map(|value| Person { value, at: entry.at() }))
}

/// The table's file, or its files.
fn paths(section: &Section<'_>) -> Result<Vec<String>, Error> {
    match section.get("path") {
        Some(entry) if entry.value.is_array() => {
            let paths = entry.list("a text in quotes, or a list of them", |path| {
                path.as_str().map(str::to_owned)
            })?;
            if paths.is_empty() || paths.iter().any(|path| path.trim().is_empty()) {
                return Err(
                    entry.error(Problem::EmptyText { key: "path", section: section.title() })
                );
            }
            Ok(paths)
        }
        _ => Ok(vec![section.required_text("path")?]),
    }
}

/// The columns whose bounds or values were looked up in the rows, as `discretion schema
/// --from-data` notes them.
pub(super) fn from_rows(section: &Section<'_>) -> Result<Vec<String>, Error> {
    Ok(section.get("from_rows").map(|entry| entry.texts()).transpose()?.unwrap_or_default())
}
