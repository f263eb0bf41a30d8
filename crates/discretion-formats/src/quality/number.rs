//! How good a model of a number is.

use super::{EDITED, damaged};
use crate::claim;
use discretion::quality::numbers::{LEVELS, NumberFigures, NumberSums};
use serde::{Deserialize, Serialize};

/// How good a model of a number is on rows that did not train it. All of it follows from `sums`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberQualityFacts {
    /// The rows that were held out, or are another table's.
    pub rows: usize,
    /// Each interval holds with this probability.
    pub level: f64,
    /// What is predicted: the outcome, or its logarithm. Residuals are in its unit.
    pub of: String,
    /// Larger residuals than this were clipped to it.
    pub clipped_at: f64,
    /// Of all these rows.
    pub figures: NumberFigures,
    /// The column by whose values they were counted apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Of each of its values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupNumberQuality>,
    /// What was released.
    pub sums: NumberSums,
}

/// How good a model is for one value of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupNumberQuality {
    /// The value.
    pub value: String,
    /// Said where what was released is too little to say much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Of its rows.
    pub figures: NumberFigures,
}

impl NumberQualityFacts {
    /// Whether its parts belong together; a sentence if not.
    pub(crate) fn checked(&self) -> Result<(), String> {
        claim::rows(self.rows)?;
        claim::share(self.level, "the level of its intervals")?;
        self.sums.checked().map_err(damaged)?;
        let levels = if self.sums.predictions_alone { 0 } else { LEVELS.len() };
        let complete = |figures: &NumberFigures| {
            figures.intervals.len() == levels
                && figures.explained.is_none() == self.sums.predictions_alone
        };
        let groups = if self.by.is_some() { self.sums.sums.len() } else { 0 };
        let whole = complete(&self.figures)
            && self.groups.len() == groups
            && self.groups.iter().all(|group| complete(&group.figures));
        if whole { Ok(()) } else { Err(EDITED.to_owned()) }
    }
}
