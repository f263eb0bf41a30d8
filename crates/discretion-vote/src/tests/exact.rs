//! Exact probabilities of every sequence of answers to a few queries, on pairs of neighbouring
//! sequences of votes: the hockey-stick divergence must stay within δ, and does not where a
//! constant is wrong.

use super::cut;
use super::distance::printed;
use super::planner::demand;
use crate::design::{Design, Sparse};
use crate::tally::Tally;
use discretion_privacy::normal_cdf;

/// One query's votes on two neighbouring tables, summed up.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    left: Tally,
    right: Tally,
}

/// A session whose noise on the threshold takes finitely many values (up to 1e-16 of probability,
/// or of integration).
struct Process {
    /// Values of the threshold with their probabilities.
    thresholds: Vec<(f64, f64)>,
    /// The probability that a query at a distance passes under a threshold.
    passes: Box<dyn Fn(f64, u32) -> f64>,
    /// Failed tests until a threshold is retired.
    paid_each: u64,
    /// Failed tests until the end.
    paid: u64,
}

impl Process {
    fn of(design: &Design) -> Process {
        match *design {
            Design::Sparse(Sparse { paid_each, threshold_scale, query_scale, cut, .. }) => {
                let most = (40.0 * threshold_scale) as u32;
                let weight = |y: u32| {
                    (-f64::from(y) / threshold_scale).exp() * -(-1.0 / threshold_scale).exp_m1()
                };
                let thresholds =
                    (0..most).map(|y| (cut as f64 - f64::from(y), weight(y))).collect();
                // distance − X > threshold: X ≤ distance − threshold − 1.
                let passes = move |threshold: f64, distance: u32| {
                    let room = f64::from(distance) - threshold;
                    if room <= 0.0 { 0.0 } else { -(-room / query_scale).exp_m1() }
                };
                let paid = design.paid().expect("tests can fail");
                Process { thresholds, passes: Box::new(passes), paid_each, paid }
            }
            Design::Gaussian(gaussian) => {
                let passes = move |cut: f64, distance: u32| {
                    normal_cdf((f64::from(distance) - cut) / gaussian.sigma)
                };
                let thresholds = vec![(gaussian.cut as f64, 1.0)];
                Process {
                    thresholds,
                    passes: Box::new(passes),
                    paid_each: u64::MAX,
                    paid: gaussian.paid,
                }
            }
            _ => unreachable!("`all.rs` has the designs without tests"),
        }
    }

    /// The paper's tests: Laplace noise of scale λ on the threshold `cut` and 2λ on distances,
    /// integrated numerically.
    fn laplace(lambda: f64, cut: f64, paid: u64) -> Process {
        let laplace = |x: f64| 0.5 * (-x.abs()).exp();
        let grid = (-8000..8000).map(|i| (f64::from(i) + 0.5) / 200.0);
        let thresholds = grid.map(|x| (cut + lambda * x, laplace(x) / 200.0)).collect();
        let passes = move |threshold: f64, distance: u32| {
            let z = (f64::from(distance) - threshold) / (2.0 * lambda);
            if z >= 0.0 { 1.0 - 0.5 * (-z).exp() } else { 0.5 * z.exp() }
        };
        Process { thresholds, passes: Box::new(passes), paid_each: 1, paid }
    }

    /// max over both directions of Σ (P(o) − e^ε Q(o))₊ over all sequences of answers.
    fn divergence(&self, steps: &[Step], epsilon: f64) -> f64 {
        let start: Vec<f64> = self.thresholds.iter().map(|&(_, weight)| weight).collect();
        let mut sums = [0.0; 2];
        let sides = Sides { left: start.clone(), right: start, paid: 0, paid_here: 0 };
        self.walk(steps, sides, epsilon, &mut sums);
        sums[0].max(sums[1])
    }

    fn walk(&self, steps: &[Step], sides: Sides, epsilon: f64, sums: &mut [f64; 2]) {
        let [step, rest @ ..] = steps else {
            return sides.settle(epsilon, sums);
        };
        if sides.paid == self.paid {
            return sides.settle(epsilon, sums);
        }
        for next in self.outcomes(step, &sides) {
            self.walk(rest, next, epsilon, sums);
        }
    }

    /// What may be told of one query, with both sides' probabilities.
    fn outcomes(&self, step: &Step, sides: &Sides) -> Vec<Sides> {
        let outcome = |weights: &[f64], tally: Tally, told: Option<usize>| -> Vec<f64> {
            let chance = |threshold: f64| {
                let passes = (self.passes)(threshold, tally.distance);
                match told {
                    None => 1.0 - passes,
                    Some(winner) if winner == tally.winner => passes,
                    Some(_) => 0.0,
                }
            };
            weights
                .iter()
                .zip(&self.thresholds)
                .map(|(weight, &(threshold, _))| weight * chance(threshold))
                .collect()
        };
        let mut told = vec![None, Some(step.left.winner)];
        if step.left.winner != step.right.winner {
            told.push(Some(step.right.winner));
        }
        let after = |told: Option<usize>| {
            let mut next = Sides {
                left: outcome(&sides.left, step.left, told),
                right: outcome(&sides.right, step.right, told),
                ..*sides
            };
            if told.is_none() {
                next.paid += 1;
                next.paid_here += 1;
                if next.paid_here == self.paid_each {
                    next.paid_here = 0;
                    self.draw_anew(&mut next.left);
                    self.draw_anew(&mut next.right);
                }
            }
            next
        };
        told.into_iter().map(after).collect()
    }

    fn draw_anew(&self, weights: &mut Vec<f64>) {
        let total: f64 = weights.iter().sum();
        *weights = self.thresholds.iter().map(|&(_, weight)| total * weight).collect();
    }
}

/// Probabilities of what was told so far together with each threshold.
struct Sides {
    left: Vec<f64>,
    right: Vec<f64>,
    paid: u64,
    paid_here: u64,
}

impl Sides {
    fn settle(&self, epsilon: f64, sums: &mut [f64; 2]) {
        let (p, q): (f64, f64) = (self.left.iter().sum(), self.right.iter().sum());
        sums[0] += (p - epsilon.exp() * q).max(0.0);
        sums[1] += (q - epsilon.exp() * p).max(0.0);
    }
}

/// Every pair of tallies between which one of `votes` on two labels moves, at distances up to
/// `most`.
fn steps(votes: u32, most: u32, tally: fn(&[u32]) -> Tally) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for votes in votes - 1..=votes {
        for first in 0..votes {
            let step = Step {
                left: tally(&[first, votes - first]),
                right: tally(&[first + 1, votes - first - 1]),
            };
            let fresh = steps.iter().all(|seen| *seen != step);
            if fresh && step.left.distance.max(step.right.distance) <= most {
                steps.push(step);
            }
        }
    }
    steps
}

/// The largest divergence over sequences of up to four queries: some of one kind, then some of
/// another.
fn worst(process: &Process, epsilon: f64, steps: &[Step]) -> f64 {
    let mut worst: f64 = 0.0;
    for &a in steps {
        for &b in steps {
            for sequence in
                [vec![a, b], vec![a, b, b], vec![a, a, b], vec![a, a, a, b], vec![a, a, b, b]]
            {
                worst = worst.max(process.divergence(&sequence, epsilon));
            }
        }
    }
    worst
}

/// Designs for tables so small that every step is near the threshold.
fn small(unstable: u64) -> (f64, f64, Vec<Design>) {
    let (epsilon, delta) = (2.0, 0.01);
    let designs = demand(epsilon, delta, 4, unstable).designs();
    (epsilon, delta, designs.into_iter().map(|planned| planned.design).collect())
}

/// Distances at which something is decided.
fn near(design: &Design) -> Vec<Step> {
    let cut = cut(design);
    let most = cut as u32 + 3;
    steps(2 * most + 4, most, Tally::of)
        .into_iter()
        .filter(|step| step.left.distance % 3 != 1)
        .collect()
}

#[test]
fn answers_to_up_to_four_queries_stay_within_epsilon_and_delta() {
    for unstable in [1, 2] {
        let (epsilon, delta, designs) = small(unstable);
        for design in designs {
            let found = worst(&Process::of(&design), epsilon, &near(&design));
            assert!(found <= delta * (1.0 + 1e-9), "T = {unstable}, {design:?}: {found}");
            assert!(found >= 0.2 * delta, "the test has lost its teeth: {design:?}: {found}");
        }
    }
}

impl Process {
    /// Σ (P(o) − e^ε Q(o))₊ for whoever chooses each of `depth` queries by the answers so far.
    fn adaptive(&self, choices: &[Step], depth: usize, sides: Sides, epsilon: f64) -> f64 {
        if depth == 0 || sides.paid == self.paid {
            let mut sums = [0.0; 2];
            sides.settle(epsilon, &mut sums);
            return sums[0];
        }
        let worth = |step: &Step| {
            let outcomes = self.outcomes(step, &sides);
            outcomes
                .into_iter()
                .map(|next| self.adaptive(choices, depth - 1, next, epsilon))
                .sum::<f64>()
        };
        choices.iter().map(worth).fold(0.0, f64::max)
    }
}

#[test]
fn choosing_queries_by_earlier_answers_gains_nothing() {
    for unstable in [1, 2] {
        let (epsilon, delta, designs) = small(unstable);
        for design in designs {
            let process = Process::of(&design);
            let near = near(&design);
            let choices: Vec<Step> = near.iter().copied().step_by(near.len() / 10).collect();
            let start: Vec<f64> = process.thresholds.iter().map(|&(_, weight)| weight).collect();
            let sides = Sides { left: start.clone(), right: start, paid: 0, paid_here: 0 };
            let found = process.adaptive(&choices, 3, sides, epsilon);
            assert!(found <= delta * (1.0 + 1e-9), "T = {unstable}, {design:?}: {found}");
        }
    }
}

/// The printed loop pays once more than it has budget for.
#[test]
fn one_paid_answer_too_many_is_caught() {
    for unstable in [1, 2] {
        let (epsilon, delta, designs) = small(unstable);
        let design = *designs.iter().find(|design| matches!(design, Design::Sparse(_))).unwrap();
        let mut process = Process::of(&design);
        process.paid += 1;
        process.paid_each = process.paid_each.max(2) + 1;
        let found = worst(&process, epsilon, &near(&design));
        assert!(found > 1.1 * delta, "T = {unstable}: {found}");
    }
}

#[test]
fn the_printed_distance_is_caught() {
    for unstable in [1, 2] {
        let (epsilon, delta, designs) = small(unstable);
        for design in designs {
            let most = 12;
            let found = worst(&Process::of(&design), epsilon, &steps(16, most, printed));
            assert!(found > 1.05 * delta, "T = {unstable}, {design:?}: {found}");
        }
    }
}

#[test]
fn half_the_noise_is_caught() {
    let (epsilon, delta, designs) = small(1);
    for design in designs {
        let halved = match design {
            Design::Sparse(sparse) => Design::Sparse(Sparse {
                threshold_scale: 0.5 * sparse.threshold_scale,
                query_scale: 0.5 * sparse.query_scale,
                ..sparse
            }),
            Design::Gaussian(mut gaussian) => {
                gaussian.sigma *= 0.5;
                Design::Gaussian(gaussian)
            }
            _ => unreachable!("`all.rs` has the designs without tests"),
        };
        let found = worst(&Process::of(&halved), epsilon, &near(&design));
        assert!(found > 2.0 * delta, "{design:?}: {found}");
    }
}

/// Algorithm 6 prints w = λ ln(4m/δ) with noise of scale 2λ on distances.
#[test]
fn the_printed_threshold_for_scores_is_caught() {
    let (epsilon, delta, queries, unstable) = (1.0, 1e-6, 1000.0, 2);
    let lambda = (64.0 * unstable as f64 * (2.0_f64 / delta).ln()).sqrt() / epsilon;
    let log = (4.0 * queries / delta).ln();
    let unstable_step =
        Step { left: Tally { winner: 0, distance: 0 }, right: Tally { winner: 1, distance: 0 } };
    let slips =
        |cut: f64| Process::laplace(lambda, cut, unstable).divergence(&[unstable_step], epsilon);
    let (printed, corrected) = (slips(lambda * log), slips(2.0 * lambda * log));
    // About 1e-5 a query against 1.7e-10, with a δ of 1e-6 for a thousand of them.
    assert!(printed > 5.0 * delta, "{printed}");
    assert!(corrected * queries < delta, "{corrected}");
}
