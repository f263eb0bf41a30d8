//! A form becomes the text of a study file, and remembers where each field went.

use super::check::FieldPlace;
use super::fields::{is_known, is_required, keys_of, toml};
use super::{ColumnForm, ColumnKind, Form};
use crate::draft::toml_text::{key, text};
use crate::study::{PLACEHOLDER, settings};
use std::collections::BTreeMap;

/// What a study predicts. Which fields there are says it, also while they are empty.
enum Predicted {
    /// Positive or negative, by lists of values.
    Two,
    /// Positive above a threshold.
    Above,
    /// One of several classes.
    Classes,
    /// A number.
    Number,
    /// What has no fields here.
    Other,
}

impl Predicted {
    fn of(fields: &BTreeMap<String, String>) -> Predicted {
        let has = |name: &str| fields.contains_key(name);
        match () {
            () if has("outcome") => Predicted::Other,
            () if has("outcome_min") || has("outcome_max") => Predicted::Number,
            () if has("above") => Predicted::Above,
            () if has("classes") => Predicted::Classes,
            () => Predicted::Two,
        }
    }
}

/// Keys of `[data]` that say what is predicted.
fn is_outcome(name: &str) -> bool {
    matches!(name, "positive" | "negative" | "classes" | "above" | "outcome")
        || name.starts_with("outcome_")
}

/// A field of `[data]`.
fn of_data(name: &str) -> FieldPlace {
    FieldPlace { section: "data".to_owned(), column: None, key: Some(name.to_owned()) }
}

const HEAD: &str = "# A study file, written by `discretion studio`. `discretion fit` with it does the same as the page.\n";

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
        let data = form.sections.get("data");
        let predicts_number =
            data.is_some_and(|data| matches!(Predicted::of(data), Predicted::Number));
        let others = form.sections.keys().map(String::as_str);
        let others = others.filter(|name| settings::tables().all(|known| known != *name));
        let known: Vec<&str> = settings::tables().collect();
        for name in known.into_iter().chain(others) {
            if name == "columns" {
                written.section(name);
                for column in
                    form.columns.iter().filter(|column| column.kind != ColumnKind::Outcome)
                {
                    written.column(column);
                }
            } else if name == "data" {
                written.data(form, open);
            } else if let Some(fields) = form.sections.get(name) {
                written.section(name);
                // Classes and numbers have losses of their own, and a draft, or an outcome before
                // this one, may name another's.
                let others: &[&str] = if predicts_number {
                    &["logistic", "hinge"]
                } else {
                    &["auto", "squares", "huber"]
                };
                let is_left_out = |key: &str, typed: &str| {
                    (name, key) == ("model", "loss") && others.contains(&typed.trim())
                };
                for (name_of_key, typed) in
                    fields.iter().filter(|(key, typed)| !is_left_out(key, typed))
                {
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
            ColumnKind::Drop | ColumnKind::Person | ColumnKind::Outcome => {
                push(self, "drop", "true")
            }
            ColumnKind::Date => push(self, "kind", "\"date\""),
            ColumnKind::Number | ColumnKind::Category => {}
        }
        let known: Vec<&str> = keys_of(column.kind).collect();
        let (has_keys, known) = (!known.is_empty(), known.into_iter());
        let unknown = column.fields.keys().map(String::as_str).filter(|name| !is_known(name));
        let says = |key: &str| column.fields.get(key).is_some_and(|typed| !typed.trim().is_empty());
        // Groups have values of their own, and parts of a date need no range.
        let enough = match column.kind {
            ColumnKind::Category => says("groups") || says("one_of"),
            ColumnKind::Date => says("parts") && !says("min") && !says("max"),
            _ => false,
        };
        for name in known.chain(unknown.filter(|_| has_keys)) {
            let typed = column.fields.get(name).map(String::as_str).unwrap_or_default();
            match toml("columns", name, typed) {
                Some(value) => push(self, name, &value),
                None if is_required(column.kind, name) && !enough => {
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
        let outcome = outcome.map(|column| text(&column.name));
        for name in ["path", "account"] {
            self.required(name, value(name), open);
        }
        match Predicted::of(fields) {
            // Several numbers, or something newer: as it was read.
            Predicted::Other => self.field("data", "outcome", value("outcome")),
            Predicted::Number => {
                self.number(outcome, |part| value(&format!("outcome_{part}")), open)
            }
            Predicted::Above => {
                self.required("target", outcome, open);
                let stand_in = if open == PLACEHOLDER { text(open) } else { "0".to_owned() };
                self.open_if("above", value("above").is_none());
                self.note(of_data("above"));
                let above = value("above").unwrap_or(stand_in);
                self.text.push_str(&format!("positive = {{ above = {above} }}\n"));
            }
            Predicted::Classes => {
                self.required("target", outcome, open);
                self.open_if("classes", value("classes").is_none());
                let stand_in =
                    if open == PLACEHOLDER { text(open) } else { "[\"0\", \"1\"]".to_owned() };
                self.field("data", "classes", Some(value("classes").unwrap_or(stand_in)));
            }
            Predicted::Two => {
                for (name, value) in [
                    ("target", outcome),
                    ("positive", value("positive")),
                    ("negative", value("negative")),
                ] {
                    self.required(name, value, open);
                }
            }
        }
        self.field("data", "person", person.map(|column| text(&column.name)));
        for name in fields
            .keys()
            .filter(|name| !is_outcome(name) && !["path", "account"].contains(&name.as_str()))
        {
            self.field("data", name, value(name));
        }
        let used =
            |column: &&ColumnForm| !matches!(column.kind, ColumnKind::Drop | ColumnKind::Person);
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

    /// `outcome = { column = …, min = …, max = … }`.
    fn number(
        &mut self,
        column: Option<String>,
        value: impl Fn(&str) -> Option<String>,
        open: &str,
    ) {
        self.open_if("target", column.is_none());
        self.note(of_data("target"));
        let column = column.unwrap_or_else(|| text(open));
        self.text.push_str(&format!("outcome = {{ column = {column}"));
        let [min, max] = ["min", "max"].map(&value);
        self.open_if("outcome_min", min.is_none());
        self.open_if("outcome_max", max.is_none());
        let (min, max) = match (min, max) {
            (Some(min), Some(max)) => (min, max),
            // Bounds that are fine, so that the rest can be checked.
            _ if open != PLACEHOLDER => ("0".to_owned(), "1".to_owned()),
            (min, max) => (min.unwrap_or_else(|| text(open)), max.unwrap_or_else(|| text(open))),
        };
        for (name, value) in [("min", Some(min)), ("max", Some(max)), ("scale", value("scale"))] {
            let Some(value) = value else { continue };
            self.text.push_str(", ");
            self.note(of_data(&format!("outcome_{name}")));
            self.text.push_str(&format!("{name} = {value}"));
        }
        self.text.push_str(" }\n");
    }

    fn open_if(&mut self, name: &str, open: bool) {
        if open {
            self.open.push(of_data(name));
        }
    }

    fn required(&mut self, name: &str, value: Option<String>, open: &str) {
        self.open_if(name, value.is_none());
        // The negative values must differ from the positive ones also where both are open.
        let stand_in =
            if open == PLACEHOLDER { text(open) } else { text(&format!("{open} {name}")) };
        self.field("data", name, Some(value.unwrap_or(stand_in)));
    }

    fn section(&mut self, name: &str) {
        self.text.push('\n');
        self.note(FieldPlace { section: name.to_owned(), column: None, key: None });
        self.text.push_str(&format!("[{}]\n", key(name)));
    }

    fn field(&mut self, section: &str, name: &str, value: Option<String>) {
        let Some(value) = value else { return };
        self.note(FieldPlace {
            section: section.to_owned(),
            column: None,
            key: Some(name.to_owned()),
        });
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
