//! How good a model is: part of a model file, or a file of its own.

mod classes;
mod file;
mod number;

pub use classes::{ClassQualityFacts, GroupClassQuality};
pub use file::EvaluationFile;
pub use number::{GroupNumberQuality, NumberQualityFacts};

use crate::claim;
use discretion::quality::{Figures, Meaning, ScoreCounts};
use discretion_table::Schema;
use serde::{Deserialize, Serialize};

/// How good a model is on rows that did not train it, whatever its outcome is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ModelQuality {
    /// A model of two classes.
    Two(QualityFacts),
    /// Of several.
    Several(ClassQualityFacts),
    /// Of a number.
    Number(NumberQualityFacts),
}

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
    fn checked(&self) -> Result<(), String> {
        let counts = &self.counts;
        counts.checked().map_err(damaged)?;
        let complete = |figures: &Figures| {
            figures.bins.len() == counts.bins() && figures.thresholds.len() + 1 == counts.bins()
        };
        let groups = if self.by.is_some() { counts.groups.len() } else { 0 };
        let whole = complete(&self.figures)
            && self.groups.len() == groups
            && self.groups.iter().all(|group| complete(&group.figures));
        if whole { Ok(()) } else { Err(EDITED.to_owned()) }
    }
}

/// Said of figures that do not fit what was released.
const EDITED: &str = "the figures of this evaluation do not belong to its counts; was it edited?";

fn damaged(what: &str) -> String {
    format!("the evaluation is damaged: {what}; was it edited?")
}

impl ModelQuality {
    /// The rows that were held out, or are another table's.
    pub fn rows(&self) -> usize {
        match self {
            ModelQuality::Two(facts) => facts.rows,
            ModelQuality::Several(facts) => facts.rows,
            ModelQuality::Number(facts) => facts.rows,
        }
    }

    /// Each interval holds with this probability.
    pub fn level(&self) -> f64 {
        match self {
            ModelQuality::Two(facts) => facts.level,
            ModelQuality::Several(facts) => facts.level,
            ModelQuality::Number(facts) => facts.level,
        }
    }

    /// The column by whose values rows were counted apart.
    pub fn by(&self) -> Option<&str> {
        match self {
            ModelQuality::Two(facts) => facts.by.as_deref(),
            ModelQuality::Several(facts) => facts.by.as_deref(),
            ModelQuality::Number(facts) => facts.by.as_deref(),
        }
    }

    /// Values whose rows are too few to say much, by the released counts.
    pub fn small_groups(&self) -> Vec<&str> {
        fn small<'g>(
            groups: impl Iterator<Item = (&'g String, &'g Option<String>)>,
        ) -> Vec<&'g str> {
            groups
                .filter(|(_, warning)| warning.is_some())
                .map(|(value, _)| value.as_str())
                .collect()
        }
        match self {
            ModelQuality::Two(facts) => {
                small(facts.groups.iter().map(|group| (&group.value, &group.warning)))
            }
            ModelQuality::Several(facts) => {
                small(facts.groups.iter().map(|group| (&group.value, &group.warning)))
            }
            ModelQuality::Number(facts) => {
                small(facts.groups.iter().map(|group| (&group.value, &group.warning)))
            }
        }
    }

    /// What is known of a model of two classes.
    pub fn two(&self) -> Option<&QualityFacts> {
        match self {
            ModelQuality::Two(facts) => Some(facts),
            ModelQuality::Several(_) | ModelQuality::Number(_) => None,
        }
    }

    /// Whether it is about the outcome of this schema; a sentence if not.
    pub(crate) fn belongs_to(&self, schema: &Schema) -> Result<(), String> {
        let labels = &schema.target().labels;
        let fits = match self {
            ModelQuality::Two(_) => labels.two_names().is_some(),
            ModelQuality::Several(facts) => {
                labels.several().is_some() && labels.names() == facts.classes
            }
            ModelQuality::Number(_) => schema.outcome_scale().is_some(),
        };
        if fits { Ok(()) } else { Err(EDITED.to_owned()) }
    }

    /// Whether its parts belong together; a sentence if not.
    pub fn checked(&self) -> Result<(), String> {
        claim::rows(self.rows())?;
        claim::share(self.level(), "the level of its intervals")?;
        match self {
            ModelQuality::Two(facts) => facts.checked(),
            ModelQuality::Several(facts) => facts.checked(),
            ModelQuality::Number(facts) => facts.checked(),
        }
    }
}
