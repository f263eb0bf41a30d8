//! How many voters a session gets, and what to say if that leaves too few rows for each.

use crate::request;
use discretion::privacy::Budget;
use discretion::vote::{Demand, DemandError, Planned};
use discretion::{Refusal, RefusalKind};
use discretion_report::numbers::plain::{count, short};
use discretion_table::{Study, VoteSettings};

/// Below this, a model can hardly be learned from a chunk; only advice depends on it.
const ROWS_TO_LEARN_FROM: u64 = 50;

/// What a session is to do. Everything in it is public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers {
    /// m: how many queries may be asked.
    pub queries: u64,
    /// T: how many unstable answers end the session.
    pub unstable: u64,
    /// The number of models; from the budget if nothing is said.
    pub chunks: Option<u64>,
    /// The winner's share of the votes with which a query should be answered.
    pub agreement: f64,
    /// How probable it may be that some such query is not.
    pub miss: f64,
    /// Whether answers are scores and not labels.
    pub scores: bool,
}

impl Numbers {
    /// Those of a `[vote]` table.
    pub fn of(vote: &VoteSettings) -> Numbers {
        Numbers {
            queries: vote.queries as u64,
            unstable: vote.unstable as u64,
            chunks: vote.chunks.map(|chunks| chunks as u64),
            agreement: vote.agreement,
            miss: vote.miss,
            scores: vote.score_bins.is_some(),
        }
    }
}

/// A session as it is planned, from public numbers alone.
#[derive(Clone, Debug)]
pub struct Voting {
    /// What was asked for.
    pub numbers: Numbers,
    /// The same with its budget, as the planner knows it.
    pub demand: Demand,
    /// The cheapest design.
    pub planned: Planned,
}

/// How many models there will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkCount {
    /// Their number.
    pub chunks: usize,
    /// What the user should know about it.
    pub advice: Option<String>,
}

/// The `[vote]` table of a study and its session. Everything that can be refused without a row is.
pub fn of(study: &Study) -> Result<(&VoteSettings, Voting), Refusal> {
    let vote = study.vote.as_ref().ok_or_else(|| {
        let sentence = "this study has no [vote] table; add one, for example:\n\n[vote]\nlearner  = \"logistic\"\n\
                        queries  = 1000\nunstable = 50\n";
        Refusal::bad_file(&study.path, sentence)
    })?;
    // It says what to write, and where is known: no file's name before it.
    request::voting_budget(study.spend)?;
    let voting = Voting::plan(study.spend, Numbers::of(vote));
    Ok((vote, voting.map_err(|error| Refusal::bad_file(&study.path, error))?))
}

impl Voting {
    /// Plans a session within a budget.
    pub fn plan(spend: Budget, numbers: Numbers) -> Result<Voting, Refusal> {
        let Numbers { queries, unstable, miss, scores, .. } = numbers;
        let demand = Demand { budget: request::voting_budget(spend)?, queries, unstable, miss, scores };
        let demand = demand
            .checked()
            .map_err(|error: DemandError| Refusal::from_error(RefusalKind::BadInput, error))?;
        Ok(Voting { numbers, planned: demand.plan(), demand })
    }

    /// The number of chunks for a table of `rows` rows.
    pub fn chunks(&self, rows: u64) -> Result<ChunkCount, Refusal> {
        let Numbers { chunks, agreement, .. } = self.numbers;
        let chunks = chunks.unwrap_or_else(|| self.planned.chunks(agreement).unwrap_or(u64::MAX));
        let advice = advice(&self.demand, agreement, chunks, rows);
        if chunks > rows {
            return Err(Refusal::refused(advice.unwrap_or_default() + " Nothing was charged."));
        }
        if self.planned.agreement(chunks).is_none() {
            return Err(Refusal::refused(format!(
                "{} models are too few for this budget: even queries on which all of them agree would often go unanswered. \
                 `discretion plan vote --study …` says how many it takes. Nothing was charged.",
                count(chunks as usize)
            )));
        }
        Ok(ChunkCount { chunks: chunks as usize, advice })
    }

    /// Refuses more queries than were agreed on: `fresh` new ones, where `left` may still be asked.
    pub fn check_number(&self, fresh: usize, left: u64) -> Result<(), Refusal> {
        if fresh as u64 <= left {
            return Ok(());
        }
        Err(Refusal::refused(format!(
            "there are {} new queries, and this session may still answer {} of its {}; leave some out, or raise `queries` \
             in [vote], which makes another session at its full price",
            count(fresh),
            count(left as usize),
            count(self.numbers.queries as usize)
        )))
    }
}

/// What would do, if there are too few rows for so many models.
pub fn advice(demand: &Demand, agreement: f64, chunks: u64, rows: u64) -> Option<String> {
    if rows / chunks >= ROWS_TO_LEARN_FROM {
        return None;
    }
    let affordable = rows / ROWS_TO_LEARN_FROM;
    let situation = if chunks > rows {
        format!(
            "{} rows are too few: {} models need at least as many",
            count(rows as usize),
            count(chunks as usize)
        )
    } else {
        format!(
            "{} rows leave {} to each of {} models, from which little can be learned",
            count(rows as usize),
            rows / chunks,
            count(chunks as usize)
        )
    };
    let mut ways = Vec::new();
    if let Some(epsilon) = demand.smallest_epsilon(affordable, agreement) {
        ways.push(format!("epsilon = {}", short(epsilon)));
    }
    if let Some(unstable) =
        demand.most_unstable(affordable, agreement).filter(|&unstable| unstable < demand.unstable)
    {
        ways.push(format!("at most {unstable} unstable queries"));
    }
    ways.push(format!("{} rows", count((chunks * ROWS_TO_LEARN_FROM) as usize)));
    let ways = ways.join(", or ");
    Some(format!("{situation}. With {ROWS_TO_LEARN_FROM} rows each, this would do: {ways}."))
}
