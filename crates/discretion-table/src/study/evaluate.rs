//! `[evaluate]`.

use super::document::Section;
use super::model::share;
use crate::error::Error;

/// `[evaluate]`: rows that are held out to tell how good the model is.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluateSettings {
    /// Their share of all rows, by position.
    pub share: f64,
    /// The column by whose values they are counted apart.
    pub by: Option<String>,
}

impl EvaluateSettings {
    /// The share, if nobody says another one.
    pub const SHARE: f64 = 0.15;
}

pub(super) fn evaluate(section: &Section<'_>) -> Result<EvaluateSettings, Error> {
    section.allow(&["share", "by"])?;
    let by = section.get("by").map(|entry| entry.text().map(str::to_owned)).transpose()?;
    Ok(EvaluateSettings { share: share(section, "share")?.unwrap_or(EvaluateSettings::SHARE), by })
}
