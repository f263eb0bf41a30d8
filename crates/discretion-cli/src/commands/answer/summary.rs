//! What was done, in words or as JSON: public facts and counts of answers.

use super::study_vote::StudyVote;
use super::{Answers, SessionCharge};
use discretion::privacy::Budget;
use discretion::vote::{Answer, Stop};
use discretion_formats::LedgerEntry;
use discretion_report::numbers::plain::{count, short};
use discretion_report::words;
use discretion_table::Protect;
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
    /// The share of votes that a query needs to be answered, with probability `1 - miss` for all of them.
    agreement_needed: Option<f64>,
    queries: usize,
    answered: usize,
    unstable: usize,
    not_asked: usize,
    /// What this session may still do.
    queries_left: u64,
    unstable_left: u64,
    ledger: Option<LedgerEntry>,
    #[serde(skip)]
    stopped: Option<Stop>,
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
        Summary {
            answers: path.display().to_string(),
            student: student.map(|path| path.display().to_string()),
            statement: words::voting_guarantee(study_vote.study.spend, study_vote.vote.protect),
            budget: study_vote.study.spend,
            protects: match study_vote.vote.protect {
                Protect::Rows => "rows",
                Protect::Labels => "labels",
            },
            models: answers.chunks,
            agreement_needed: study_vote
                .voting
                .demand
                .of(*answers.state.design())
                .agreement(answers.chunks as u64),
            queries: answers.given.len(),
            answered: answers.given.len() - unstable - not_asked,
            unstable,
            not_asked,
            queries_left: answers.state.queries_left(),
            unstable_left: answers.state.unstable_left(),
            ledger: charge.map(|charge| charge.entry.clone()),
            stopped: answers.stopped,
            account: charge.map_or(String::new(), |charge| charge.about.clone()),
        }
    }

    /// For machines.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a summary is plain data") + "\n"
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}\n\n{} models voted on {} queries: {} answered, {} unstable (no answer)\n",
            self.statement,
            count(self.models),
            count(self.queries),
            count(self.answered),
            count(self.unstable)
        );
        if let Some(share) = self.agreement_needed {
            text += &format!("a winner with {} % of the votes is answered\n", short(100.0 * share));
        }
        match self.stopped {
            Some(Stop::Paid) => {
                text += &format!(
                    "the session ended at its last unstable answer; {} queries were not asked. Allow more of them with \
                     `unstable` in [vote]: another session, at its full price\n",
                    count(self.not_asked)
                );
            }
            Some(Stop::Asked) => text += &format!("{} queries were not asked\n", count(self.not_asked)),
            None => {}
        }
        if self.stopped != Some(Stop::Paid) {
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
