//! A data dictionary: a table that says of each column of another one what its values can be.
//!
//! What it says is public by declaration: somebody wrote it down without looking at these rows. A
//! draft says of every line where it came from, so that a person can doubt it.

use super::dictionary_words::{Field, List, Meaning, is_yes};
use super::toml_text::{key, number, text};
use crate::date::Moment;
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::read::{FileKind, OneFile, sample};
use crate::reading_problem::ReadingProblem;
use crate::study::PLACEHOLDER;
use std::path::Path;

/// What is known about the columns of a table.
pub(super) struct Dictionary {
    /// Its file's name, on one line.
    pub file: String,
    entries: Vec<Described>,
}

/// What is known about one column.
#[derive(Default)]
struct Described {
    name: String,
    meaning: Option<Meaning>,
    min: String,
    max: String,
    /// Values, and what they mean where that is said.
    values: Vec<(String, Option<String>)>,
    /// Texts that mean that a value is missing.
    na: Vec<String>,
    label: String,
    drop: bool,
}

impl Dictionary {
    /// Reads a dictionary from a text file.
    pub fn read(path: &Path) -> Result<Dictionary, Error> {
        let refuse = |problem| Location::file(path).error(Problem::from(problem));
        if !matches!(FileKind::of(path), Some(FileKind::Text)) {
            return Err(refuse(ReadingProblem::NoTextDictionary));
        }
        let header = sample::columns(OneFile::plain(path))?;
        let fields: Vec<Option<Field>> =
            header.iter().map(|column| Field::of(&column.name)).collect();
        if !fields.contains(&Some(Field::Name)) {
            return Err(refuse(ReadingProblem::NoDictionary));
        }
        let mut entries: Vec<Described> = Vec::new();
        sample::visit(OneFile::plain(path), u64::MAX, &|_| {}, &mut |column, bytes| {
            if column == 0 {
                entries.push(Described::default());
            }
            let entry = entries.last_mut().expect("a row begins with its first field");
            if let Some(field) = fields[column] {
                entry.set(field, String::from_utf8_lossy(bytes).trim());
            }
        })?;
        entries.retain(|entry| !entry.name.is_empty());
        for (i, entry) in entries.iter().enumerate() {
            entry.check().map_err(refuse)?;
            if entries[..i].iter().any(|other| other.name == entry.name) {
                return Err(refuse(ReadingProblem::DescribedTwice { column: entry.name.clone() }));
            }
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Dictionary { file: one_line(&name), entries })
    }

    /// The line that declares a column, if the dictionary describes it. Without a type there it is
    /// as the table looks.
    pub fn line(&self, name: &str, looks_numeric: bool) -> Option<String> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        let said = if entry.label.is_empty() {
            String::new()
        } else {
            format!(": {}", one_line(&entry.label))
        };
        Some(format!(
            "{} = {}  # from {}{said}",
            key(name),
            entry.declaration(looks_numeric),
            self.file
        ))
    }

    /// Columns that are described and not in the table.
    pub fn others(&self, has: impl Fn(&str) -> bool) -> Vec<&str> {
        self.entries.iter().map(|entry| entry.name.as_str()).filter(|name| !has(name)).collect()
    }
}

impl Described {
    fn set(&mut self, field: Field, said: &str) {
        if said.is_empty() {
            return;
        }
        match field {
            Field::Name => self.name = said.to_owned(),
            Field::Type => {
                // The more precise word is the later one, where there are two columns for it.
                if let Some(meaning) = Meaning::of(said) {
                    self.meaning = Some(meaning);
                }
            }
            Field::Min => self.min = said.to_owned(),
            Field::Max => self.max = said.to_owned(),
            Field::Values => self.values = List::pairs(said),
            Field::Missing => self.na = List::items(said),
            Field::Label => self.label = said.to_owned(),
            Field::Drop => self.drop = is_yes(said),
        }
    }

    fn meaning(&self, looks_numeric: bool) -> Meaning {
        match self.meaning {
            _ if self.drop => Meaning::Drop,
            Some(meaning) => meaning,
            None if !self.values.is_empty() => Meaning::Category,
            None if looks_numeric || !self.min.is_empty() => Meaning::Number,
            None => Meaning::Category,
        }
    }

    /// Whether what it says can be: bounds are numbers, or dates.
    fn check(&self) -> Result<(), ReadingProblem> {
        for bound in [&self.min, &self.max] {
            let fits = match self.meaning(true) {
                Meaning::Number | Meaning::Integer => {
                    bound.parse::<f64>().is_ok_and(f64::is_finite)
                }
                Meaning::Date => bound.parse::<Moment>().is_ok(),
                Meaning::Category | Meaning::Drop => true,
            };
            if !bound.is_empty() && !fits {
                return Err(ReadingProblem::BadBound {
                    column: self.name.clone(),
                    bound: bound.clone(),
                });
            }
        }
        Ok(())
    }

    fn declaration(&self, looks_numeric: bool) -> String {
        let bound = |said: &str, numeric: bool| match said.parse() {
            Ok(value) if numeric => number(value),
            _ if said.is_empty() => text(PLACEHOLDER),
            _ => text(said),
        };
        let bounds = |numeric| {
            format!("min = {}, max = {}", bound(&self.min, numeric), bound(&self.max, numeric))
        };
        let mut said = match self.meaning(looks_numeric) {
            Meaning::Drop => return "{ drop = true }".to_owned(),
            Meaning::Number => vec![bounds(true)],
            Meaning::Integer => vec![bounds(true), "integer = true".to_owned()],
            Meaning::Date => vec!["kind = \"date\"".to_owned(), bounds(false)],
            Meaning::Category => self.categories(),
        };
        // Values may be missing, then: what a missing number counts as is for a person to say.
        if !self.na.is_empty() && self.meaning(looks_numeric) != Meaning::Category {
            said.push(format!("missing = {}", text(PLACEHOLDER)));
        }
        if !self.na.is_empty() {
            said.push(format!(
                "na = [{}]",
                self.na.iter().map(|na| text(na)).collect::<Vec<_>>().join(", ")
            ));
        }
        format!("{{ {} }}", said.join(", "))
    }

    fn categories(&self) -> Vec<String> {
        if self.values.is_empty() {
            return vec![format!("values = {}", text(PLACEHOLDER))];
        }
        let values: Vec<String> = self.values.iter().map(|(value, _)| text(value)).collect();
        let labelled =
            self.values.iter().filter_map(|(value, label)| Some((value, label.as_ref()?)));
        let labels: Vec<String> =
            labelled.map(|(value, label)| format!("{} = {}", text(value), text(label))).collect();
        let mut said = vec![format!("values = [{}]", values.join(", "))];
        if !labels.is_empty() {
            said.push(format!("labels = {{ {} }}", labels.join(", ")));
        }
        said
    }
}

/// In a comment: on one line.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect()
}
