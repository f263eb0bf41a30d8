//! A study file, or a draft of one, becomes a form.

use super::{ColumnForm, ColumnKind, Form, fields};
use crate::error::{Error, Location};
use crate::problem::Problem;
use crate::study::PLACEHOLDER;
use std::collections::BTreeMap;
use std::path::Path;
use toml::de::{DeTable, DeValue};

impl Form {
    /// The fields of a study file that stands at `path`. It may be unfinished or wrong; only what
    /// is no TOML is refused. Comments are not part of a form.
    pub fn read(path: &Path, text: &str) -> Result<Form, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let root = DeTable::parse(text).map_err(|error| {
            Location::file(path).error(Problem::Toml(error.message().to_owned()))
        })?;
        let mut form = Form::default();
        let mut declared = None;
        for (name, value) in root.get_ref() {
            if name.get_ref() == "release" {
                return Err(Location::file(path).error(Problem::SeveralReleases));
            }
            let Some(table) = value.get_ref().as_table() else {
                return Err(Location::file(path).error(Problem::WrongType {
                    key: name.get_ref().clone().into_owned(),
                    section: "the study file".to_owned(),
                    expected: "a table",
                    found: "something else",
                }));
            };
            if name.get_ref() == "columns" {
                declared = Some(table);
            } else {
                let name = name.get_ref().clone().into_owned();
                let fields = table.iter().map(|(key, value)| {
                    let key = key.get_ref().clone().into_owned();
                    let text = fields::typed(&name, &key, value.get_ref());
                    (key, text)
                });
                let fields = fields.collect();
                form.sections.insert(name, fields);
            }
        }
        let data = root.get_ref().get("data").and_then(|data| data.get_ref().as_table());
        let named = |key: &str| {
            let value = data.and_then(|data| data.get(key))?.get_ref().as_str()?;
            (value != PLACEHOLDER && !value.is_empty()).then(|| value.to_owned())
        };
        let part = |of: &str| {
            data.and_then(|data| data.get(of)).and_then(|value| value.get_ref().as_table())
        };
        let mut target = named("target");
        if let (Some(outcome), Some(fields)) = (part("outcome"), form.sections.get_mut("data")) {
            fields.remove("outcome");
            for (key, value) in outcome {
                match key.get_ref().as_ref() {
                    "column" => target = value.get_ref().as_str().map(str::to_owned),
                    key => {
                        let name = format!("outcome_{key}");
                        let text = fields::typed("data", &name, value.get_ref());
                        fields.insert(name, text);
                    }
                }
            }
        }
        if let (Some(positive), Some(fields)) = (part("positive"), form.sections.get_mut("data"))
            && let Some(above) = positive.get("above")
        {
            fields.remove("positive");
            fields.insert("above".to_owned(), fields::typed("data", "above", above.get_ref()));
        }
        let target = target.filter(|name| name != PLACEHOLDER);
        let person = named("person");
        let from_rows: Vec<&str> = data
            .and_then(|data| data.get("from_rows"))
            .and_then(|list| list.get_ref().as_array())
            .map(|list| list.iter().filter_map(|name| name.get_ref().as_str()).collect())
            .unwrap_or_default();
        if let Some(data) = form.sections.get_mut("data") {
            for key in ["target", "person", "from_rows"] {
                data.remove(key);
            }
        }
        if let Some(declared) = declared {
            let mut entries: Vec<_> = declared.iter().collect();
            entries.sort_by_key(|(name, _)| name.span().start);
            form.columns = entries
                .iter()
                .map(|(name, value)| column(name.get_ref(), value.get_ref()))
                .collect();
        }
        if let Some(person) = person {
            form.with_role(person, ColumnKind::Person);
        }
        if let Some(target) = target {
            form.with_role(target, ColumnKind::Outcome);
        }
        for column in &mut form.columns {
            column.looked_up = from_rows.contains(&column.name.as_str());
        }
        Ok(form)
    }

    /// A column that is the outcome, or says whose a row is. If it is not declared it stands first.
    fn with_role(&mut self, name: String, kind: ColumnKind) {
        match self.columns.iter_mut().find(|column| column.name == name) {
            Some(column) => column.kind = kind,
            None => {
                self.columns.insert(
                    0,
                    ColumnForm { name, kind, fields: BTreeMap::new(), looked_up: false },
                );
            }
        }
    }
}

fn column(name: &str, value: &DeValue<'_>) -> ColumnForm {
    let empty = ColumnForm {
        name: name.to_owned(),
        kind: ColumnKind::Drop,
        fields: BTreeMap::new(),
        looked_up: false,
    };
    let Some(table) = value.as_table() else { return empty };
    let has = |keys: &[&str]| keys.iter().any(|key| table.get(*key).is_some());
    let kind = match table.get("kind").and_then(|kind| kind.get_ref().as_str()) {
        _ if has(&["drop"]) => ColumnKind::Drop,
        Some("date") => ColumnKind::Date,
        Some("category") => ColumnKind::Category,
        Some(_) => ColumnKind::Number,
        None if has(&["values", "labels", "groups", "one_of"]) => ColumnKind::Category,
        None if has(&["min", "max", "scale", "integer", "curve", "knots", "missing"]) => {
            ColumnKind::Number
        }
        None if has(&["format", "parts"]) => ColumnKind::Date,
        None => ColumnKind::Drop,
    };
    let fields = table
        .iter()
        .filter(|(key, _)| !["kind", "drop"].contains(&key.get_ref().as_ref()))
        .map(|(key, value)| {
            let key = key.get_ref().clone().into_owned();
            let text = fields::typed("columns", &key, value.get_ref());
            (key, text)
        });
    ColumnForm { kind, fields: fields.collect(), ..empty }
}
