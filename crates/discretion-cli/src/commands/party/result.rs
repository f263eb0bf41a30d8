//! The model of a joint study, as files.

use super::joint_study::{StudyHolders, public};
use crate::files::{self, Existing, OutputFolder, Readers};
use crate::out;
use discretion::joint::Plan;
use discretion::{Refusal, RefusalKind, Remedy};
use discretion_formats::{LedgerEntry, Model};
use discretion_jobs::joint;
use discretion_jobs::study_run::AccountLine;
use discretion_party::run::Outcome;
use discretion_report::{report, terminal};
use discretion_table::Study;
use std::path::{Path, PathBuf};

/// Where the model goes, known to be writable before anything is charged.
pub struct Output {
    _folder: OutputFolder,
    model: PathBuf,
    page: PathBuf,
}

impl Output {
    /// Checks that both files can be written.
    pub fn prepare(folder: &Path, force: bool) -> Result<Output, Refusal> {
        let folder = OutputFolder::prepare(folder)?;
        let (model, page) = (folder.join("model.json"), folder.join("report.html"));
        for path in [&model, &page] {
            Existing::new(force).check(path, &[Remedy::Overwrite, Remedy::AnotherFolder])?;
        }
        Ok(Output { _folder: folder, model, page })
    }

    /// The usual folder: the study's name without its ending.
    pub fn usual(study: &Path) -> PathBuf {
        study.with_extension("")
    }

    /// The model file.
    pub fn model(&self) -> &Path {
        &self.model
    }
}

/// Makes the model from what was released.
pub fn model(
    study: &Study,
    holders: &StudyHolders,
    plan: &Plan,
    outcome: &Outcome,
    ledger: Option<LedgerEntry>,
) -> Result<Model, Refusal> {
    let Outcome { average, stepped, counts } = outcome;
    joint::model(&public(study, holders)?, plan, average, stepped.as_ref(), counts.as_ref(), ledger)
        .map_err(|error| Refusal::from_error(RefusalKind::Refused, error))
}

/// Writes the model; its text.
pub fn write_model(output: &Output, model: &Model) -> Result<String, Refusal> {
    let json = model.to_json();
    files::write(&output.model, Readers::Anyone, &json)?;
    Ok(json)
}

/// Writes the page about it.
pub fn write_page(output: &Output, model: &Model, ledger: Option<&Path>) -> Result<(), Refusal> {
    files::write(&output.page, Readers::Anyone, &report::html(model, &output.model, ledger))
}

/// Tells what was made.
pub fn tell(
    output: Option<&Output>,
    model: &Model,
    account: Option<AccountLine>,
    json: bool,
) -> Result<(), Refusal> {
    if json {
        return out::print(&model.to_json());
    }
    let mut about = Vec::new();
    if let Some(output) = output {
        about.push(("model", output.model.display().to_string()));
        about.push(("report", output.page.display().to_string()));
    }
    about.extend(account.map(|account| ("account", account.to_string())));
    out::print(&terminal::model(model, &about))
}
