//! Which requests a tick takes, and what is to be done with each.

use super::Writer;
use crate::http::problem::Problem;
use crate::options::QUERIES_PER_TICK;
use crate::request_queue::{IdempotencyKey, PendingRequest, Reply};
use crate::store::{Allowance, KeyStatus};
use discretion::Refusal;
use discretion::vote::Bins;
use discretion_table::PlainRows;
use std::collections::HashMap;
use std::ops::Range;
use tokio::sync::mpsc;

/// What is to be done with a request.
pub(super) enum Decision {
    Reply(Reply),
    /// The same as an earlier request of this tick.
    SameAs(usize),
    /// Its queries are these ones of the tick.
    Ask(Range<usize>),
}

/// What one tick works on.
pub(super) struct TickBatch {
    pub requests: Vec<PendingRequest>,
    pub decisions: Vec<Decision>,
    /// All queries that have to be put to the voters.
    pub rows: PlainRows,
    /// The bins of each, for scores.
    pub bins: Vec<Bins>,
}

/// What the requests of a batch so far have taken up.
#[derive(Default)]
struct Reservations {
    allowances: HashMap<i64, Allowance>,
    keys: HashMap<(i64, String), (usize, IdempotencyKey)>,
}

impl Writer<'_> {
    /// What waits, in its order, as far as one tick takes it: first what was postponed, and the
    /// first that does not fit is postponed to the next. Only what is put to the voters takes up
    /// room; who has gone away takes none.
    pub(super) fn gather(
        &self,
        queue: &mut mpsc::Receiver<PendingRequest>,
        postponed: &mut Option<PendingRequest>,
    ) -> TickBatch {
        let rows = self.no_queries.clone();
        let mut batch =
            TickBatch { requests: Vec::new(), decisions: Vec::new(), rows, bins: Vec::new() };
        let mut reserved = Reservations::default();
        // No more than are here now, or a tick might never end.
        for _ in 0..=queue.len() {
            let Some(request) = postponed.take().or_else(|| queue.try_recv().ok()) else { break };
            if request.reply.is_closed() {
                continue;
            }
            let (start, wanted) = (batch.rows.count(), request.queries.count());
            let decision = self
                .decide(&request, start..start + wanted, &mut reserved)
                .unwrap_or_else(|failure| Decision::Reply(self.unavailable(&failure)));
            let asks = matches!(decision, Decision::Ask(_));
            if asks && start + wanted > QUERIES_PER_TICK {
                *postponed = Some(request);
                break;
            }
            if !request.claim.take() {
                continue;
            }
            if asks {
                if let Some(Allowance::Left(left)) = reserved.allowances.get_mut(&request.token) {
                    *left -= wanted as u64;
                }
                if let Some(key) = &request.key {
                    reserved.keys.insert(
                        (request.token, key.name.clone()),
                        (batch.requests.len(), key.clone()),
                    );
                }
                batch.bins.extend(
                    request.bins.or(self.bins).map(|bins| vec![bins; wanted]).unwrap_or_default(),
                );
                for row in 0..wanted {
                    let (numbers, codes) =
                        (request.queries.numbers(row), request.queries.codes(row));
                    batch.rows.append(numbers.to_vec(), codes.to_vec(), Vec::new());
                }
            }
            batch.decisions.push(decision);
            batch.requests.push(request);
        }
        batch
    }

    /// What to do with a request, whose queries would be `places` of the tick.
    fn decide(
        &self,
        request: &PendingRequest,
        places: Range<usize>,
        reserved: &mut Reservations,
    ) -> Result<Decision, Refusal> {
        let refused = |problem| Ok(Decision::Reply(Reply::Refused(problem)));
        let allowance = match reserved.allowances.get(&request.token) {
            Some(allowance) => *allowance,
            None => self.store.allowance(request.token)?,
        };
        reserved.allowances.insert(request.token, allowance);
        // Since the route looked.
        if allowance == Allowance::Revoked {
            return refused(Problem::unauthorized());
        }
        if let Some(key) = &request.key {
            match reserved.keys.get(&(request.token, key.name.clone())) {
                Some((first, same)) if same == key => return Ok(Decision::SameAs(*first)),
                Some(_) => return refused(Problem::other_body()),
                None => {}
            }
            match self.store.key_status(request.token, key)? {
                KeyStatus::Answered(response) => {
                    return Ok(Decision::Reply(Reply::Answers(response)));
                }
                KeyStatus::OtherBody => return refused(Problem::other_body()),
                KeyStatus::New => {}
            }
        }
        match allowance {
            Allowance::Left(left) if left < places.len() as u64 => {
                refused(Problem::over_limit(left))
            }
            _ => Ok(Decision::Ask(places)),
        }
    }
}
