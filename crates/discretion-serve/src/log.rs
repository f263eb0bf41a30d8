//! Structured logs: one JSON object a line, on standard error. Never a query, a token or an answer.

use discretion_ledger::utc_now;
use serde_json::{Value, json};
use std::io::Write;

/// Tells the custodian something, as a line of the log.
pub fn note(text: &str) {
    line("note", json!({ "text": text }));
}

/// The same about an end that was not asked for.
pub fn error(text: &str) {
    line("error", json!({ "text": text }));
}

/// Writes a line. A log that cannot be written stops nothing.
pub fn line(event: &str, mut fields: Value) {
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("time".to_owned(), json!(utc_now()));
        fields.insert("event".to_owned(), json!(event));
    }
    let _ = writeln!(std::io::stderr().lock(), "{fields}");
}
