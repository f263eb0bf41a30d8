//! How many voters a study gets, and what to say if that leaves too few rows for each.

use crate::exit::Failure;
use crate::numbers::count;
use crate::request;
use discretion::vote::{Demand, Planned};
use discretion_publish::plan::vote::advice;
use discretion_table::{Study, VoteSettings};

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
