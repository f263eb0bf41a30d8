//! A TOML document as sections of entries that know where they stand.

use super::given::Given;
use super::settings::{self, Default, Kind, Setting};
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
    /// What a command gave in place of the text.
    given: Vec<Given>,
}

/// The top-level tables.
pub(super) struct Tables<'d> {
    document: &'d Document<'d>,
    sections: Vec<(String, Section<'d>)>,
}

/// One table: a top-level one, or the declaration of a column.
pub(super) struct Section<'d> {
    document: &'d Document<'d>,
    /// The table of [`SETTINGS`](settings::SETTINGS) that has its keys.
    name: &'static str,
    /// As messages call it: "[spend]" or "column `age`".
    title: String,
    span: Range<usize>,
    table: &'d DeTable<'d>,
}

/// One key and its value.
pub(super) struct Entry<'d> {
    document: &'d Document<'d>,
    section: &'d str,
    /// Its row, unless the key is a name that a person chose.
    setting: Option<&'static Setting>,
    pub key: &'d str,
    span: Range<usize>,
    pub value: &'d DeValue<'d>,
}

impl<'d> Document<'d> {
    /// `set` is what a command gives, as `key=value`.
    pub fn new(path: &'d Path, text: &'d str, set: &[String]) -> Result<Self, Error> {
        // Some editors write a byte-order mark; it is not part of the TOML.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut given: Vec<Given> = Vec::new();
        for said in set {
            let start = given.last().map_or(text.len() + 1, Given::end);
            given.push(Given::new(said, start)?);
        }
        Ok(Self { path, text, given })
    }

    /// Parses the text, and puts what a command gives in place of what it says.
    pub fn parse(&self) -> Result<DeTable<'_>, Error> {
        let parsed = DeTable::parse(self.text).map_err(|error| {
            let at =
                error.span().map_or_else(|| Location::file(self.path), |span| self.at(span.start));
            at.error(Problem::Toml(error.message().to_owned()))
        })?;
        let mut root = parsed.into_inner();
        self.given.iter().for_each(|given| given.put(&mut root));
        Ok(root)
    }

    /// Returns the top-level tables. Refuses a name that is none of theirs.
    pub fn tables(&'d self, root: &'d DeTable<'d>) -> Result<Tables<'d>, Error> {
        let mut sections = Vec::new();
        for (key, value) in root {
            let name: &str = key.get_ref();
            let span = self.span(key, value);
            let at = || self.at(span.start);
            let Some(known) = settings::tables().find(|known| *known == name) else {
                let hint = Hint::nearest(name, settings::tables());
                return Err(at().error(Problem::UnknownTable { table: name.to_owned(), hint }));
            };
            let section =
                Section::new(self, known, format!("[{name}]"), span.clone(), value.get_ref());
            let section = section.ok_or_else(|| self.no_table(key, value, "a table"))?;
            sections.push((name.to_owned(), section));
        }
        Ok(Tables { document: self, sections })
    }

    /// Returns the tables of a list such as `[[release]]`; none if it is not there.
    pub fn list(
        &'d self,
        root: &'d DeTable<'d>,
        name: &'static str,
    ) -> Result<Vec<Section<'d>>, Error> {
        let Some((key, value)) = root.get_key_value(name) else { return Ok(Vec::new()) };
        let section = |value: &'d Spanned<DeValue<'d>>| {
            Section::new(self, name, format!("[[{name}]]"), value.span(), value.get_ref())
        };
        let sections =
            value.get_ref().as_array().and_then(|list| list.iter().map(section).collect());
        sections.ok_or_else(|| self.no_table(key, value, "a list of tables"))
    }

    /// Returns a top-level table, if it is there.
    pub fn optional(
        &'d self,
        root: &'d DeTable<'d>,
        name: &'static str,
    ) -> Result<Option<Section<'d>>, Error> {
        let Some((key, value)) = root.get_key_value(name) else { return Ok(None) };
        let span = self.span(key, value);
        let section = Section::new(self, name, format!("[{name}]"), span, value.get_ref());
        section.map(Some).ok_or_else(|| self.no_table(key, value, "a table"))
    }

    fn no_table(
        &self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        expected: &'static str,
    ) -> Error {
        self.at(self.span(key, value).start).error(Problem::WrongType {
            key: key.get_ref().to_string(),
            section: "the study file".to_owned(),
            expected,
            found: kind_of(value.get_ref()),
        })
    }

    /// Where the file begins.
    pub fn beginning(&self) -> Location {
        Location::file(self.path)
    }

    /// Returns where an entry is told: at its key, or at what a command gave for it.
    fn span<K>(&self, key: &Spanned<K>, value: &Spanned<DeValue<'_>>) -> Range<usize> {
        if value.span().start > self.text.len() { value.span() } else { key.span() }
    }

    fn at(&self, offset: usize) -> Location {
        if offset > self.text.len()
            && let Some(given) = self.given.iter().find(|given| given.holds(offset))
        {
            return given.at();
        }
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
        name: &'static str,
        title: String,
        span: Range<usize>,
        value: &'d DeValue<'d>,
    ) -> Option<Self> {
        value.as_table().map(|table| Self { document, name, title, span, table })
    }

    /// The table as it was parsed.
    pub fn table(&self) -> &'d DeTable<'d> {
        self.table
    }

    /// Where it stands in the text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
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
        let mut entries: Vec<_> = self.table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries.into_iter().map(|(key, value)| self.entry(key, value))
    }

    /// Returns the entry of a key, which [`SETTINGS`](settings::SETTINGS) has a row for.
    pub fn get(&self, key: &str) -> Option<Entry<'_>> {
        let _setting = self.setting(key);
        let entry = self.table.get_key_value(key).map(|(key, value)| self.entry(key, value));
        #[cfg(test)]
        super::tests::note(self.name, _setting.key, entry.is_some());
        entry
    }

    fn setting(&self, key: &str) -> &'static Setting {
        settings::setting(self.name, key)
            .unwrap_or_else(|| panic!("`{key}` of {} has no row in SETTINGS", self.name))
    }

    /// Returns the entry of a key that cannot be left out.
    pub fn required(&self, key: &'static str) -> Result<Entry<'_>, Error> {
        let Default::Required { example, .. } = self.setting(key).default else {
            panic!("`{key}` of {} can be left out", self.name)
        };
        self.get(key).ok_or_else(|| self.missing(key, example))
    }

    fn entry<'s>(
        &'s self,
        key: &'s Spanned<std::borrow::Cow<'d, str>>,
        value: &'s Spanned<DeValue<'d>>,
    ) -> Entry<'s> {
        Entry {
            document: self.document,
            section: &self.title,
            setting: settings::setting(self.name, key.get_ref()),
            key: key.get_ref(),
            span: self.document.span(key, value),
            value: value.get_ref(),
        }
    }

    /// Refuses a key that has no row.
    pub fn refuse_unknown(&self) -> Result<(), Error> {
        match self.entries().find(|entry| entry.setting.is_none()) {
            None => Ok(()),
            Some(entry) => Err(entry.error(Problem::UnknownKey {
                key: entry.key.to_owned(),
                section: self.title(),
                hint: Hint::nearest(entry.key, settings::keys(self.name).map(|known| known.key)),
            })),
        }
    }

    pub fn missing(&self, key: &'static str, example: &'static str) -> Error {
        self.error(Problem::MissingKey { key, section: self.title(), example })
    }

    /// Returns a number within its range, or its default if it has one.
    pub fn number(&self, key: &str) -> Result<Option<f64>, Error> {
        match (self.get(key), self.setting(key).default) {
            (Some(entry), _) => entry.number().map(Some),
            (None, Default::Number(default)) => Ok(Some(default)),
            (None, _) => Ok(None),
        }
    }

    /// Returns a number that cannot be left out.
    pub fn required_number(&self, key: &'static str) -> Result<f64, Error> {
        self.required(key)?.number()
    }

    /// Returns a text that is not empty.
    pub fn text(&self, key: &'static str) -> Result<Option<String>, Error> {
        let Some(entry) = self.get(key) else { return Ok(None) };
        let text = entry.text()?;
        if text.trim().is_empty() {
            return Err(entry.error(Problem::EmptyText { key, section: self.title() }));
        }
        Ok(Some(text.to_owned()))
    }

    /// Returns a text that is not empty and cannot be left out.
    pub fn required_text(&self, key: &'static str) -> Result<String, Error> {
        self.required(key)?;
        Ok(self.text(key)?.expect("it is there"))
    }

    /// Returns texts; none if the key is left out.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, Error> {
        let texts = self.get(key).map(|entry| entry.one_or_more_texts()).transpose()?;
        Ok(texts.unwrap_or_default())
    }

    /// Returns true if a flag is set.
    pub fn flag(&self, key: &str) -> Result<bool, Error> {
        let Some(entry) = self.get(key) else { return Ok(false) };
        entry.value.as_bool().ok_or_else(|| entry.wrong_type("true or false"))
    }

    /// Returns one of the words that a key can be, or its default if it has one.
    pub fn word(&self, key: &'static str) -> Result<Option<&'static str>, Error> {
        let Setting { kind: Kind::Word(words), default, .. } = self.setting(key) else {
            panic!("`{key}` of {} is no word", self.name)
        };
        let default = match default {
            Default::Word(word) => Some(*word),
            _ => None,
        };
        Ok(self.word_of(key, words)?.or(default))
    }

    /// Returns one of these words; nothing if the key is left out.
    pub fn word_of(
        &self,
        key: &'static str,
        words: &'static [&'static str],
    ) -> Result<Option<&'static str>, Error> {
        let Some(entry) = self.get(key) else { return Ok(None) };
        let found = entry.text()?;
        if let Some(word) = words.iter().find(|word| **word == found) {
            return Ok(Some(word));
        }
        let allowed: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        Err(entry.error(Problem::UnknownChoice {
            key,
            section: self.title(),
            found: found.to_owned(),
            allowed: allowed.join(", "),
            hint: Hint::nearest(found, words.iter().copied()),
        }))
    }
}

impl<'d> Entry<'d> {
    pub fn at(&self) -> Location {
        self.document.at(self.span.start)
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

    /// The entry's table as a section with its own title, if it is a table. `name` is that of its
    /// settings; empty where its keys are names that a person chose.
    pub fn section(&self, name: &'static str, title: String) -> Option<Section<'d>> {
        Section::new(self.document, name, title, self.span.clone(), self.value)
    }

    /// The entry's tables, if it is a list of nothing else: each with this title.
    pub fn sections(&self, name: &'static str, title: &str) -> Option<Vec<Section<'d>>> {
        let section = |value: &'d Spanned<DeValue<'d>>| {
            Section::new(self.document, name, title.to_owned(), value.span(), value.get_ref())
        };
        self.value.as_array()?.iter().map(section).collect()
    }

    pub fn text(&self) -> Result<&'d str, Error> {
        self.value.as_str().ok_or_else(|| self.wrong_type("a text in quotes"))
    }

    /// Returns a number within the range of its setting.
    pub fn number(&self) -> Result<f64, Error> {
        let value = number_of(self.value).ok_or_else(|| self.wrong_type("a number"))?;
        self.in_range(value)
    }

    /// Returns a whole number within the range of its setting.
    pub fn whole(&self) -> Result<usize, Error> {
        self.number().map(|value| value as usize)
    }

    /// Refuses a number outside the range of its setting.
    pub fn in_range(&self, value: f64) -> Result<f64, Error> {
        match self.setting {
            Some(Setting { key, kind: Kind::Number(range), .. }) => self.within(key, *range, value),
            _ => Ok(value),
        }
    }

    /// Refuses a number outside a range.
    pub fn within(
        &self,
        key: &'static str,
        range: settings::Range,
        value: f64,
    ) -> Result<f64, Error> {
        match range.contains(value) {
            true => Ok(value),
            false => Err(self.error(Problem::OutOfRange { key, range, value })),
        }
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
