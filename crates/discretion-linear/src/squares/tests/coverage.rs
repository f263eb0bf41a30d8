//! Coverage, on a population whose coefficients are known.

use crate::erm::Oracle;
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::interval::tests::{signed_unit, unit};
use crate::squares::{Penalty, Plan};
use discretion_privacy::Budget;
use discretion_privacy::noise::Seeded;

/// The effect of a number, of three values of a category against the first, and the constant;
/// residuals of deviation 0.2.
const SLOPE: f64 = 0.4;
const VALUES: [f64; 3] = [0.0, 0.15, -0.2];

fn sample(n: usize, source: &mut Seeded) -> Matrix {
    let layout = Layout::new(Norm::Scale, 0.5, vec![0.5, 0.5], vec![(3, 0.5)]).unwrap();
    let mut batch = Batch::default();
    for _ in 0..n {
        let code = (unit(source) * 3.0) as usize;
        // Numbers and values depend on each other.
        let x = 0.7 * signed_unit(source) + [0.3, -0.3, 0.0][code];
        let residual = 0.2 * 3f64.sqrt() * signed_unit(source);
        let y = 0.1 + SLOPE * x + VALUES[code] + residual;
        batch.numeric.extend([0.5 * x as f32, 0.5 * y as f32]);
        batch.codes.push(code as u16);
        batch.positive.push(false);
    }
    Matrix::of(layout, batch)
}

/// The slope and the effects of two values against the first. Returns how often each was missed.
fn misses(n: usize, budget: Budget, samples: usize) -> [usize; 3] {
    let mut source = Seeded::new(41);
    let plan = Plan::new(budget, sample(n, &mut source).all().facts(), 2..3).unwrap();
    let combinations = [
        ([0.0, 1.0, 0.0, 0.0, 0.0], SLOPE),
        ([0.0, 0.0, -1.0, 1.0, 0.0], VALUES[1]),
        ([0.0, 0.0, -1.0, 0.0, 1.0], VALUES[2]),
    ];
    let mut misses = [0; 3];
    let mut share = 0.0;
    for _ in 0..samples {
        let moments = plan.run(&sample(n, &mut source).all(), &mut source).unwrap();
        let solution = moments.solve(Penalty::Auto).unwrap();
        for ((weights, truth), misses) in combinations.iter().zip(&mut misses) {
            let interval = solution.combination(weights, 0.95, 0.0).unwrap();
            *misses += usize::from(!(interval.lower..=interval.upper).contains(truth));
            share +=
                interval.privacy_deviation / interval.sampling_deviation / (3 * samples) as f64;
        }
    }
    eprintln!("{budget} {n}: {misses:?} of {samples}, noise {share:.1} times sampling");
    misses
}

/// If each were covered with probability 0.95, 21 of 120 would be missed with probability 6e-7
/// (binomial), and none of all 360 with probability 0.2 % at most.
#[test]
fn intervals_cover_the_coefficients_of_the_population() {
    for budget in [Budget::Pure { epsilon: 2.0 }, Budget::Zcdp { rho: 0.4 }] {
        let misses = misses(2000, budget, 120);
        assert!(misses.iter().all(|&misses| misses < 21), "{budget}: {misses:?}");
    }
}

/// Three categories of twelve values each, of which the last are rare; residuals of deviation 0.05.
/// The outcome is far from 0 on average, so that the noise of means counts as well.
const WIDTH: usize = 12;
const MIDDLE: f64 = -0.6;

fn effect(category: usize, value: usize) -> f64 {
    0.1 * (value as f64 + 3.0 * category as f64).sin()
}

fn wide_sample(n: usize, source: &mut Seeded) -> Matrix {
    let layout = Layout::new(Norm::Scale, 0.4, vec![0.4], vec![(WIDTH, 0.4); 3]).unwrap();
    let mut batch = Batch::default();
    for _ in 0..n {
        let mut y = MIDDLE + 0.05 * 3f64.sqrt() * signed_unit(source);
        for category in 0..3 {
            let value = (unit(source).powi(3) * WIDTH as f64) as usize;
            batch.codes.push(value as u16);
            y += effect(category, value);
        }
        batch.numeric.push(0.4 * y as f32);
        batch.positive.push(false);
    }
    Matrix::of(layout, batch)
}

/// Of 33 effects in 24 samples: even for rare values an interval is narrower than half of the
/// outcome's range. Errors are as large as intervals say: without the noise of means, or of the
/// products, they are a third larger.
#[test]
fn intervals_beside_many_values_cover_and_are_no_wider_than_they_must_be() {
    let (n, samples) = (4000, 24);
    let mut source = Seeded::new(43);
    let plan =
        Plan::new(Budget::Zcdp { rho: 0.05 }, wide_sample(n, &mut source).all().facts(), 1..2)
            .unwrap();
    let (mut held, mut widest, mut squares) = (0, 0f64, 0.0);
    for _ in 0..samples {
        let moments = plan.run(&wide_sample(n, &mut source).all(), &mut source).unwrap();
        let solution = moments.solve(Penalty::Auto).unwrap();
        for (category, value) in
            (0..3).flat_map(|category| (1..WIDTH).map(move |value| (category, value)))
        {
            let mut weights = [0.0; 1 + 3 * WIDTH];
            (weights[1 + category * WIDTH], weights[1 + category * WIDTH + value]) = (-1.0, 1.0);
            let interval = solution.combination(&weights, 0.95, 0.0).unwrap();
            let truth = effect(category, value) - effect(category, 0);
            held += usize::from((interval.lower..=interval.upper).contains(&truth));
            widest = widest.max(interval.upper - interval.lower);
            let variance = interval.sampling_deviation.powi(2) + interval.privacy_deviation.powi(2);
            squares += (interval.estimate - truth).powi(2) / variance / f64::from(33 * samples);
        }
    }
    let share = held as f64 / f64::from(33 * samples);
    eprintln!("{share:.3} held, the widest is {widest:.2}, mean square {squares:.3}");
    assert!((0.91..=0.995).contains(&share), "{share}");
    assert!(widest < 1.0, "{widest}");
    assert!((0.75..1.15).contains(&squares), "{squares}");
}

/// The figures of docs/numbers.md: `cargo test --release -p discretion-linear --lib --
/// coverage_of_squares --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn coverage_of_squares() {
    misses(4000, Budget::Pure { epsilon: 1.0 }, 200);
    misses(4000, Budget::Zcdp { rho: 0.1 }, 200);
    misses(20_000, Budget::Approximate { epsilon: 0.3, delta: 1e-6 }, 200);
}
