//! What a fit leaves: a model of classes or of a number, its file and its page.

use crate::study_run::AccountLine;
use discretion_formats::AnyModel;
use std::path::{Path, PathBuf};

/// What a fit leaves.
pub struct FitFiles {
    /// The model.
    pub model: AnyModel,
    /// Its file.
    pub path: PathBuf,
    /// Its page.
    pub page: PathBuf,
    /// A line about the account, if one paid.
    pub account: Option<AccountLine>,
}

/// The page beside a model: report.html for model.json, seeded-report.html for seeded-model.json.
pub fn page_of(model: &Path) -> PathBuf {
    let name = model.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kind = name.strip_suffix("model.json").unwrap_or_default();
    model.with_file_name(format!("{kind}report.html"))
}
