//! Names of jobs, voting sessions and joint studies: digests of their settings.
//!
//! A name decides whether a run is a repetition, which paid session goes on and which joint study a
//! holder is in. So it must not depend on what types, fields or functions are called. What is
//! hashed is [`canonical`] JSON with a version in it, under keys that are written out here and in
//! the jobs. Builds before that hashed what `{:?}` printed. [`earlier`] writes those texts without
//! `{:?}`, so that what was paid under them is found.

pub mod earlier;

use discretion::interval::Split;
use discretion::privacy::Unit;
use discretion_formats::content_hash;
use discretion_ledger::SettingsName;
use discretion_table::{IntervalSettings, LearnerChoice, Processes};
use serde::Serialize;
use serde_json::{Value, json};

/// The version of what names are digests of. Another one gives all settings other names: then the
/// names of this version have to be among the earlier ones.
pub const VERSION: u32 = 2;

/// Everything public that decides what a job computes, besides the number of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The settings under keys of their own.
    pub value: Value,
    /// The text that was hashed before there were versions.
    pub earlier: String,
}

/// Writes a value as JSON in one way only: keys in the order of their bytes, no spaces, whole
/// numbers as digits, all others as the shortest decimal with an exponent (`1.5e-1`) that reads back
/// to the same bits.
pub fn canonical(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("settings are plain data");
    let mut text = String::new();
    write(&value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    let list =
        |text: &mut String, ends: [char; 2], items: &mut dyn Iterator<Item = (String, &Value)>| {
            text.push(ends[0]);
            for (number, (key, value)) in items.enumerate() {
                text.push_str(if number == 0 { "" } else { "," });
                text.push_str(&key);
                write(value, text);
            }
            text.push(ends[1]);
        };
    match value {
        Value::Array(values) => {
            list(text, ['[', ']'], &mut values.iter().map(|value| (String::new(), value)));
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| key.as_bytes());
            let mut fields = fields
                .into_iter()
                .map(|(key, value)| (format!("{}:", Value::from(key.as_str())), value));
            list(text, ['{', '}'], &mut fields);
        }
        Value::Number(number) if number.is_f64() => {
            text.push_str(&format!("{:e}", number.as_f64().expect("it is one")));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string());
        }
    }
}

/// The name of a job with these settings about this unit: 64 bits of a digest are enough to notice
/// a repetition. What is promised to persons is another job than what is promised to rows.
pub(crate) fn job_name(job: &str, settings: &Settings, unit: Unit) -> SettingsName {
    let Settings { value, earlier } = settings;
    let whole = json!({ "version": VERSION, "job": job, "unit": unit, "settings": value });
    let of_persons = if unit.is_row() { "" } else { " of persons" };
    let short = |text: &str| content_hash(text.as_bytes())[..16].to_owned();
    SettingsName::new(
        short(&canonical(&whole)),
        vec![short(&format!("{job}\n{earlier}{of_persons}"))],
    )
}

/// Settings of intervals.
pub fn intervals(intervals: &IntervalSettings) -> Value {
    let IntervalSettings { level, split, draws, columns, reference, largest_effect } = intervals;
    let shares = |split: &Split| [split.training(), split.hessian(), split.covariance()];
    let mut settings = json!({
        "level": level,
        "split": split.as_ref().map(shares),
        "draws": draws,
        "columns": columns,
        "reference": reference,
    });
    // Earlier builds did not ask; names of jobs that leave it as it is are theirs.
    if *largest_effect != IntervalSettings::default().largest_effect {
        settings["largest_effect"] = json!(largest_effect);
    }
    settings
}

/// The learner of a vote.
pub(crate) fn learner(learner: &LearnerChoice) -> Value {
    match learner {
        LearnerChoice::Logistic => json!("logistic"),
        LearnerChoice::Trees => json!("trees"),
        LearnerChoice::Boosting => json!("boosting"),
        LearnerChoice::Command { command, processes, timeout } => json!({
            "command": command,
            "processes": match processes {
                Processes::Chunk => "chunk",
                Processes::Shared => "shared",
            },
            "timeout": timeout.as_secs_f64(),
        }),
    }
}
