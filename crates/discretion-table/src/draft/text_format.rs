//! `format` and `na`, as they were given.

use super::DraftRequest;
use super::toml_text::text;
use crate::table_source::Table;
use crate::text_format::{Decimal, Encoding};

pub(super) fn lines(request: &DraftRequest) -> Vec<String> {
    let mut declared = Vec::new();
    if let Some(delimiter) = request.format.delimiter {
        declared.push(format!("delimiter = {}", text(&delimiter.to_string())));
    }
    if request.format.decimal == Decimal::Comma {
        declared.push("decimal = \",\"".to_owned());
    }
    match request.format.encoding {
        Encoding::Utf8 => {}
        Encoding::Latin1 => declared.push("encoding = \"latin1\"".to_owned()),
        Encoding::Utf16 => declared.push("encoding = \"utf-16\"".to_owned()),
    }
    let mut lines = Vec::new();
    if let Some(query) = request.table.query() {
        lines.push(format!("query    = {}", text(query)));
    }
    if !declared.is_empty() {
        lines.push(format!("format   = {{ {} }}", declared.join(", ")));
    }
    if !request.na.is_empty() {
        let texts: Vec<String> = request.na.iter().map(|na| text(na)).collect();
        lines.push(format!(
            "na       = [{}]  # texts that mean that a value is missing",
            texts.join(", ")
        ));
    }
    lines
}
