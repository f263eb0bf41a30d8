use super::*;
use crate::{deal, simulate};
use discretion::interval::Intervals;
use discretion::joint::Step;
use discretion::train::not_private;

/// The released vector is the weighted average of what holders would have trained alone, plus the
/// noise that was drawn, to the stated error of the fixed point.
#[test]
fn the_result_is_the_weighted_average_plus_noise() {
    let all = rows(350, 4, &mut Seeded::new(2));
    let sizes = [50, 100, 200];
    let joint = joint(3, 1);
    let simulated = simulate(&joint, &all, &sizes, &mut Seeded::new(21)).unwrap();
    let round = simulated.plan.average();
    let mut expected: Vec<f64> =
        noise(round, 3, 21).into_iter().map(|x| x as f64 * round.lattice().step()).collect();
    for (hand, &size) in deal(&sizes).iter().zip(&sizes) {
        let alone =
            not_private(&all.gather(hand).all(), joint.loss, joint.lambda).unwrap().into_inner();
        expected.iter_mut().zip(alone).for_each(|(sum, x)| *sum += size as f64 / 350.0 * x);
    }
    let limit = round.fixed_point_error() + 1e-10;
    for (found, expected) in simulated.average.iter().zip(&expected) {
        assert!((found - expected).abs() <= limit, "{found} {expected}, {limit}");
    }
    assert_eq!(simulated.coefficients(), &simulated.average);
    // The error is nothing beside the noise.
    assert!(limit < 1e-3 * round.noise().deviation());
}

/// With a Newton step and much budget the model is that of all rows, and its intervals cover it.
#[test]
fn a_step_finds_the_model_of_all_rows() {
    let all = rows(600, 2, &mut Seeded::new(3));
    let step = Step { lambda: None, gradient: 0.25, hessian: 0.25, covariance: 0.25, damping: 0.0 };
    let joint = Joint { step: Some(step), budget: Budget::Zcdp { rho: 100.0 }, ..joint(2, 1) };
    let simulated = simulate(&joint, &all, &[100, 200, 300], &mut Seeded::new(4)).unwrap();
    let stepped = simulated.stepped.as_ref().unwrap();
    let theirs = not_private(&all.all(), joint.loss, joint.lambda).unwrap().into_inner();
    let intervals =
        Intervals::new(stepped.evidence.as_ref().unwrap(), &stepped.coefficients).unwrap();
    for (interval, theirs) in intervals.coefficients(0.95).unwrap().iter().zip(&theirs) {
        // Sampling error is in the interval and not between these two.
        assert!(
            (interval.estimate - theirs).abs() < 0.5 * interval.half_width(),
            "{interval:?} {theirs}"
        );
    }
    assert!(simulated.bytes_per_holder > 1000);
}

#[test]
fn rows_are_dealt_in_turn_and_each_once() {
    let hands = deal(&[1, 2, 5]);
    let mut all: Vec<usize> = hands.concat();
    all.sort_unstable();
    assert_eq!(all, (0..8).collect::<Vec<_>>());
    assert_eq!(hands.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 5]);
    // Half of a sorted table's rows are half of everyone's.
    let hands = deal(&[100, 300]);
    assert!(
        hands.iter().all(|hand| hand
            .iter()
            .filter(|&&row| row < 200)
            .count()
            .abs_diff(hand.len() / 2)
            <= 1)
    );
    let refused =
        simulate(&joint(2, 0), &rows(9, 2, &mut Seeded::new(1)), &[4, 4], &mut Seeded::new(1));
    assert_eq!(refused.err(), Some(RoundError::Dealt { rows: 9, dealt: 8 }));
}
