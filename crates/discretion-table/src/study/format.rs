//! `format` and `na` in `[data]`: how the table's text is written.

use super::document::Section;
use crate::error::Error;
use crate::problem::Problem;
use crate::reading_problem::ReadingProblem;
use crate::text_format::{Decimal, Encoding, TextFormat};

/// How the table is written, if it is a text file.
pub(super) fn format(data: &Section<'_>) -> Result<TextFormat, Error> {
    let Some(entry) = data.get("format") else { return Ok(TextFormat::default()) };
    let section = entry.section("data.format", "`format`".to_owned()).ok_or_else(|| {
        entry.wrong_type("a table such as { delimiter = \";\", decimal = \",\" }")
    })?;
    section.refuse_unknown()?;
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
        decimal: match section.word("decimal")? {
            Some(",") => Decimal::Comma,
            _ => Decimal::Point,
        },
        encoding: match section.word("encoding")? {
            Some("latin1" | "windows-1252" | "cp1252" | "iso-8859-1") => Encoding::Latin1,
            Some("utf-16") => Encoding::Utf16,
            _ => Encoding::Utf8,
        },
    };
    format.check().map_err(|problem: ReadingProblem| entry.error(Problem::from(problem)))?;
    Ok(format)
}

/// The texts that mean that there is no value: those of a section, after those of the whole table.
pub(super) fn na(section: &Section<'_>, of_table: &[String]) -> Result<Vec<String>, Error> {
    let mut all = of_table.to_vec();
    for text in section.texts("na")? {
        // The empty text always means that.
        if !text.is_empty() && !all.contains(&text) {
            all.push(text);
        }
    }
    Ok(all)
}
