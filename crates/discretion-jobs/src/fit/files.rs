//! What a fit leaves: a model of classes or of a number, its file and its page.

use discretion_formats::{Artefact, Model, NumberModel};
use std::path::{Path, PathBuf};

/// What a fit leaves.
pub struct FitFiles {
    /// The model.
    pub model: FittedModel,
    /// Its file.
    pub path: PathBuf,
    /// Its page.
    pub page: PathBuf,
    /// A line about the account, if one paid.
    pub account: Option<String>,
}

/// The model of a study: what it is depends on the outcome.
pub enum FittedModel {
    /// Of two classes or of several.
    Classes(Box<Model>),
    /// Of a number.
    Number(Box<NumberModel>),
}

impl FittedModel {
    /// Why it must not be published, if so.
    pub fn warning(&self) -> Option<&str> {
        match self {
            FittedModel::Classes(model) => model.warning(),
            FittedModel::Number(model) => model.warning(),
        }
    }

    /// The text of its file.
    pub fn to_json(&self) -> String {
        match self {
            FittedModel::Classes(model) => model.to_json(),
            FittedModel::Number(model) => model.to_json(),
        }
    }

    /// What has to be known of its intervals.
    pub fn about_intervals(&self) -> Option<&String> {
        match self {
            FittedModel::Classes(model) => model.intervals.as_ref()?.warning.as_ref(),
            FittedModel::Number(_) => None,
        }
    }
}

impl From<Model> for FittedModel {
    fn from(model: Model) -> FittedModel {
        FittedModel::Classes(Box::new(model))
    }
}

impl From<NumberModel> for FittedModel {
    fn from(model: NumberModel) -> FittedModel {
        FittedModel::Number(Box::new(model))
    }
}

/// The page beside a model: report.html for model.json, seeded-report.html for seeded-model.json.
pub fn page_of(model: &Path) -> PathBuf {
    let name = model.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = name.strip_suffix("model.json").unwrap_or_default();
    model.with_file_name(format!("{kind}report.html"))
}
