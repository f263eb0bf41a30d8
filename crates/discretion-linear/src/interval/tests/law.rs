//! The exact law of a linear combination against draws of whole vectors, made as the papers make them.

use super::{distance_from_law, logistic_table, signed_unit};
use crate::erm::Oracle;
use crate::interval::{Intervals, Plan, Split};
use crate::loss::LossKind;
use crate::train::{Method, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Law, Seeded, TrainingLaw};

fn intervals(budget: Budget, method: Method, d: usize) -> (Intervals, TrainingLaw) {
    let mut source = Seeded::new(21);
    let truth: Vec<f64> = (0..d).map(|_| 3.0 * signed_unit(&mut source)).collect();
    let table = logistic_table(20_000, &truth, &mut source);
    let training = Training { loss: LossKind::Logistic, lambda: Some(1e-3), method, budget };
    let plan = Plan::new(&training, Split::DEFAULT, table.facts()).unwrap();
    let theta = plan.training().fit(&table, &mut source).unwrap();
    let evidence = plan.run(&table, &theta, &mut source).unwrap();
    (Intervals::new(&evidence, &theta).unwrap(), plan.training().chosen().law().clone())
}

/// False-alarm rate 1e-6 for each combination. The draws use a direction and a length, the exact law a mixture of
/// normals: the test would see it if these were not the same.
#[test]
fn draws_of_whole_vectors_agree_with_the_exact_law() {
    let spherical = Budget::Pure { epsilon: 2.0 };
    for (budget, method, d) in [
        (spherical, Method::Objective, 1),
        (spherical, Method::Objective, 6),
        (spherical, Method::Output, 6),
        (Budget::Zcdp { rho: 0.5 }, Method::Objective, 6),
        (Budget::Zcdp { rho: 0.5 }, Method::Output, 6),
    ] {
        let (intervals, law) = intervals(budget, method, d);
        assert_eq!(
            matches!(law, TrainingLaw::Round(Law::Spherical { .. })),
            matches!(budget, Budget::Pure { .. })
        );
        let draws = intervals.draws(50_000, 9);
        let mut source = Seeded::new(33);
        for _ in 0..3 {
            let weights: Vec<f64> = (0..d).map(|_| signed_unit(&mut source)).collect();
            let on = |z: &Vec<f64>| z.iter().zip(&weights).map(|(z, w)| z * w).sum::<f64>();
            let sample: Vec<f64> = draws.iter().map(on).collect();
            for level in [0.5, 0.8, 0.95, 0.99] {
                let half_width = intervals.combination(&weights, level).unwrap().half_width();
                let inside = sample.iter().filter(|x| x.abs() <= half_width).count() as f64 / 50_000.0;
                // Hoeffding.
                assert!(
                    (inside - level).abs() < (2e6f64.ln() / 1e5).sqrt(),
                    "{budget} {method:?} {level}: {inside}"
                );
            }
            let spread = intervals.spread(&weights);
            let tail = |x: f64| intervals.noise.tail(spread.sampling + spread.mask, &spread.push, x.abs());
            let cdf = |x: f64| if x < 0.0 { 0.5 * tail(x) } else { 1.0 - 0.5 * tail(x) };
            let (distance, limit) = distance_from_law(sample, cdf);
            assert!(distance < limit, "{budget} {method:?}: {distance} from the law");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_draws_on_any_number_of_threads() {
    let (intervals, _) = intervals(Budget::Pure { epsilon: 2.0 }, Method::Objective, 4);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| intervals.draws(1000, 1))
    };
    let one = with(1);
    assert_eq!(one.len(), 1000);
    assert_eq!(one, with(3));
    assert_ne!(one[0], one[1]);
    assert_ne!(one, intervals.draws(1000, 2));
}

/// Deviations add up to the law's variance, ends are symmetric, and p is 1 − level if an end is 0.
#[test]
fn an_interval_is_consistent_with_itself() {
    for budget in [Budget::Pure { epsilon: 2.0 }, Budget::Zcdp { rho: 0.5 }] {
        let (mut intervals, _) = intervals(budget, Method::Auto, 5);
        let draws = intervals.draws(50_000, 2);
        for (j, interval) in intervals.coefficients(0.9).unwrap().iter().enumerate() {
            let variance = draws.iter().map(|z| z[j] * z[j]).sum::<f64>() / 50_000.0;
            let stated = interval.sampling_deviation.powi(2) + interval.privacy_deviation.powi(2);
            // Ten standard deviations of a sum of squares with kurtosis below 9.
            assert!(
                (variance / stated - 1.0).abs() < 10.0 * (8.0f64 / 50_000.0).sqrt(),
                "{variance} {stated}"
            );
            let middle = 0.5 * (interval.lower + interval.upper);
            assert!((middle - interval.estimate).abs() < 1e-12);
            intervals.theta[j] = interval.half_width();
        }
        for interval in intervals.coefficients(0.9).unwrap() {
            assert!(interval.lower.abs() < 1e-12 && (interval.p_value - 0.1).abs() < 1e-9, "{interval:?}");
        }
    }
}
