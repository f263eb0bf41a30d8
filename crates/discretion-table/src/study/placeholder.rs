//! The "?" that `discretion schema` writes where a person has to fill in a fact.

use super::document::Tables;
use crate::error::{Error, Names};
use crate::problem::Problem;

/// Stands in a draft for a bound, a list of values, the account, the target or its values. Where
/// the text itself is meant, it can be written as a list: `positive = ["?"]`.
pub(crate) const PLACEHOLDER: &str = "?";

/// Refuses an unfinished draft, naming all that is left to do at once.
pub(super) fn refuse(tables: &Tables<'_>) -> Result<(), Error> {
    let mut first = None;
    let mut todo = Vec::new();
    if let Some(section) = tables.optional("columns") {
        let (mut bounds, mut values) = (Vec::new(), Vec::new());
        for entry in section.entries() {
            let left = |key: &str| {
                let field = entry.value.as_table().and_then(|table| table.get(key));
                field.is_some_and(|value| value.get_ref().as_str() == Some(PLACEHOLDER))
            };
            if left("min") || left("max") {
                bounds.push(entry.key.to_owned());
            } else if left("values") {
                values.push(entry.key.to_owned());
            } else {
                continue;
            }
            first.get_or_insert_with(|| entry.at());
        }
        for (names, needed) in [(bounds, "bounds"), (values, "a list of values")] {
            match names.len() {
                0 => {}
                1 => todo.push(format!("column {} still needs {needed}", Names(names))),
                _ => todo.push(format!("columns {} still need {needed}", Names(names))),
            }
        }
    }
    for key in ["account", "target", "positive", "negative"] {
        let entry = tables.optional("data").and_then(|section| section.get(key));
        if let Some(entry) = entry.filter(|entry| entry.value.as_str() == Some(PLACEHOLDER)) {
            todo.push(format!("`{key}` in [data] is still open"));
            first.get_or_insert_with(|| entry.at());
        }
    }
    match first {
        None => Ok(()),
        Some(at) => Err(at.error(Problem::Unfinished(todo.join("; ")))),
    }
}
