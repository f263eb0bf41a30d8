//! How good a model is: part of a model file, or a file of its own.

use crate::format::{Artefact, Format, PROGRAM};
use crate::privacy::{LedgerEntry, Privacy};
use discretion::Refusal;
use discretion::quality::{Figures, Meaning, ScoreCounts};
use discretion_table::unreadable;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How good a model is on rows that did not train it. All of it follows from `counts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QualityFacts {
    /// The rows that were held out, or are another table's.
    pub rows: usize,
    /// Each interval holds with this probability.
    pub level: f64,
    /// What a score means.
    pub meaning: Meaning,
    /// Of all these rows.
    pub figures: Figures,
    /// The column by whose values they were counted apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Of each of its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupQuality>,
    /// What was released.
    pub counts: ScoreCounts,
}

/// How good a model is for one value of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupQuality {
    /// The value.
    pub value: String,
    /// Said where the released counts are too small to say much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Of its rows.
    pub figures: Figures,
}

impl QualityFacts {
    /// Whether its parts belong together; a sentence if not.
    pub fn checked(&self) -> Result<(), String> {
        let counts = &self.counts;
        counts.checked().map_err(|what| format!("the evaluation is damaged: {what}; was it edited?"))?;
        let complete = |figures: &Figures| {
            figures.bins.len() == counts.bins() && figures.thresholds.len() + 1 == counts.bins()
        };
        let groups = if self.by.is_some() { counts.groups.len() } else { 0 };
        let whole = complete(&self.figures)
            && self.groups.len() == groups
            && self.groups.iter().all(|group| complete(&group.figures));
        match whole {
            true => Ok(()),
            false => {
                Err("the figures of this evaluation do not belong to its counts; was it edited?".to_owned())
            }
        }
    }
}

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
    pub quality: QualityFacts,
}

impl EvaluationFile {
    /// Counts that left with noise, with what is promised about them.
    pub fn new(
        warning: Option<String>,
        privacy: Privacy,
        ledger: Option<LedgerEntry>,
        model: String,
        quality: QualityFacts,
    ) -> EvaluationFile {
        let (format, program) = (FILE.name.to_owned(), PROGRAM.to_owned());
        EvaluationFile { warning, format, program, privacy, ledger, model, quality }
    }

    /// Reads an evaluation file.
    pub fn read(path: &Path) -> Result<EvaluationFile, Refusal> {
        let json = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        EvaluationFile::from_json(&json).map_err(|sentence| Refusal::bad_file(path, sentence))
    }
}

impl Artefact for EvaluationFile {
    fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self).expect("an evaluation is plain data");
        Format::text(json, self.warning.is_some())
    }

    fn from_json(json: &str) -> Result<EvaluationFile, String> {
        let file: EvaluationFile = FILE.parse(json)?;
        file.quality.checked()?;
        Ok(file)
    }

    fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}
