//! Ways to answer from votes.

use super::DELTA;
use super::sessions::Setting;
use discretion::noise::{Seeded, Sensitive, Source};
use discretion::privacy::analytic_gaussian_sigma;
use discretion::vote::{Answer, Ballot, Bins, Recent, answer};

/// A way to answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The library.
    Ours,
    /// The paper's Algorithm 4 at our number of chunks, with the corrected distance and T paid
    /// answers.
    PrintedCorrected,
    /// The same as printed: twice the distance, and T + 1 paid answers. **Not private** at this ε.
    Printed,
    /// Gaussian noise on every count, the largest wins (Papernot et al. 2018, without looking at
    /// the data).
    NoisyMax,
    /// The library on scores.
    Scores,
}

impl Method {
    /// All ways to answer with labels.
    pub const LABELS: [Method; 4] =
        [Method::Ours, Method::PrintedCorrected, Method::Printed, Method::NoisyMax];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Method::Ours => "ours",
            Method::PrintedCorrected => "printed, distance corrected",
            Method::Printed => "printed (not private)",
            Method::NoisyMax => "noisy max (PATE)",
            Method::Scores => "ours, scores",
        }
    }
}

/// What each query is told; nothing for ⊥ and for what was not asked any more.
pub fn labels(
    method: Method,
    setting: &Setting,
    votes: &[Vec<u32>],
    source: &mut Seeded,
) -> Vec<Option<usize>> {
    match method {
        Method::Ours => {
            let ballots = votes.iter().map(|counts| Ballot::Labels(Sensitive::new(counts.clone())));
            let label = |answer: &Answer| match answer {
                Answer::Label(label) => Some(*label),
                _ => None,
            };
            answers(setting, ballots, source)
                .iter()
                .map(|answer| answer.as_ref().and_then(label))
                .collect()
        }
        Method::PrintedCorrected => printed(setting, votes, true, source),
        Method::Printed => printed(setting, votes, false, source),
        Method::NoisyMax => noisy_max(setting, votes, source),
        Method::Scores => unreachable!("scores are not labels"),
    }
}

/// The same for scores.
pub fn scores(setting: &Setting, scores: &[Vec<f32>], source: &mut Seeded) -> Vec<Option<f64>> {
    let bins = Bins::of_width(1.0 / f64::from(setting.bins.expect("a setting of scores")))
        .expect("it divides 1");
    let ballots = scores.iter().map(|scores| Ballot::Scores(Sensitive::new(scores.clone()), bins));
    let score = |answer: &Answer| match answer {
        Answer::Score(score) => Some(*score),
        _ => None,
    };
    answers(setting, ballots, source).iter().map(|answer| answer.as_ref().and_then(score)).collect()
}

fn answers(
    setting: &Setting,
    ballots: impl Iterator<Item = Ballot>,
    source: &mut Seeded,
) -> Vec<Option<Answer>> {
    let mut memory =
        Recent::new(setting.planned.design, setting.demand.queries, source.provenance());
    let named = ballots.enumerate().map(|(query, ballot)| (query.to_string(), ballot));
    let answered =
        answer(named, &mut memory, source).expect("a seeded source and memory do not fail");
    answered.answers.into_iter().map(|answer| answer.map(|answer| *answer)).collect()
}

/// Algorithms 3 and 4: λ = √(32T ln(2/δ))/ε, w = 2λ ln(2m/δ), Lap(2λ) on distances, Lap(λ) on
/// thresholds.
fn printed(
    setting: &Setting,
    votes: &[Vec<u32>],
    corrected: bool,
    source: &mut Seeded,
) -> Vec<Option<usize>> {
    let (m, t) = (setting.demand.queries as f64, setting.demand.unstable);
    let lambda = (32.0 * t as f64 * (2.0 / DELTA).ln()).sqrt() / setting.demand.budget.epsilon;
    let cut = 2.0 * lambda * (2.0 * m / DELTA).ln();
    let most = if corrected { t } else { t + 1 };
    let mut laplace = |scale: f64| scale * (source.unit().ln() - source.unit().ln());
    let mut threshold = cut + laplace(lambda);
    let mut paid = 0;
    let mut told = Vec::new();
    for counts in votes {
        if paid == most {
            told.push(None);
            continue;
        }
        let (winner, gap) = winner(counts);
        let distance =
            if corrected { gap.div_ceil(2).saturating_sub(1) } else { gap.saturating_sub(1) };
        let passes = f64::from(distance) + laplace(2.0 * lambda) > threshold;
        if !passes {
            paid += 1;
            threshold = cut + laplace(lambda);
        }
        told.push(passes.then_some(winner));
    }
    told
}

/// One vote that moves changes two counts by 1: m queries have sensitivity √(2m).
fn noisy_max(setting: &Setting, votes: &[Vec<u32>], source: &mut Seeded) -> Vec<Option<usize>> {
    let sensitivity = (2.0 * setting.demand.queries as f64).sqrt();
    let sigma = analytic_gaussian_sigma(sensitivity, setting.demand.budget.epsilon, DELTA);
    let mut normal =
        || (-2.0 * source.unit().ln()).sqrt() * (std::f64::consts::TAU * source.unit()).cos();
    let mut told = Vec::new();
    for counts in votes {
        let noisy: Vec<f64> =
            counts.iter().map(|&count| f64::from(count) + sigma * normal()).collect();
        told.push((0..noisy.len()).max_by(|&a, &b| noisy[a].total_cmp(&noisy[b])));
    }
    told
}

fn winner(counts: &[u32]) -> (usize, u32) {
    let winner = (0..counts.len())
        .fold(0, |best, label| if counts[label] > counts[best] { label } else { best });
    let second = (0..counts.len())
        .filter(|&label| label != winner)
        .map(|label| counts[label])
        .max()
        .unwrap_or(0);
    (winner, counts[winner] - second)
}
