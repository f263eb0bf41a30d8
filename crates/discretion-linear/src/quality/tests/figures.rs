//! Figures from counts without noise are those of the rows, and what is added to them is as small
//! as it should be.

use super::*;
use crate::quality::auc::smooth;
use discretion_privacy::normal_cdf;

/// No noise to speak of: figures of 400,000 rows are the truth but for sampling, of which five
/// deviations are allowed for (6e-7 for each of four numbers).
#[test]
fn many_rows_and_no_noise_give_the_truth() {
    let plan = quality(Budget::Pure { epsilon: 1000.0 }).plan(400_000).unwrap();
    let counts = plan.run(&STAYS.tally(&plan, &mut Seeded::new(7)), &mut Seeded::new(8)).unwrap();
    let figures = Figures::of_all(&counts, Meaning::LogOdds, 1.0 - 6e-7);
    let [base_rate, auc, brier] = STAYS.truth();
    for (found, truth) in [
        (figures.base_rate, base_rate),
        (figures.auc.unwrap(), auc),
        (figures.brier.unwrap(), brier),
    ] {
        assert!(found.lower < truth && truth < found.upper, "{found:?} and not {truth}");
        assert!(found.upper - found.lower < 0.02, "{found:?}");
    }
    let accuracy = figures.nearest(0.0).unwrap();
    assert_eq!(accuracy.score, 0.0);
    assert!(accuracy.accuracy.value > 1.0 - base_rate, "{accuracy:?}");
    // Log-odds that are right: every bin has as many positives as its probability says.
    for bin in &figures.bins {
        let probability = bin.probability.unwrap();
        let Estimate { lower, upper, .. } = bin.positive;
        assert!(lower < probability + 2e-3 && probability - 2e-3 < upper, "{bin:?}");
    }
}

/// Few chords cut off much of the curve, and all of it is given back, or most where the curve is
/// not of the family that gives it back. Without that the first line would be 0.01 too low.
#[test]
fn what_chords_cut_off_is_given_back() {
    for (bins, apart, spread) in [(4usize, 1.2, 1.0), (4, 1.2, 1.4), (6, 2.0, 0.8), (8, 0.4, 1.2)] {
        let edges: Vec<f64> = (1..bins).map(|k| normal_quantile(k as f64 / bins as f64)).collect();
        let counts = |middle: f64, spread: f64| -> Vec<f64> {
            let below: Vec<f64> = [0.0]
                .into_iter()
                .chain(edges.iter().map(|edge| normal_cdf((edge - middle) / spread)))
                .chain([1.0])
                .collect();
            below.windows(2).map(|pair| pair[1] - pair[0]).collect()
        };
        let (negative, positive) = (counts(0.0, 1.0), counts(apart, spread));
        let mut below = 0.0;
        let mut chords = 0.0;
        for (n, p) in negative.iter().zip(&positive) {
            chords += p * (below + 0.5 * n);
            below += n;
        }
        let truth = normal_cdf(apart / (1.0 + spread * spread).sqrt());
        let found = smooth(chords, &negative);
        assert!(
            (found - truth).abs() < 0.4 * (truth - chords).abs() + 2e-4,
            "{chords} {found} {truth}"
        );
    }
}

/// Groups add up to all rows, and a group without rows says nothing.
#[test]
fn groups_are_counted_apart() {
    let wanted = Quality { groups: 3, ..quality(Budget::Pure { epsilon: 1.0 }) };
    let plan = wanted.plan(20_000).unwrap();
    let mut source = Seeded::new(5);
    let mut tally = plan.tally();
    for row in 0..20_000 {
        let (score, positive) = STAYS.one(&mut source);
        // In the second group scores say nothing.
        tally.add(score, if row % 2 == 1 { source.unit() < 0.3 } else { positive }, row % 2);
    }
    let counts = plan.run(&tally, &mut Seeded::new(6)).unwrap();
    let [first, second, third] =
        [0, 1, 2].map(|group| Figures::of_group(&counts, group, Meaning::LogOdds, 0.95));
    let all = Figures::of_all(&counts, Meaning::LogOdds, 0.95);
    assert!(first.auc.unwrap().lower > 0.75 && second.auc.unwrap().upper < 0.55);
    assert!(all.auc.unwrap().lower > 0.6 && all.auc.unwrap().upper < 0.75);
    assert!(first.say_something() && !third.say_something() && third.auc.is_none(), "{third:?}");
    let Estimate { lower, upper, .. } = third.bins[0].positive;
    assert!(lower == 0.0 && upper == 1.0, "{third:?}");
}

/// Every number is one, whatever is in the counts: noise can make them negative.
#[test]
fn strange_counts_give_numbers() {
    let plan = quality(Budget::Pure { epsilon: 1.0 }).plan(1_000).unwrap();
    let counts = plan.run(&STAYS.tally(&plan, &mut Seeded::new(1)), &mut Seeded::new(2)).unwrap();
    let bins = counts.bins();
    for value in [-1_000_000, -1, 0, 1, i64::MAX / 1000] {
        let mut strange = (*counts).clone();
        strange.groups[0].positive = vec![value; bins];
        strange.pooled = vec![value; strange.pooled.len()];
        let figures = Figures::of_all(&strange, Meaning::LogOdds, 0.95);
        let shares = figures.bins.iter().map(|bin| bin.positive);
        let thresholds =
            figures.thresholds.iter().flat_map(|at| [at.flagged, at.recall, at.precision]);
        for Estimate { value: share, lower, upper } in shares
            .chain(thresholds)
            .chain(figures.auc)
            .chain(figures.brier)
            .chain([figures.base_rate])
        {
            assert!((0.0..=1.0).contains(&lower) && (0.0..=1.0).contains(&upper), "{value}");
            assert!(lower <= share && share <= upper, "{value}: {lower} {share} {upper}");
        }
    }
}
