//! The one owner of session and state. It works tick by tick, and what it answers is on the disk before it leaves.

use crate::app::Shared;
use crate::clock::Clock;
use crate::desk::{Asking, Key, Reply};
use crate::http::problem::Problem;
use crate::log;
use crate::options::QUERIES_PER_TICK;
use crate::store::{Known, Progress, Room, Settled, Store, Withheld};
use crate::voters::Voters;
use discretion::Refusal;
use discretion::vote::{Answer, answer};
use discretion_jobs::vote::{self, LedgerMemory, Queries};
use discretion_ledger::{checkpoint, utc_now};
use discretion_table::PlainRows;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::Range;
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
    pub none: PlainRows,
    pub score_bins: Option<u32>,
    pub labels: Vec<String>,
    pub shared: std::sync::Arc<Shared>,
}

/// What is to be done with a request.
enum Course {
    Reply(Reply),
    /// The same as an earlier request of this tick.
    Same(usize),
    /// Its queries are these ones of the tick.
    Ask(Range<usize>),
}

type Waiting = (oneshot::Sender<Reply>, Reply);

/// What one tick works on.
struct Round {
    asked: Vec<Asking>,
    courses: Vec<Course>,
    /// All queries that have to be put to the voters.
    rows: PlainRows,
}

/// What the requests of a round so far have taken up.
#[derive(Default)]
struct Taken {
    rooms: HashMap<i64, Room>,
    keys: HashMap<(i64, String), (usize, Key)>,
}

impl Writer<'_> {
    /// Works until nobody can ask any more.
    pub fn run(mut self, clock: Clock, mut inbox: mpsc::Receiver<Asking>) {
        let mut held = None;
        loop {
            // Straight after a release this is a boundary, and what has arrived since the one before is taken.
            let mut round = self.gather(&mut inbox, &mut held);
            if round.asked.is_empty() {
                held = inbox.blocking_recv();
                if held.is_none() {
                    return;
                }
                clock.wait(clock.next(Instant::now()));
                round = self.gather(&mut inbox, &mut held);
            }
            if round.asked.is_empty() {
                continue;
            }
            let (waiting, queries) = self.tick(round);
            checkpoint("serve: settled");
            clock.wait(clock.next(Instant::now()));
            // Whatever shows how far things are changes here and nowhere else.
            self.publish(queries);
            for (reply, ready) in waiting {
                // A client that has gone away asks again under its key.
                let _ = reply.send(ready);
            }
        }
    }

    /// What waits, in its order, as far as one tick takes it: first what is held, and the first that does not fit is held for
    /// the next. Only what is put to the voters takes up room; who has gone away takes none.
    fn gather(&self, inbox: &mut mpsc::Receiver<Asking>, held: &mut Option<Asking>) -> Round {
        let mut round = Round { asked: Vec::new(), courses: Vec::new(), rows: self.none.clone() };
        let mut taken = Taken::default();
        // No more than are here now, or a tick might never end.
        for _ in 0..=inbox.len() {
            let Some(asking) = held.take().or_else(|| inbox.try_recv().ok()) else { break };
            if asking.reply.is_closed() {
                continue;
            }
            let (start, wanted) = (round.rows.count(), asking.queries.count());
            let course = self
                .course(&asking, start..start + wanted, &mut taken)
                .unwrap_or_else(|failure| Course::Reply(self.unavailable(&failure)));
            let asks = matches!(course, Course::Ask(_));
            if asks && start + wanted > QUERIES_PER_TICK {
                *held = Some(asking);
                break;
            }
            if !asking.ticket.claim() {
                continue;
            }
            if asks {
                if let Some(Room::Left(left)) = taken.rooms.get_mut(&asking.token) {
                    *left -= wanted as u64;
                }
                if let Some(key) = &asking.key {
                    taken.keys.insert((asking.token, key.name.clone()), (round.asked.len(), key.clone()));
                }
                for row in 0..wanted {
                    let (numbers, codes) = (asking.queries.numbers(row), asking.queries.codes(row));
                    round.rows.append(numbers.to_vec(), codes.to_vec(), Vec::new());
                }
            }
            round.courses.push(course);
            round.asked.push(asking);
        }
        round
    }

    /// What to do with a request, whose queries would be `places` of the tick.
    fn course(&self, asking: &Asking, places: Range<usize>, taken: &mut Taken) -> Result<Course, Refusal> {
        let refused = |problem| Ok(Course::Reply(Reply::Refused(problem)));
        let room = match taken.rooms.get(&asking.token) {
            Some(room) => *room,
            None => self.store.room(asking.token)?,
        };
        taken.rooms.insert(asking.token, room);
        // Since the route looked.
        if room == Room::Revoked {
            return refused(Problem::unauthorized());
        }
        if let Some(key) = &asking.key {
            match taken.keys.get(&(asking.token, key.name.clone())) {
                Some((first, same)) if same == key => return Ok(Course::Same(*first)),
                Some(_) => return refused(Problem::other_body()),
                None => {}
            }
            match self.store.known(asking.token, key)? {
                Known::Answered(response) => return Ok(Course::Reply(Reply::Answers(response))),
                Known::Other => return refused(Problem::other_body()),
                Known::New => {}
            }
        }
        match room {
            Room::Left(left) if left < places.len() as u64 => refused(Problem::over_limit(left)),
            _ => Ok(Course::Ask(places)),
        }
    }

    /// Answers some requests. When this returns everything about them is on the disk.
    fn tick(&mut self, round: Round) -> (Vec<Waiting>, u64) {
        let Round { asked, courses, rows } = round;
        let charge = self.memory.session().charge();
        let mut replies: Vec<Option<Reply>> = Vec::new();
        let told = match rows.count() {
            0 => Ok(Vec::new()),
            _ => self.tell(&Queries::of(rows, self.score_bins)),
        };
        for (course, asking) in courses.iter().zip(&asked) {
            replies.push(match (course, &told) {
                (Course::Reply(reply), _) => Some(reply.clone()),
                (Course::Same(_), _) => None,
                (Course::Ask(_), Err(failure)) => Some(self.unavailable(failure)),
                (Course::Ask(range), Ok(told)) => Some(self.reply(&told[range.clone()], asking.is_batch)),
            });
        }
        let told = told.unwrap_or_default();
        // What was not asked any more does not count.
        let counts = courses.iter().map(|course| match course {
            Course::Ask(range) => told.get(range.clone()).unwrap_or_default().iter().flatten().count() as u64,
            Course::Reply(_) | Course::Same(_) => 0,
        });
        let answered = self.settle(charge, &asked, &counts.collect::<Vec<u64>>(), &mut replies);
        let waiting = asked.into_iter().enumerate().map(|(place, asking)| {
            let from = if let Course::Same(first) = courses[place] { first } else { place };
            (asking.reply, replies[from].clone().expect("a first request has a reply"))
        });
        (waiting.collect(), answered)
    }

    /// Answers all queries of a tick within the session. They are in the ledger when this returns.
    fn tell(&mut self, queries: &Queries) -> Result<Vec<Option<Answer>>, Refusal> {
        let mut attempt = 1;
        loop {
            let ballots =
                self.voters.ballots(queries).map_err(|error| Refusal::refused(error.to_string()))?;
            let named = queries.names.iter().cloned().zip(ballots);
            let mut receipt = self.memory.receipt();
            match answer(named, &mut self.memory, receipt.noise()) {
                Ok(answered) => {
                    return Ok(answered
                        .answers
                        .iter()
                        .map(|told| told.as_ref().map(|told| **told))
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
    fn reply(&self, told: &[Option<Answer>], is_batch: bool) -> Reply {
        if told.iter().all(Option::is_none) {
            return Reply::Refused(Problem::session_ended());
        }
        let shown = |answer: &Option<Answer>| match answer {
            Some(Answer::Label(label)) => json!(self.labels[*label]),
            Some(Answer::Score(score)) => json!(score),
            Some(Answer::Unstable) | None => Value::Null,
        };
        if !is_batch {
            return Reply::Answers(json!({ "answer": shown(&told[0]) }).to_string());
        }
        let ended = told.iter().any(Option::is_none);
        let answers: Vec<Value> = told.iter().map(shown).collect();
        Reply::Answers(json!({ "answers": answers, "session_ended": ended }).to_string())
    }

    /// Counts queries and keeps responses under their keys. Returns how many queries were answered: `counts` has those of
    /// each request.
    fn settle(
        &mut self,
        charge: u64,
        asked: &[Asking],
        counts: &[u64],
        replies: &mut [Option<Reply>],
    ) -> u64 {
        let leaves =
            |place: &usize| counts[*place] > 0 && matches!(&replies[*place], Some(Reply::Answers(_)));
        let places: Vec<usize> = (0..asked.len()).filter(leaves).collect();
        if places.is_empty() {
            return 0;
        }
        let settled: Vec<Settled<'_>> = places
            .iter()
            .map(|&place| Settled {
                token: asked[place].token,
                queries: counts[place],
                key: asked[place].key.as_ref(),
                response: match &replies[place] {
                    Some(Reply::Answers(response)) => response,
                    _ => unreachable!("only answers leave"),
                },
            })
            .collect();
        let now = self.progress().filter(|now| {
            let last = self.shared.published();
            (now.queries_left, now.unstable_left) != (last.queries_left, last.unstable_left)
        });
        let queries: Vec<u64> = settled.iter().map(|settled| settled.queries).collect();
        match self.store.settle(charge, &settled, now.as_ref()) {
            Ok(withheld) => {
                for (place, why) in &withheld {
                    replies[places[*place]] = Some(Reply::Refused(match why {
                        Withheld::Revoked => Problem::unauthorized(),
                        Withheld::NoRoom(left) => Problem::over_limit(*left),
                        Withheld::KeyUsed => Problem::other_body(),
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
        self.shared.publish(|published| {
            if let Some(now) = self.progress() {
                (published.queries_left, published.unstable_left) = (now.queries_left, now.unstable_left);
            }
            published.queries += queries;
            published.used.extend(tokens.iter().map(|token| (token.id, token.used)));
        });
    }

    fn unavailable(&self, failure: &Refusal) -> Reply {
        log::line("failed", json!({ "error": failure.to_string() }));
        Reply::Refused(Problem::unavailable())
    }
}
