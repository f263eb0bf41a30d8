//! Names, texts and numbers as TOML.

use std::fmt::Write;

/// A key: bare where it can be, quoted elsewhere.
pub(crate) fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { text(name) }
}

/// A text in quotes, on one line.
pub(crate) fn text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // TOML does not allow control characters, and U+2028 and U+2029 break lines in editors.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                write!(quoted, "\\u{:04X}", u32::from(c)).expect("writing to a String cannot fail");
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A finite number: digits where they are few, an exponent where they would be many.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || (1e-5..1e15).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}
