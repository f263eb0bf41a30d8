//! A TOML document as sections of entries that know where they stand.

use crate::error::{Error, Hint, Location, Place};
use crate::problem::Problem;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text of a study file, for turning spans into lines.
pub(super) struct Document<'d> {
    path: &'d Path,
    text: &'d str,
}

/// The top-level tables.
pub(super) struct Tables<'d> {
    document: &'d Document<'d>,
    sections: Vec<(String, Section<'d>)>,
}

/// One table: a top-level one, or the declaration of a column.
pub(super) struct Section<'d> {
    document: &'d Document<'d>,
    /// As messages call it: "[spend]" or "column `age`".
    title: String,
    span: Range<usize>,
    table: &'d DeTable<'d>,
}

/// One key and its value.
pub(super) struct Entry<'d> {
    document: &'d Document<'d>,
    section: &'d str,
    pub key: &'d str,
    key_span: Range<usize>,
    pub value: &'d DeValue<'d>,
}

impl<'d> Document<'d> {
    pub fn new(path: &'d Path, text: &'d str) -> Self {
        // Some editors write a byte-order mark; it is not part of the TOML.
        Self { path, text: text.strip_prefix('\u{feff}').unwrap_or(text) }
    }

    pub fn parse(&self) -> Result<DeTable<'d>, Error> {
        let parsed = DeTable::parse(self.text).map_err(|error| {
            let at =
                error.span().map_or_else(|| Location::file(self.path), |span| self.at(span.start));
            at.error(Problem::Toml(error.message().to_owned()))
        })?;
        Ok(parsed.into_inner())
    }

    /// The top-level tables, refusing every other name.
    pub fn tables(
        &'d self,
        root: &'d DeTable<'d>,
        known: &[&'static str],
    ) -> Result<Tables<'d>, Error> {
        let mut sections = Vec::new();
        for (key, value) in root {
            let name: &str = key.get_ref();
            let at = || self.at(key.span().start);
            if !known.contains(&name) {
                let hint = Hint::nearest(name, known.iter().copied());
                return Err(at().error(Problem::UnknownTable { table: name.to_owned(), hint }));
            }
            let section = Section::new(self, format!("[{name}]"), key.span(), value.get_ref());
            let section = section.ok_or_else(|| {
                at().error(Problem::WrongType {
                    key: name.to_owned(),
                    section: "the study file".to_owned(),
                    expected: "a table",
                    found: kind_of(value.get_ref()),
                })
            })?;
            sections.push((name.to_owned(), section));
        }
        Ok(Tables { document: self, sections })
    }

    fn at(&self, offset: usize) -> Location {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() as u64 + 1;
        let column = before[line_start..].chars().count() as u64 + 1;
        Location::new(self.path, Place::Character(line, column))
    }
}

impl<'d> Tables<'d> {
    pub fn optional(&self, name: &str) -> Option<&Section<'d>> {
        self.sections.iter().find(|(known, _)| known == name).map(|(_, section)| section)
    }

    pub fn required(&self, name: &'static str) -> Result<&Section<'d>, Error> {
        self.optional(name)
            .ok_or_else(|| Location::file(self.document.path).error(Problem::MissingTable(name)))
    }
}

impl<'d> Section<'d> {
    /// `None` if the value is not a table.
    fn new(
        document: &'d Document<'d>,
        title: String,
        span: Range<usize>,
        value: &'d DeValue<'d>,
    ) -> Option<Self> {
        value.as_table().map(|table| Self { document, title, span, table })
    }

    pub fn title(&self) -> String {
        self.title.clone()
    }

    pub fn at(&self) -> Location {
        self.document.at(self.span.start)
    }

    pub fn error(&self, problem: Problem) -> Error {
        self.at().error(problem)
    }

    /// All entries, in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut entries: Vec<_> =
            self.table.iter().map(|(key, value)| self.entry(key, value)).collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        entries.into_iter()
    }

    pub fn get(&self, key: &str) -> Option<Entry<'_>> {
        self.table.get_key_value(key).map(|(key, value)| self.entry(key, value))
    }

    fn entry<'s>(
        &'s self,
        key: &'s Spanned<std::borrow::Cow<'d, str>>,
        value: &'s Spanned<DeValue<'d>>,
    ) -> Entry<'s> {
        Entry {
            document: self.document,
            section: &self.title,
            key: key.get_ref(),
            key_span: key.span(),
            value: value.get_ref(),
        }
    }

    /// Refuses every key that is not listed.
    pub fn allow(&self, keys: &[&str]) -> Result<(), Error> {
        match self.entries().find(|entry| !keys.contains(&entry.key)) {
            None => Ok(()),
            Some(entry) => Err(entry.error(Problem::UnknownKey {
                key: entry.key.to_owned(),
                section: self.title(),
                hint: Hint::nearest(entry.key, keys.iter().copied()),
            })),
        }
    }

    pub fn missing(&self, key: &'static str, example: &'static str) -> Error {
        self.error(Problem::MissingKey { key, section: self.title(), example })
    }

    pub fn number(&self, key: &str) -> Result<Option<f64>, Error> {
        self.get(key).map(|entry| entry.number()).transpose()
    }
}

impl<'d> Entry<'d> {
    pub fn at(&self) -> Location {
        self.document.at(self.key_span.start)
    }

    pub fn error(&self, problem: Problem) -> Error {
        self.at().error(problem)
    }

    pub fn wrong_type(&self, expected: &'static str) -> Error {
        self.wrong_value(self.value, expected)
    }

    fn wrong_value(&self, value: &DeValue<'_>, expected: &'static str) -> Error {
        self.error(Problem::WrongType {
            key: self.key.to_owned(),
            section: self.section.to_owned(),
            expected,
            found: kind_of(value),
        })
    }

    /// The entry's table as a section with its own title, if it is a table.
    pub fn section(&self, title: String) -> Option<Section<'d>> {
        Section::new(self.document, title, self.key_span.clone(), self.value)
    }

    /// The entry's tables, if it is a list of nothing else: each with this title.
    pub fn sections(&self, title: &str) -> Option<Vec<Section<'d>>> {
        let section = |value: &'d Spanned<DeValue<'d>>| {
            Section::new(self.document, title.to_owned(), value.span(), value.get_ref())
        };
        self.value.as_array()?.iter().map(section).collect()
    }

    pub fn text(&self) -> Result<&'d str, Error> {
        self.value.as_str().ok_or_else(|| self.wrong_type("a text in quotes"))
    }

    pub fn number(&self) -> Result<f64, Error> {
        number_of(self.value).ok_or_else(|| self.wrong_type("a number"))
    }

    /// The members of a list, each with a reading function.
    pub fn list<T>(
        &self,
        expected: &'static str,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let list = self.value.as_array().ok_or_else(|| self.wrong_type(expected))?;
        let member = |value: &Spanned<DeValue<'_>>| {
            read(value.get_ref()).ok_or_else(|| self.wrong_value(value.get_ref(), expected))
        };
        list.iter().map(member).collect()
    }

    /// A list of texts, numbers or truth values, by their text.
    pub fn texts(&self) -> Result<Vec<String>, Error> {
        self.list("a list of texts, numbers or truth values", text_of)
    }

    /// The same, or a single one.
    pub fn one_or_more_texts(&self) -> Result<Vec<String>, Error> {
        match text_of(self.value) {
            Some(text) => Ok(vec![text]),
            None => self.list("a text, a number, a truth value, or a list of them", text_of),
        }
    }
}

pub(super) fn number_of(value: &DeValue<'_>) -> Option<f64> {
    match value {
        // As i128: a bound written as a 20-digit integer is a number all the same.
        DeValue::Integer(i) => i128::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
        DeValue::Float(f) => f.as_str().parse().ok(),
        _ => None,
    }
}

/// A scalar as the text that a CSV file would hold: spaces around it do not count, integers
/// are decimal, other numbers stay as written.
fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.trim_matches([' ', '\t']).to_owned()),
        DeValue::Integer(i) => {
            i128::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i.to_string())
        }
        DeValue::Float(f) => Some(f.as_str().to_owned()),
        DeValue::Boolean(b) => Some(b.to_string()),
        _ => None,
    }
}

fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
