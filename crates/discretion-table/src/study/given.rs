//! Settings that a command gives in place of those of its file: `--set intervals.level=0.9`.

use crate::draft::toml_text;
use crate::error::{Error, Excerpt, Location};
use crate::problem::Problem;
use std::path::PathBuf;
use toml::de::{DeTable, DeValue};

/// One setting that was given.
pub(super) struct Given {
    said: String,
    /// As TOML, behind blanks: its spans begin where the text of the file has none.
    text: String,
    /// How many tables deep its key leads.
    depth: usize,
}

impl Given {
    /// Reads `key=value`. Its spans begin at `start`.
    pub fn new(said: &str, start: usize) -> Result<Given, Error> {
        let toml = |key: &str, value: &str| format!("{:start$}{key}={value}", "");
        let mut given = Given { said: said.to_owned(), text: String::new(), depth: 0 };
        let (key, value) = split(said).ok_or_else(|| given.at().error(Problem::NoAssignment))?;
        given.depth = depth(key);
        given.text = toml(key, value);
        // A shell takes quotes away: what is no value of TOML is a text.
        if value.starts_with(|first| !"\"'[{".contains(first))
            && DeTable::parse(&given.text).is_err()
        {
            given.text = toml(key, &toml_text::text(value));
        }
        match DeTable::parse(&given.text) {
            Err(error) => Err(given.at().error(Problem::Toml(error.message().to_owned()))),
            Ok(_) => Ok(given),
        }
    }

    /// Puts the setting into a study.
    pub fn put<'d>(&'d self, study: &mut DeTable<'d>) {
        let table = DeTable::parse(&self.text).expect("it was parsed before").into_inner();
        merge(study, table, self.depth);
    }

    /// Returns true if a span that begins here is of this setting, and of none before it.
    pub fn holds(&self, offset: usize) -> bool {
        offset <= self.text.len()
    }

    /// Returns where the next setting may begin.
    pub fn end(&self) -> usize {
        self.text.len() + 1
    }

    /// What to look at when it is wrong.
    pub fn at(&self) -> Location {
        Location::file(&PathBuf::from(format!("--set {}", Excerpt::of(&self.said))))
    }
}

/// Returns key and value of `key=value`. A key in quotes may have the sign in it.
fn split(said: &str) -> Option<(&str, &str)> {
    let signs = said.match_indices('=').map(|(at, _)| (said[..at].trim(), said[at + 1..].trim()));
    signs.into_iter().take_while(|(key, _)| key.len() < 1_000).find(|(key, _)| depth(key) > 0)
}

/// Returns how many tables deep a key leads; 0 if it is none.
fn depth(key: &str) -> usize {
    let text = format!("{key}=0");
    let Ok(table) = DeTable::parse(&text).map(|table| table.into_inner()) else { return 0 };
    let (mut depth, mut table) = (1, &table);
    while let Some(DeValue::Table(inner)) = table.values().next().map(|value| value.get_ref()) {
        (depth, table) = (depth + 1, inner);
    }
    depth
}

/// Puts what is `depth` tables deep in place of what is there. What is there keeps its place among
/// the others: the order of columns is part of a study.
fn merge<'d>(study: &mut DeTable<'d>, given: DeTable<'d>, depth: usize) {
    for (key, mut value) in given {
        let Some(there) = study.get_mut(key.get_ref().as_ref()) else {
            study.insert(key, value);
            continue;
        };
        if depth > 1
            && let (DeValue::Table(there), DeValue::Table(given)) =
                (there.get_mut(), value.get_mut())
        {
            merge(there, std::mem::take(given), depth - 1);
            continue;
        }
        *there = value;
    }
}
