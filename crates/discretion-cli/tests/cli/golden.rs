//! Files of what was once released, which a change must not change by accident. The papers'
//! experiments are compared by it as well.

use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Compares with this file of the crate, or writes it.
pub fn compare(file: &str, released: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, released).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = released.lines().zip(expected.lines()).find(|(ours, theirs)| ours != theirs);
    assert!(
        released == expected,
        "{} differs, first at {differs:?}; UPDATE_GOLDEN=1 if it should",
        path.display()
    );
}

/// Every number in a file, as `place = number`.
pub fn numbers(value: &Value) -> String {
    fn collect(place: &str, value: &Value, into: &mut String) {
        match value {
            Value::Number(number) => writeln!(into, "{place} = {number}").unwrap(),
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, item)| collect(&format!("{place}[{i}]"), item, into));
            }
            Value::Object(fields) => {
                fields
                    .iter()
                    .for_each(|(name, field)| collect(&format!("{place}.{name}"), field, into));
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    let mut text = String::new();
    collect("", value, &mut text);
    assert!(!text.is_empty(), "nothing was released: {value}");
    text
}
