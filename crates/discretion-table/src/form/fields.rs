//! How the text of a field becomes a value of TOML, and the other way round.

use super::ColumnKind;
use crate::draft::toml_text::{key, number, text};
use crate::study::PLACEHOLDER;
use toml::de::DeValue;

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// A number if it is one, else a text: a date, a word, or a mistake that the reader names.
    Number,
    /// Numbers, with commas or spaces between them.
    Numbers,
    /// A text.
    Text,
    /// Texts, one on each line.
    Lines,
    /// `code = label`, one on each line.
    Labels,
    /// `name = code, code`, one on each line.
    Groups,
    /// True, or left out.
    Flag,
    /// A value of TOML as it is: what the page has no field for.
    Raw,
}

/// The keys of a column of each kind, in the order in which they are written.
pub(super) fn keys_of(kind: ColumnKind) -> &'static [&'static str] {
    match kind {
        ColumnKind::Number => {
            &["min", "max", "scale", "integer", "missing", "curve", "knots", "monotone", "na"]
        }
        ColumnKind::Category => &["values", "labels", "groups", "missing", "na"],
        ColumnKind::Date => {
            &["min", "max", "format", "parts", "missing", "curve", "knots", "monotone", "na"]
        }
        ColumnKind::Drop | ColumnKind::Outcome | ColumnKind::Person => &[],
    }
}

/// What a column has to say.
pub(super) fn required(kind: ColumnKind) -> &'static [&'static str] {
    match kind {
        ColumnKind::Number | ColumnKind::Date => &["min", "max"],
        ColumnKind::Category => &["values"],
        _ => &[],
    }
}

/// Whether some kind of column has this key.
pub(super) fn is_known(name: &str) -> bool {
    [ColumnKind::Number, ColumnKind::Category, ColumnKind::Date]
        .iter()
        .any(|kind| keys_of(*kind).contains(&name))
}

/// What a key of a table holds. `section` is "columns" for a key of a column.
pub(super) fn kind_of(section: &str, name: &str) -> FieldKind {
    match (section, name) {
        ("columns", "min" | "max" | "missing" | "curve" | "share") => FieldKind::Number,
        ("columns", "knots") => FieldKind::Numbers,
        ("columns", "scale" | "monotone" | "format") => FieldKind::Text,
        ("columns", "values" | "parts" | "na" | "one_of") => FieldKind::Lines,
        ("columns", "labels") => FieldKind::Labels,
        ("columns", "groups") => FieldKind::Groups,
        ("columns", "integer") => FieldKind::Flag,
        ("data", "account" | "query" | "label") => FieldKind::Text,
        ("data", "path" | "positive" | "negative" | "classes" | "na") => FieldKind::Lines,
        // Parts of `outcome = { … }` and of `positive = { above = … }`, each in a field of its own.
        ("data", "outcome_min" | "outcome_max" | "above") => FieldKind::Number,
        ("data", "outcome_scale") => FieldKind::Text,
        ("budget" | "spend", "epsilon" | "delta" | "rho") => FieldKind::Number,
        ("budget", "filter")
        | ("model", "loss" | "method" | "norm" | "base_rate")
        | ("evaluate", "by") => FieldKind::Text,
        ("model", "lambda" | "smoothing") | ("intervals", "level") | ("evaluate", "share") => {
            FieldKind::Number
        }
        ("intervals", "columns") => FieldKind::Lines,
        (
            "vote",
            "queries" | "unstable" | "confidence" | "agreement" | "miss" | "gamma" | "threshold"
            | "expected_share",
        ) => FieldKind::Number,
        ("vote", "answer" | "protect" | "weights") => FieldKind::Text,
        ("vote", "scores") => FieldKind::Flag,
        ("about", "curators" | "authors") => FieldKind::Lines,
        ("about", _) => FieldKind::Text,
        _ => FieldKind::Raw,
    }
}

/// The value as TOML; nothing if the field is empty.
pub(super) fn toml(section: &str, name: &str, typed: &str) -> Option<String> {
    let trimmed = typed.trim();
    if trimmed.is_empty() {
        return None;
    }
    let lines = || trimmed.lines().map(str::trim).filter(|line| !line.is_empty());
    Some(match kind_of(section, name) {
        FieldKind::Number => number_or_text(trimmed),
        FieldKind::Numbers if trimmed == "private" => text(trimmed),
        FieldKind::Numbers => {
            let members =
                trimmed.split([',', ';', ' ', '\n', '\t']).filter(|member| !member.is_empty());
            list(members.map(number_or_text))
        }
        FieldKind::Text => text(trimmed),
        FieldKind::Lines if name == "path" => match lines().count() {
            1 => text(trimmed),
            _ => list(lines().map(text)),
        },
        FieldKind::Lines if section == "data" && name != "classes" && lines().count() == 1 => {
            // What stands there alone may be one of the texts that mean something else.
            if trimmed == PLACEHOLDER { list([text(trimmed)].into_iter()) } else { text(trimmed) }
        }
        FieldKind::Lines => list(lines().map(text)),
        FieldKind::Labels => table(lines().map(|line| match line.split_once('=') {
            Some((code, label)) => (code.trim(), text(label.trim())),
            None => (line, text(line)),
        })),
        FieldKind::Groups => table(lines().map(|line| {
            let (name, codes) = line.split_once('=').unwrap_or((line, ""));
            (
                name.trim(),
                list(codes.split(',').map(str::trim).filter(|code| !code.is_empty()).map(text)),
            )
        })),
        FieldKind::Flag => match trimmed {
            "true" | "false" => trimmed.to_owned(),
            other => text(other),
        },
        FieldKind::Raw => trimmed.to_owned(),
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
        FieldKind::Number if value.as_array().is_some() => inline(value),
        FieldKind::Number | FieldKind::Text | FieldKind::Flag => plain(value),
        FieldKind::Numbers => joined(", "),
        FieldKind::Lines => joined("\n"),
        FieldKind::Labels | FieldKind::Groups => match value.as_table() {
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
        FieldKind::Raw => inline(value),
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
