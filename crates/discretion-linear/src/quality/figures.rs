//! What counts of scores say about a model. Post-processing: it touches no row and costs nothing.

use super::ScoreCounts;
use super::auc::area;
use super::cells::{Cells, Estimate, Sum};
use serde::{Deserialize, Serialize};

/// What a score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// The logarithm of the odds of the positive class, as the logistic loss has it.
    LogOdds,
    /// Only its order means something.
    Order,
}

/// How good a model is, with an interval for each number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The area under the ROC curve; none where noise outweighs a class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<Estimate>,
    /// Half the width of its interval if there were no noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc_sampling: Option<f64>,
    /// The share of the positive class.
    pub base_rate: Estimate,
    /// The mean square of probability minus outcome, for scores that are log-odds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brier: Option<Estimate>,
    /// Each bin, the lowest scores first.
    pub bins: Vec<BinFigures>,
    /// Each edge of a bin as a threshold, the lowest first.
    pub thresholds: Vec<ThresholdFigures>,
}

/// One bin of scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BinFigures {
    /// Its mean probability, for scores that are log-odds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How many of its rows are positive.
    pub positive: Estimate,
    /// About how many rows it has: a noisy count, and so perhaps below 0.
    pub rows: f64,
}

/// What happens if scores above a threshold count as positive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdFigures {
    /// The score.
    pub score: f64,
    /// The same as a probability, for scores that are log-odds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// The share of all rows above it.
    pub flagged: Estimate,
    /// The share of the positive class above it: sensitivity, true positive rate.
    pub recall: Estimate,
    /// The share of the negative class above it: false positive rate.
    pub false_positives: Estimate,
    /// The share of positives among those above it.
    pub precision: Estimate,
    /// The share of rows on their right side.
    pub accuracy: Estimate,
}

/// The probability of log-odds.
fn probability(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// An interval of the AUC that is wider than this says next to nothing.
const WIDEST: f64 = 0.2;

impl Figures {
    /// Of all rows together.
    pub fn of_all(counts: &ScoreCounts, meaning: Meaning, level: f64) -> Figures {
        Figures::of(counts, None, meaning, level)
    }

    /// Of one group.
    pub fn of_group(counts: &ScoreCounts, group: usize, meaning: Meaning, level: f64) -> Figures {
        Figures::of(counts, Some(group), meaning, level)
    }

    fn of(counts: &ScoreCounts, group: Option<usize>, meaning: Meaning, level: f64) -> Figures {
        let cells = counts.cells(group, level);
        let area = area(&cells);
        let half = |deviation: f64| cells.quantile(0.0, 0.0) * deviation;
        let log_odds = meaning == Meaning::LogOdds;
        let within = counts.within(probability);
        let [all_positive, all_negative] = [Sum::of(&cells.positive), Sum::of(&cells.negative)];
        let bins = (0..counts.bins()).map(|bin| BinFigures {
            probability: log_odds.then(|| within[bin][0]),
            positive: cells
                .share(Sum::of(&cells.positive[bin..=bin]), Sum::of(&cells.negative[bin..=bin])),
            rows: cells.positive[bin] + cells.negative[bin],
        });
        let thresholds =
            counts.edges().into_iter().enumerate().map(|(k, score)| ThresholdFigures {
                probability: log_odds.then(|| probability(score)),
                score,
                ..at(&cells, k + 1)
            });
        Figures {
            auc: area.as_ref().map(|area| area.estimate),
            auc_sampling: area.as_ref().map(|area| half(area.sampling)),
            base_rate: cells.share_of_all(all_positive, all_negative),
            brier: log_odds.then(|| brier(&cells, &within)),
            bins: bins.collect(),
            thresholds: thresholds.collect(),
        }
    }

    /// Whether the counts say anything worth reading.
    pub fn say_something(&self) -> bool {
        self.auc.is_some_and(|auc| auc.upper - auc.lower <= WIDEST)
    }

    /// The threshold nearest to a score.
    pub fn nearest(&self, score: f64) -> Option<&ThresholdFigures> {
        let off = |threshold: &&ThresholdFigures| (threshold.score - score).abs();
        self.thresholds.iter().min_by(|a, b| off(a).total_cmp(&off(b)))
    }
}

/// What a threshold above the first `bins` bins does.
fn at(cells: &Cells, bins: usize) -> ThresholdFigures {
    let ([missed, hit], [spared, hurt]) =
        (split(&cells.positive, bins), split(&cells.negative, bins));
    ThresholdFigures {
        score: 0.0,
        probability: None,
        flagged: cells.share_of_all(hit.and(hurt), missed.and(spared)),
        recall: cells.share(hit, missed),
        false_positives: cells.share(hurt, spared),
        precision: cells.share(hit, hurt),
        accuracy: cells.share_of_all(hit.and(spared), missed.and(hurt)),
    }
}

fn split(counts: &[f64], bins: usize) -> [Sum; 2] {
    let (below, above) = counts.split_at(bins);
    [Sum::of(below), Sum::of(above)]
}

/// The Brier score. Within a bin outcomes are taken to follow the score, so that its rows have less
/// of it than if each had the bin's mean probability: by the variance of probabilities there.
fn brier(cells: &Cells, within: &[[f64; 2]]) -> Estimate {
    let each = |positive: bool, &[mean, variance]: &[f64; 2]| {
        let outcome = f64::from(u8::from(positive));
        (mean - outcome).powi(2) - variance
    };
    let worth: Vec<f64> = [true, false]
        .into_iter()
        .flat_map(|class| within.iter().map(move |bin| each(class, bin)))
        .collect();
    let counts: Vec<f64> = cells.positive.iter().chain(&cells.negative).copied().collect();
    let rows = cells.rows.unwrap_or_else(|| counts.iter().sum()).max(1.0);
    let counted: f64 = counts.iter().sum();
    // Where the number of rows is public, what noise made of it is given back evenly; elsewhere it
    // is divided by.
    let even = (rows - counted) / counts.len() as f64;
    let value: f64 =
        counts.iter().zip(&worth).map(|(count, worth)| (count + even) * worth).sum::<f64>() / rows;
    let slope = |worth: &f64| (worth - value) / rows;
    let sampling: f64 =
        counts.iter().zip(&worth).map(|(count, worth)| count * slope(worth).powi(2)).sum();
    let squares: f64 = worth.iter().map(|worth| slope(worth).powi(2)).sum();
    let fourth: f64 = worth.iter().map(|worth| slope(worth).powi(4)).sum();
    let (sampling, noise) = (sampling.max(0.0), cells.variance * squares);
    let all = (sampling + noise).max(f64::MIN_POSITIVE);
    let reach =
        cells.quantile(noise / all, fourth / squares.powi(2).max(f64::MIN_POSITIVE)) * all.sqrt();
    let value = value.clamp(0.0, 1.0);
    Estimate { value, lower: (value - reach).max(0.0), upper: (value + reach).min(1.0) }
}
