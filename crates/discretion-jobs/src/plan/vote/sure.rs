//! Clear winners are answered.

use super::sheet::{Sheet, thousands};
use super::{Fits, each_has, percent, plan_advice};
use crate::vote::{Numbers, Voting};
use discretion::privacy::{Approximate, Budget, Unit};
use discretion::vote::{Demand, Planned};
use discretion_report::numbers::plain::short;
use discretion_report::words;
use serde::Serialize;

/// A plan as it is shown. The order of the fields is the order in the JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SureReport {
    budget: Budget,
    statement: String,
    queries: u64,
    unstable: u64,
    miss: f64,
    /// The share of votes that makes a query stable.
    agreement: f64,
    /// The number of models: as given, or the smallest that serves.
    chunks: u64,
    /// Whether `chunks` serves all this.
    serves: bool,
    /// The share of votes that a query needs to be answered among so many models; none if even all
    /// are too few.
    agreement_needed: Option<f64>,
    /// What so many models can serve, if their number was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    most_unstable: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most_queries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_per_chunk: Option<u64>,
    /// How many such sessions fit into the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits: Option<Fits>,
    /// The number of models in the paper's Algorithm 4.
    printed_chunks: u64,
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
    design: discretion::vote::Design,
    /// How many votes must be able to move before the winner changes.
    distance: u64,
    chunks: Option<u64>,
}

impl SureReport {
    pub(super) fn new(
        voting: &Voting,
        demand: &Demand,
        rows: Option<u64>,
        fits: Option<Fits>,
        rare: Option<String>,
    ) -> SureReport {
        let Numbers { agreement, chunks: given, .. } = voting.numbers;
        let designs = demand.designs();
        let best: Planned = designs[0];
        let needed = best.chunks(agreement);
        let chunks = given.or(needed).unwrap_or(u64::MAX);
        let serves = needed.is_some_and(|needed| needed <= chunks);
        let Approximate { epsilon, delta } = demand.budget;
        let budget = Budget::Approximate { epsilon, delta };
        SureReport {
            budget,
            statement: words::guarantee_about(voting.numbers.unit, budget),
            queries: demand.queries,
            unstable: demand.unstable,
            miss: demand.miss,
            agreement,
            chunks,
            serves,
            agreement_needed: best.agreement(chunks),
            most_unstable: given.and_then(|chunks| demand.most_unstable(chunks, agreement)),
            most_queries: given.and_then(|chunks| demand.most_queries(chunks, agreement)),
            rows,
            rows_per_chunk: rows.map(|rows| rows / chunks),
            fits,
            printed_chunks: demand.printed_chunks(),
            designs: designs
                .iter()
                .enumerate()
                .map(|(place, planned)| Row {
                    taken: place == 0,
                    name: planned.design.describe(),
                    design: planned.design,
                    distance: planned.needs,
                    chunks: planned.chunks(agreement),
                })
                .collect(),
            advice: plan_advice(voting, chunks, rows, rare),
            unit: voting.numbers.unit,
        }
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![
            (
                "queries",
                format!(
                    "{}, up to {} of them unstable",
                    thousands(self.queries),
                    thousands(self.unstable)
                ),
            ),
            ("models", thousands(self.chunks)),
        ];
        lines.extend(self.rows_per_chunk.map(|each| (each_has(self.unit), thousands(each))));
        lines.push(("agreement", match self.agreement_needed {
            Some(share) => format!(
                "a query is answered if its winner has {} of the votes, with probability {} for all of them at once",
                percent(share),
                short(1.0 - self.miss)
            ),
            None => "so few models are not enough, even if all of them agree".to_owned(),
        }));
        if !self.serves || self.most_unstable.is_some() {
            let many = |most: Option<u64>| most.map_or("no".to_owned(), thousands);
            lines.push((
                "can serve",
                format!(
                    "at {} agreement: {} unstable queries among {}, or {} queries with {} unstable ones",
                    percent(self.agreement),
                    many(self.most_unstable),
                    thousands(self.queries),
                    many(self.most_queries),
                    thousands(self.unstable),
                ),
            ));
        }
        lines.extend(self.fits.as_ref().map(|fits| ("fits", fits.to_string())));
        lines.push(("printed formula", format!("{} models", thousands(self.printed_chunks))));
        Sheet {
            statement: &self.statement,
            lines,
            votes: "votes that may move",
            designs: self.designs.iter().map(|row| (row.name, Some(row.distance), row.chunks)).collect(),
            models_for: format!(
                "Models are for queries whose winner has {} of the votes, with all others for one rival.",
                percent(self.agreement)
            ),
            advice: self.advice.as_deref(),
        }
        .text()
    }
}
