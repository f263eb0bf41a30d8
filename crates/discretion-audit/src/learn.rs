//! Choosing, from some runs, the event whose frequencies on other runs should prove most.

use super::score::Score;
use super::statistics::{normal_quantile, rough_epsilon};
use super::{Outputs, Side};
use rayon::prelude::*;

/// A set of outputs that is likelier on one side.
#[derive(Clone, Debug)]
pub(super) struct Event {
    score: Score,
    is_at_least: bool,
    threshold: f64,
    /// Where it is likelier.
    pub(super) likelier_on: Side,
}

impl Event {
    /// Whether it happened.
    pub(super) fn holds(&self, output: &[f64]) -> bool {
        let score = self.score.of(output);
        if self.is_at_least { score >= self.threshold } else { score <= self.threshold }
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        self.score.words(self.is_at_least, self.threshold)
    }
}

/// The event that looks best. One half of the outputs suggests scores, the other sets thresholds,
/// so that a score which learned the outputs by heart is not preferred for it.
pub(super) fn learn(left: &Outputs, right: &Outputs, delta: f64, confidence: f64) -> Event {
    let halves = |outputs: &Outputs| outputs.split_at(outputs.len() / 2);
    let ((fit_left, left), (fit_right, right)) = (halves(left), halves(right));
    let z = normal_quantile(0.5 * (1.0 - confidence));
    let scores = Score::all(&fit_left, &fit_right);
    // In order, so that a tie is decided the same way on every machine.
    let best: Vec<(f64, Event)> = scores
        .into_par_iter()
        .map(|score| best_threshold(score, &left, &right, delta, z))
        .collect();
    let first_of_the_best =
        |best: (f64, Event), next: (f64, Event)| if next.0 > best.0 { next } else { best };
    best.into_iter().reduce(first_of_the_best).expect("there is at least one number").1
}

/// How much deeper each threshold looked at lies than the one before, in outputs.
const DEEPER: f64 = 1.06;

fn best_threshold(
    score: Score,
    left: &Outputs,
    right: &Outputs,
    delta: f64,
    z: f64,
) -> (f64, Event) {
    let sorted = |outputs: &Outputs| {
        let mut values: Vec<f64> = outputs.iter().map(|output| score.of(output)).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let (left, right) = (sorted(left), sorted(right));
    let trials = left.len().min(right.len());
    let mut best = (f64::NEG_INFINITY, true, left[0], Side::Left);
    for (side, ours, theirs) in [(Side::Left, &left, &right), (Side::Right, &right, &left)] {
        for is_at_least in [true, false] {
            let count = |values: &[f64], threshold: f64| {
                if is_at_least {
                    values.len() - values.partition_point(|&x| x < threshold)
                } else {
                    values.partition_point(|&x| x <= threshold)
                }
            };
            let mut depth = 1;
            while depth <= ours.len() {
                let threshold =
                    if is_at_least { ours[ours.len() - depth] } else { ours[depth - 1] };
                let happened = [count(ours, threshold), count(theirs, threshold)];
                let found = rough_epsilon(happened, trials, delta, z);
                if found > best.0 {
                    best = (found, is_at_least, threshold, side);
                }
                // Past all equal ones.
                depth = happened[0].max(depth);
                depth = ((depth as f64 * DEEPER) as usize).max(depth + 1);
            }
        }
    }
    let (found, is_at_least, threshold, likelier_on) = best;
    (found, Event { score, is_at_least, threshold, likelier_on })
}
