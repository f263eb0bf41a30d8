//! Every query is answered.

use super::sheet::{Sheet, thousands};
use super::{Fits, each_has, percent, plan_advice};
use crate::vote::{Numbers, Voting};
use discretion::privacy::{Budget, Unit};
use discretion::vote::{Design, PlannedAll, Told};
use discretion_report::numbers::plain::short;
use discretion_report::words;
use serde::Serialize;

/// A plan as it is shown. The order of the fields is the order in the JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AllReport {
    budget: Budget,
    statement: String,
    answer: &'static str,
    queries: u64,
    /// The share of votes that a winner is thought to have; nothing for scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<f64>,
    /// How far a score may be off.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<f64>,
    /// The probability that an answer may not be the winner, or be further off.
    miss: f64,
    /// How probably a label called sure is the winner, at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// The number of models: as given, or the smallest that serves.
    chunks: u64,
    /// Whether `chunks` serves all this.
    serves: bool,
    /// How probably a query is told its winner, or a score within the width, among so many models.
    right: f64,
    /// What so many models can serve, if their number was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    most_queries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_per_chunk: Option<u64>,
    /// How many such sessions fit into the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits: Option<Fits>,
    /// Best first.
    designs: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
    #[serde(skip)]
    unit: Unit,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    taken: bool,
    name: &'static str,
    design: Design,
    /// How many votes a winner must be ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead: Option<u64>,
    chunks: Option<u64>,
}

impl AllReport {
    pub(super) fn new(
        voting: &Voting,
        planned: &PlannedAll,
        rows: Option<u64>,
        fits: Option<Fits>,
        rare: Option<String>,
    ) -> AllReport {
        let Numbers { agreement, chunks: given, .. } = voting.numbers;
        let demand = planned.demand;
        let needed = planned.chunks(agreement);
        let chunks = given.or(needed).unwrap_or(u64::MAX);
        let (shown_agreement, width, confidence) = match demand.told {
            Told::Labels { confidence, .. } => (Some(agreement), None, confidence),
            Told::Scores { width } => (None, Some(width), None),
        };
        let row = |(place, planned): (usize, &PlannedAll)| Row {
            taken: place == 0,
            name: planned.design.describe(),
            design: planned.design,
            ahead: planned.ahead,
            chunks: planned.chunks(agreement),
        };
        AllReport {
            budget: demand.budget,
            statement: words::guarantee_about(voting.numbers.unit, demand.budget),
            answer: "all",
            queries: demand.queries,
            agreement: shown_agreement,
            width,
            miss: demand.miss,
            confidence,
            chunks,
            serves: needed.is_some_and(|needed| needed <= chunks),
            right: planned.right(chunks, agreement),
            most_queries: given.and_then(|chunks| demand.most_queries(chunks, agreement)),
            rows,
            rows_per_chunk: rows.map(|rows| rows / chunks),
            fits,
            designs: demand.designs().iter().enumerate().map(row).collect(),
            advice: plan_advice(voting, chunks, rows, rare),
            unit: voting.numbers.unit,
        }
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![
            ("queries", format!("{}, all of them answered", thousands(self.queries))),
            ("models", thousands(self.chunks)),
        ];
        lines.extend(self.rows_per_chunk.map(|each| (each_has(self.unit), thousands(each))));
        let answers = match self.agreement {
            Some(agreement) => {
                format!(
                    "a label with {} of the votes is the one told with probability",
                    percent(agreement)
                )
            }
            None => {
                let width = short(self.width.unwrap_or_default());
                format!("a told score is within {width} of the models' mean with probability")
            }
        };
        lines.push(("answers", format!("{answers} {}", short(self.right))));
        lines.extend(self.confidence.map(|confidence| {
            let wrong = short(1.0 - confidence);
            (
                "sure ones",
                format!(
                    "a label without the most votes is called sure with probability {wrong} at most"
                ),
            )
        }));
        let right = short(1.0 - self.miss);
        lines.extend(self.most_queries.map(|most| {
            (
                "can serve",
                format!("{} queries, each told so with probability {right}", thousands(most)),
            )
        }));
        lines.extend(self.fits.as_ref().map(|fits| ("fits", fits.to_string())));
        let models_for = match self.agreement {
            Some(agreement) => format!(
                "Models are for labels with {} of the votes, told with probability {right} each, with all others for one rival.",
                percent(agreement)
            ),
            None => {
                format!("Models are for scores within the width with probability {right} each.")
            }
        };
        Sheet {
            statement: &self.statement,
            lines,
            votes: if self.agreement.is_some() { "votes ahead" } else { "" },
            designs: self.designs.iter().map(|row| (row.name, row.ahead, row.chunks)).collect(),
            models_for,
            advice: self.advice.as_deref(),
        }
        .text()
    }
}
