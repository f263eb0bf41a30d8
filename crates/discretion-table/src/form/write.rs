//! A form becomes the text of a study file, and remembers where each field went.

use super::check::FieldPlace;
use super::fields::{is_known, keys_of, required, toml};
use super::{ColumnForm, ColumnKind, Form};
use crate::draft::toml_text::{key, text};
use crate::study::PLACEHOLDER;

/// The tables in the order in which they are written; `[columns]` is among them.
const ORDER: [&str; 12] = [
    "data",
    "budget",
    "spend",
    "columns",
    "cross",
    "model",
    "tune",
    "intervals",
    "evaluate",
    "vote",
    "party",
    "about",
];

/// The keys of `[data]` in the order in which people read them; others follow.
const OF_DATA: [&str; 6] = ["path", "account", "positive", "negative", "classes", "label"];

const HEAD: &str =
    "# A study file, written by `discretion studio`. `discretion fit` with it does the same as the page.\n";

/// A text, and what stands where in it.
pub(super) struct Written {
    pub text: String,
    /// Line and character, both from 1, of each key.
    pub places: Vec<(u64, u64, FieldPlace)>,
    /// What is still to be filled in.
    pub open: Vec<FieldPlace>,
}

impl Form {
    /// The study file's text. What is still open is a "?" in it, which no study may contain.
    pub fn text(&self) -> String {
        Written::of(self, PLACEHOLDER).text
    }
}

impl Written {
    /// With something else where a field of `[data]` is open.
    pub fn of(form: &Form, open: &str) -> Written {
        let mut written = Written { text: HEAD.to_owned(), places: Vec::new(), open: Vec::new() };
        if form.columns.iter().any(|column| column.looked_up) {
            written.text.push_str(
                "# NOT PRIVATE: lines that say so were read from the rows, and a model that is published with them reveals them.\n",
            );
        }
        let others = form.sections.keys().map(String::as_str).filter(|name| !ORDER.contains(name));
        for name in ORDER.into_iter().chain(others) {
            if name == "columns" {
                written.section(name);
                for column in form.columns.iter().filter(|column| column.kind != ColumnKind::Outcome) {
                    written.column(column);
                }
            } else if name == "data" {
                written.data(form, open);
            } else if let Some(fields) = form.sections.get(name) {
                written.section(name);
                for (name_of_key, typed) in fields {
                    written.field(name, name_of_key, toml(name, name_of_key, typed));
                }
            }
        }
        written
    }

    /// One column, as it stands in a study.
    pub fn column(&mut self, column: &ColumnForm) {
        let place = |key: Option<&str>| FieldPlace {
            section: "columns".to_owned(),
            column: Some(column.name.clone()),
            key: key.map(str::to_owned),
        };
        self.note(place(None));
        self.text.push_str(&format!("{} = {{ ", key(&column.name)));
        let mut first = true;
        let mut push = |written: &mut Written, name: &str, value: &str| {
            if !first {
                written.text.push_str(", ");
            }
            first = false;
            written.note(place(Some(name)));
            written.text.push_str(&format!("{} = {value}", key(name)));
        };
        match column.kind {
            ColumnKind::Drop | ColumnKind::Person | ColumnKind::Outcome => push(self, "drop", "true"),
            ColumnKind::Date => push(self, "kind", "\"date\""),
            ColumnKind::Number | ColumnKind::Category => {}
        }
        let known = keys_of(column.kind).iter().copied();
        let unknown = column.fields.keys().map(String::as_str).filter(|name| !is_known(name));
        let says = |key: &str| column.fields.get(key).is_some_and(|typed| !typed.trim().is_empty());
        // Groups have values of their own, and parts of a date need no range.
        let enough = match column.kind {
            ColumnKind::Category => says("groups") || says("one_of"),
            ColumnKind::Date => says("parts") && !says("min") && !says("max"),
            _ => false,
        };
        for name in known.chain(unknown.filter(|_| !keys_of(column.kind).is_empty())) {
            let typed = column.fields.get(name).map(String::as_str).unwrap_or_default();
            match toml("columns", name, typed) {
                Some(value) => push(self, name, &value),
                None if required(column.kind).contains(&name) && !enough => {
                    self.open.push(place(Some(name)));
                    push(self, name, &text(PLACEHOLDER));
                }
                None => {}
            }
        }
        self.text.push_str(" }");
        if column.looked_up && !matches!(column.kind, ColumnKind::Drop | ColumnKind::Person) {
            self.text.push_str("  # read from the rows: NOT PRIVATE");
        }
        self.text.push('\n');
    }

    fn data(&mut self, form: &Form, open: &str) {
        self.section("data");
        let empty = Default::default();
        let fields = form.sections.get("data").unwrap_or(&empty);
        let value = |name: &str| fields.get(name).and_then(|typed| toml("data", name, typed));
        let outcome = form.columns.iter().find(|column| column.kind == ColumnKind::Outcome);
        let person = form.columns.iter().find(|column| column.kind == ColumnKind::Person);
        self.required("target", outcome.map(|column| text(&column.name)), open);
        self.field("data", "person", person.map(|column| text(&column.name)));
        let several = value("classes").is_some();
        for name in OF_DATA {
            match name {
                "path" | "account" => self.required(name, value(name), open),
                "positive" | "negative" if !several => self.required(name, value(name), open),
                _ => self.field("data", name, value(name)),
            }
        }
        for name in fields.keys().filter(|name| !OF_DATA.contains(&name.as_str())) {
            self.field("data", name, value(name));
        }
        let used = |column: &&ColumnForm| !matches!(column.kind, ColumnKind::Drop | ColumnKind::Person);
        let looked_up: Vec<String> = form
            .columns
            .iter()
            .filter(used)
            .filter(|column| column.looked_up)
            .map(|column| text(&column.name))
            .collect();
        if !looked_up.is_empty() {
            self.field("data", "from_rows", Some(format!("[{}]", looked_up.join(", "))));
        }
    }

    fn required(&mut self, name: &str, value: Option<String>, open: &str) {
        if value.is_none() {
            self.open.push(FieldPlace {
                section: "data".to_owned(),
                column: None,
                key: Some(name.to_owned()),
            });
        }
        // The negative values must differ from the positive ones also where both are open.
        let stand_in = if open == PLACEHOLDER { text(open) } else { text(&format!("{open} {name}")) };
        self.field("data", name, Some(value.unwrap_or(stand_in)));
    }

    fn section(&mut self, name: &str) {
        self.text.push('\n');
        self.note(FieldPlace { section: name.to_owned(), column: None, key: None });
        self.text.push_str(&format!("[{}]\n", key(name)));
    }

    fn field(&mut self, section: &str, name: &str, value: Option<String>) {
        let Some(value) = value else { return };
        self.note(FieldPlace { section: section.to_owned(), column: None, key: Some(name.to_owned()) });
        self.text.push_str(&format!("{} = {value}\n", key(name)));
    }

    /// Something is about to be written here.
    fn note(&mut self, place: FieldPlace) {
        let start = self.text.rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text.matches('\n').count() as u64 + 1;
        let character = self.text[start..].chars().count() as u64 + 1;
        self.places.push((line, character, place));
    }
}
