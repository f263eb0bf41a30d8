//! How many queries a session answers, and how many of the answers are right.

use super::DELTA;
use super::methods::{self, Method};
use super::poll::Poll;
use discretion::noise::Seeded;
use discretion::privacy::Approximate;
use discretion::vote::{AGREEMENT, Demand, Planned};
use serde::Serialize;

/// Fewer rows than this are not worth a model: with more chunks than that allows, the planner's
/// number is cut down and queries need more agreement.
pub const FEWEST_ROWS: usize = 30;

/// A session to be held.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub demand: Demand,
    pub planned: Planned,
    pub chunks: usize,
    /// For scores.
    pub bins: Option<u32>,
}

impl Setting {
    /// What the planner makes of a budget, as far as `rows` allow.
    pub fn planned(epsilon: f64, queries: u64, unstable: u64, rows: usize) -> Setting {
        let budget = Approximate { epsilon, delta: DELTA };
        let demand = Demand { budget, queries, unstable, miss: 0.05, scores: false };
        Setting { demand, planned: demand.plan(), chunks: 0, bins: None }.with_chunks(rows)
    }

    /// The same with as many unstable queries as the rows can serve, up to `most`; nothing if not
    /// even one.
    pub fn affordable(epsilon: f64, queries: u64, most: u64, rows: usize) -> Option<Setting> {
        let demand = Setting::planned(epsilon, queries, most, rows).demand;
        let served = demand.most_unstable((rows / FEWEST_ROWS) as u64, AGREEMENT)?;
        Some(Setting::planned(epsilon, queries, served.min(most), rows))
    }

    /// The same with scores in so many bins.
    pub fn with_bins(mut self, bins: u32) -> Setting {
        self.demand.scores = true;
        self.planned = self.demand.plan();
        self.bins = Some(bins);
        self
    }

    fn with_chunks(mut self, rows: usize) -> Setting {
        let wanted = self.planned.chunks(AGREEMENT).map_or(usize::MAX, |chunks| chunks as usize);
        self.chunks = wanted.min(rows / FEWEST_ROWS);
        self
    }
}

/// What a method did in a setting, on average over the rounds.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub method: Method,
    pub epsilon: f64,
    pub unstable_allowed: u64,
    pub chunks: usize,
    pub rows_per_chunk: usize,
    /// The share of votes that a query needs to be answered; none if even all are too few.
    pub agreement_needed: Option<f64>,
    /// Shares of all queries, and of the answers.
    pub answered: f64,
    pub right: f64,
}

/// Several methods on the same votes.
pub fn labels(
    methods: &[Method],
    setting: &Setting,
    votes: &[Vec<u32>],
    poll: &Poll,
    rounds: usize,
    seed: u64,
) -> Vec<Line> {
    let line = |&method: &Method| {
        averaged(method, setting, poll, rounds, |round| {
            let told = methods::labels(method, setting, votes, &mut Seeded::new(seed + round));
            told.into_iter().map(|label| label.map(|label| label as u16)).collect()
        })
    };
    methods.iter().map(line).collect()
}

/// Scores, which are right if they are on the right side of a half.
pub fn scores(
    setting: &Setting,
    scores: &[Vec<f32>],
    poll: &Poll,
    rounds: usize,
    seed: u64,
) -> Line {
    averaged(Method::Scores, setting, poll, rounds, |round| {
        let told = methods::scores(setting, scores, &mut Seeded::new(seed + round));
        told.into_iter().map(|score| score.map(|score| u16::from(score >= 0.5))).collect()
    })
}

fn averaged(
    method: Method,
    setting: &Setting,
    poll: &Poll,
    rounds: usize,
    told: impl Fn(u64) -> Vec<Option<u16>>,
) -> Line {
    let (mut answered, mut right) = (0, 0);
    for round in 0..rounds {
        for (label, truth) in told(round as u64).into_iter().zip(&poll.truth) {
            answered += usize::from(label.is_some());
            right += usize::from(label == Some(*truth));
        }
    }
    let asked = rounds * poll.truth.len();
    Line {
        method,
        epsilon: setting.demand.budget.epsilon,
        unstable_allowed: setting.demand.unstable,
        chunks: setting.chunks,
        rows_per_chunk: poll.rows() / setting.chunks,
        agreement_needed: match method {
            Method::Ours | Method::Scores => setting.planned.agreement(setting.chunks as u64),
            _ => None,
        },
        answered: answered as f64 / asked as f64,
        right: if answered == 0 { f64::NAN } else { right as f64 / answered as f64 },
    }
}
