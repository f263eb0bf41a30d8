//! How many voters a budget needs, or what a number of them can serve.

use super::Fits;
use crate::arguments::Arguments;
use crate::vote::{Numbers, Voting, advice};
use discretion::Refusal;
use discretion::privacy::{Approximate, Budget};
use discretion::vote::{AGREEMENT, Planned};
use discretion_report::numbers::plain::{count, short};
use discretion_report::terminal::AlignedColumns;
use discretion_report::words;
use discretion_table::Study;
use serde::Serialize;

/// A session of queries. What is given goes before what the study says, and that before defaults.
#[derive(Clone, Copy, Debug)]
pub struct VotePlanRequest<'s> {
    /// Spend and vote settings, if they are in a study.
    pub study: Option<&'s Study>,
    /// What may be spent.
    pub budget: Option<Budget>,
    /// How many queries may be asked.
    pub queries: Option<u64>,
    /// How many of them may be unstable; 50, or all queries if fewer, if nobody says.
    pub unstable: Option<u64>,
    /// The probability that some stable query goes unanswered; 0.05 if nobody says.
    pub miss: Option<f64>,
    /// The share of votes for its winner with which a query counts as stable.
    pub agreement: Option<f64>,
    /// Whether answers are scores.
    pub scores: bool,
    /// The number of rows, to see what is left for each model.
    pub rows: Option<u64>,
    /// The number of models, if it is given.
    pub chunks: Option<u64>,
    /// Who asks.
    pub arguments: Arguments,
}

impl VotePlanRequest<'_> {
    /// The plan. No data is read.
    pub fn plan(&self) -> Result<Report, Refusal> {
        let vote = self.study.and_then(|study| study.vote.as_ref());
        let queries = self.queries.or(vote.map(|vote| vote.queries as u64)).ok_or_else(|| {
            Refusal::bad_input(format!(
                "the study has no [vote] table; say {}, or add `[vote]` with `queries = 1000`",
                self.arguments.name("queries")
            ))
        })?;
        let spend = self.budget.or(self.study.map(|study| study.spend));
        let spend = spend.ok_or_else(|| Refusal::bad_input("a plan needs a budget".to_owned()))?;
        let agreement = self.agreement.or(vote.map(|vote| vote.agreement)).unwrap_or(AGREEMENT);
        if !(agreement > 0.5 && agreement <= 1.0) {
            return Err(Refusal::bad_input(format!(
                "{} is the winner's share of the votes, above 0.5 and at most 1, not {agreement}",
                self.arguments.name("agreement")
            )));
        }
        let chunks = self.chunks.or(vote.and_then(|vote| vote.chunks).map(|chunks| chunks as u64));
        let numbers = Numbers {
            queries,
            unstable: self.unstable.or(vote.map(|vote| vote.unstable as u64)).unwrap_or(50.min(queries)),
            chunks,
            agreement,
            miss: self.miss.or(vote.map(|vote| vote.miss)).unwrap_or(0.05),
            scores: self.scores || vote.is_some_and(|vote| vote.score_bins.is_some()),
        };
        let voting = Voting::plan(spend, numbers)?;
        let event = voting.planned.design.event();
        let fits = self.study.map(|study| Fits::into_new(study.budget, &event));
        Ok(Report { fits, ..Report::new(&voting, self.rows) })
    }
}

/// A plan as it is shown. The order of the fields is the order in the JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
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
    /// The share of votes that a query needs to be answered among so many models; none if even all are too few.
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

impl Report {
    fn new(voting: &Voting, rows: Option<u64>) -> Report {
        let Voting { numbers: Numbers { agreement, chunks: given, .. }, ref demand, .. } = *voting;
        let designs = demand.designs();
        let best: Planned = designs[0];
        let needed = best.chunks(agreement);
        let chunks = given.or(needed).unwrap_or(u64::MAX);
        let serves = needed.is_some_and(|needed| needed <= chunks);
        let Approximate { epsilon, delta } = demand.budget;
        let budget = Budget::Approximate { epsilon, delta };
        Report {
            budget,
            statement: words::guarantee(budget),
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
            fits: None,
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
            advice: rows.and_then(|rows| advice(demand, agreement, chunks, rows)),
        }
    }

    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a plan is plain data") + "\n"
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut lines: Vec<(&str, String)> = Vec::new();
        let thousands = |n: u64| count(n as usize);
        lines.push((
            "queries",
            format!("{}, up to {} of them unstable", thousands(self.queries), thousands(self.unstable)),
        ));
        lines.push(("models", thousands(self.chunks)));
        if let Some(each) = self.rows_per_chunk {
            lines.push(("rows for each", thousands(each)));
        }
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
        if let Some(fits) = &self.fits {
            lines.push(("fits", fits.to_string()));
        }
        lines.push(("printed formula", format!("{} models", thousands(self.printed_chunks))));
        let mut table = AlignedColumns::new(&["design", "votes that may move", "models", ""]);
        for row in &self.designs {
            table.row(vec![
                row.name.to_owned(),
                thousands(row.distance),
                row.chunks.map_or("-".to_owned(), thousands),
                if row.taken { "taken" } else { "" }.to_owned(),
            ]);
        }
        let lines: String = lines.iter().map(|(name, value)| format!("{name:<17}{value}\n")).collect();
        let advice = self.advice.as_ref().map_or(String::new(), |advice| format!("\n{advice}\n"));
        format!(
            "{}\n\n{lines}\n{}\nModels are for queries whose winner has {} of the votes, with all others for one rival.\n{advice}",
            self.statement,
            table.render(),
            percent(self.agreement)
        )
    }
}

fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}
