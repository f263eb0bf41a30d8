//! `[evaluate]`.

use super::document::Section;
use super::settings;
use crate::error::Error;

/// `[evaluate]`: rows that are held out to tell how good the model is.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluateSettings {
    /// Their share of all rows, by position.
    pub share: f64,
    /// The column by whose values they are counted apart.
    pub by: Option<String>,
}

impl Default for EvaluateSettings {
    fn default() -> Self {
        Self { share: settings::default_number("evaluate", "share"), by: None }
    }
}

pub(super) fn evaluate(section: &Section<'_>) -> Result<EvaluateSettings, Error> {
    section.refuse_unknown()?;
    let by = section.get("by").map(|entry| entry.text().map(str::to_owned)).transpose()?;
    let default = EvaluateSettings::default();
    Ok(EvaluateSettings { share: section.number("share")?.unwrap_or(default.share), by })
}
