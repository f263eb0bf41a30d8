//! The one owner of session and state. It works tick by tick, and what it answers is on the disk
//! before it leaves.

mod batch;

use crate::app::SharedCounts;
use crate::clock::Clock;
use crate::http::problem::Problem;
use crate::log;
use crate::request_queue::{PendingRequest, Reply};
use crate::store::{Progress, ResponseRecord, Store, WithholdReason};
use crate::voters::Voters;
use batch::{Decision, TickBatch};
use discretion::vote::{Answer, Bins, answer};
use discretion::{Refusal, RefusalKind};
use discretion_jobs::vote::{self, LedgerMemory, Queries};
use discretion_ledger::{checkpoint, utc_now};
use discretion_table::PlainRows;
use serde_json::{Value, json};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// A session goes on in another process rarely, and never three times in a row by chance.
const ATTEMPTS: usize = 3;

/// Session, state and voters.
pub struct Writer<'l> {
    pub memory: LedgerMemory<'l>,
    pub store: Store,
    pub voters: Box<dyn Voters>,
    /// No queries, of the study's columns.
    pub no_queries: PlainRows,
    /// For scores: the bins of the study.
    pub bins: Option<Bins>,
    pub labels: Vec<String>,
    /// Whether answers say if they are sure.
    pub tells_apart: bool,
    /// From which score on the second label is named, if that is declared.
    pub threshold: Option<f64>,
    pub counts: std::sync::Arc<SharedCounts>,
}

/// Where a reply goes, and the reply.
type DueReply = (oneshot::Sender<Reply>, Reply);

impl Writer<'_> {
    /// Works until nobody can ask any more.
    pub fn run(mut self, clock: Clock, mut queue: mpsc::Receiver<PendingRequest>) {
        let mut postponed = None;
        loop {
            // Straight after a release this is a boundary, and what has arrived since the one
            // before is taken.
            let mut batch = self.gather(&mut queue, &mut postponed);
            if batch.requests.is_empty() {
                postponed = queue.blocking_recv();
                if postponed.is_none() {
                    return;
                }
                clock.wait(clock.next(Instant::now()));
                batch = self.gather(&mut queue, &mut postponed);
            }
            if batch.requests.is_empty() {
                continue;
            }
            let (due, queries) = self.tick(batch);
            checkpoint("serve: settled");
            clock.wait(clock.next(Instant::now()));
            // Whatever shows how far things are changes here and nowhere else.
            self.publish(queries);
            for (reply, ready) in due {
                // A client that has gone away asks again under its key.
                let _ = reply.send(ready);
            }
        }
    }

    /// Answers some requests. When this returns everything about them is on the disk.
    fn tick(&mut self, batch: TickBatch) -> (Vec<DueReply>, u64) {
        let TickBatch { requests, decisions, rows, bins } = batch;
        let charge = self.memory.session().charge();
        let mut replies: Vec<Option<Reply>> = Vec::new();
        let answers = match rows.count() {
            0 => Ok(Vec::new()),
            _ if self.bins.is_some() => self.answer_queries(&Queries::for_scores(rows, bins)),
            _ => self.answer_queries(&Queries::for_labels(rows)),
        };
        for (decision, request) in decisions.iter().zip(&requests) {
            replies.push(match (decision, &answers) {
                (Decision::Reply(reply), _) => Some(reply.clone()),
                (Decision::SameAs(_), _) => None,
                (Decision::Ask(_), Err(failure)) => Some(self.unavailable(failure)),
                (Decision::Ask(range), Ok(answers)) => {
                    Some(self.reply(&answers[range.clone()], request.is_batch))
                }
            });
        }
        let answers = answers.unwrap_or_default();
        // What was not asked any more does not count.
        let counts = decisions.iter().map(|decision| match decision {
            Decision::Ask(range) => {
                answers.get(range.clone()).unwrap_or_default().iter().flatten().count() as u64
            }
            Decision::Reply(_) | Decision::SameAs(_) => 0,
        });
        let answered = self.settle(charge, &requests, &counts.collect::<Vec<u64>>(), &mut replies);
        let due = requests.into_iter().enumerate().map(|(place, request)| {
            let from = if let Decision::SameAs(first) = decisions[place] { first } else { place };
            (request.reply, replies[from].clone().expect("a first request has a reply"))
        });
        (due.collect(), answered)
    }

    /// Answers all queries of a tick within the session. They are in the ledger when this returns.
    fn answer_queries(&mut self, queries: &Queries) -> Result<Vec<Option<Answer>>, Refusal> {
        let mut attempt = 1;
        loop {
            let ballots = self
                .voters
                .ballots(queries)
                .map_err(|error| Refusal::from_error(RefusalKind::Refused, error))?;
            let named = queries.names.iter().cloned().zip(ballots);
            let mut receipt = self.memory.receipt();
            match answer(named, &mut self.memory, receipt.noise()) {
                Ok(answered) => {
                    return Ok(answered
                        .answers
                        .iter()
                        .map(|answer| answer.as_ref().map(|answer| **answer))
                        .collect());
                }
                // Also if it was the ledger that failed: what it holds is what counts.
                Err(error) if attempt < ATTEMPTS => {
                    let error = vote::explain(error);
                    log::line("retry", json!({ "error": error.to_string() }));
                    self.memory.reload()?;
                    attempt += 1;
                }
                Err(error) => return Err(vote::explain(error)),
            }
        }
    }

    /// The response to a request, from the answers to its queries.
    fn reply(&self, answers: &[Option<Answer>], is_batch: bool) -> Reply {
        if answers.iter().all(Option::is_none) {
            return Reply::Refused(Problem::session_ended());
        }
        let value = |answer: &Option<Answer>| match answer {
            Some(Answer::Label(label) | Answer::Unsure(label)) => json!(self.labels[*label]),
            Some(Answer::Score(score)) => json!(score),
            Some(Answer::Unstable) | None => Value::Null,
        };
        let sure = |answer: &Option<Answer>| match answer {
            Some(Answer::Label(_)) => json!(true),
            Some(Answer::Unsure(_)) => json!(false),
            _ => Value::Null,
        };
        let called = |answer: &Option<Answer>| match (answer, self.threshold) {
            (Some(Answer::Score(score)), Some(threshold)) => {
                json!(self.labels[usize::from(*score >= threshold)])
            }
            _ => Value::Null,
        };
        let (mut reply, sure) = if is_batch {
            let ended = answers.iter().any(Option::is_none);
            let values: Vec<Value> = answers.iter().map(value).collect();
            let reply = json!({ "answers": values, "session_ended": ended });
            (reply, Value::Array(answers.iter().map(sure).collect()))
        } else {
            (json!({ "answer": value(&answers[0]) }), sure(&answers[0]))
        };
        if self.tells_apart {
            reply["sure"] = sure;
        }
        match (self.threshold, is_batch) {
            (Some(_), true) => reply["labels"] = answers.iter().map(called).collect(),
            (Some(_), false) => reply["label"] = called(&answers[0]),
            (None, _) => {}
        }
        Reply::Answers(reply.to_string())
    }

    /// Counts queries and keeps responses under their keys. Returns how many queries were answered:
    /// `counts` has those of each request.
    fn settle(
        &mut self,
        charge: u64,
        requests: &[PendingRequest],
        counts: &[u64],
        replies: &mut [Option<Reply>],
    ) -> u64 {
        let leaves = |place: &usize| {
            counts[*place] > 0 && matches!(&replies[*place], Some(Reply::Answers(_)))
        };
        let places: Vec<usize> = (0..requests.len()).filter(leaves).collect();
        if places.is_empty() {
            return 0;
        }
        let records: Vec<ResponseRecord<'_>> = places
            .iter()
            .map(|&place| ResponseRecord {
                token: requests[place].token,
                queries: counts[place],
                key: requests[place].key.as_ref(),
                response: match &replies[place] {
                    Some(Reply::Answers(response)) => response,
                    _ => unreachable!("only answers leave"),
                },
            })
            .collect();
        let now = self.progress().filter(|now| {
            let last = self.counts.current();
            (now.queries_left, now.unstable_left) != (last.queries_left, last.unstable_left)
        });
        let queries: Vec<u64> = records.iter().map(|record| record.queries).collect();
        match self.store.settle(charge, &records, now.as_ref()) {
            Ok(withheld) => {
                for (place, why) in &withheld {
                    replies[places[*place]] = Some(Reply::Refused(match why {
                        WithholdReason::Revoked => Problem::unauthorized(),
                        WithholdReason::OverLimit(left) => Problem::over_limit(*left),
                        WithholdReason::KeyUsed => Problem::other_body(),
                    }));
                }
                (0..)
                    .zip(queries)
                    .filter(|(place, _)| !withheld.contains_key(place))
                    .map(|(_, queries)| queries)
                    .sum()
            }
            Err(failure) => {
                let reply = self.unavailable(&failure);
                places.iter().for_each(|&place| replies[place] = Some(reply.clone()));
                0
            }
        }
    }

    fn progress(&self) -> Option<Progress> {
        let state = self.memory.state().ok()?;
        let (queries_left, unstable_left) = (state.queries_left(), state.unstable_left());
        Some(Progress { at: utc_now(), queries_left, unstable_left })
    }

    /// Shows how far things are.
    fn publish(&self, queries: u64) {
        let tokens = self.store.tokens().unwrap_or_default();
        self.counts.update(|counts| {
            if let Some(now) = self.progress() {
                (counts.queries_left, counts.unstable_left) = (now.queries_left, now.unstable_left);
            }
            counts.queries += queries;
            counts.used.extend(tokens.iter().map(|token| (token.id, token.used)));
        });
    }

    fn unavailable(&self, failure: &Refusal) -> Reply {
        log::line("failed", json!({ "error": failure.to_string() }));
        Reply::Refused(Problem::unavailable())
    }
}
