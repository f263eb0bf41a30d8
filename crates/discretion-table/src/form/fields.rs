//! How the text of a field becomes a value of TOML, and the other way round.

use super::ColumnKind;
use crate::draft::toml_text::{key, number, text};
use crate::study::PLACEHOLDER;
use crate::study::settings::{self, Default, Kind, Page, Setting};
use serde::Serialize;
use toml::de::DeValue;

/// A field that a page may show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Field {
    /// The section of a form; "columns" for a field of a column.
    pub section: &'static str,
    /// Its name in the section.
    pub name: &'static str,
    /// "text", "lines", "number", "flag" or "word".
    pub holds: &'static str,
    /// The words that it can be.
    pub words: &'static [&'static str],
    /// What holds where it is empty, if one value does.
    pub default: Option<String>,
    /// Whether it has to be filled in.
    pub required: bool,
    /// The kinds of columns that have it.
    pub of: &'static [ColumnKind],
}

/// Returns every field, in the order of the settings.
pub fn fields() -> Vec<Field> {
    let field = |(table, setting): (&'static str, &'static Setting)| {
        let section = table.split('.').next().unwrap_or(table);
        let (name, of): (_, &'static [ColumnKind]) = match setting.page {
            Page::Field(name) => (name, &[]),
            Page::InColumn(kinds) => (setting.key, kinds),
            Page::Column | Page::Kept => return None,
        };
        let (holds, words): (_, &'static [&'static str]) = match setting.kind {
            Kind::Word(words) => ("word", words),
            Kind::Number(_) => ("number", &[]),
            Kind::Flag => ("flag", &[]),
            Kind::Texts | Kind::Labels | Kind::Groups => ("lines", &[]),
            Kind::Text | Kind::Numbers | Kind::Toml => ("text", &[]),
        };
        let default = match setting.default {
            Default::Number(value) => Some(number(value)),
            Default::Word(word) => Some(word.to_owned()),
            _ => None,
        };
        let required = matches!(setting.default, Default::Required { .. });
        Some(Field { section, name, holds, words, default, required, of })
    };
    let settings = settings::SETTINGS.iter();
    settings
        .flat_map(|table| table.settings.iter().map(|setting| (table.name, setting)))
        .filter_map(field)
        .collect()
}

/// Returns the keys of a column of each kind, in the order in which they are written.
pub(super) fn keys_of(kind: ColumnKind) -> impl Iterator<Item = &'static str> {
    let of_kind = move |setting: &&Setting| matches!(setting.page, Page::InColumn(kinds) if kinds.contains(&kind));
    settings::keys("columns").filter(of_kind).map(|setting| setting.key)
}

/// Returns true for a key that a column of this kind has to say.
pub(super) fn is_required(kind: ColumnKind, key: &str) -> bool {
    let setting = settings::setting("columns", key);
    keys_of(kind).any(|known| known == key)
        && setting.is_some_and(|setting| matches!(setting.default, Default::Required { .. }))
}

/// Returns true if some kind of column has this key.
pub(super) fn is_known(key: &str) -> bool {
    let setting = settings::setting("columns", key);
    setting.is_some_and(|setting| matches!(setting.page, Page::InColumn(_)))
}

/// Returns what a field of a section holds. `section` is "columns" for a field of a column.
fn kind_of(section: &str, name: &str) -> Kind {
    settings::of_field(section, name).map_or(Kind::Toml, |setting| setting.kind)
}

/// The value as TOML; nothing if the field is empty.
pub(super) fn toml(section: &str, name: &str, typed: &str) -> Option<String> {
    let trimmed = typed.trim();
    if trimmed.is_empty() {
        return None;
    }
    let lines = || trimmed.lines().map(str::trim).filter(|line| !line.is_empty());
    Some(match kind_of(section, name) {
        Kind::Number(_) => number_or_text(trimmed),
        Kind::Numbers if trimmed == "private" => text(trimmed),
        Kind::Numbers => {
            let members =
                trimmed.split([',', ';', ' ', '\n', '\t']).filter(|member| !member.is_empty());
            list(members.map(number_or_text))
        }
        Kind::Text | Kind::Word(_) => text(trimmed),
        Kind::Texts if name == "path" => match lines().count() {
            1 => text(trimmed),
            _ => list(lines().map(text)),
        },
        Kind::Texts if section == "data" && name != "classes" && lines().count() == 1 => {
            // What stands there alone may be one of the texts that mean something else.
            if trimmed == PLACEHOLDER { list([text(trimmed)].into_iter()) } else { text(trimmed) }
        }
        Kind::Texts => list(lines().map(text)),
        Kind::Labels => table(lines().map(|line| match line.split_once('=') {
            Some((code, label)) => (code.trim(), text(label.trim())),
            None => (line, text(line)),
        })),
        Kind::Groups => table(lines().map(|line| {
            let (name, codes) = line.split_once('=').unwrap_or((line, ""));
            (
                name.trim(),
                list(codes.split(',').map(str::trim).filter(|code| !code.is_empty()).map(text)),
            )
        })),
        Kind::Flag => match trimmed {
            "true" | "false" => trimmed.to_owned(),
            other => text(other),
        },
        Kind::Toml => trimmed.to_owned(),
    })
}

/// The same from TOML. A field that is still open is empty.
pub(super) fn typed(section: &str, name: &str, value: &DeValue<'_>) -> String {
    if value.as_str() == Some(PLACEHOLDER) {
        return String::new();
    }
    let joined = |by: &str| match value.as_array() {
        Some(members) => {
            members.iter().map(|member| plain(member.get_ref())).collect::<Vec<_>>().join(by)
        }
        None => plain(value),
    };
    match kind_of(section, name) {
        // A list of λ, or whatever else stands where a number should.
        Kind::Number(_) if value.as_array().is_some() => inline(value),
        Kind::Number(_) | Kind::Text | Kind::Word(_) | Kind::Flag => plain(value),
        Kind::Numbers => joined(", "),
        Kind::Texts => joined("\n"),
        Kind::Labels | Kind::Groups => match value.as_table() {
            Some(table) => {
                let mut entries: Vec<_> = table.iter().collect();
                entries.sort_by_key(|(name, _)| name.span().start);
                let line = |(name, value): (
                    &toml::Spanned<std::borrow::Cow<'_, str>>,
                    &toml::Spanned<DeValue<'_>>,
                )| {
                    let codes = match value.get_ref().as_array() {
                        Some(codes) => codes
                            .iter()
                            .map(|code| plain(code.get_ref()))
                            .collect::<Vec<_>>()
                            .join(", "),
                        None => plain(value.get_ref()),
                    };
                    format!("{} = {codes}", name.get_ref())
                };
                entries.into_iter().map(line).collect::<Vec<_>>().join("\n")
            }
            None => inline(value),
        },
        Kind::Toml => inline(value),
    }
}

/// A number as TOML writes it, or a text.
fn number_or_text(typed: &str) -> String {
    match typed.parse::<f64>() {
        Ok(value) if value.is_finite() => number(value),
        // Such as a list of λ.
        _ if typed.starts_with('[') && typed.ends_with(']') => {
            let inner = &typed[1..typed.len() - 1];
            list(
                inner
                    .split(',')
                    .map(str::trim)
                    .filter(|member| !member.is_empty())
                    .map(number_or_text),
            )
        }
        _ => text(typed),
    }
}

fn list(members: impl Iterator<Item = String>) -> String {
    format!("[{}]", members.collect::<Vec<_>>().join(", "))
}

fn table<'n>(entries: impl Iterator<Item = (&'n str, String)>) -> String {
    let entries: Vec<String> =
        entries.map(|(name, value)| format!("{} = {value}", key(name))).collect();
    format!("{{ {} }}", entries.join(", "))
}

/// A scalar as somebody would type it.
fn plain(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.clone().into_owned(),
        other => inline(other),
    }
}

/// A value of TOML on one line.
pub(super) fn inline(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(content) => text(content),
        DeValue::Integer(integer) => {
            match i128::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(integer) => integer.to_string(),
                Err(_) => integer.as_str().to_owned(),
            }
        }
        DeValue::Float(float) => float.as_str().to_owned(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(members) => list(members.iter().map(|member| inline(member.get_ref()))),
        DeValue::Table(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(name, _)| name.span().start);
            let written: Vec<(String, String)> = entries
                .into_iter()
                .map(|(name, value)| (name.get_ref().clone().into_owned(), inline(value.get_ref())))
                .collect();
            table(written.iter().map(|(name, value)| (name.as_str(), value.clone())))
        }
    }
}
