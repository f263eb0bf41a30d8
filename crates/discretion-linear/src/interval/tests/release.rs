//! What leaves has the law that the proof is about, and half of its noise would not be enough.

use super::{distance_from_law, rows_of_length_one};
use crate::erm::matrix::{Batch, Layout, Matrix, Norm};
use crate::erm::{AskOracle, Facts, Oracle, Order};
use crate::interval::matrices::{
    MatrixNoise, Scheme, add_noise, computed_sensitivity, release, svec,
};
use crate::loss::LossKind;
use crate::loss::{Weight, Weighted};
use discretion_privacy::account::Spend;
use discretion_privacy::noise::{Provenance, Receipt, Released, Seeded, Sensitive};
use discretion_privacy::trusted;
use discretion_privacy::trusted::Open;
use discretion_privacy::{Approximate, Budget, Zcdp, normal_cdf};

fn released(theta: &[f64]) -> Released<Vec<f64>> {
    trusted::released(theta.to_vec(), Provenance::OperatingSystem)
}

/// n rows x = 1, one coefficient: the matrix is one number.
fn coins(n: usize, positives: usize) -> Matrix {
    let mut matrix = Matrix::new(Layout::new(Norm::Scale, 1.0, vec![], vec![]).unwrap());
    matrix.push(Batch { positive: (0..n).map(|i| i < positives).collect(), ..Batch::default() });
    matrix
}

/// The coordinates without noise.
fn coordinates(
    oracle: &dyn Oracle,
    kind: LossKind,
    weight: Weight,
    theta: &[f64],
    most: f64,
) -> Vec<f64> {
    let sums = oracle.sums(&Weighted::new(kind, weight, most), theta, Order::Hessian).unwrap();
    svec(&sums.into_inner().hessian, theta.len())
}

/// One coefficient: the exact log-ratio of densities on a grid of outputs, for a row flipped. The
/// program's own outputs have that density (false-alarm rate 1e-6).
#[test]
fn one_number_with_spherical_noise_has_its_density_and_half_of_it_is_caught() {
    let (theta, epsilon, kind, weight) = ([3.0], 0.8, LossKind::Logistic, Weight::SquaredSlope);
    let tables = [coins(5, 2), coins(5, 3)];
    let most = weight.most(kind, 3.0);
    let centres = [0, 1].map(|i| coordinates(&tables[i].all(), kind, weight, &theta, most)[0]);
    let scale = computed_sensitivity(most, &tables[0].all().facts()) / epsilon;
    for share in [1.0, 0.5] {
        let worst = (-2000..=2000)
            .map(|k| f64::from(k) * 0.005)
            .map(|x| ((x - centres[0]).abs() - (x - centres[1]).abs()).abs() / (share * scale))
            .fold(0.0, f64::max);
        assert_eq!(worst <= epsilon, share == 1.0, "share {share}: {worst}");
    }
    let noise = MatrixNoise::Spherical { epsilon, mask: 1e-3 * epsilon };
    let theta = released(&theta);
    for (table, centre) in tables.iter().zip(centres) {
        let sample = (0..4000)
            .map(|_| {
                release(
                    &table.all(),
                    kind,
                    weight,
                    &theta,
                    noise,
                    Receipt::nobody_remembers().noise(),
                )
                .unwrap()
                .entry(0, 0)
            })
            .collect();
        let cdf = |x: f64| {
            let tail = 0.5 * (-(x - centre).abs() / scale).exp();
            if x < centre { tail } else { 1.0 - tail }
        };
        let (distance, limit) = distance_from_law(sample, cdf);
        assert!(distance < limit, "{distance} from the law");
    }
}

/// Orthogonal rows in two dimensions, where the sensitivity is reached: a tenth less noise is
/// caught.
#[test]
fn a_tenth_less_spherical_noise_is_caught() {
    let (kind, weight, epsilon) = (LossKind::Logistic, Weight::Curvature, 0.5);
    let theta = [0.0; 3];
    let most = weight.most(kind, 0.0);
    let table =
        |first: [f32; 2]| rows_of_length_one(&[(first.to_vec(), true), (vec![0.5, 0.5], false)]);
    let tables = [table([1.0, 0.0]), table([0.0, 1.0])];
    let [here, there] = [0, 1].map(|i| coordinates(&tables[i].all(), kind, weight, &theta, most));
    let scale = computed_sensitivity(most, &tables[0].all().facts()) / epsilon;
    let length =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    for share in [1.0, 0.9] {
        // Outputs on the line through both centres, beyond either.
        let worst = (-100..=100)
            .map(|k| -> Vec<f64> {
                here.iter().zip(&there).map(|(a, b)| a + 0.1 * f64::from(k) * (b - a)).collect()
            })
            .map(|out| (length(&out, &here) - length(&out, &there)).abs() / (share * scale))
            .fold(0.0, f64::max);
        assert_eq!(worst <= epsilon, share == 1.0, "share {share}: {worst}");
    }
}

/// Two coefficients, three coordinates: length Gamma(3), height of the direction uniform
/// (Archimedes). False-alarm rate 1e-6 each.
#[test]
fn spherical_noise_on_a_matrix_has_its_length_and_direction() {
    let (kind, weight, epsilon) = (LossKind::Hinge, Weight::SquaredSlope, 2.0);
    let table = rows_of_length_one(&[(vec![1.0], true), (vec![-0.4], true), (vec![0.2], false)]);
    let theta = [0.1, -0.3];
    let most = weight.most(kind, 1.0);
    let centre = coordinates(&table.all(), kind, weight, &theta, most);
    let scale = computed_sensitivity(most, &table.all().facts()) / epsilon;
    let noise = MatrixNoise::Spherical { epsilon, mask: 2e-3 };
    let theta = released(&theta);
    let (mut lengths, mut heights) = (Vec::new(), [const { Vec::new() }; 3]);
    for _ in 0..6000 {
        let out =
            release(&table.all(), kind, weight, &theta, noise, Receipt::nobody_remembers().noise())
                .unwrap();
        let square = [out.entry(0, 0), out.entry(0, 1), out.entry(1, 0), out.entry(1, 1)];
        let noise: Vec<f64> = svec(&square, 2).iter().zip(&centre).map(|(x, c)| x - c).collect();
        let length = noise.iter().map(|x| x * x).sum::<f64>().sqrt();
        lengths.push(length / scale);
        for (heights, x) in heights.iter_mut().zip(&noise) {
            heights.push(x / length);
        }
    }
    let gamma = |x: f64| 1.0 - (-x).exp() * (1.0 + x + 0.5 * x * x);
    let (distance, limit) = distance_from_law(lengths, gamma);
    assert!(distance < limit, "length: {distance} from the law");
    for heights in heights {
        let (distance, limit) = distance_from_law(heights, |x| 0.5 * (1.0 + x));
        assert!(distance < limit, "direction: {distance} from the law");
    }
}

/// The discrete Gaussian: ρ = (distance in lattice steps)²/(2σ²) for the worst neighbours, rounding
/// included; and the program draws that σ (false-alarm rate 1e-6).
#[test]
fn gaussian_noise_costs_its_rho_and_half_of_it_costs_more() {
    let (kind, weight, rho) = (LossKind::Logistic, Weight::Curvature, 0.05);
    let theta = [0.0; 3];
    let most = weight.most(kind, 0.0);
    let table =
        |first: [f32; 2]| rows_of_length_one(&[(first.to_vec(), true), (vec![0.5, 0.5], false)]);
    let tables = [table([1.0, 0.0]), table([0.0, 1.0])];
    let [here, there] = [0, 1].map(|i| coordinates(&tables[i].all(), kind, weight, &theta, most));
    let noise = MatrixNoise::Gaussian { rho };
    let sigma = computed_sensitivity(most, &tables[0].all().facts()) / (2.0 * rho).sqrt();
    let squared: f64 = here.iter().zip(&there).map(|(a, b)| (a - b).powi(2)).sum();
    for share in [1.0, 0.9, 0.5] {
        let price = 0.5 * squared / (share * sigma).powi(2);
        assert_eq!(price <= rho, share == 1.0, "share {share}: {price}");
    }
    let theta = released(&theta);
    let sample = (0..3000)
        .flat_map(|_| {
            let out = release(
                &tables[0].all(),
                kind,
                weight,
                &theta,
                noise,
                Receipt::nobody_remembers().noise(),
            )
            .unwrap();
            let square: Vec<f64> = (0..9).map(|k| out.entry(k / 3, k % 3)).collect();
            svec(&square, 3).iter().zip(&here).map(|(x, c)| (x - c) / sigma).collect::<Vec<_>>()
        })
        .collect();
    let (distance, limit) = distance_from_law(sample, normal_cdf);
    assert!(distance < limit, "{distance} from the law");
}

/// The record of a release costs what its noise does.
#[test]
fn what_is_recorded_is_what_was_spent() {
    let price = |noise: MatrixNoise, cap: Budget| {
        Spend::of(&noise.event("a matrix")).unwrap().price(cap).unwrap().amount
    };
    let pure =
        price(MatrixNoise::Spherical { epsilon: 0.5, mask: 0.01 }, Budget::Pure { epsilon: 1.0 });
    assert!((0.51..0.51 + 1e-12).contains(&pure), "{pure}");
    let rho = price(MatrixNoise::Gaussian { rho: 0.05 }, Budget::Zcdp { rho: 1.0 });
    assert!((0.05..0.05 + 1e-12).contains(&rho), "{rho}");
}

/// With δ the smaller of two laws is taken, and it is never the analytic Gaussian's.
#[test]
fn the_law_is_chosen_by_what_it_adds() {
    let budget = Budget::Approximate { epsilon: 1.0, delta: 1e-6 };
    let facts =
        |dimension: usize| Facts { columns: None, ..Facts::of_matrix(1000, dimension, dimension) };
    assert!(matches!(MatrixNoise::within(budget, &facts(3)), MatrixNoise::Spherical { .. }));
    let MatrixNoise::Gaussian { rho } = MatrixNoise::within(budget, &facts(30)) else {
        panic!("30 coefficients")
    };
    assert!(rho <= Zcdp::within(Approximate { epsilon: 1.0, delta: 1e-6 }).rho);
    for dimension in [1, 5, 8, 12, 40] {
        let norm = |noise: MatrixNoise| noise.hides(1.0, &facts(dimension));
        let chosen = norm(MatrixNoise::within(budget, &facts(dimension)));
        let pure = norm(MatrixNoise::within(Budget::Pure { epsilon: 1.0 }, &facts(dimension)));
        assert!(chosen <= pure && chosen <= norm(MatrixNoise::Gaussian { rho }));
    }
}

/// The gate's tolerance is 2·2⁻⁴⁰ of the noise's scale: the draw is off by half of that, and the sum
/// of draw and matrix is rounded. The lattice tells it, as its step is the largest power of two that
/// is no more than a quarter. Where the scale is just above a power of two, a smaller tolerance has
/// a finer lattice, and where it is just below, a larger one has a coarser.
#[test]
fn the_gate_is_for_the_draw_and_for_adding_it() {
    let (facts, source) = (coins(5, 2).all().facts(), &mut Seeded::new(7));
    let sensitivity = computed_sensitivity(1.0, &facts);
    for (scale, exponent) in [(1.01, -41), (0.99, -42)] {
        let noise = MatrixNoise::Spherical { epsilon: sensitivity / scale, mask: 1.0 };
        let scheme = Scheme::new(noise, &facts);
        let steps: Vec<f64> = (0..20)
            .map(|_| {
                let computed = Sensitive::new(vec![0.25]);
                let out = add_noise(computed, &scheme, 1.0, &facts, source).unwrap();
                out[0] / 2f64.powi(exponent)
            })
            .collect();
        assert!(steps.iter().all(|x| x.fract() == 0.0), "{scale}: a finer lattice");
        assert!(steps.iter().any(|x| x % 2.0 != 0.0), "{scale}: a coarser lattice");
    }
}
