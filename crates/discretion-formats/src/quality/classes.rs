//! How good a model of several classes is.

use super::{EDITED, damaged};
use discretion::quality::ScoreCounts;
use discretion::quality::classes::{ClassCounts, ClassFigures, GroupFigures, OneClass};
use serde::{Deserialize, Serialize};

/// How good a model of several classes is on rows that did not train it. All of it follows from
/// `counts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassQualityFacts {
    /// The rows that were held out, or are another table's.
    pub rows: usize,
    /// Each interval holds with this probability.
    pub level: f64,
    /// The names of the classes, in the order of everything below.
    pub classes: Vec<String>,
    /// Of all these rows.
    pub figures: ClassFigures,
    /// The column by whose values they were counted apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Of each of its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupClassQuality>,
    /// What was released.
    pub counts: ClassCounts,
}

/// How good a model is for one value of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupClassQuality {
    /// The value.
    pub value: String,
    /// Said where the released counts are too small to say much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Of its rows.
    pub figures: GroupFigures,
}

impl ClassQualityFacts {
    /// Whether its parts belong together; a sentence if not.
    pub(super) fn checked(&self) -> Result<(), String> {
        let counts = &self.counts;
        counts.checked().map_err(damaged)?;
        let classes = self.classes.len();
        let complete = |(class, scores): (&OneClass, &ScoreCounts)| {
            class.scores.bins.len() == scores.bins()
                && class.scores.thresholds.len() + 1 == scores.bins()
        };
        let groups = if self.by.is_some() { counts.calls.len() } else { 0 };
        let whole = counts.scores.len() == classes
            && self.figures.classes.len() == classes
            && self.figures.classes.iter().zip(&counts.scores).all(complete)
            && self.figures.calls.len() == classes
            && self.figures.calls.iter().all(|row| row.len() == classes)
            && self.groups.len() == groups
            && self.groups.iter().all(|group| group.figures.recall.len() == classes);
        if whole { Ok(()) } else { Err(EDITED.to_owned()) }
    }
}
