//! The drawn vectors against the exact law of their gauge and of their entries. Kolmogorov
//! distances have a false-alarm rate of 1e-6; seeds are fixed all the same.

use super::*;
use crate::account::Column;
use crate::noise::Seeded;

fn columns(of: &[(usize, f64)]) -> Columns {
    Columns::new(of.iter().map(|&(coefficients, size)| Column { coefficients, size }).collect())
        .unwrap()
}

/// A number, two categories of 4 and 2 values, another number: 8 coefficients.
fn mixed() -> Columns {
    columns(&[(1, 0.5), (4, 0.4), (2, 0.6), (1, 0.3)])
}

fn laws() -> Vec<ShapedLaw> {
    let groups = |group_of: Vec<usize>, epsilons: Vec<f64>| ShapedLaw::Groups {
        columns: mixed(),
        group_of,
        epsilons,
    };
    vec![
        groups(vec![0, 0, 0, 0], vec![0.7]),
        groups(vec![0, 1, 1, 0], vec![0.3, 0.9]),
        groups(vec![0, 1, 2, 3], vec![0.3, 0.9, 0.2, 1.0]),
        ShapedLaw::RowNorm { columns: mixed(), epsilon: 0.8 },
        ShapedLaw::ColumnGaussian { columns: mixed(), deviations: vec![1.0, 2.0, 0.5, 3.0] },
    ]
}

/// P(Gamma(d) ≤ x) for a whole d.
fn gamma_cdf(d: usize, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 0.0);
    for i in 0..d {
        sum += term;
        term *= x / (i + 1) as f64;
    }
    1.0 - (-x).exp() * sum
}

fn kolmogorov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let count = sample.len() as f64;
    let gap = |(i, &x): (usize, &f64)| (cdf(x) - (i as f64 + 0.5) / count).abs();
    sample.iter().enumerate().map(gap).fold(0.0, f64::max)
}

fn limit(draws: usize) -> f64 {
    ((2.0f64 / 1e-6).ln() / (2.0 * draws as f64)).sqrt() + 1e-3
}

fn drawn(law: &ShapedLaw, draws: usize, seed: u64) -> Vec<Vec<f64>> {
    let source = &mut Seeded::new(seed);
    let one = |_| {
        law.draw(1e-9, source).unwrap().coordinates().iter().map(|x| x.to_f64().value()).collect()
    };
    (0..draws).map(one).collect()
}

fn absolute_sums(columns: &Columns, b: &[f64]) -> Vec<f64> {
    columns.ranges().map(|range| b[range].iter().map(|x| x.abs()).sum()).collect()
}

/// ε_G·max ‖b_j‖₁/(2c_j) of each group, which is Gamma(D_G).
fn gauges(law: &ShapedLaw, b: &[f64]) -> Vec<f64> {
    let sums = absolute_sums(law.columns(), b);
    match law {
        ShapedLaw::Groups { columns, group_of, epsilons } => {
            let mut found = vec![0.0f64; epsilons.len()];
            for ((sum, column), &group) in sums.iter().zip(columns.iter()).zip(group_of) {
                found[group] = found[group].max(epsilons[group] * sum / (2.0 * column.size));
            }
            found
        }
        ShapedLaw::RowNorm { epsilon, .. } => {
            vec![0.5 * epsilon * sums.iter().map(|s| s * s).sum::<f64>().sqrt()]
        }
        ShapedLaw::ColumnGaussian { .. } => Vec::new(),
    }
}

/// Density ∝ exp(−gauge) in D dimensions makes the gauge Gamma(D): not Gamma(D + 1), and not
/// Gamma(D − 1).
#[test]
fn the_gauge_of_what_is_drawn_is_gamma() {
    let draws = 2500;
    for law in laws() {
        let dimensions = match &law {
            ShapedLaw::Groups { columns, group_of, epsilons } => {
                ShapedLaw::group_dimensions(columns, group_of, epsilons.len())
            }
            ShapedLaw::RowNorm { columns, .. } => vec![columns.dimension()],
            ShapedLaw::ColumnGaussian { .. } => continue,
        };
        let sample: Vec<Vec<f64>> =
            drawn(&law, draws, 11).iter().map(|b| gauges(&law, b)).collect();
        for (group, &d) in dimensions.iter().enumerate() {
            let gauge: Vec<f64> = sample.iter().map(|gauges| gauges[group]).collect();
            assert!(
                kolmogorov(gauge.clone(), |x| gamma_cdf(d, x)) < limit(draws),
                "{law:?}, group {group}"
            );
            assert!(
                kolmogorov(gauge, |x| gamma_cdf(d + 1, x)) > limit(draws),
                "the test sees no difference"
            );
        }
    }
}

/// Uniform in a product of balls: (‖b_j‖₁/(2c_jR))^k is uniform, where the gauge stands for R. In a
/// group of 1 + 4 + 2 + 1 the largest of the four is the gauge; a column is it with probability
/// k/D, and else its own share is uniform below.
#[test]
fn columns_have_their_share_of_a_group() {
    let draws = 4000;
    let law = &laws()[0];
    let sample = drawn(law, draws, 12);
    for (j, column) in law.columns().iter().enumerate() {
        let (k, d) = (column.coefficients as f64, 8.0);
        let share: Vec<f64> = sample
            .iter()
            .map(|b| {
                let own = 0.7 * absolute_sums(law.columns(), b)[j] / (2.0 * column.size);
                (own / gauges(law, b)[0]).powf(k)
            })
            .collect();
        let largest = share.iter().filter(|&&x| x > 1.0 - 1e-9).count() as f64 / draws as f64;
        assert!(
            (largest - k / d).abs() < 5.0 * (0.25 / draws as f64).sqrt(),
            "column {j}: {largest}"
        );
        let rest: Vec<f64> = share.into_iter().filter(|&x| x <= 1.0 - 1e-9).collect();
        let limit = limit(rest.len());
        assert!(kolmogorov(rest, |x| x.clamp(0.0, 1.0)) < limit, "column {j}");
    }
}

/// A group of one column is Laplace noise of scale 2c/ε on each entry.
#[test]
fn a_column_alone_has_laplace_noise() {
    let draws = 2500;
    let law = &laws()[2];
    let sample = drawn(law, draws, 13);
    let scale = 2.0 * 0.4 / 0.9;
    for i in 1..5 {
        let entry: Vec<f64> = sample.iter().map(|b| b[i].abs() / scale).collect();
        assert!(kolmogorov(entry.clone(), |x| -(-x).exp_m1()) < limit(draws), "entry {i}");
        assert!(
            kolmogorov(entry, |x| -(-1.2 * x).exp_m1()) > limit(draws),
            "the test sees no difference"
        );
    }
}

/// The stated variance of every entry, signs, and no correlation between entries. Five standard
/// errors, about 1e-6.
#[test]
fn entries_have_the_stated_variance() {
    let draws = 3000;
    for law in laws() {
        let sample = drawn(&law, draws, 14);
        let variances = law.variances();
        for (range, variance) in law.columns().ranges().zip(variances) {
            for i in range {
                let mean_of = |of: &dyn Fn(&[f64]) -> f64| {
                    let values: Vec<f64> = sample.iter().map(|b| of(b)).collect();
                    let mean = values.iter().sum::<f64>() / draws as f64;
                    let spread =
                        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws as f64;
                    (mean, 5.5 * (spread / draws as f64).sqrt())
                };
                let (mean, error) = mean_of(&|b| b[i]);
                assert!(mean.abs() < error, "{law:?}: entry {i} is {mean} on average");
                let (mean, error) = mean_of(&|b| b[i] * b[i]);
                assert!(
                    (mean - variance).abs() < error,
                    "{law:?}: entry {i} varies by {mean}, not {variance}"
                );
                let (mean, error) = mean_of(&|b| b[i] * b[(i + 1) % 8]);
                assert!(mean.abs() < error, "{law:?}: entry {i} and the next go together");
            }
        }
    }
}

/// One draw, taken coarsely and then finely.
#[test]
fn a_vector_is_as_near_to_the_exact_draw_as_promised() {
    fn check(draw: &mut impl Refine, source: &mut dyn Source) {
        for resolution in [1e-3, 1e-12, 1e-40] {
            let coarse = draw.refined(resolution, source).unwrap();
            let fine = draw.refined(resolution * 1e-20, source).unwrap();
            let apart: Vec<BigFloat> =
                coarse.coordinates().iter().zip(fine.coordinates()).map(|(a, b)| a - b).collect();
            let apart = norm(&apart, 400).to_f64().value();
            assert!(0.0 < apart && apart <= resolution, "{apart} > {resolution}");
        }
    }
    let source = &mut Seeded::new(15);
    for law in laws() {
        match &law {
            ShapedLaw::Groups { columns, group_of, epsilons } => {
                check(&mut Groups::draw(columns, group_of, epsilons, source).unwrap(), source);
            }
            ShapedLaw::RowNorm { columns, epsilon } => {
                check(&mut RowNorm::draw(columns, *epsilon, source).unwrap(), source);
            }
            ShapedLaw::ColumnGaussian { columns, deviations } => {
                let mut normals = reals(8, Real::normal, source).unwrap();
                let mut at = |resolution| {
                    column_gaussian(&mut normals, columns, deviations, resolution, source).unwrap()
                };
                let (coarse, fine) = (at(1e-12), at(1e-40));
                let apart: Vec<BigFloat> = coarse
                    .coordinates()
                    .iter()
                    .zip(fine.coordinates())
                    .map(|(a, b)| a - b)
                    .collect();
                let apart = norm(&apart, 400).to_f64().value();
                assert!(0.0 < apart && apart <= 1e-12, "{apart}");
            }
        }
    }
}

/// The bound on the length holds, and is not absurd.
#[test]
fn lengths_are_seldom_exceeded() {
    for law in laws() {
        let bound = law.length_exceeded_by(2.0);
        let longer = drawn(&law, 2000, 16)
            .iter()
            .filter(|b| b.iter().map(|x| x * x).sum::<f64>().sqrt() > bound)
            .count();
        assert!(longer as f64 <= 2000.0 * (-2.0f64).exp(), "{law:?}: {longer}");
        let typical = TrainingLaw::from(law.clone()).typical_length(8);
        assert!(bound < 12.0 * typical, "{law:?}: {bound} {typical}");
    }
}
