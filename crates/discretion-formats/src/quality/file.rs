//! An evaluation file.

use super::ModelQuality;
use crate::claim::{Claim, ensure};
use crate::format::{Artefact, Format, PROGRAM};
use crate::privacy::{LedgerEntry, Privacy};
use discretion::Refusal;
use discretion_table::unreadable;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// An evaluation file.
const FILE: Format = Format {
    name: "discretion-evaluation/1",
    thing: "evaluation",
    file: "evaluation.json",
    command: "evaluate",
};

/// An evaluation file. The order of the fields is the order in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationFile {
    /// First, so that whoever opens the file sees it.
    #[serde(rename = "NOT PRIVATE", default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    format: String,
    program: String,
    /// What is promised to the rows that were counted.
    pub privacy: Privacy,
    /// The charge that paid for it; none where nothing is promised.
    pub ledger: Option<LedgerEntry>,
    /// The SHA-256 of the model file.
    pub model: String,
    /// How good it is.
    pub quality: ModelQuality,
}

impl EvaluationFile {
    /// Counts that left with noise, with what is promised about them.
    pub fn new(
        warning: Option<String>,
        privacy: Privacy,
        ledger: Option<LedgerEntry>,
        model: String,
        quality: ModelQuality,
    ) -> EvaluationFile {
        let (format, program) = (FILE.name.to_owned(), PROGRAM.to_owned());
        EvaluationFile { warning, format, program, privacy, ledger, model, quality }
    }

    /// Reads an evaluation file.
    pub fn read(path: &Path) -> Result<EvaluationFile, Refusal> {
        let json = discretion_disk::files::read_to_string(path)
            .map_err(|error| unreadable(path, &error))?;
        EvaluationFile::from_json(&json).map_err(|sentence| Refusal::bad_file(path, sentence))
    }
}

impl Artefact for EvaluationFile {
    fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("an evaluation is plain data");
        Format::text(json, self.warning.is_some())
    }

    fn from_json(json: &str) -> Result<EvaluationFile, String> {
        FILE.parse(json)
    }

    fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

impl Claim for EvaluationFile {
    fn check(&self) -> Result<(), String> {
        self.privacy.check(self.warning())?;
        self.ledger.as_ref().map_or(Ok(()), LedgerEntry::check)?;
        let is_hash = self.model.len() == 64 && self.model.bytes().all(|b| b.is_ascii_hexdigit());
        ensure(is_hash, "the model that it is about has no SHA-256")?;
        self.quality.checked()
    }
}
