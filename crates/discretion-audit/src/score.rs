//! Numbers made of an output, high where one side is likelier. An event is a score beyond a
//! threshold.

use super::Outputs;
use faer::linalg::solvers::Solve;
use faer::{Col, Mat, Side as Triangle};
use std::collections::HashMap;

/// A number made of an output.
#[derive(Clone, Debug)]
pub(super) enum Score {
    /// One of its coordinates.
    Coordinate(usize),
    /// A linear combination of them.
    Direction(Vec<f64>),
    /// The sum of the logarithms of likelihood ratios, coordinate by coordinate: the best there is
    /// if coordinates are independent, and for one coordinate in any case.
    Ratios(Vec<Histogram>),
    /// The logarithm of the likelihood ratio of the output as a whole, where outputs repeat.
    Outcomes(HashMap<Vec<u64>, f64>),
}

/// Past this many different values a coordinate is cut into bins.
const MOST_VALUES: usize = 200;
/// And into no more than this many.
const MOST_BINS: usize = 64;
/// Past this many different outputs nothing repeats often enough to learn from.
const MOST_OUTCOMES: usize = 5000;
/// Past this many coordinates a covariance is not worth inverting.
const WIDEST_DIRECTION: usize = 64;

impl Score {
    /// Every score that two samples suggest.
    pub(super) fn all(left: &Outputs, right: &Outputs) -> Vec<Score> {
        let width = left.width();
        let mut found: Vec<Score> = (0..width).map(Score::Coordinate).collect();
        found.extend(direction(left, right));
        let histogram = |i: usize| Histogram::new(column(left, i), column(right, i));
        found.push(Score::Ratios((0..width).map(histogram).collect()));
        found.extend(outcomes(left, right));
        found
    }

    pub(super) fn of(&self, output: &[f64]) -> f64 {
        match self {
            Score::Coordinate(i) => output[*i],
            Score::Direction(weights) => weights.iter().zip(output).map(|(w, x)| w * x).sum(),
            Score::Ratios(histograms) => histograms.iter().zip(output).map(|(h, &x)| h.of(x)).sum(),
            Score::Outcomes(known) => known.get(&bits(output)).copied().unwrap_or(0.0),
        }
    }

    /// The score beyond a threshold, in words.
    pub(super) fn words(&self, is_at_least: bool, threshold: f64) -> String {
        let beyond = format!("{} {threshold:.4}", if is_at_least { "≥" } else { "≤" });
        match self {
            Score::Coordinate(i) => format!("number {} {beyond}", i + 1),
            Score::Direction(weights) => {
                let largest = weights.iter().fold(0.0f64, |most, w| most.max(w.abs()));
                let shown: Vec<String> =
                    weights.iter().take(4).map(|w| format!("{:.2}", w / largest)).collect();
                let more = if weights.len() > 4 { ", …" } else { "" };
                format!(
                    "({}{more})·output {} {:.4}",
                    shown.join(", "),
                    &beyond[..3],
                    threshold / largest
                )
            }
            Score::Ratios(histograms) if histograms.len() == 1 => {
                match histograms[0].interval(is_at_least, threshold) {
                    Some(interval) => format!("number 1 {interval}"),
                    None => format!("log-likelihood ratio of number 1 {beyond}"),
                }
            }
            Score::Ratios(_) => format!("sum of the numbers' log-likelihood ratios {beyond}"),
            Score::Outcomes(known) => {
                let chosen: Vec<_> = known
                    .iter()
                    .filter(|&(_, &r)| if is_at_least { r >= threshold } else { r <= threshold })
                    .collect();
                match chosen[..] {
                    [(output, _)] => {
                        let numbers: Vec<String> =
                            output.iter().map(|&x| format!("{:.4}", f64::from_bits(x))).collect();
                        format!("output = ({})", numbers.join(", "))
                    }
                    _ => format!("output is one of {} that were seen", chosen.len()),
                }
            }
        }
    }
}

fn bits(output: &[f64]) -> Vec<u64> {
    // −0 and 0 are one outcome.
    output.iter().map(|x| (x + 0.0).to_bits()).collect()
}

fn column(outputs: &Outputs, i: usize) -> Vec<f64> {
    outputs.iter().map(|output| output[i]).collect()
}

/// ln of the ratio of two frequencies, drawn towards 0 where little was seen.
fn log_ratio(ours: usize, of: usize, theirs: usize, of_theirs: usize) -> f64 {
    ((ours as f64 + 0.5) / (of as f64 + 1.0)).ln()
        - ((theirs as f64 + 0.5) / (of_theirs as f64 + 1.0)).ln()
}

/// The log-likelihood ratio of one number, constant on intervals.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    /// The upper ends of all bins but the last.
    edges: Vec<f64>,
    ratios: Vec<f64>,
}

impl Histogram {
    fn new(mut left: Vec<f64>, mut right: Vec<f64>) -> Histogram {
        left.sort_by(f64::total_cmp);
        right.sort_by(f64::total_cmp);
        let mut merged: Vec<f64> = left.iter().chain(&right).copied().collect();
        merged.sort_by(f64::total_cmp);
        let mut distinct = merged.clone();
        distinct.dedup();
        let edges: Vec<f64> = if distinct.len() <= MOST_VALUES {
            distinct.windows(2).map(|pair| 0.5 * pair[0] + 0.5 * pair[1]).collect()
        } else {
            let bins = ((merged.len() as f64).sqrt() as usize / 2).clamp(8, MOST_BINS);
            let mut edges: Vec<f64> = (1..bins).map(|k| merged[k * merged.len() / bins]).collect();
            edges.dedup();
            edges
        };
        let count = |sorted: &[f64], bin: usize| {
            let up_to = |edge: Option<&f64>, end: usize| {
                edge.map_or(end, |&e| sorted.partition_point(|&x| x <= e))
            };
            up_to(edges.get(bin), sorted.len())
                - if bin == 0 { 0 } else { up_to(edges.get(bin - 1), 0) }
        };
        let ratio = |bin| log_ratio(count(&left, bin), left.len(), count(&right, bin), right.len());
        Histogram { ratios: (0..=edges.len()).map(ratio).collect(), edges }
    }

    fn of(&self, x: f64) -> f64 {
        self.ratios[self.edges.partition_point(|&edge| edge < x)]
    }

    /// The numbers whose ratio is beyond the threshold, if they are one interval.
    fn interval(&self, is_at_least: bool, threshold: f64) -> Option<String> {
        let is_in = |&r: &f64| if is_at_least { r >= threshold } else { r <= threshold };
        let first = self.ratios.iter().position(is_in)?;
        let last = self.ratios.iter().rposition(is_in)?;
        if !self.ratios[first..=last].iter().all(is_in) {
            return None;
        }
        match (first.checked_sub(1).map(|i| self.edges[i]), self.edges.get(last)) {
            (Some(low), Some(high)) => Some(format!("in ({low:.4}, {high:.4}]")),
            (Some(low), None) => Some(format!("> {low:.4}")),
            (None, Some(high)) => Some(format!("≤ {high:.4}")),
            (None, None) => None,
        }
    }
}

/// Fisher's discriminant: the difference of the means, in units of the pooled covariance.
fn direction(left: &Outputs, right: &Outputs) -> Option<Score> {
    let width = left.width();
    if !(2..=WIDEST_DIRECTION).contains(&width) {
        return None;
    }
    let mean = |outputs: &Outputs| {
        let mut sums = vec![0.0; width];
        outputs
            .iter()
            .for_each(|output| sums.iter_mut().zip(output).for_each(|(sum, x)| *sum += x));
        sums.iter().map(|sum| sum / outputs.len() as f64).collect::<Vec<f64>>()
    };
    let means = [mean(left), mean(right)];
    let mut covariance = Mat::<f64>::zeros(width, width);
    for (outputs, mean) in [left, right].into_iter().zip(&means) {
        for output in outputs.iter() {
            for i in 0..width {
                for j in 0..=i {
                    covariance[(i, j)] += (output[i] - mean[i]) * (output[j] - mean[j]);
                }
            }
        }
    }
    let count = (left.len() + right.len()) as f64;
    for i in 0..width {
        for j in 0..=i {
            covariance[(i, j)] /= count;
        }
        // Coordinates that never move, or move together, must not divide by 0.
        covariance[(i, i)] = covariance[(i, i)] * (1.0 + 1e-9) + f64::MIN_POSITIVE;
    }
    let factor = covariance.llt(Triangle::Lower).ok()?;
    let weights = factor.solve(Col::from_fn(width, |i| means[0][i] - means[1][i]));
    let weights: Vec<f64> = weights.iter().copied().collect();
    let is_usable = weights.iter().all(|w| w.is_finite()) && weights.iter().any(|&w| w != 0.0);
    is_usable.then_some(Score::Direction(weights))
}

/// Outputs as a whole, if there are few of them.
fn outcomes(left: &Outputs, right: &Outputs) -> Option<Score> {
    let mut counts: HashMap<Vec<u64>, [usize; 2]> = HashMap::new();
    for (side, outputs) in [left, right].into_iter().enumerate() {
        for output in outputs.iter() {
            counts.entry(bits(output)).or_default()[side] += 1;
            if counts.len() > MOST_OUTCOMES {
                return None;
            }
        }
    }
    if 2 * counts.len() > left.len() + right.len() {
        return None;
    }
    let ratio = |[ours, theirs]: [usize; 2]| log_ratio(ours, left.len(), theirs, right.len());
    Some(Score::Outcomes(
        counts.into_iter().map(|(output, count)| (output, ratio(count))).collect(),
    ))
}
