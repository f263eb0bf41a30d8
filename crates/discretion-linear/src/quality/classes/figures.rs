//! What counts of several classes say about a model. Post-processing: it touches no row and costs
//! nothing.

use super::ClassCounts;
use crate::quality::cells::{Cells, Estimate, Sum};
use crate::quality::{Figures, Meaning};
use serde::{Deserialize, Serialize};

/// How good a model of several classes is, with an interval for each number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassFigures {
    /// The share of rows that are called what they are.
    pub accuracy: Estimate,
    /// The mean of the classes' AUCs, where each has one. Its interval is as if they erred
    /// together, which makes it rather too wide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_auc: Option<Estimate>,
    /// Each class.
    pub classes: Vec<OneClass>,
    /// For each class, about how many of its rows are called what: noisy counts, and so perhaps
    /// below 0.
    pub calls: Vec<Vec<f64>>,
}

/// One class against all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OneClass {
    /// The share of its rows that are called by its name.
    pub recall: Estimate,
    /// The share of its rows among those that are called by its name.
    pub precision: Estimate,
    /// What its own scores say. Its base rate is the share of all rows that it has.
    pub scores: Figures,
}

/// How good a model is for one group: its main figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupFigures {
    /// The share of rows that are called what they are.
    pub accuracy: Estimate,
    /// The mean of the classes' AUCs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_auc: Option<Estimate>,
    /// For each class, the share of its rows that are called by its name.
    pub recall: Vec<Estimate>,
}

/// An interval of the accuracy that is wider than this says next to nothing.
const WIDEST: f64 = 0.2;

impl ClassFigures {
    /// Of all rows together.
    pub fn of_all(counts: &ClassCounts, level: f64) -> ClassFigures {
        let calls = Calls::of(counts, None, level);
        let classes = counts.scores.iter().enumerate().map(|(class, scores)| OneClass {
            recall: calls.recall(class),
            precision: calls.precision(class),
            scores: Figures::of_all(scores, Meaning::LogOdds, level),
        });
        let classes: Vec<OneClass> = classes.collect();
        ClassFigures {
            accuracy: calls.accuracy(),
            mean_auc: mean(classes.iter().map(|class| class.scores.auc)),
            classes,
            calls: calls.counts,
        }
    }
}

impl GroupFigures {
    /// Of one group.
    pub fn of(counts: &ClassCounts, group: usize, level: f64) -> GroupFigures {
        let calls = Calls::of(counts, Some(group), level);
        let auc = |scores| Figures::of_group(scores, group, Meaning::LogOdds, level).auc;
        GroupFigures {
            accuracy: calls.accuracy(),
            mean_auc: mean(counts.scores.iter().map(auc)),
            recall: (0..counts.scores.len()).map(|class| calls.recall(class)).collect(),
        }
    }

    /// Whether the counts say anything worth reading.
    pub fn say_something(&self) -> bool {
        self.accuracy.upper - self.accuracy.lower <= WIDEST
    }
}

/// The mean of several, with an interval that holds if theirs do.
fn mean(each: impl Iterator<Item = Option<Estimate>>) -> Option<Estimate> {
    let each: Vec<Estimate> = each.collect::<Option<_>>()?;
    let mean = |of: fn(&Estimate) -> f64| each.iter().map(of).sum::<f64>() / each.len() as f64;
    Some(Estimate { value: mean(|e| e.value), lower: mean(|e| e.lower), upper: mean(|e| e.upper) })
}

/// Noisy counts of what rows of each class are called, of one group or of all.
struct Calls {
    counts: Vec<Vec<f64>>,
    law: Cells,
}

impl Calls {
    fn of(counts: &ClassCounts, group: Option<usize>, level: f64) -> Calls {
        let groups = match group {
            Some(group) => &counts.calls[group..=group],
            None => &counts.calls[..],
        };
        let classes = counts.scores.len();
        let sum = |class: usize, called: usize| -> f64 {
            groups.iter().map(|of| of[class][called] as f64).sum()
        };
        let added = groups.len() as f64;
        let law = Cells {
            positive: Vec::new(),
            negative: Vec::new(),
            variance: counts.deviation.powi(2) * added,
            excess: if counts.laplace { 3.0 / added } else { 0.0 },
            rows: (groups.len() == counts.calls.len()).then_some(counts.rows as f64),
            level,
        };
        let row = |class: usize| (0..classes).map(|called| sum(class, called)).collect();
        Calls { counts: (0..classes).map(row).collect(), law }
    }

    /// The counts where `wanted` says so.
    fn sum(&self, wanted: impl Fn(usize, usize) -> bool) -> Sum {
        let mut sum = Sum { rows: 0.0, cells: 0.0 };
        for (class, row) in self.counts.iter().enumerate() {
            let counts = row.iter().enumerate().filter(|&(called, _)| wanted(class, called));
            sum = counts.fold(sum, |sum, (_, &rows)| sum.and(Sum { rows, cells: 1.0 }));
        }
        sum
    }

    fn accuracy(&self) -> Estimate {
        self.law.share_of_all(
            self.sum(|class, called| class == called),
            self.sum(|class, called| class != called),
        )
    }

    fn recall(&self, of: usize) -> Estimate {
        let right = self.sum(|class, called| class == of && called == of);
        self.law.share(right, self.sum(|class, called| class == of && called != of))
    }

    fn precision(&self, of: usize) -> Estimate {
        let right = self.sum(|class, called| class == of && called == of);
        self.law.share(right, self.sum(|class, called| class != of && called == of))
    }
}
