//! `format` and `na` in `[data]`: how the table's text is written.

use super::document::Section;
use super::model::choice;
use crate::error::Error;
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;
use crate::text_format::{Decimal, Encoding, TextFormat};

/// The words for encodings; several are the same one.
const ENCODINGS: [(&str, Encoding); 7] = [
    ("utf-8", Encoding::Utf8),
    ("latin1", Encoding::Latin1),
    ("utf-16", Encoding::Utf16),
    ("windows-1252", Encoding::Latin1),
    ("cp1252", Encoding::Latin1),
    ("iso-8859-1", Encoding::Latin1),
    ("utf8", Encoding::Utf8),
];

/// How the table is written, if it is a text file.
pub(super) fn format(data: &Section<'_>) -> Result<TextFormat, Error> {
    let Some(entry) = data.get("format") else { return Ok(TextFormat::default()) };
    let section = entry.section("`format`".to_owned()).ok_or_else(|| {
        entry.wrong_type("a table such as { delimiter = \";\", decimal = \",\" }")
    })?;
    section.allow(&["delimiter", "decimal", "encoding"])?;
    let delimiter = match section.get("delimiter") {
        None => None,
        Some(entry) => match (entry.text()?, entry.text()?.chars().next()) {
            ("tab", _) => Some('\t'),
            (text, Some(only)) if text.chars().count() == 1 => Some(only),
            _ => return Err(entry.wrong_type("one character in quotes, such as \";\" or \"\\t\"")),
        },
    };
    let format = TextFormat {
        delimiter,
        decimal: choice(&section, "decimal", &[(".", Decimal::Point), (",", Decimal::Comma)])?
            .unwrap_or_default(),
        encoding: choice(&section, "encoding", &ENCODINGS)?.unwrap_or_default(),
    };
    format.check().map_err(|problem: ReadingProblem| entry.error(Problem::from(problem)))?;
    Ok(format)
}

/// The texts that mean that there is no value: those of a section, after those of the whole table.
pub(super) fn na(section: &Section<'_>, of_table: &[String]) -> Result<Vec<String>, Error> {
    let mut all = of_table.to_vec();
    if let Some(entry) = section.get("na") {
        for text in entry.one_or_more_texts()? {
            // The empty text always means that.
            if !text.is_empty() && !all.contains(&text) {
                all.push(text);
            }
        }
    }
    Ok(all)
}
