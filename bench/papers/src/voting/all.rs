//! Sessions in which every query is answered, and clear winners are told apart.

use super::DELTA;
use super::poll::Poll;
use super::sessions::FEWEST_ROWS;
use crate::Failure;
use discretion::noise::{Seeded, Sensitive, Source};
use discretion::privacy::Budget;
use discretion::vote::{
    AGREEMENT_OF_ALL, Answer, Ballot, DemandAll, PlannedAll, Recent, Told, answer,
};
use discretion_learn::auc;
use serde::Serialize;

/// 1 − how probably a label without the most votes is called sure, at most.
const CONFIDENCE: f64 = 0.9;

/// What a design did, on average over the rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub design: &'static str,
    pub epsilon: f64,
    pub chunks: usize,
    pub rows_per_chunk: usize,
    /// Shares of all queries.
    pub answered: f64,
    pub right: f64,
    /// The share of queries whose label is called sure, and how many of those are right; where that
    /// is told.
    pub sure: Option<(f64, f64)>,
}

/// Every design at these ε.
pub fn lines(
    poll: &Poll,
    epsilons: &[f64],
    rounds: usize,
    seed: u64,
) -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for &epsilon in epsilons {
        let budget = Budget::Approximate { epsilon, delta: DELTA };
        let demand = |confidence| {
            let told = Told::Labels { count: poll.classes.count(), confidence };
            DemandAll { budget, queries: poll.truth.len() as u64, told, miss: 0.05 }
        };
        // The same votes for all.
        let planned = demand(Some(CONFIDENCE)).plan();
        let wanted = planned.chunks(AGREEMENT_OF_ALL).map_or(usize::MAX, |chunks| chunks as usize);
        let chunks = wanted.min(poll.rows() / FEWEST_ROWS);
        let votes = poll.labels(chunks)?;
        for planned in [demand(Some(CONFIDENCE)).designs(), demand(None).designs()].concat() {
            lines.push(line(&planned, epsilon, chunks, &votes, poll, rounds, seed));
        }
    }
    Ok(lines)
}

fn line(
    planned: &PlannedAll,
    epsilon: f64,
    chunks: usize,
    votes: &[Vec<u32>],
    poll: &Poll,
    rounds: usize,
    seed: u64,
) -> Line {
    let (mut answered, mut right, mut sure, mut sure_right) = (0_usize, 0_usize, 0_usize, 0_usize);
    for round in 0..rounds {
        let mut source = Seeded::new(seed + round as u64);
        let mut memory = Recent::new(planned.design, votes.len() as u64, source.provenance());
        let ballots = votes.iter().enumerate().map(|(query, counts)| {
            (query.to_string(), Ballot::Labels(Sensitive::new(counts.clone())))
        });
        let told = answer(ballots, &mut memory, &mut source)
            .expect("a seeded source and memory do not fail");
        for (answer, truth) in told.answers.iter().zip(&poll.truth) {
            let (label, is_sure) = match answer.as_deref() {
                Some(Answer::Label(label)) => (*label, true),
                Some(Answer::Unsure(label)) => (*label, false),
                _ => continue,
            };
            let is_right = label == usize::from(*truth);
            answered += 1;
            right += usize::from(is_right);
            sure += usize::from(is_sure);
            sure_right += usize::from(is_sure && is_right);
        }
    }
    let asked = (rounds * poll.truth.len()) as f64;
    let tells_apart = matches!(planned.demand.told, Told::Labels { confidence: Some(_), .. });
    Line {
        design: planned.design.describe(),
        epsilon,
        chunks,
        rows_per_chunk: poll.rows() / chunks,
        answered: answered as f64 / asked,
        right: right as f64 / asked,
        sure: tells_apart.then(|| (sure as f64 / asked, sure_right as f64 / sure.max(1) as f64)),
    }
}

/// Released scores of a rare class: how well they rank.
#[derive(Clone, Debug, Serialize)]
pub struct RareLine {
    pub epsilon: f64,
    pub rows: usize,
    pub positives: f64,
    pub chunks: usize,
    /// The area under the curve of the released scores.
    pub auc: f64,
    /// That of the models' mean without noise.
    pub auc_without_noise: f64,
    /// How many of the queries a majority of models calls positive.
    pub voted_positive: f64,
}

/// Scores by `answer = "all"` and `weights = "balanced"` on a made-up census.
pub fn rare(poll: &Poll, epsilon: f64, seed: u64) -> Result<RareLine, Failure> {
    let queries = poll.truth.len() as u64;
    let budget = Budget::Approximate { epsilon, delta: DELTA };
    let planned =
        DemandAll { budget, queries, told: Told::Scores { width: 0.1 }, miss: 0.05 }.plan();
    let wanted = planned.chunks(AGREEMENT_OF_ALL).map_or(usize::MAX, |chunks| chunks as usize);
    let chunks = wanted.min(poll.rows() / FEWEST_ROWS);
    let scores = poll.balanced_scores(chunks)?;
    let bins = discretion::vote::Bins::of_width(0.1).expect("tenths fill the interval");
    let mut source = Seeded::new(seed);
    let mut memory = Recent::new(planned.design, queries, source.provenance());
    let ballots = scores.iter().enumerate().map(|(query, scores)| {
        (query.to_string(), Ballot::Scores(Sensitive::new(scores.clone()), bins))
    });
    let told =
        answer(ballots, &mut memory, &mut source).expect("a seeded source and memory do not fail");
    let score = |answer: &Answer| if let Answer::Score(score) = answer { *score } else { 0.0 };
    let told: Vec<f64> = told.answers.iter().flatten().map(|answer| score(answer)).collect();
    let mean = |scores: &Vec<f32>| {
        scores.iter().copied().map(f64::from).sum::<f64>() / scores.len() as f64
    };
    let means: Vec<f64> = scores.iter().map(mean).collect();
    let votes = poll.labels(chunks)?;
    let positive = votes.iter().filter(|counts| counts[1] > counts[0]).count();
    Ok(RareLine {
        epsilon,
        rows: poll.rows(),
        positives: poll.truth.iter().filter(|class| **class == 1).count() as f64 / queries as f64,
        chunks,
        auc: auc(&told, &poll.truth),
        auc_without_noise: auc(&means, &poll.truth),
        voted_positive: positive as f64 / queries as f64,
    })
}
