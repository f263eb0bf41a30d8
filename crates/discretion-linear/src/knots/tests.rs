//! Private knots: the exact law of the counts, what they cost, and where the knots are.

use super::*;
use crate::erm::matrix::{Batch, Curve, Layout, Matrix, Norm, Rows, Stored};
use discretion_privacy::noise::{Provenance, Seeded};

fn rows(positions: Vec<f32>) -> Matrix {
    let curve = Stored::Curve(Curve { knots: CELLS + 1, missing: false, value: 0.5 });
    let layout = Layout::with_curves(Norm::Scale, 0.5, vec![curve], vec![], &[]).unwrap();
    let positive = vec![true; positions.len()];
    Matrix::of(layout, Batch { numeric: positions, codes: vec![], positive })
}

fn wanted(share: f64) -> WantedKnots {
    WantedKnots { place: 0, knots: 5, share }
}

/// ln of the largest ratio of probabilities of the noisy counts on two tables, by the law of
/// discrete Laplace noise, P(k) ∝ e^(−|k|/scale) in every cell.
fn largest_ratio(noise: IntegerNoise, one: &dyn Oracle, other: &dyn Oracle) -> f64 {
    // deviation = scale·√2, rounded up.
    let scale = noise.deviation() / 2f64.sqrt();
    let [one, other] = [one, other].map(|rows| rows.cells(0).unwrap().not_private().into_inner());
    let cell = |(a, b): (&i64, &i64)| {
        let log_ratio = |out: i64| ((out - b).abs() as f64 - (out - a).abs() as f64) / scale;
        (-200..400).map(log_ratio).fold(f64::MIN, f64::max)
    };
    one.iter().zip(&other).map(cell).sum()
}

/// The exact law: a row that goes from one end to the other makes the counts more likely by e^(sε)
/// at most, and by no less, so half the noise would be seen here.
#[test]
fn counts_cost_what_their_share_says() {
    let (one, other) = (rows(vec![0.5, 3.0, 64.0]), rows(vec![0.5, 3.0, 0.0]));
    for budget in [Budget::Pure { epsilon: 2.0 }, Budget::Approximate { epsilon: 2.0, delta: 1e-6 }]
    {
        let plan = KnotsPlan::new(&[wanted(0.25)], budget, Unit::Row).unwrap();
        let ratio = largest_ratio(plan.columns()[0].1, &one.all(), &other.all());
        assert!((ratio - 0.5).abs() < 1e-9, "{ratio}");
        // Half the noise, right for an added row, would be seen.
        let IntegerNoise::Laplace { budget, .. } = plan.columns()[0].1 else {
            panic!("Laplace noise")
        };
        assert!(
            largest_ratio(
                IntegerNoise::Laplace { sensitivity: 1, budget },
                &one.all(),
                &other.all()
            ) > 0.99
        );
        assert_eq!(plan.event(), Event::Composition { of: vec![plan.columns()[0].1.event()] });
    }
    let plan = KnotsPlan::new(&[wanted(0.25)], Budget::Zcdp { rho: 0.5 }, Unit::Row).unwrap();
    // ρ = Δ²/(2σ²) with Δ² = 2.
    let sigma = plan.columns()[0].1.deviation();
    assert!(1.0 / sigma.powi(2) <= 0.125 && 1.0 / sigma.powi(2) > 0.125 * (1.0 - 1e-6), "{sigma}");
}

/// The same of a person whose three rows all go from one end to the other: noise for the units of
/// one row would be seen.
#[test]
fn a_person_costs_what_the_share_says_whatever_the_rows() {
    let of = |positions: Vec<f32>| Rows::group(rows(positions), &[1, 2, 2, 2]);
    let (one, other) = (of(vec![0.5, 64.0, 64.0, 64.0]), of(vec![0.5, 0.0, 0.0, 0.0]));
    let plan =
        KnotsPlan::new(&[wanted(0.25)], Budget::Pure { epsilon: 2.0 }, Unit::Person).unwrap();
    let ratio = largest_ratio(plan.columns()[0].1, &one, &other);
    assert!((ratio - 0.5).abs() < 1e-9, "{ratio}");
    let of_rows =
        KnotsPlan::new(&[wanted(0.25)], Budget::Pure { epsilon: 2.0 }, Unit::Row).unwrap();
    assert!(largest_ratio(of_rows.columns()[0].1, &one, &other) > 30.0);
    // One person's noise is as large as one row's, in what each of them counts.
    assert!((plan.deviation() - of_rows.deviation()).abs() < 1e-9);
    let gaussian =
        KnotsPlan::new(&[wanted(0.25)], Budget::Zcdp { rho: 0.5 }, Unit::Person).unwrap();
    // ρ = Δ²/(2σ²) with Δ² = 2·64².
    let rho = f64::from(PERSON_COUNTS).powi(2) / gaussian.columns()[0].1.deviation().powi(2);
    assert!(rho <= 0.125 && rho > 0.125 * (1.0 - 1e-6), "{rho}");
}

#[test]
#[should_panic(expected = "the noise is for this unit")]
fn persons_are_not_counted_with_the_noise_for_rows() {
    let plan = KnotsPlan::new(&[wanted(0.25)], Budget::Pure { epsilon: 2.0 }, Unit::Row).unwrap();
    let _ = plan.counts(&Rows::group(rows(vec![0.5]), &[1]), &mut Seeded::new(1));
}

#[test]
fn knots_and_training_stay_within_the_budget() {
    let all: Vec<WantedKnots> =
        (0..10).map(|place| WantedKnots { place, knots: 12, share: 0.013 }).collect();
    for budget in [
        Budget::Pure { epsilon: 0.3 },
        Budget::Approximate { epsilon: 0.3, delta: 1e-6 },
        Budget::Zcdp { rho: 0.3 },
    ] {
        let plan = KnotsPlan::new(&all, budget, Unit::Row).unwrap();
        let spent: f64 =
            plan.columns()
                .iter()
                .map(|(_, noise)| match noise {
                    IntegerNoise::Laplace { budget, .. } => budget.epsilon,
                    IntegerNoise::Gaussian { budget, .. }
                    | IntegerNoise::Rounded { budget, .. } => budget.rho,
                })
                .sum();
        let rest = match plan.rest() {
            Budget::Pure { epsilon } | Budget::Approximate { epsilon, .. } => epsilon,
            Budget::Zcdp { rho } => rho,
        };
        assert!(spent + rest < 0.3 && spent + rest > 0.3 * (1.0 - 1e-11), "{spent} {rest}");
    }
    let refused =
        |share| KnotsPlan::new(&[wanted(share)], Budget::Pure { epsilon: 1.0 }, Unit::Row).is_err();
    assert!(refused(0.0) && refused(0.6) && refused(f64::NAN) && !refused(0.5));
}

#[test]
fn knots_are_where_the_rows_are_and_always_as_many() {
    let mut counts = vec![0; CELLS];
    assert_eq!(quantiles(&counts, 5), [0, 16, 32, 48, 64]);
    counts[10] = 100;
    counts[11] = 100;
    // All rows in two cells: knots around them, all different.
    let knots = quantiles(&counts, 5);
    assert!(knots.is_sorted_by(|a, b| a < b) && knots[0] == 0 && knots[4] == 64, "{knots:?}");
    assert!(knots.contains(&11), "{knots:?}");
    for knots in [2, 3, 12, CELLS + 1] {
        for counts in
            [vec![-5; CELLS], vec![7; CELLS], (0..CELLS as i64).rev().map(|c| c - 30).collect()]
        {
            let ends = quantiles(&counts, knots);
            assert_eq!(ends.len(), knots);
            assert!(
                ends.is_sorted_by(|a, b| a < b) && ends[0] == 0 && ends[knots - 1] == CELLS,
                "{ends:?}"
            );
        }
    }
}

#[test]
fn a_run_finds_the_quantiles_of_a_skew_column() {
    // Three quarters of the rows are in the first eighth of the grid.
    let positions =
        (0..20_000).map(|i| if i % 4 < 3 { (i % 8) as f32 + 0.5 } else { (i % 64) as f32 });
    let rows = rows(positions.collect());
    let plan = KnotsPlan::new(&[wanted(0.5)], Budget::Pure { epsilon: 1.0 }, Unit::Row).unwrap();
    let knots = plan.run(&rows.all(), &mut Seeded::new(3)).unwrap();
    assert_eq!(knots[0].provenance(), Provenance::TestSeed);
    assert!(knots[0][1] < 4 && knots[0][3] < 12, "{:?}", &knots[0][..]);
}
