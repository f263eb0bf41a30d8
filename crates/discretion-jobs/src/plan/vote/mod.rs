//! How many voters a budget needs, or what a number of them can serve.

mod all;
mod sheet;
mod sure;

pub use all::AllReport;
pub use sure::SureReport;

use super::Fits;
use crate::arguments::Arguments;
use crate::support::{self, Feature, features_of};
use crate::vote::{Numbers, Voting, VotingPlan, aim, rare};
use discretion::Refusal;
use discretion::privacy::{Budget, Unit};
use discretion_report::numbers::plain::short;
use discretion_table::{AnswerChoice, Study, VoteSettings};
use serde::Serialize;
use std::mem::discriminant;

/// A session of queries. What is given goes before what the study says, and that before defaults.
#[derive(Clone, Copy, Debug)]
pub struct VotePlanRequest<'s> {
    /// Spend and vote settings, if they are in a study.
    pub study: Option<&'s Study>,
    /// What may be spent.
    pub budget: Option<Budget>,
    /// How many queries may be asked.
    pub queries: Option<u64>,
    /// Which of them are answered, "sure" or "all"; those whose winner is clear, if nobody says.
    pub answer: Option<&'s str>,
    /// With "all": how sure a label is that is told apart from the others.
    pub confidence: Option<f64>,
    /// How many of them may be unstable; 50, or all queries if fewer, if nobody says.
    pub unstable: Option<u64>,
    /// The probability that some stable query goes unanswered; 0.05 if nobody says.
    pub miss: Option<f64>,
    /// The share of votes for its winner with which a query counts as stable.
    pub agreement: Option<f64>,
    /// Whether answers are scores.
    pub scores: bool,
    /// The number of rows, or of persons if the study names them, to see what is left for each
    /// model.
    pub rows: Option<u64>,
    /// The number of models, if it is given.
    pub chunks: Option<u64>,
    /// Who asks.
    pub arguments: Arguments,
}

impl VotePlanRequest<'_> {
    fn settings(&self) -> Option<&VoteSettings> {
        self.study.and_then(|study| study.vote.as_ref())
    }

    /// The best design for what is asked for.
    pub fn voting(&self) -> Result<Voting, Refusal> {
        let vote = self.settings();
        let queries = self.queries.or(vote.map(|vote| vote.queries as u64)).ok_or_else(|| {
            Refusal::bad_input(format!(
                "the study has no [vote] table; say {}, or add `[vote]` with `queries = 1000`",
                self.arguments.name("queries")
            ))
        })?;
        let spend = self.budget.or(self.study.map(|study| study.spend));
        let spend = spend.ok_or_else(|| Refusal::bad_input("a plan needs a budget".to_owned()))?;
        let answer = aim((self.answer, self.confidence), vote.map(|vote| vote.answer))?;
        if let Some(study) = self.study {
            support::check(&features_of(study, &[Feature::Vote, Feature::of_answers(answer)]))?;
        }
        if self.unstable.is_some() && answer != AnswerChoice::Sure {
            return Err(Refusal::bad_input(format!(
                "{} is for answers of clear winners: where every query is answered none is unstable; leave it out",
                self.arguments.name("unstable")
            )));
        }
        // What a study plans for is about its own aim, whatever confidence is asked for.
        let same_aim = |vote: &&VoteSettings| discriminant(&vote.answer) == discriminant(&answer);
        let of_study = vote.filter(same_aim).map(|vote| vote.agreement);
        let agreement = self.agreement.or(of_study).unwrap_or(answer.usual_agreement());
        if !(agreement > 0.5 && agreement <= 1.0) {
            return Err(Refusal::bad_input(format!(
                "{} is the winner's share of the votes, above 0.5 and at most 1, not {agreement}",
                self.arguments.name("agreement")
            )));
        }
        let chunks = self.chunks.or(vote.and_then(|vote| vote.chunks).map(|chunks| chunks as u64));
        let numbers = Numbers {
            queries,
            answer,
            unstable: self
                .unstable
                .or(vote.map(|vote| vote.unstable as u64))
                .unwrap_or(VoteSettings::usual_unstable(queries)),
            chunks,
            agreement,
            miss: self.miss.or(vote.map(|vote| vote.miss)).unwrap_or(VoteSettings::USUAL_MISS),
            labels: vote.map_or(2, |vote| vote.classes.count()),
            score_bins: vote
                .and_then(|vote| vote.score_bins)
                .or(self.scores.then_some(VoteSettings::USUAL_BINS)),
            unit: self.study.map_or(Unit::Row, |study| study.schema.unit()),
        };
        Voting::plan(spend, numbers)
    }

    /// The plan. No data is read.
    pub fn plan(&self) -> Result<Report, Refusal> {
        let (voting, vote) = (self.voting()?, self.settings());
        let numbers = voting.numbers;
        let event = voting.design().event();
        let fits = self.study.map(|study| Fits::into_new(study.budget, &event));
        let chunks = numbers.chunks.or(voting.chunks_needed());
        let rare = match (vote, chunks, self.rows) {
            (Some(vote), Some(chunks), Some(rows)) => {
                rare(&vote.into(), chunks, (numbers.unit, rows))
            }
            _ => None,
        };
        Ok(match voting.plan {
            VotingPlan::Sure(demand, _) => {
                Report::Sure(SureReport::new(&voting, &demand, self.rows, fits, rare))
            }
            VotingPlan::All(planned) => {
                Report::All(AllReport::new(&voting, &planned, self.rows, fits, rare))
            }
        })
    }
}

/// A plan as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Clear winners are answered.
    Sure(SureReport),
    /// Every query is answered.
    All(AllReport),
}

impl Report {
    /// As JSON.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a plan is plain data") + "\n"
    }

    /// For people.
    pub fn text(&self) -> String {
        match self {
            Report::Sure(report) => report.text(),
            Report::All(report) => report.text(),
        }
    }
}

/// What would do with so few rows, and what a rare class does.
fn plan_advice(
    voting: &Voting,
    chunks: u64,
    rows: Option<u64>,
    rare: Option<String>,
) -> Option<String> {
    let advice = rows.and_then(|rows| voting.advice(chunks, rows));
    let all: Vec<String> = [advice, rare].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("\n\n"))
}

fn percent(share: f64) -> String {
    format!("{} %", short(100.0 * share))
}

fn each_has(unit: Unit) -> &'static str {
    match unit {
        Unit::Row => "rows for each",
        Unit::Person => "persons for each",
    }
}
