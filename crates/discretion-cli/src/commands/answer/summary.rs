//! What was done, in words or as JSON: public facts and counts of answers.

use super::study_vote::StudyVote;
use super::{Answers, SessionCharge};
use discretion::privacy::Budget;
use discretion::vote::{Answer, Stop};
use discretion_formats::LedgerEntry;
use discretion_jobs::vote::{Numbers, VotingPlan};
use discretion_report::numbers::plain::{count, short};
use discretion_report::words;
use discretion_table::{AnswerChoice, Protect};
use serde::Serialize;
use std::path::Path;

/// A run as it is shown. The order of the fields is the order in the JSON.
#[derive(Serialize)]
pub struct Summary {
    answers: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    student: Option<String>,
    statement: String,
    budget: Budget,
    protects: &'static str,
    models: usize,
    /// The share of votes that a query needs to be answered, with probability `1 - miss` for all of
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement_needed: Option<Option<f64>>,
    /// Where every query is answered: how probably by the label that has the share `agreement` of
    /// the votes, or by a score that is near the models' mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    chance_of_right_answer: Option<f64>,
    queries: usize,
    answered: usize,
    /// Of the answered ones, those whose winner does not lead clearly; where that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsure: Option<usize>,
    /// Of the scores, those that a declared threshold calls the second class.
    #[serde(skip_serializing_if = "Option::is_none")]
    above_threshold: Option<usize>,
    unstable: usize,
    not_asked: usize,
    /// What this session may still do.
    queries_left: u64,
    unstable_left: u64,
    ledger: Option<LedgerEntry>,
    #[serde(skip)]
    is_all: bool,
    /// The share of votes that was planned for; nothing for scores.
    #[serde(skip)]
    agreement: Option<f64>,
    /// Of the bins of scores.
    #[serde(skip)]
    width: f64,
    #[serde(skip)]
    stopped: Option<Stop>,
    /// The threshold, and the class that is named from it on.
    #[serde(skip)]
    threshold: Option<(f64, String)>,
    #[serde(skip)]
    account: String,
}

impl Summary {
    /// What came of a vote.
    pub fn new(
        study_vote: &StudyVote<'_>,
        answers: &Answers,
        charge: Option<&SessionCharge>,
        path: &Path,
        student: Option<&Path>,
    ) -> Summary {
        let counted = |wanted: fn(&Option<Answer>) -> bool| {
            answers.given.iter().filter(|answer| wanted(answer)).count()
        };
        let unstable = counted(|answer| matches!(answer, Some(Answer::Unstable)));
        let not_asked = counted(Option::is_none);
        let Numbers { agreement, answer, .. } = study_vote.voting.numbers;
        let (design, chunks) = (*answers.state.design(), answers.chunks as u64);
        let (agreement_needed, chance_of_right_answer) = match study_vote.voting.plan {
            VotingPlan::Sure(demand, _) => (Some(demand.of(design).agreement(chunks)), None),
            VotingPlan::All(planned) => {
                (None, Some(planned.demand.of(design).right(chunks, agreement)))
            }
        };
        Summary {
            answers: path.display().to_string(),
            student: student.map(|path| path.display().to_string()),
            statement: words::voting_guarantee(
                study_vote.study.spend,
                study_vote.voting.numbers.unit,
                study_vote.vote.protect,
            ),
            budget: study_vote.study.spend,
            protects: match study_vote.vote.protect {
                Protect::Rows => study_vote.voting.numbers.unit.plural(),
                Protect::Labels => "labels",
            },
            models: answers.chunks,
            agreement_needed,
            chance_of_right_answer,
            queries: answers.given.len(),
            answered: answers.given.len() - unstable - not_asked,
            unsure: study_vote
                .vote
                .tells_apart()
                .then(|| counted(|answer| matches!(answer, Some(Answer::Unsure(_))))),
            above_threshold: study_vote.vote.threshold.map(|_| {
                let called = |answer: &&Option<Answer>| match answer {
                    Some(Answer::Score(score)) => study_vote.vote.called(*score) == Some(1),
                    _ => false,
                };
                answers.given.iter().filter(called).count()
            }),
            unstable,
            not_asked,
            queries_left: answers.state.queries_left(),
            unstable_left: answers.state.unstable_left(),
            ledger: charge.map(|charge| charge.entry.clone()),
            is_all: answer != AnswerChoice::Sure,
            agreement: study_vote.vote.score_bins.is_none().then_some(agreement),
            width: study_vote.vote.score_bins.map_or(0.0, |bins| 1.0 / f64::from(bins)),
            stopped: answers.stopped,
            threshold: study_vote
                .vote
                .threshold
                .map(|threshold| (threshold, study_vote.vote.classes.names()[1].clone())),
            account: charge.map_or(String::new(), |charge| charge.about.clone()),
        }
    }

    /// For machines.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a summary is plain data") + "\n"
    }

    /// What came of the queries.
    fn outcome(&self) -> String {
        let voted = format!(
            "{} models voted on {} queries: {} answered",
            count(self.models),
            count(self.queries),
            count(self.answered)
        );
        let Some(right) = self.chance_of_right_answer else {
            let needed = match self.agreement_needed.flatten() {
                Some(share) => {
                    format!("a winner with {} % of the votes is answered\n", short(100.0 * share))
                }
                None => String::new(),
            };
            return format!("{voted}, {} unstable (no answer)\n{needed}", count(self.unstable));
        };
        let sure = match self.unsure {
            Some(unsure) => format!(", {} of them sure", count(self.answered - unsure)),
            None => String::new(),
        };
        let promise = match self.agreement {
            Some(share) => {
                format!("a label with {} % of the votes is the one told", short(100.0 * share))
            }
            None => format!("a score is within {} of the models' mean", short(self.width)),
        };
        format!("{voted}{sure}\n{promise} with probability {}\n", short(right))
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n\n{}", self.statement, self.outcome());
        if let (Some((threshold, class)), Some(above)) = (&self.threshold, self.above_threshold) {
            text += &format!(
                "scores from {} on are called {class}: {}\n",
                short(*threshold),
                count(above)
            );
        }
        match self.stopped {
            Some(Stop::Paid) => {
                text += &format!(
                    "the session ended at its last unstable answer; {} queries were not asked. Allow more of them with \
                     `unstable` in [vote]: another session, at its full price\n",
                    count(self.not_asked)
                );
            }
            Some(Stop::Asked) => {
                text += &format!("{} queries were not asked\n", count(self.not_asked))
            }
            None => {}
        }
        if self.is_all {
            text +=
                &format!("left in this session: {} queries\n", count(self.queries_left as usize));
        } else if self.stopped != Some(Stop::Paid) {
            text += &format!(
                "left in this session: {} queries, {} unstable answers\n",
                count(self.queries_left as usize),
                count(self.unstable_left as usize)
            );
        }
        if !self.account.is_empty() {
            text += &format!("{}\n", self.account);
        }
        text += &format!("\n{}\n", self.answers);
        if let Some(student) = &self.student {
            text += &format!("{student}\n");
        }
        text
    }
}
