//! The exact law of a linear combination against draws of whole vectors, made as the papers make
//! them.

use super::{distance_from_law, logistic_table, signed_unit};
use crate::erm::Oracle;
use crate::interval::{Evidence, Intervals, Plan, Split};
use crate::loss::LossKind;
use crate::train::{Method, Training};
use discretion_privacy::Budget;
use discretion_privacy::noise::{Column, Columns, Law, Seeded, ShapedLaw, TrainingLaw};

fn intervals(budget: Budget, method: Method, d: usize) -> (Intervals, TrainingLaw) {
    let mut source = Seeded::new(21);
    let truth: Vec<f64> = (0..d).map(|_| 3.0 * signed_unit(&mut source)).collect();
    let table = logistic_table(20_000, &truth, &mut source);
    let training = Training { loss: LossKind::Logistic, lambda: Some(1e-3), method, budget };
    let plan = Plan::new(&training, Split::DEFAULT, table.all().facts()).unwrap();
    let theta = plan.training().fit(&table.all(), &mut source).unwrap();
    let evidence = plan.run(&table.all(), &theta, &mut source).unwrap();
    (Intervals::new(&evidence, &theta).unwrap(), plan.training().chosen().law().clone())
}

/// False-alarm rate 1e-6 for each combination. The draws use a direction and a length, the exact
/// law a mixture of normals: the test would see it if these were not the same.
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
        let is_normal = matches!(
            law,
            TrainingLaw::Round(Law::Gaussian { .. })
                | TrainingLaw::Shaped(ShapedLaw::ColumnGaussian { .. })
        );
        assert_eq!(is_normal, matches!(budget, Budget::Zcdp { .. }), "{law:?}");
        let draws = intervals.draws(50_000, 9);
        let mut source = Seeded::new(33);
        for _ in 0..3 {
            let weights: Vec<f64> = (0..d).map(|_| signed_unit(&mut source)).collect();
            let on = |z: &Vec<f64>| z.iter().zip(&weights).map(|(z, w)| z * w).sum::<f64>();
            let sample: Vec<f64> = draws.iter().map(on).collect();
            for level in [0.5, 0.8, 0.95, 0.99] {
                let half_width = intervals.combination(&weights, level).unwrap().half_width();
                let inside =
                    sample.iter().filter(|x| x.abs() <= half_width).count() as f64 / 50_000.0;
                // Hoeffding.
                assert!(
                    (inside - level).abs() < (2e6f64.ln() / 1e5).sqrt(),
                    "{budget} {method:?} {level}: {inside}"
                );
            }
            let spread = intervals.spread(&weights);
            let tail =
                |x: f64| intervals.noise.tail(spread.sampling + spread.mask, &spread.push, x.abs());
            let cdf = |x: f64| if x < 0.0 { 0.5 * tail(x) } else { 1.0 - 0.5 * tail(x) };
            // A law that is known from 16,384 draws is known up to this, and each of its
            // probabilities is a sum over all of them.
            let (drawn, points) = match law {
                TrainingLaw::Shaped(ShapedLaw::Groups { .. }) => {
                    ((2e6f64.ln() / 32_768.0).sqrt(), 1500)
                }
                _ => (0.0, 10_000),
            };
            let (distance, limit) = distance_from_law(sample[..points].to_vec(), cdf);
            assert!(distance < limit + drawn, "{budget} {method:?}: {distance} from the law");
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
            assert!(
                interval.lower.abs() < 1e-12 && (interval.p_value - 0.1).abs() < 1e-9,
                "{interval:?}"
            );
        }
    }
}

/// Noise with the shape of the rows: the draws behind intervals are those of the sampler that
/// training uses, and intervals at every level hold as often as they say in fresh draws.
/// False-alarm rate about 1e-6; the quantiles come from 16,384 draws.
#[test]
fn intervals_under_shaped_noise_hold_as_often_as_they_say() {
    let column = |coefficients, size| Column { coefficients, size };
    let columns = Columns::new(vec![column(1, 0.5), column(3, 0.5), column(2, 0.6)]).unwrap();
    let laws = [
        ShapedLaw::Groups {
            columns: columns.clone(),
            group_of: vec![0, 0, 1],
            epsilons: vec![0.6, 0.4],
        },
        ShapedLaw::RowNorm { columns: columns.clone(), epsilon: 0.8 },
        ShapedLaw::ColumnGaussian { columns, deviations: vec![2.0, 5.0, 3.0] },
    ];
    let identity: Vec<f64> =
        (0..6).flat_map(|i| (0..=i).map(move |j| f64::from(u8::from(i == j)))).collect();
    for law in laws {
        let written = serde_json::json!({
            "rows": 100, "dimension": 6, "lambda": 1e-3, "mechanism": "objective", "noise": law,
            "mask_deviation": 1e-6, "hessian": identity, "covariance": identity,
        });
        let evidence: Evidence = serde_json::from_value(written).unwrap();
        let intervals = Intervals::new(&evidence, &[0.0; 6]).unwrap();
        let weights = [1.0, -0.5, 0.0, 2.0, 0.3, -1.0];
        // H̃ = (1 + λ)I and Σ̃ = I: w·z is w·b/(n(1 + λ)) and normal noise of variance ‖w‖²/(n(1 +
        // λ)²).
        let source = &mut Seeded::new(77);
        let draws = 6000;
        let length = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let sample: Vec<f64> = (0..draws)
            .map(|_| {
                let b = law.draw(1e-9, source).unwrap();
                let on: f64 =
                    b.coordinates().iter().zip(weights).map(|(b, w)| b.to_f64().value() * w).sum();
                let uniform = |source: &mut Seeded| 0.5 * (signed_unit(source) + 1.0);
                let normal = (-2.0 * uniform(source).max(1e-300).ln()).sqrt()
                    * (std::f64::consts::TAU * uniform(source)).cos();
                (on / 100.0 + 0.1 * length * normal) / 1.001
            })
            .collect();
        for level in [0.5, 0.8, 0.95, 0.99, 0.999] {
            let half_width = intervals.combination(&weights, level).unwrap().half_width();
            let inside =
                sample.iter().filter(|x| x.abs() <= half_width).count() as f64 / f64::from(draws);
            let error =
                5.5 * (level * (1.0 - level) / f64::from(draws)).sqrt() + 0.02 * (1.0 - level);
            assert!((inside - level).abs() < error.max(2e-3), "{law:?} {level}: {inside}");
        }
        // A p-value far out is small and not 0, and falls.
        let p = |estimate: f64| {
            let theta: Vec<f64> =
                weights.iter().map(|w| estimate * w / (length * length)).collect();
            Intervals::new(&evidence, &theta).unwrap().combination(&weights, 0.95).unwrap().p_value
        };
        assert!(p(3.0) < p(1.5) && p(3.0) > 0.0, "{law:?}: {} {}", p(1.5), p(3.0));
    }
}
