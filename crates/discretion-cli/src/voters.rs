//! How many voters a study gets, and what to say if that leaves too few rows for each.

use crate::exit::Failure;
use crate::numbers::{count, short};
use crate::request;
use discretion::vote::{Demand, Planned};
use discretion_table::{Study, VoteSettings};

/// Below this, a model can hardly be learned from a chunk; only advice depends on it.
const ROWS_TO_LEARN_FROM: u64 = 50;

/// What the `[vote]` table of a study asks for.
pub fn demand(study: &Study, vote: &VoteSettings) -> Result<Demand, Failure> {
    let demand = Demand {
        budget: request::voting_budget(study.spend)?,
        queries: vote.queries as u64,
        unstable: vote.unstable as u64,
        miss: vote.miss,
        scores: vote.score_bins.is_some(),
    };
    demand.checked().map_err(|error| Failure::BadInput(format!("{}: {error}", study.path.display())))
}

/// The number of chunks for a table of `rows` rows.
pub fn chunks(vote: &VoteSettings, demand: &Demand, planned: &Planned, rows: u64) -> Result<usize, Failure> {
    let chunks = match vote.chunks {
        Some(chunks) => chunks as u64,
        None => planned.chunks(vote.agreement).unwrap_or(u64::MAX),
    };
    let advice = advice(demand, vote.agreement, chunks, rows);
    if chunks > rows {
        return Err(Failure::Refused(advice.unwrap_or_default() + " Nothing was charged."));
    }
    if let Some(advice) = advice {
        eprintln!("note: {advice}");
    }
    if planned.agreement(chunks).is_none() {
        return Err(Failure::Refused(format!(
            "{} models are too few for this budget: even queries on which all of them agree would often go unanswered. \
             `discretion plan vote --study …` says how many it takes. Nothing was charged.",
            count(chunks as usize)
        )));
    }
    Ok(chunks as usize)
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
